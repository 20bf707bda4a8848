/* Route 102 and the city at its end. */
#include "full/west/west.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

static const Command route_ball[] = {
    HIDE(1),
    GIVE_ITEM(ITEM_POTION, 1),
    SAY("You found a potion! It goes into your bag."),
    END,
};
static const Command route_girl[] = {SAY("I jump down the ledges all day. Up is the hard part."), END};
static const Command route_elder[] = {SAY("Petalburg is in the west. My knees say it is far."), END};
static const Command route_sign[] = {SAY("Route 102. West: Petalburg. East: Oldale."), END};
static const ObjectTemplate route_people[] = {
    PERSON(1, LOOK_BALL, 12, 6, DOWN, STANDS, FLAG_ITEM_ROUTE_102_POTION, route_ball),
    PERSON(2, LOOK_GIRL, 25, 9, 0, LOOKS_AROUND, 0, route_girl),
    PERSON(3, LOOK_ELDER, 38, 7, 0, LOOKS_AROUND, 0, route_elder),
#if FULL
    TRAINER(4, LOOK_BOY, 40, 14, DOWN, 1, &calvin_duel),
    TRAINER(5, LOOK_BOY, 28, 14, DOWN, 1, &rick_duel),
    TRAINER(6, LOOK_GIRL, 24, 16, DOWN, 1, &tiana_duel),
    TRAINER(7, LOOK_BOY, 4, 15, DOWN, 1, &allen_duel),
#endif
};
static const BgEvent route_signs[] = {SIGN(42, 13, route_sign)};
static const MapEvents route_events = {FULL ? 7 : 3, 0, 0, 1, route_people, 0, 0, route_signs};
static const MapConnection route_sides[] = {
    CONNECTION(SIDE_WEST, -10, 0, 0), CONNECTION(SIDE_EAST, 0, 0, 10),
};
static const MapConnections route_connections = {2, route_sides};
const MapHeader map_route_102 = {
    &layout_Route102, &route_events, &no_scripts, &route_connections,
    0, 18, SECTION_ROUTE_102, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

static const Command city_arrive[] = {SET_FLAG(FLAG_VISITED_PETALBURG_CITY), END};
static const Command city_ball[] = {
    HIDE(1),
    GIVE_ITEM(ITEM_ETHER, 1),
    SAY("You found an ether! It goes into your bag."),
    END,
};
#if FULL
static const Command city_guard[] = {SAY("The leader is in. He asks everybody whether his child has come."), END};
static const Command not_yet[] = {
    SAY("A GIRL: You are {P}, are you not? Your father waits for you in the hall. You cannot just walk by!"),
    WALK(WHO_PLAYER, "R"),
    END,
};
static const CoordEvent city_triggers[] = {
    TRIGGER(1, 20, VAR_PETALBURG_GYM_STATE, 0, not_yet), TRIGGER(1, 21, VAR_PETALBURG_GYM_STATE, 0, not_yet),
};
#define CITY_TRIGGERS city_triggers
/* As one comes out of the hall: told once. */
static const Command scout[] = {
    SAY("A MAN: Hello! I saw you through the window of the hall. You have looked after that boy very well."),
    SAY("A MAN: I travel about and look for people who may become strong. I remember your face. We will meet again!"),
    SET_VAR(VAR_SCOTT_PETALBURG_ENCOUNTER, 1),
    END,
};
static const Command city_enter[] = {
    IF_VAR_BELOW(VAR_PETALBURG_GYM_STATE, LESSON_OVER, nothing_here),
    IF_VAR_BELOW(VAR_SCOTT_PETALBURG_ENCOUNTER, 1, scout),
    END,
};
#define CITY_ENTER city_enter
#else
static const Command city_guard[] = {SAY("The hall opens when the leader is back. Look around in the meantime!"), END};
#define CITY_TRIGGERS 0
#define CITY_ENTER 0
#endif
static const Command city_girl_later[] = {SAY("The pond is so clear that I can count my freckles."), END};
static const Command city_girl[] = {
    IF_FLAG(FLAG_DAILY_BERRY, city_girl_later),
    SAY("My bush bears a berry every day. Take today's!"),
    GIVE_ITEM(ITEM_BLUE_BERRY, 1),
    SET_FLAG(FLAG_DAILY_BERRY),
    END,
};
HIDDEN(city_hidden, FLAG_HIDDEN_RARE_CANDY, ITEM_RARE_CANDY, "Something was hidden here: a rare candy!");
static const Command city_sign[] = {SAY("Petalburg, the city of the quiet pond."), END};
#if FULL
static const Command hall_sign[] = {SAY("Petalburg's hall. Leader: the father of {P}."), END};
#else
static const Command hall_sign[] = {SAY("Petalburg's hall. The leader is on a walk."), END};
#endif
static const ObjectTemplate city_people[] = {
    PERSON(1, LOOK_BALL, 4, 26, DOWN, STANDS, FLAG_ITEM_PETALBURG_CITY_ETHER, city_ball),
    PERSON(2, LOOK_GUARD, FULL ? 14 : 15, 9, DOWN, STANDS, 0, city_guard),
    PERSON(3, LOOK_GIRL, 10, 22, 0, LOOKS_AROUND, 0, city_girl),
};
static const WarpEvent city_warps[] = {WARP(7, 15, 8, 2, 0), WARP(20, 15, 8, 4, 0),
#if FULL
    WARP(15, 8, 8, 1, 0),
#endif
};
static const BgEvent city_signs[] = {SIGN(17, 9, hall_sign), SIGN(25, 22, city_sign), SIGN(24, 3, city_hidden)};
static const MapEvents city_events = {
    3, FULL ? 3 : 2, FULL ? 2 : 0, 3, city_people, city_warps, CITY_TRIGGERS, city_signs,
};
static const MapConnection city_sides[] = {CONNECTION(SIDE_EAST, 10, 0, 17), CONNECTION(SIDE_WEST, -50, 0, 19)};
static const MapConnections city_connections = {2, city_sides};
static const MapScripts city_scripts = {city_arrive, CITY_ENTER};
const MapHeader map_petalburg = {
    &layout_Petalburg, &city_events, &city_scripts, &city_connections,
    0, 1, SECTION_PETALBURG, 0, 0, TYPE_CITY, 0, 4, 0,
};

#if FULL
static const Command dad[] = {SAY("Our Will has never had a creature. He has looked through the window at yours."), END};
#else
static const Command dad[] = {SAY("Did you see me on TV? I waved. Nobody ever notices."), END};
#endif
static const ObjectTemplate house_people[] = {PERSON(1, LOOK_ELDER, 6, 3, 0, LOOKS_AROUND, 0, dad)};
static const WarpEvent house_warps[] = {WARP(3, 8, 0, 0, 0)};
static const MapEvents house_events = {1, 1, 0, 0, house_people, house_warps, 0, 0};
const MapHeader map_petalburg_house = {
    &layout_House1, &house_events, &no_scripts, 0, 0, 59, SECTION_PETALBURG, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 0, 1), WARP(7, 8, 0, 0, 1)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_petalburg_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_PETALBURG, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
