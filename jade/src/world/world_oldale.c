/* Route 101, the second town with its rooms, and Route 103. */
#include "battle/battle.h"
#include "creatures/pokemon.h"
#include "screens/screens.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- Route 101 ---- */

enum { BEAST = 4, SPECIES_BEAST = 288, BEAST_LEVEL = 2 };

static const Command route_101_open[] = {PLACE(3, 9, 7), END};
static const Command route_101_arrive[] = {
    IF_VAR_BELOW(VAR_BIRCH_LAB_STATE, 3, (const Command[]) {END}),
    GOTO(route_101_open),
};
static const Command cry_for_help[] = {
    SET_VAR(VAR_ROUTE101_STATE, 1),
    SAY("A VOICE: Help! Over here, to the left! My bag, there is a creature in my bag!"),
    END,
};
/* As in Emerald both flags are set before anything is chosen; the variables tell how far it came. */
static const Command bag[] = {
    SET_FLAG(FLAG_SYS_POKEMON_GET),
    SET_FLAG(FLAG_RESCUED_BIRCH),
    SCREEN(&starter_screen),
    CALL(starter_take),
    FACE(1, RIGHT),
    FIRST_BATTLE(SPECIES_BEAST, BEAST_LEVEL),
    CALL(party_heal),
    WALK(BEAST, "UUUU"),
    HIDE(BEAST),
    HIDE(2),
    SET_VAR(VAR_ROUTE101_STATE, 3),
    SET_VAR(VAR_BIRCH_LAB_STATE, 2),
    CLEAR_FLAG(FLAG_HIDE_LITTLEROOT_TOWN_BIRCHS_LAB_BIRCH),
    SAY("PROF: Phew! You saved me. Come with me to the laboratory!"),
    HIDE(1),
    TRAVEL(1, 4, 6, 5),
};
static const Command professor_in_danger[] = {SAY("PROF: The bag! Look into the bag! Hurry!"), END};
static const Command beast[] = {SAY("It growls!"), END};
static const Command gate_closed[] = {
    SAY("Nobody passes with nothing but an empty bag. See the professor in the laboratory first."),
    END,
};
static const Command gate_girl[] = {
    IF_VAR_BELOW(VAR_BIRCH_LAB_STATE, 3, gate_closed),
    SAY("Oldale is just up this path."),
    END,
};
static const Command route_101_sign[] = {SAY("Route 101. South: Littleroot. North: Oldale."), END};
static const ObjectTemplate route_101_people[] = {
    PERSON(1, LOOK_PROFESSOR, 5, 12, RIGHT, STANDS, FLAG_HIDE_ROUTE_101_BIRCH_ZIGZAGOON_BATTLE, professor_in_danger),
    PERSON(2, LOOK_BAG, 7, 13, DOWN, STANDS, FLAG_HIDE_ROUTE_101_BIRCH_STARTERS_BAG, bag),
    PERSON(3, LOOK_GIRL, 10, 8, DOWN, STANDS, 0, gate_girl),
    PERSON(BEAST, LOOK_BEAST, 6, 11, DOWN, STANDS, FLAG_HIDE_ROUTE_101_ZIGZAGOON, beast),
};
static const CoordEvent route_101_triggers[] = {
    TRIGGER(10, 17, VAR_ROUTE101_STATE, 0, cry_for_help), TRIGGER(11, 17, VAR_ROUTE101_STATE, 0, cry_for_help),
    TRIGGER(9, 17, VAR_ROUTE101_STATE, 0, cry_for_help), TRIGGER(12, 17, VAR_ROUTE101_STATE, 0, cry_for_help),
};
static const BgEvent route_101_signs[] = {SIGN(8, 17, route_101_sign), SIGN(6, 6, route_101_sign)};
static const MapEvents route_101_events = {4, 0, 4, 2, route_101_people, 0, route_101_triggers, route_101_signs};
static const MapConnection route_101_sides[] = {
    CONNECTION(SIDE_SOUTH, 0, 0, 9), CONNECTION(SIDE_NORTH, 0, 0, 10),
};
static const MapConnections route_101_connections = {2, route_101_sides};
static const MapScripts route_101_scripts = {route_101_arrive, 0};
const MapHeader map_route_101 = {
    &layout_Route101, &route_101_events, &route_101_scripts, &route_101_connections,
    0, 17, SECTION_ROUTE_101, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- the town ---- */

static const Command town_open[] = {PLACE(2, 4, 9), END};
static const Command town_arrive[] = {
    SET_FLAG(FLAG_VISITED_OLDALE_TOWN),
    IF_FLAG(FLAG_SYS_B_DASH, town_open),
    END,
};
static const Command clerk_again[] = {SAY("A potion heals 20 points. Come again!"), END};
static const Command clerk[] = {
    IF_FLAG(FLAG_RECEIVED_POTION_OLDALE, clerk_again),
    SAY("Welcome to Oldale! I work in the shop. Take this potion as a sample."),
    GIVE_ITEM(ITEM_POTION, 1),
    SET_FLAG(FLAG_RECEIVED_POTION_OLDALE),
    SAY("You put the potion into your bag."),
    END,
};
static const Command guard_kim[] = {SAY("The west road is closed. Have you met Kim on Route 103, up in the north?"), END};
static const Command guard_dex[] = {SAY("The professor asked for you. The west road can wait!"), END};
static const Command guard_shoes[] = {SAY("In those shoes? See your mother in front of the laboratory!"), END};
static const Command guard[] = {
    IF_NOT_FLAG(FLAG_DEFEATED_RIVAL_ROUTE103, guard_kim),
    IF_NOT_FLAG(FLAG_SYS_POKEDEX_GET, guard_dex),
    IF_NOT_FLAG(FLAG_SYS_B_DASH, guard_shoes),
    SAY("Good shoes! The road to Petalburg is yours."),
    END,
};
static const Command town_boy[] = {SAY("Kim ran past me to the north. Always in a hurry!"), END};
static const Command town_sign[] = {SAY("Oldale, where things begin to grow."), END};
static const ObjectTemplate town_people[] = {
    PERSON(1, LOOK_GIRL, 12, 8, DOWN, STANDS, 0, clerk),
    PERSON(2, LOOK_GUARD, 2, 10, RIGHT, STANDS, 0, guard),
    PERSON(3, LOOK_BOY, 9, 13, 0, LOOKS_AROUND, 0, town_boy),
};
static const WarpEvent town_warps[] = {WARP(6, 6, 2, 0, 0), WARP(14, 6, 2, 2, 0), WARP(15, 14, 2, 4, 0)};
static const BgEvent town_signs[] = {SIGN(7, 9, town_sign), SIGN(16, 9, town_sign), SIGN(14, 16, town_sign)};
static const MapEvents town_events = {3, 3, 0, 3, town_people, town_warps, 0, town_signs};
static const MapConnection town_sides[] = {
    CONNECTION(SIDE_SOUTH, 0, 0, 16), CONNECTION(SIDE_NORTH, 0, 0, 18), CONNECTION(SIDE_WEST, 0, 0, 17),
};
static const MapConnections town_connections = {3, town_sides};
static const MapScripts town_scripts = {town_arrive, 0};
const MapHeader map_oldale = {
    &layout_Oldale, &town_events, &town_scripts, &town_connections,
    0, 11, SECTION_OLDALE, 0, 0, TYPE_TOWN, 0, 4, 0,
};

/* ---- rooms ---- */

static const Command gran[] = {SAY("My garden has grown over the fence again. How lovely."), END};
static const ObjectTemplate house_people[] = {PERSON(1, LOOK_ELDER, 6, 3, 0, LOOKS_AROUND, 0, gran)};
static const WarpEvent house_warps[] = {WARP(3, 8, 0, 10, 0)};
static const MapEvents house_events = {1, 1, 0, 0, house_people, house_warps, 0, 0};
const MapHeader map_oldale_house = {
    &layout_House1, &house_events, &no_scripts, 0, 0, 59, SECTION_OLDALE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command centre_boy[] = {SAY("It costs nothing to rest here. Nothing!"), END};
static const ObjectTemplate centre_people[] = {
    PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse),
    PERSON(2, LOOK_BOY, 9, 5, 0, LOOKS_AROUND, 0, centre_boy),
};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 10, 1), WARP(7, 8, 0, 10, 1)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {2, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_oldale_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_OLDALE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command closed[] = {SAY("We are still filling the shelves. Come back another day!"), END};
static const Command seller[] = {
    IF_NOT_FLAG(FLAG_SYS_POKEDEX_GET, closed),
    NOTE("Welcome! What can I do for you?"),
    CALL(offer_oldale),
    SCREEN(&shop_screen),
    SAY("Come again!"),
    END,
};
static const ObjectTemplate mart_people[] = {PERSON(1, LOOK_GUARD, 0, 2, RIGHT, STANDS, 0, seller)};
static const WarpEvent mart_warps[] = {WARP(3, 7, 0, 10, 2), WARP(4, 7, 0, 10, 2)};
static const BgEvent mart_signs[] = {SIGN(2, 3, seller), SIGN(2, 2, seller)};
static const MapEvents mart_events = {1, 2, 0, 2, mart_people, mart_warps, 0, mart_signs};
const MapHeader map_oldale_mart = {
    &layout_Mart, &mart_events, &no_scripts, 0, 0, 63, SECTION_OLDALE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- Route 103 ---- */

static const Trainer kim = {520, "Kim", "KIM: It soaked me to the bone! You win.", 300, {{288, 4}}, false};
static const Command kim_leaves_left[] = {WALK(1, "LDDDDD"), HIDE(1), END};
static const Command rival[] = {
    SAY("KIM: So this is what you chose? Let us see what it can do!"),
    BATTLE(&kim),
    SET_FLAG(FLAG_DEFEATED_RIVAL_ROUTE103),
    SET_FLAG(FLAG_HIDE_LITTLEROOT_TOWN_MAYS_HOUSE_RIVAL_BEDROOM),
    SAY("KIM: The professor has something for you in the laboratory. See you!"),
    IF_FACING(UP, kim_leaves_left),
    WALK(1, "DDDDD"),
    HIDE(1),
    END,
};
static const Command ball[] = {
    HIDE(2),
    GIVE_ITEM(ITEM_GUARD_SPEC, 1),
    SAY("You found a guard special! It goes into your bag."),
    END,
};
static const Command route_103_boy[] = {SAY("One day I will swim across this lake."), END};
static const Command route_103_sign[] = {SAY("Route 103. The lake is deeper than it looks."), END};
static const ObjectTemplate route_103_people[] = {
    PERSON(1, LOOK_RIVAL, 10, 5, DOWN, STANDS, FLAG_HIDE_ROUTE_103_RIVAL, rival),
    PERSON(2, LOOK_BALL, 24, 15, DOWN, STANDS, FLAG_ITEM_ROUTE_103_GUARD_SPEC, ball),
    PERSON(3, LOOK_BOY, 16, 7, RIGHT, STANDS, 0, route_103_boy),
};
static const BgEvent route_103_signs[] = {SIGN(13, 18, route_103_sign)};
static const MapEvents route_103_events = {3, 0, 0, 1, route_103_people, 0, 0, route_103_signs};
static const MapConnection route_103_sides[] = {CONNECTION(SIDE_SOUTH, 0, 0, 10)};
static const MapConnections route_103_connections = {1, route_103_sides};
const MapHeader map_route_103 = {
    &layout_Route103, &route_103_events, &no_scripts, &route_103_connections,
    0, 19, SECTION_ROUTE_103, 0, WEATHER_RAIN, TYPE_ROUTE, 0, 4, 0,
};
