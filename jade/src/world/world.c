/* All maps by Emerald's numbers, and how the game begins. */
#include "field/ground/map.h"
#include "full/cave/cave.h"
#include "full/coast/coast.h"
#include "full/mountain/mountain.h"
#include "full/west/west.h"
#include "system/demands.h"
#include "world/world.h"

const MapEntry map_directory[] __attribute__((section(".rodata.first"))) = {
    {0, 9, &map_littleroot},
    {0, 16, &map_route_101},
    {0, 10, &map_oldale},
    {0, 18, &map_route_103},
    {0, 17, &map_route_102},
    {0, 0, &map_petalburg},
    {0, 3, &map_rustboro},
    {0, 11, &map_dewford},
    {0, 19, &map_route_104},
    {0, 24, &map_route_109},
    {1, 0, &map_home_1f},
    {1, 1, &map_home_2f},
    {1, 2, &map_neighbour_1f},
    {1, 3, &map_neighbour_2f},
    {1, 4, &map_lab},
    {2, 0, &map_oldale_house},
    {2, 2, &map_oldale_centre},
    {2, 4, &map_oldale_mart},
    {8, 2, &map_petalburg_house},
    {8, 4, &map_petalburg_centre},
    {3, 1, &map_dewford_centre},
    {3, 3, &map_dewford_gym},
    {11, 2, &map_devon},
    {11, 3, &map_rustboro_gym},
    {11, 5, &map_rustboro_centre},
    {11, 7, &map_rustboro_mart},
    {11, 11, &map_cutter},
    {17, 0, &map_briney},
    {24, 7, &map_granite},
    {24, 11, &map_woods},
    {25, 40, &map_truck},
#if FULL
    {8, 1, &map_petalburg_gym},
    {24, 8, &map_granite_b1f},
    {24, 9, &map_granite_b2f},
    {24, 10, &map_stevens_room},
    {0, 1, &map_slateport},
    {0, 2, &map_mauville},
    {0, 25, &map_route_110},
    {9, 0, &map_shipyard},
    {9, 7, &map_museum_1f},
    {9, 8, &map_museum_2f},
    {9, 11, &map_slateport_centre},
    {9, 13, &map_slateport_mart},
    {10, 0, &map_mauville_gym},
    {10, 1, &map_bike_shop},
    {10, 5, &map_mauville_centre},
    {10, 7, &map_mauville_mart},
    {0, 12, &map_lavaridge},
    {0, 13, &map_fallarbor},
    {0, 28, &map_route_113},
    {0, 29, &map_route_114},
    {5, 0, &map_fallarbor_mart},
    {5, 4, &map_fallarbor_centre},
    {24, 0, &map_meteor_falls},
    {24, 14, &map_fiery_path},
    {0, 26, &map_route_111},
    {0, 27, &map_route_112},
    {4, 1, &map_lavaridge_gym_1f},
    {4, 2, &map_lavaridge_gym_b1f},
    {4, 4, &map_lavaridge_mart},
    {4, 5, &map_lavaridge_centre},
    {19, 0, &map_valley_station},
    {19, 1, &map_peak_station},
    {24, 12, &map_chimney},
    {24, 13, &map_jagged_pass},
#endif
    {0, 0, 0},
};

/* For tests and tools: the address of the directory at a fixed place. */
const MapEntry *const map_directory_address __attribute__((section(".directory"), used)) = map_directory;

/* At a fixed place, too: whoever makes a world writes here. */
const volatile u8 demands[DEMANDS] __attribute__((section(".demands"), used)) = {[ENGINE] = FULL};

/* For whoever plans: what moves do, which type is strong against which, who learns what. */
static const void *const tables[] = {
    move_table, &type_effects, cut_learners, rock_smash_learners,
#if FULL
    flash_learners, strength_learners,
#endif
};
const void *const *const tables_address __attribute__((section(".tables"), used)) = tables;

const WarpData new_game_place = {25, 40, -1, 0, 1, 2};

const char intro_text[] =
    "Welcome to the valley of Jade, where people and wild creatures share the woods."
    "\nToday you move into a new house. You ride in the back of the truck, between the boxes.";
