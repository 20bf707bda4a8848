/* What the files of the world share: Emerald's numbers, and short forms for the tables. */
#ifndef WORLD_H
#define WORLD_H

#include "art/assets.h"
#include "data/data.h"
#include "events/command.h"

enum { FLAG_SET_WALL_CLOCK = 0x51, FLAG_RESCUED_BIRCH = 0x52, FLAG_MET_RIVAL_MOM = 0x57,
       FLAG_ADVENTURE_STARTED = 0x74, FLAG_DEFEATED_RIVAL_ROUTE103 = 0x82, FLAG_RECEIVED_POTION_OLDALE = 0x84,
       FLAG_RECEIVED_RUNNING_SHOES = 0x112,
       FLAG_HIDE_ROUTE_101_BIRCH_STARTERS_BAG = 0x2BC, FLAG_HIDE_ROUTE_101_BIRCH_ZIGZAGOON_BATTLE = 0x2D0,
       FLAG_HIDE_LITTLEROOT_TOWN_BIRCHS_LAB_BIRCH = 0x2D1,
       FLAG_HIDE_LITTLEROOT_TOWN_MAYS_HOUSE_RIVAL_BEDROOM = 0x2D2, FLAG_HIDE_ROUTE_103_RIVAL = 0x2D3,
       FLAG_HIDE_LITTLEROOT_TOWN_MOM_OUTSIDE = 0x2F0,
       FLAG_ITEM_ROUTE_102_POTION = 0x3E8, FLAG_ITEM_PETALBURG_CITY_ETHER = 0x410, FLAG_ITEM_ROUTE_103_GUARD_SPEC = 0x45A,
       FLAG_SYS_POKEMON_GET = 0x860, FLAG_SYS_POKEDEX_GET = 0x861, FLAG_SYS_POKENAV_GET = 0x862,
       FLAG_HIDE_ROUTE_101_ZIGZAGOON = 0x2EE, FLAG_VISITED_LITTLEROOT_TOWN = 0x86F,
       FLAG_VISITED_OLDALE_TOWN = 0x870, FLAG_VISITED_PETALBURG_CITY = 0x876, FLAG_SYS_B_DASH = 0x8C0,
       FLAG_TEMP_11 = 0x11, FLAG_TEMP_12 = 0x12, FLAG_TEMP_13 = 0x13, FLAG_GYM_BARRIERS = 0x63, FLAG_RECEIVED_HM_CUT = 0x89, FLAG_RECEIVED_POKENAV = 0xBC,
       FLAG_DELIVERED_STEVEN_LETTER = 0xBD, FLAG_HIDDEN_ROUTE_104 = 0x220, FLAG_HIDE_ROUTE_104_MR_BRINEY = 0x2E2,
       FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY = 0x2E3, FLAG_HIDE_MR_BRINEY_DEWFORD_TOWN = 0x2E4,
       FLAG_HIDE_ROUTE_109_MR_BRINEY = 0x2E5, FLAG_HIDE_ROUTE_104_MR_BRINEY_BOAT = 0x2E6,
       FLAG_HIDE_MR_BRINEY_BOAT_DEWFORD_TOWN = 0x2E7, FLAG_HIDE_ROUTE_109_MR_BRINEY_BOAT = 0x2E8,
       FLAG_HIDE_BRINEYS_HOUSE_PEEKO = 0x371, FLAG_ITEM_GRANITE_CAVE_1F_ESCAPE_ROPE = 0x41A,
       FLAG_ITEM_PETALBURG_WOODS_X_ATTACK = 0x41F, FLAG_ITEM_PETALBURG_WOODS_GREAT_BALL = 0x420,
       FLAG_ITEM_ROUTE_104_POTION = 0x46F, FLAG_DEFEATED_RUSTBORO_GYM = 0x4F0, FLAG_DEFEATED_DEWFORD_GYM = 0x4F1,
       FLAG_BADGE01_GET = 0x867, FLAG_BADGE02_GET = 0x868, FLAG_VISITED_DEWFORD_TOWN = 0x871,
       FLAG_VISITED_RUSTBORO_CITY = 0x879,
       FLAG_HIDDEN_RARE_CANDY = 0x253, /* Petalburg's */
       FLAG_DAILY_BERRY = 0x930 /* the flower shop's */ };

enum { VAR_ROUTE101_STATE = 0x4060, VAR_BIRCH_LAB_STATE = 0x4084, VAR_LITTLEROOT_RIVAL_STATE = 0x408D,
       VAR_LITTLEROOT_INTRO_STATE = 0x4092, VAR_OLDALE_TOWN_STATE = 0x4051, VAR_BOARD_BRINEY_BOAT_STATE = 0x408E,
       VAR_BRINEY_LOCATION = 0x4096 };

enum { ITEM_POKE_BALL = 4, ITEM_POTION = 13, ITEM_ETHER = 34, ITEM_RARE_CANDY = 68, ITEM_GUARD_SPEC = 73,
       ITEM_BLUE_BERRY = 139, ITEM_GREAT_BALL = 3, ITEM_SUPER_POTION = 22, ITEM_X_ATTACK = 75, ITEM_ROPE = 85,
       ITEM_NUGGET = 110, ITEM_LETTER = 274, ITEM_ROCK_TOMB = 327, ITEM_CUT = 339 };
enum { SPECIES_STARTER = 283, STARTER_LEVEL = 5 };

enum { TYPE_TOWN = 1, TYPE_CITY = 2, TYPE_ROUTE = 3, TYPE_UNDERGROUND = 4 };
enum { SECTION_LITTLEROOT = 0, SECTION_OLDALE = 1, SECTION_PETALBURG = 7, SECTION_ROUTE_101 = 16,
       SECTION_ROUTE_102 = 17, SECTION_ROUTE_103 = 18,
       SECTION_DEWFORD = 2, SECTION_RUSTBORO = 10, SECTION_ROUTE_104 = 19, SECTION_ROUTE_109 = 24, SECTION_GRANITE = 55,
       SECTION_WOODS = 59, SECTION_TRUCK = 87 };
enum { SIDE_SOUTH = 1, SIDE_NORTH = 2, SIDE_WEST = 3, SIDE_EAST = 4 };
enum { STANDS = 0, LOOKS_AROUND = 1 }; /* movement types */

/* local id, look, column, row, facing or 0, movement, flag that hides it or 0, script */
#define PERSON(id, look, x, y, facing, movement, flag, script) \
    {id, look, 0, 0, x, y, 3, movement, facing, 0, 0, script, flag, 0}
/* who fights when you come into sight: how far he sees, his words, what he says later */
#define TRAINER(id, look, x, y, facing, sight, duel) \
    {id, look, 0, 0, x, y, 3, STANDS, facing, 1, sight, duel, 0, 0}
/* the same, but he turns now and then */
#define TURNING_TRAINER(id, look, x, y, sight, duel) \
    {id, look, 0, 0, x, y, 3, LOOKS_AROUND, 0, 1, sight, duel, 0, 0}
#define WARP(x, y, group, number, warp) {x, y, 0, warp, number, group}
#define TRIGGER(x, y, var, value, script) {x, y, 3, 0, var, value, 0, script}
#define SIGN(x, y, script) {x, y, 0, 0, {0, 0}, script}
#define CONNECTION(side, offset, group, number) {side, {0}, offset, group, number, {0}}

extern const MapHeader map_truck, map_littleroot, map_home_1f, map_home_2f, map_neighbour_1f, map_neighbour_2f, map_lab,
    map_route_101, map_oldale, map_oldale_house, map_oldale_centre, map_oldale_mart, map_route_103,
    map_route_102, map_petalburg, map_petalburg_house, map_petalburg_centre, map_route_104, map_woods, map_rustboro,
    map_rustboro_gym, map_devon, map_cutter, map_rustboro_centre, map_rustboro_mart, map_briney, map_dewford,
    map_dewford_centre, map_dewford_gym, map_granite, map_route_109;

#endif
