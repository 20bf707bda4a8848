/* The smoking mountain north of the coast: maps that only jade_full.gba has. Numbers are Emerald's. */
#ifndef MOUNTAIN_H
#define MOUNTAIN_H

#include "field/ground/map.h"

enum { FLAG_DEFEATED_EVIL_TEAM_MT_CHIMNEY = 0x8B, FLAG_HIDE_MT_CHIMNEY_TEAM_AQUA = 0x39E, FLAG_HIDE_MT_CHIMNEY_TEAM_MAGMA = 0x39F,
       FLAG_ITEM_ROUTE_111_ELIXIR = 0x476, FLAG_ITEM_ROUTE_112_NUGGET = 0x3F3, FLAG_ITEM_JAGGED_PASS_BURN_HEAL = 0x42E,
       FLAG_DEFEATED_LAVARIDGE_GYM = 0x4F3, FLAG_BADGE04_GET = 0x86A, FLAG_VISITED_LAVARIDGE_TOWN = 0x872 };
enum { VAR_CABLE_CAR_STATION_STATE = 0x40A3 };
enum { ITEM_BURN_HEAL = 15, ITEM_OVERHEAT = 338 };
enum { SECTION_LAVARIDGE = 3, SECTION_ROUTE_111 = 26, SECTION_ROUTE_112 = 27, SECTION_CHIMNEY = 56, SECTION_JAGGED_PASS = 76 };

extern const MapHeader map_route_111, map_route_112, map_valley_station, map_peak_station, map_chimney, map_jagged_pass,
    map_lavaridge, map_lavaridge_centre, map_lavaridge_mart, map_lavaridge_gym_1f, map_lavaridge_gym_b1f;

#endif
