/* The city at the crossing, and its hall of beams. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/coast/coast.h"
#include "screens/screens.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- the city ---- */

static const Command city_arrive[] = {SET_FLAG(FLAG_VISITED_MAUVILLE_CITY), END};
static const Trainer will = {656, "Will", "WILL: You are better than I am. For now.", 960, {{356, 16}}, false};
static const Command will_later[] = {SAY("WILL: I stay here until somebody fights me. It need not be you."), END};
static const Command will_waits[] = {
    ASK("WILL: I want to try the hall, and my uncle says no. If I beat you, he will say yes. Shall we?"),
    IF_NO(will_later),
    BATTLE(&will),
    SET_FLAG(FLAG_DEFEATED_WALLY_MAUVILLE),
    SAY("WILL: My uncle was right. I go home and train. Thank you!"),
    HIDE(1),
    END,
};
FOUND(city_ball, 2, ITEM_X_SPEED, "You found a bottle of speed plus!");
static const Command city_boy[] = {SAY("Step on a plate of a colour, and the beams of that colour go out. The others do not."), END};
static const Command city_elder[] = {SAY("When I comb my hair, the lamps flicker."), END};
static const Command north_guard[] = {SAY("The road to the mountain is for those with three badges. It smokes up there."), END};
static const Command city_sign[] = {SAY("Mauville, the city that hums."), END};
static const Command hall_sign[] = {SAY("Mauville's hall. Leader: Ohm. Do not touch the beams."), END};
static const ObjectTemplate city_people[] = {
    PERSON(1, LOOK_WILL, 8, 8, DOWN, STANDS, FLAG_HIDE_MAUVILLE_CITY_WALLY, will_waits),
    PERSON(2, LOOK_BALL, 36, 12, DOWN, STANDS, FLAG_ITEM_MAUVILLE_CITY_X_SPEED, city_ball),
    PERSON(3, LOOK_BOY, 13, 10, 0, LOOKS_AROUND, 0, city_boy),
    PERSON(4, LOOK_ELDER, 20, 13, 0, LOOKS_AROUND, 0, city_elder),
    PERSON(5, LOOK_GUARD, 16, 2, DOWN, STANDS, FLAG_BADGE03_GET, north_guard),
    PERSON(6, LOOK_GUARD, 17, 2, DOWN, STANDS, FLAG_BADGE03_GET, north_guard),
};
static const WarpEvent city_warps[] = {
    WARP(8, 7, 10, 0, 0), WARP(23, 7, 10, 5, 0), WARP(34, 7, 10, 1, 0), WARP(28, 14, 10, 7, 0),
};
static const BgEvent city_signs[] = {SIGN(14, 14, city_sign), SIGN(10, 7, hall_sign)};
static const MapEvents city_events = {6, 4, 0, 2, city_people, city_warps, 0, city_signs};
static const MapConnection city_sides[] = {CONNECTION(SIDE_SOUTH, 0, 0, 25), CONNECTION(SIDE_NORTH, 0, 0, 26)};
static const MapConnections city_connections = {2, city_sides};
static const MapScripts city_scripts = {city_arrive, 0};
const MapHeader map_mauville = {
    &layout_Mauville, &city_events, &city_scripts, &city_connections,
    0, 3, SECTION_MAUVILLE, 0, 0, TYPE_CITY, 0, 4, 0,
};

/* ---- the hall: a plate puts out the beams of its colour and lights the others ----
 * VAR_MAUVILLE_GYM_STATE: which plate is down, so that only the other colour's can be stepped on. */

enum { RED_IS_DOWN = 1, BLUE_IS_DOWN = 2, ALL_ARE_OUT = 3 };
enum { RED_BEAM = 5, BLUE_BEAM = 9 }; /* local ids: four red ones, two blue ones */

static const Command gym_over[] = {
    SET_FLAG(FLAG_MAUVILLE_BEAMS), SET_FLAG(FLAG_TEMP_13), SET_VAR(VAR_MAUVILLE_GYM_STATE, ALL_ARE_OUT), END,
};
static const Command gym_arrive[] = {
    IF_FLAG(FLAG_BADGE03_GET, gym_over),
    CLEAR_FLAG(FLAG_MAUVILLE_BEAMS),
    SET_FLAG(FLAG_TEMP_13),
    SET_VAR(VAR_MAUVILLE_GYM_STATE, BLUE_IS_DOWN),
    END,
};
static const Command red_plate[] = {
    HIDE(RED_BEAM), HIDE(RED_BEAM + 1), HIDE(RED_BEAM + 2), HIDE(RED_BEAM + 3), SHOW(BLUE_BEAM), SHOW(BLUE_BEAM + 1),
    SET_VAR(VAR_MAUVILLE_GYM_STATE, RED_IS_DOWN),
    SAY("Click! The red beams go out, and the blue ones crackle."),
    END,
};
static const Command blue_plate[] = {
    SHOW(RED_BEAM), SHOW(RED_BEAM + 1), SHOW(RED_BEAM + 2), SHOW(RED_BEAM + 3), HIDE(BLUE_BEAM), HIDE(BLUE_BEAM + 1),
    SET_VAR(VAR_MAUVILLE_GYM_STATE, BLUE_IS_DOWN),
    SAY("Click! The blue beams go out, and the red ones crackle."),
    END,
};
static const Command beam[] = {SAY("A beam. It tickles up to the elbow: nobody walks through that."), END};
static const Command gym_sign[] = {SAY("OHM'S HALL: Watch your step. Then take it."), END};
static const Trainer shawn = {194, "Shawn", "SHAWN: My amplifier!", 640, {{100, 16}, {337, 16}}, false};
static const Duel shawn_duel = {&shawn, "SHAWN: Turn it up!", "SHAWN: The plates click in time.", 0};
static const Trainer kirk = {191, "Kirk", "KIRK: Unplugged.", 720, {{337, 18}}, false};
static const Duel kirk_duel = {&kirk, "KIRK: You are standing in my cable!", "KIRK: Ohm has no off switch.", 0};
static const Trainer vivian = {649, "Vivian", "VIVIAN: I lost my balance.", 408, {{356, 17}, {356, 17}}, false};
static const Duel vivian_duel = {&vivian, "VIVIAN: I fight on one leg. The floor is charged!", "VIVIAN: Breathe in. Breathe out.", 0};
static const Trainer ohm = {267, "Ohm", "OHM: Ha! A short circuit. I surrender.", 2400, {{100, 20}, {82, 22}, {338, 24}}, false};
static const Command ohm_later[] = {SAY("OHM: I think of a lamp that never goes out. Or of a switch for all others."), END};
static const Command leader[] = {
    IF_FLAG(FLAG_BADGE03_GET, ohm_later),
    SAY("OHM: You came through my beams with all your hair? Then let me see what else you can do!"),
    BATTLE(&ohm),
    SET_FLAG(FLAG_BADGE03_GET),
    SET_FLAG(FLAG_DEFEATED_MAUVILLE_GYM),
    HIDE(RED_BEAM), HIDE(RED_BEAM + 1), HIDE(RED_BEAM + 2), HIDE(RED_BEAM + 3), HIDE(BLUE_BEAM), HIDE(BLUE_BEAM + 1),
    SET_VAR(VAR_MAUVILLE_GYM_STATE, ALL_ARE_OUT),
    GIVE_ITEM(ITEM_SHOCK_WAVE, 1),
    SAY("OHM: Take the badge of the coil, and this lesson. I switch the beams off. They cost a fortune anyway."),
    END,
};
/* A beam is what a wall on wheels looks like from the side (tools/people.py). */
#define BEAM(id, look, x, y, flag) PERSON(id, look, x, y, LEFT, STANDS, flag, beam)
static const ObjectTemplate gym_people[] = {
    PERSON(1, LOOK_OHM, 4, 3, DOWN, STANDS, 0, leader),
    TRAINER(2, LOOK_BOY, 1, 14, RIGHT, 3, &shawn_duel),
    TRAINER(3, LOOK_BOY, 8, 10, LEFT, 4, &kirk_duel),
    TRAINER(4, LOOK_GIRL, 1, 6, RIGHT, 4, &vivian_duel),
    BEAM(RED_BEAM, LOOK_BARRIER, 3, 13, FLAG_MAUVILLE_BEAMS),
    BEAM(RED_BEAM + 1, LOOK_BARRIER, 6, 13, FLAG_MAUVILLE_BEAMS),
    BEAM(RED_BEAM + 2, LOOK_BARRIER, 2, 5, FLAG_MAUVILLE_BEAMS),
    BEAM(RED_BEAM + 3, LOOK_BARRIER, 7, 5, FLAG_MAUVILLE_BEAMS),
    BEAM(BLUE_BEAM, LOOK_BLUE_BARRIER, 1, 9, FLAG_TEMP_13),
    BEAM(BLUE_BEAM + 1, LOOK_BLUE_BARRIER, 8, 9, FLAG_TEMP_13),
};
static const CoordEvent gym_triggers[] = {
    TRIGGER(2, 16, VAR_MAUVILLE_GYM_STATE, BLUE_IS_DOWN, red_plate),
    TRIGGER(7, 11, VAR_MAUVILLE_GYM_STATE, BLUE_IS_DOWN, red_plate),
    TRIGGER(2, 11, VAR_MAUVILLE_GYM_STATE, RED_IS_DOWN, blue_plate),
    TRIGGER(1, 7, VAR_MAUVILLE_GYM_STATE, BLUE_IS_DOWN, red_plate),
    TRIGGER(8, 7, VAR_MAUVILLE_GYM_STATE, RED_IS_DOWN, blue_plate),
};
static const WarpEvent gym_warps[] = {WARP(4, 20, 0, 2, 0), WARP(5, 20, 0, 2, 0)};
static const BgEvent gym_signs[] = {SIGN(0, 17, gym_sign)};
static const MapEvents gym_events = {10, 2, 5, 1, gym_people, gym_warps, gym_triggers, gym_signs};
static const MapScripts gym_scripts = {gym_arrive, 0};
const MapHeader map_mauville_gym = {
    &layout_MauvilleGym, &gym_events, &gym_scripts, 0, 0, 89, SECTION_MAUVILLE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- rooms ---- */

static const Command wheeler_later[] = {SAY("WHEELER: The bike likes the open air. Choose it in your bag, out there."), END};
static const Command wheeler_again[] = {SAY("WHEELER: Come back when your feet hurt."), END};
static const Command wheeler[] = {
    IF_FLAG(FLAG_RECEIVED_BIKE, wheeler_later),
    ASK("WHEELER: You have come from the far beach on foot? Would you like to have a bike?"),
    IF_NO(wheeler_again),
    GIVE_ITEM(ITEM_BIKE, 1),
    SET_FLAG(FLAG_RECEIVED_BIKE),
    SAY("WHEELER: Take this one! Tell everybody where it is from. Choose it in your bag, outside."),
    END,
};
static const ObjectTemplate bike_people[] = {PERSON(1, LOOK_GUARD, 5, 3, DOWN, STANDS, 0, wheeler)};
static const WarpEvent bike_warps[] = {WARP(3, 8, 0, 2, 2), WARP(4, 8, 0, 2, 2)};
static const MapEvents bike_events = {1, 2, 0, 0, bike_people, bike_warps, 0, 0};
const MapHeader map_bike_shop = {
    &layout_BikeShop, &bike_events, &no_scripts, 0, 0, 90, SECTION_MAUVILLE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 2, 1), WARP(7, 8, 0, 2, 1)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_mauville_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_MAUVILLE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command seller[] = {
    NOTE("Welcome! What can I do for you?"), CALL(offer_rustboro), SCREEN(&shop_screen), SAY("Come again!"), END,
};
static const ObjectTemplate mart_people[] = {PERSON(1, LOOK_GUARD, 0, 2, RIGHT, STANDS, 0, seller)};
static const WarpEvent mart_warps[] = {WARP(3, 7, 0, 2, 3), WARP(4, 7, 0, 2, 3)};
static const BgEvent mart_signs[] = {SIGN(2, 3, seller), SIGN(2, 2, seller)};
static const MapEvents mart_events = {1, 2, 0, 2, mart_people, mart_warps, 0, mart_signs};
const MapHeader map_mauville_mart = {
    &layout_Mart, &mart_events, &no_scripts, 0, 0, 63, SECTION_MAUVILLE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
