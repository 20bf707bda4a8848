/* The city by the sea: a shipyard, and a museum where two of a gang fight one after the other. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/coast/coast.h"
#include "screens/screens.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- the city ---- */

static const Command city_arrive[] = {SET_FLAG(FLAG_VISITED_SLATEPORT_CITY), END};
static const Command gang_at_door[] = {SAY("We of the Brine Gang are queueing for the museum. All day. Go away!"), END};
static const Command city_boy[] = {SAY("A ship grows in the shipyard. Ask there before you ask anywhere else."), END};
static const Command city_girl[] = {SAY("The wind smells of salt and of glue."), END};
static const Command city_sign[] = {SAY("Slateport, where ships grow."), END};
static const Command museum_sign[] = {SAY("The museum of the sea. Please do not feed the exhibits."), END};
static const Command yard_sign[] = {SAY("The shipyard. Its master is called Keel."), END};
static const ObjectTemplate city_people[] = {
    PERSON(1, LOOK_BRINE, 25, 34, DOWN, STANDS, FLAG_HIDE_SLATEPORT_CITY_TEAM_AQUA, gang_at_door),
    PERSON(2, LOOK_BOY, 14, 24, 0, LOOKS_AROUND, 0, city_boy),
    PERSON(3, LOOK_GIRL, 10, 42, 0, LOOKS_AROUND, 0, city_girl),
};
static const WarpEvent city_warps[] = {
    WARP(21, 19, 9, 11, 0), WARP(12, 19, 9, 13, 0), WARP(25, 45, 9, 0, 0), WARP(25, 33, 9, 7, 0),
};
static const BgEvent city_signs[] = {SIGN(18, 23, city_sign), SIGN(23, 36, museum_sign), SIGN(21, 48, yard_sign)};
static const MapEvents city_events = {3, 4, 0, 3, city_people, city_warps, 0, city_signs};
static const MapConnection city_sides[] = {CONNECTION(SIDE_SOUTH, 0, 0, 24), CONNECTION(SIDE_NORTH, 0, 0, 25)};
static const MapConnections city_connections = {2, city_sides};
static const MapScripts city_scripts = {city_arrive, 0};
const MapHeader map_slateport = {
    &layout_Slateport, &city_events, &city_scripts, &city_connections,
    0, 2, SECTION_SLATEPORT, 0, 0, TYPE_CITY, 0, 4, 0,
};

/* ---- the shipyard: the parts are for its master, who is in the museum ---- */

static const Command dock_later[] = {SAY("Keel likes old ships best. They do not move while he looks at them."), END};
static const Command dock_again[] = {SAY("Keel is still in the museum, I believe. Upstairs."), END};
static const Command dock[] = {
    IF_FLAG(FLAG_DELIVERED_DEVON_GOODS, dock_later),
    IF_FLAG(FLAG_DOCK_REJECTED_DEVON_GOODS, dock_again),
    SAY("Parts from Devon? I only hit things with a hammer. They are for Keel, and he is in the museum."
        "\nThere is a crowd at its door? I shall tell them that lunch is served."),
    SET_FLAG(FLAG_DOCK_REJECTED_DEVON_GOODS),
    SET_FLAG(FLAG_HIDE_SLATEPORT_CITY_TEAM_AQUA),
    END,
};
static const Command joiner[] = {SAY("One plank is warped. We do not know which one."), END};
static const ObjectTemplate yard_people[] = {
    PERSON(1, LOOK_ELDER, 5, 9, DOWN, STANDS, 0, dock),
    PERSON(2, LOOK_BOY, 15, 10, 0, LOOKS_AROUND, 0, joiner),
};
static const WarpEvent yard_warps[] = {WARP(2, 14, 0, 1, 2), WARP(3, 14, 0, 1, 2)};
static const MapEvents yard_events = {2, 2, 0, 0, yard_people, yard_warps, 0, 0};
const MapHeader map_shipyard = {
    &layout_Shipyard, &yard_events, &no_scripts, 0, 0, 81, SECTION_SLATEPORT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- the museum ---- */

static const Command thug[] = {SAY("I am a thief of culture! I mean, a friend. A friend of culture."), END};
static const Command whale[] = {SAY("The bones of a whale. Or of two herons."), END};
static const ObjectTemplate ground_people[] = {
    PERSON(1, LOOK_BRINE, 14, 4, 0, LOOKS_AROUND, FLAG_HIDE_OCEANIC_MUSEUM_AQUA_GRUNTS, thug),
    PERSON(2, LOOK_BRINE, 5, 6, 0, LOOKS_AROUND, FLAG_HIDE_OCEANIC_MUSEUM_AQUA_GRUNTS, thug),
};
static const WarpEvent ground_warps[] = {WARP(9, 8, 0, 1, 3), WARP(10, 8, 0, 1, 3), WARP(6, 2, 9, 8, 0)};
static const BgEvent ground_signs[] = {SIGN(10, 2, whale)};
static const MapEvents ground_events = {2, 3, 0, 1, ground_people, ground_warps, 0, ground_signs};
const MapHeader map_museum_1f = {
    &layout_Museum1F, &ground_events, &no_scripts, 0, 0, 86, SECTION_SLATEPORT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* Whoever loses to the second meets both again, as in Emerald: they are only there while they fight. */
enum { KEEL = 1, FIRST_THIEF, SECOND_THIEF };

static const Trainer first_thief = {20, "Brine Thief", "THIEF: My nets are torn!", 300, {{309, 15}}, false};
static const Trainer second_thief = {21, "Brine Thief", "THIEF: Not even two of us...", 280, {{41, 14}, {309, 14}}, false};
static const Command upstairs_arrive[] = {
    SET_FLAG(FLAG_HIDE_OCEANIC_MUSEUM_2F_AQUA_GRUNT_1), SET_FLAG(FLAG_HIDE_OCEANIC_MUSEUM_2F_AQUA_GRUNT_2), END,
};
static const Command keel[] = {
    SAY("KEEL: Yes, I am Keel. Parts from Devon? How good of you!"),
    SHOW(FIRST_THIEF),
    SHOW(SECOND_THIEF),
    SAY("A VOICE: Stop! Those parts belong to the Brine Gang."),
    BATTLE(&first_thief),
    SAY("THIEF: You have worn it out for me, partner. My turn!"),
    BATTLE(&second_thief),
    SAY("THIEF: The boss will hear of this. From somebody else, I hope."),
    HIDE(FIRST_THIEF),
    HIDE(SECOND_THIEF),
    TAKE_ITEM(ITEM_DEVON_GOODS, 1),
    SET_FLAG(FLAG_DELIVERED_DEVON_GOODS),
    SET_FLAG(FLAG_HIDE_OCEANIC_MUSEUM_AQUA_GRUNTS),
    SET_FLAG(FLAG_HIDE_ROUTE_110_TEAM_AQUA),
    SET_FLAG(FLAG_HIDE_RUSTBORO_CITY_DEVON_CORP_3F_EMPLOYEE),
    CLEAR_FLAG(FLAG_HIDE_ROUTE_116_DEVON_EMPLOYEE),
    SAY("KEEL: Thank you! Now I must build on. The road to the north will be free, too."),
    HIDE(KEEL),
    END,
};
static const Command model[] = {SAY("A model of a ship, in a bottle, in a box."), END};
static const ObjectTemplate upstairs_people[] = {
    PERSON(KEEL, LOOK_KEEL, 13, 3, DOWN, STANDS, FLAG_HIDE_OCEANIC_MUSEUM_2F_CAPTAIN_STERN, keel),
    PERSON(FIRST_THIEF, LOOK_BRINE, 11, 4, RIGHT, STANDS, FLAG_HIDE_OCEANIC_MUSEUM_2F_AQUA_GRUNT_1, thug),
    PERSON(SECOND_THIEF, LOOK_BRINE, 11, 5, RIGHT, STANDS, FLAG_HIDE_OCEANIC_MUSEUM_2F_AQUA_GRUNT_2, thug),
};
static const WarpEvent upstairs_warps[] = {WARP(6, 2, 9, 7, 2)};
static const BgEvent upstairs_signs[] = {SIGN(14, 2, model)};
static const MapEvents upstairs_events = {3, 1, 0, 1, upstairs_people, upstairs_warps, 0, upstairs_signs};
static const MapScripts upstairs_scripts = {upstairs_arrive, 0};
const MapHeader map_museum_2f = {
    &layout_Museum2F, &upstairs_events, &upstairs_scripts, 0, 0, 87, SECTION_SLATEPORT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- rooms ---- */

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 1, 0), WARP(7, 8, 0, 1, 0)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_slateport_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_SLATEPORT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command seller[] = {
    NOTE("Welcome! What can I do for you?"), CALL(offer_rustboro), SCREEN(&shop_screen), SAY("Come again!"), END,
};
static const ObjectTemplate mart_people[] = {PERSON(1, LOOK_GUARD, 0, 2, RIGHT, STANDS, 0, seller)};
static const WarpEvent mart_warps[] = {WARP(3, 7, 0, 1, 1), WARP(4, 7, 0, 1, 1)};
static const BgEvent mart_signs[] = {SIGN(2, 3, seller), SIGN(2, 2, seller)};
static const MapEvents mart_events = {1, 2, 0, 2, mart_people, mart_warps, 0, mart_signs};
const MapHeader map_slateport_mart = {
    &layout_Mart, &mart_events, &no_scripts, 0, 0, 63, SECTION_SLATEPORT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
