/* Dewford's cave of several floors: maps that only jade_full.gba has. Numbers are Emerald's. */
#ifndef CAVE_H
#define CAVE_H

#include "field/ground/map.h"

enum { FLAG_RECEIVED_HM_FLASH = 0x6D, FLAG_REGISTERED_STEVEN_POKENAV = 0x131, FLAG_HIDE_GRANITE_CAVE_STEVEN = 0x341,
       FLAG_ITEM_GRANITE_CAVE_B1F_POKE_BALL = 0x41B, FLAG_ITEM_GRANITE_CAVE_B2F_REPEL = 0x41D,
       FLAG_ITEM_GRANITE_CAVE_B2F_RARE_CANDY = 0x41E };
enum { ITEM_REPEL = 86, ITEM_FLASH = 343 };

extern const MapHeader map_granite_b1f, map_granite_b2f, map_stevens_room;

#endif
