/* Over the sea: the old sailor, the island with the second hall, a cave, a far beach. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/cave/rocks.h"
#include "system/demands.h"
#include "world/ferry.h"
#include "world/services.h"
#include "world/world.h"

#if !FULL
static const MapScripts no_scripts = {0, 0}; /* of the cave */
#endif

static const Command boat[] = {SAY("The boat rocks gently."), END};
static const Command peeko[] = {SAY("PEEKO: Pii pihyoro!"), END};

/* ---- the sailor's house ---- */

static const ObjectTemplate house_people[] = {
    PERSON(1, LOOK_ELDER, 5, 3, DOWN, STANDS, FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY, ferry_from_house),
    PERSON(2, LOOK_BIRD, 7, 3, DOWN, STANDS, FLAG_HIDE_BRINEYS_HOUSE_PEEKO, peeko),
};
static const WarpEvent house_warps[] = {WARP(5, 8, 0, 19, 2)};
static const MapEvents house_events = {2, 1, 0, 0, house_people, house_warps, 0, 0};
static const MapScripts house_scripts = {0, ferry_at_house};
const MapHeader map_briney = {
    &layout_Briney, &house_events, &house_scripts, 0, 0, 102, SECTION_ROUTE_104, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- Dewford ---- */

static const Command town_arrive[] = {SET_FLAG(FLAG_VISITED_DEWFORD_TOWN), END};
#if !FULL
static const Command reader_later[] = {SAY("Good news from the president. Thank you again!"), END};
static const Command reader[] = {
    IF_FLAG(FLAG_DELIVERED_STEVEN_LETTER, reader_later),
    SAY("Is that a letter for me? At last! Take this for your trouble."),
    TAKE_ITEM(ITEM_LETTER, 1),
    SET_FLAG(FLAG_DELIVERED_STEVEN_LETTER),
    GIVE_ITEM(ITEM_NUGGET, 1),
    END,
};
#endif
static const Command town_sign[] = {SAY("Dewford. An island with a wind of its own."), END};
static const ObjectTemplate town_people[] = {
    PERSON(FERRYMAN, LOOK_ELDER, 13, 16, LEFT, STANDS, FLAG_HIDE_MR_BRINEY_DEWFORD_TOWN, ferry_from_dewford),
    PERSON(FERRYBOAT, LOOK_BOAT, 12, 19, DOWN, STANDS, FLAG_HIDE_MR_BRINEY_BOAT_DEWFORD_TOWN, boat),
#if FULL
    PERSON(3, LOOK_BOY, 6, 13, 0, LOOKS_AROUND, 0, smasher), /* whom the letter is for waits in the cave */
#else
    PERSON(3, LOOK_BOY, 6, 13, 0, LOOKS_AROUND, 0, reader),
#endif
};
static const WarpEvent town_warps[] = {WARP(4, 8, 3, 1, 0), WARP(12, 8, 3, 3, 0), WARP(9, 2, 24, 7, 0)};
static const BgEvent town_signs[] = {SIGN(8, 11, town_sign)};
static const MapEvents town_events = {3, 3, 0, 1, town_people, town_warps, 0, town_signs};
static const MapScripts town_scripts = {town_arrive, ferry_at_dewford};
const MapHeader map_dewford = {
    &layout_Dewford, &town_events, &town_scripts, 0, 0, 12, SECTION_DEWFORD, 0, 0, TYPE_TOWN, 0, 4, 0,
};

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 11, 0), WARP(7, 8, 0, 11, 0)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_dewford_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_DEWFORD, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- the second hall: where red walls stand there are no blue ones, and each switch changes that ---- */

enum { RED_WALL = 4, RED_WALL_2, BLUE_WALL, BLUE_WALL_2 };

static const Command gym_open[] = {SET_FLAG(FLAG_TEMP_12), SET_FLAG(FLAG_TEMP_13), END};
static const Command gym_arrive[] = {IF_FLAG(FLAG_BADGE02_GET, gym_open), SET_FLAG(FLAG_TEMP_13), END};
static const Command switch_to_red[] = {
    SHOW(RED_WALL), SHOW(RED_WALL_2), HIDE(BLUE_WALL), HIDE(BLUE_WALL_2),
    SAY("Red walls slide out, blue walls slide away."), END,
};
static const Command gym_idle[] = {SAY("All walls have slid away for good."), END};
static const Command gym_switch[] = {
    IF_FLAG(FLAG_BADGE02_GET, gym_idle),
    IF_FLAG(FLAG_TEMP_12, switch_to_red),
    HIDE(RED_WALL), HIDE(RED_WALL_2), SHOW(BLUE_WALL), SHOW(BLUE_WALL_2),
    SAY("Blue walls slide out, red walls slide away."), END,
};
static const Command gym_wall[] = {SAY("A wall on wheels. There must be a switch for its colour."), END};
static const Command gym_sign[] = {SAY("FIN'S HALL: Two colours, two switches, one way to me."), END};

static const Trainer laura = {426, "Laura", "LAURA: Ow!", 160, {{356, 7}}, false};
static const Duel laura_duel = {&laura, "LAURA: Fists first!", "LAURA: The leader stands at the very back.", 0};
static const Trainer takao = {179, "Takao", "TAKAO: Thrown!", 180, {{66, 7}}, false};
static const Duel takao_duel = {&takao, "TAKAO: Nobody gets past me!", "TAKAO: You got past me.", 0};
static const Trainer fin = {266, "Fin", "FIN: What a wave! It swept me away.", 2000, {{66, 8}, {356, 9}}, false};
static const Command fin_later[] = {SAY("FIN: The sea is wide. Come and surf some time."), END};
static const Command leader[] = {
    IF_FLAG(FLAG_BADGE02_GET, fin_later),
    SAY("FIN: I am Fin. The wind and the waves have made me strong. And you?"),
    BATTLE(&fin),
    SET_FLAG(FLAG_BADGE02_GET),
    SET_FLAG(FLAG_DEFEATED_DEWFORD_GYM),
    SAY("FIN: Here is the badge of the fist. You have earned it!"),
    HIDE(RED_WALL),
    HIDE(RED_WALL_2),
    END,
};
static const ObjectTemplate gym_people[] = {
    PERSON(1, LOOK_FIN, 9, 3, DOWN, STANDS, 0, leader),
    TRAINER(2, LOOK_GIRL, 10, 14, RIGHT, 5, &laura_duel),
    TRAINER(3, LOOK_GUARD, 7, 8, LEFT, 5, &takao_duel),
    PERSON(RED_WALL, LOOK_BARRIER, 3, 17, DOWN, STANDS, FLAG_TEMP_12, gym_wall),
    PERSON(RED_WALL_2, LOOK_BARRIER, 8, 11, DOWN, STANDS, FLAG_TEMP_12, gym_wall),
    PERSON(BLUE_WALL, LOOK_BLUE_BARRIER, 13, 17, DOWN, STANDS, FLAG_TEMP_13, gym_wall),
    PERSON(BLUE_WALL_2, LOOK_BLUE_BARRIER, 3, 6, DOWN, STANDS, FLAG_TEMP_13, gym_wall),
    PERSON(8, LOOK_SWITCH, 16, 9, DOWN, STANDS, 0, gym_switch),
    PERSON(9, LOOK_SWITCH, 1, 9, DOWN, STANDS, 0, gym_switch),
};
static const WarpEvent gym_warps[] = {WARP(8, 27, 0, 11, 1), WARP(9, 27, 0, 11, 1)};
static const BgEvent gym_signs[] = {SIGN(3, 21, gym_sign)};
static const MapEvents gym_events = {9, 2, 0, 1, gym_people, gym_warps, 0, gym_signs};
static const MapScripts gym_scripts = {gym_arrive, 0};
const MapHeader map_dewford_gym = {
    &layout_DewfordGym, &gym_events, &gym_scripts, 0, 0, 65, SECTION_DEWFORD, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- the cave; that of jade_full.gba has several floors ---- */

#if !FULL
FOUND(cave_ball, 1, ITEM_ROPE, "You found a rope!");
static const ObjectTemplate cave_people[] = {
    PERSON(1, LOOK_BALL, 36, 3, DOWN, STANDS, FLAG_ITEM_GRANITE_CAVE_1F_ESCAPE_ROPE, cave_ball),
};
static const WarpEvent cave_warps[] = {WARP(4, 13, 0, 11, 2)};
static const MapEvents cave_events = {1, 1, 0, 0, cave_people, cave_warps, 0, 0};
const MapHeader map_granite = {
    &layout_Granite, &cave_events, &no_scripts, 0, 0, 132, SECTION_GRANITE, 1, 0, TYPE_UNDERGROUND, 0, 4, 0,
};
#endif

/* ---- the far beach ---- */

static const Command swimmer[] = {SAY("I swam here from Dewford. Never again!"), END};
#if FULL
static const Command beach_sign[] = {SAY("Route 109. North: Slateport, the city by the sea."), END};
static const Trainer ricky = {64, "Ricky", "RICKY: Sand in my eyes!", 60, {{288, 14}}, false};
static const Duel ricky_duel = {&ricky, "RICKY: This is my castle!", "RICKY: You may look at the castle.", 0};
static const Trainer huey = {490, "Huey", "HUEY: Shipwrecked!", 384, {{309, 12}, {66, 12}}, false};
static const Duel huey_duel = {&huey, "HUEY: I am on leave, and bored. On guard!", "HUEY: Land is so quiet.", 0};
#else
static const Command beach_sign[] = {SAY("Route 109. The city behind the hills is being built."), END};
#endif
static const ObjectTemplate beach_people[] = {
    PERSON(FERRYMAN, LOOK_ELDER, 21, 15, LEFT, STANDS, FLAG_HIDE_ROUTE_109_MR_BRINEY, ferry_from_route_109),
    PERSON(FERRYBOAT, LOOK_BOAT, 20, 19, DOWN, STANDS, FLAG_HIDE_ROUTE_109_MR_BRINEY_BOAT, boat),
    PERSON(3, LOOK_GIRL, 12, 8, 0, LOOKS_AROUND, 0, swimmer),
#if FULL
    TRAINER(4, LOOK_BOY, 18, 11, RIGHT, 3, &ricky_duel),
    TRAINER(5, LOOK_GUARD, 26, 7, LEFT, 5, &huey_duel),
#endif
};
static const BgEvent beach_signs[] = {SIGN(22, 14, beach_sign)};
static const MapEvents beach_events = {ARRAY_COUNT(beach_people), 0, 0, 1, beach_people, 0, 0, beach_signs};
static const MapScripts beach_scripts = {0, ferry_at_route_109};
#if FULL
static const MapConnection beach_sides[] = {CONNECTION(SIDE_NORTH, 0, 0, 1)};
static const MapConnections beach_connections = {1, beach_sides};
const MapHeader map_route_109 = {
    &layout_Route109Coast, &beach_events, &beach_scripts, &beach_connections, 0, 25, SECTION_ROUTE_109, 0, 0, TYPE_ROUTE, 0, 4, 0,
};
#else
const MapHeader map_route_109 = {
    &layout_Route109, &beach_events, &beach_scripts, 0, 0, 25, SECTION_ROUTE_109, 0, 0, TYPE_ROUTE, 0, 4, 0,
};
#endif
