/* The way north: Route 104, the wood, the city of stone with the first hall. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "field/field_move.h"
#include "full/coast/coast.h"
#include "full/west/west.h"
#include "save/bag.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/demands.h"
#include "world/ferry.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- a tree that can be cut, and grows again: on Route 104 it bars the way past the wood ---- */

static void can_cut(void)
{
    gSpecialVar_Result = demands[DEMAND_LESSONS] ? field_move_can(MOVE_CUT) : bag_count(ITEM_CUT) && flag_get(FLAG_BADGE01_GET);
}

static void cut(void)
{
    stat_add(STAT_USED_CUT, 1);
}

static const Command tree_stays[] = {SAY("A small tree. Somebody with a sharp lesson could cut it."), END};
static const Command leave_tree[] = {END};
/* `who`: the tree's local id. Its flag lasts only as long as one stays on the map. */
#define TREE(name, who) \
    static const Command name[] = { \
        CALL(can_cut), IF_NO(tree_stays), ASK("A small tree. Shall it be cut?"), IF_NO(leave_tree), \
        IF_DEMAND(DEMAND_LESSONS, field_move_clear), CALL(cut), \
        HIDE(who), END, \
    }

/* ---- Route 104 ---- */

TREE(route_tree, 4);
FOUND(route_ball, 1, ITEM_POTION, "You found a potion! It goes into your bag.");
HIDDEN(route_hidden, FLAG_HIDDEN_ROUTE_104, ITEM_SUPER_POTION, "Something was hidden here: a super potion!");
static const Trainer twins = {483, "Gina and Mia", "GINA: I was dreaming. MIA: So was I.", 120, {{290, 4}, {295, 4}}, true};
static const Duel gina_duel = {
    &twins, "GINA: You look strong. Show us!", "GINA: The wood is dark, but short.",
    "GINA: We only fight two against two. Come back with a second one!",
};
static const Duel mia_duel = {
    &twins, "MIA: We fight together. Do you?", "MIA: Gina talks, I dream.",
    "MIA: You have only one who can fight. That would not be fair.",
};
static const Trainer cindy = {114, "Cindy", "CINDY: How rude!", 200, {{288, 6}}, false};
static const Command cindy_no[] = {SAY("CINDY: Another time, then."), END};
static const Command cindy_again[] = {
    ASK("CINDY: I have nothing to do all day. Do you want to fight?"),
    IF_NO(cindy_no),
    BATTLE(&cindy),
    SAY("CINDY: That was fun. Come back whenever you like!"),
    END,
};
static const Command route_sign[] = {SAY("Route 104. East: Petalburg. North: the wood, and Rustboro."), END};
static const Command route_boat[] = {SAY("The boat of the old sailor. It smells of fish."), END};
static const ObjectTemplate route_people[] = {
    PERSON(1, LOOK_BALL, 34, 76, DOWN, STANDS, FLAG_ITEM_ROUTE_104_POTION, route_ball),
    TRAINER(2, LOOK_GIRL, 26, 38, LEFT, 4, &gina_duel),
    TRAINER(7, LOOK_GIRL, 26, 39, LEFT, 4, &mia_duel),
    PERSON(3, LOOK_GIRL, 24, 72, 0, LOOKS_AROUND, 0, cindy_again),
    PERSON(4, LOOK_BUSH, 34, 48, DOWN, STANDS, FLAG_TEMP_11, route_tree),
    PERSON(ROUTE_104_BOAT, LOOK_BOAT, 7, 66, DOWN, STANDS, FLAG_HIDE_ROUTE_104_MR_BRINEY_BOAT, route_boat),
    PERSON(ROUTE_104_FERRYMAN, LOOK_ELDER, 14, 66, LEFT, STANDS, FLAG_HIDE_ROUTE_104_MR_BRINEY, nothing_here),
#if FULL
    TRAINER(8, LOOK_BOY, 24, 62, DOWN, 1, &billy_duel),
    TRAINER(9, LOOK_ELDER, 24, 75, DOWN, 1, &ivan_duel),
    TRAINER(10, LOOK_ELDER, 34, 60, DOWN, 1, &darian_duel),
    TRAINER(11, LOOK_BOY, 12, 37, DOWN, 1, &winston_duel),
    TRAINER(12, LOOK_GIRL, 34, 25, DOWN, 1, &haley_duel),
#endif
};
static const WarpEvent route_warps[] = {
    WARP(20, 44, 24, 11, 1), WARP(20, 52, 24, 11, 0), WARP(15, 65, 17, 0, 0),
};
static const BgEvent route_signs[] = {
    SIGN(19, 38, route_sign), SIGN(22, 68, route_sign), SIGN(31, 68, route_hidden),
};
static const MapScripts route_scripts = {0, ferry_at_route_104};
static const MapEvents route_events = {FULL ? 12 : 7, 3, 0, 3, route_people, route_warps, 0, route_signs};
static const MapConnection route_sides[] = {CONNECTION(SIDE_NORTH, 0, 0, 3), CONNECTION(SIDE_EAST, 50, 0, 0)};
static const MapConnections route_connections = {2, route_sides};
const MapHeader map_route_104 = {
    &layout_Route104, &route_events, &route_scripts, &route_connections,
    0, 20, SECTION_ROUTE_104, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- the wood ---- */

FOUND(wood_ball, 1, ITEM_X_ATTACK, "You found a bottle of attack plus!");
FOUND(wood_ball_2, 2, ITEM_GREAT_BALL, "You found a great ball!");
static const Trainer lyle = {616, "Lyle", "LYLE: My poor crawlers!", 80, {{290, 3}, {290, 4}}, false};
static const Duel lyle_duel = {&lyle, "LYLE: Crawlers are the best. I will prove it!", "LYLE: Crawlers are still the best.", 0};
static const Trainer james = {621, "James", "JAMES: Squashed.", 96, {{290, 5}}, false};
static const Duel james_duel = {&james, "JAMES: Halt! Nobody passes my leaf!", "JAMES: Mind the leaves.", 0};
static const Command wood_sign[] = {SAY("North: Rustboro. South: Petalburg. Up: leaves."), END};
static const ObjectTemplate wood_people[] = {
    PERSON(1, LOOK_BALL, 26, 26, DOWN, STANDS, FLAG_ITEM_PETALBURG_WOODS_X_ATTACK, wood_ball),
    PERSON(2, LOOK_BALL, 40, 32, DOWN, STANDS, FLAG_ITEM_PETALBURG_WOODS_GREAT_BALL, wood_ball_2),
    TRAINER(3, LOOK_BOY, 8, 20, DOWN, 4, &lyle_duel),
    TRAINER(4, LOOK_BOY, 18, 12, DOWN, 3, &james_duel),
#if FULL
    PERSON(DEVON_MAN, LOOK_ELDER, 28, 5, DOWN, STANDS, FLAG_HIDE_PETALBURG_WOODS_DEVON_EMPLOYEE, devon_man_waits),
    PERSON(THIEF, LOOK_BRINE, 30, 5, DOWN, STANDS, FLAG_HIDE_PETALBURG_WOODS_AQUA_GRUNT, thief_waits),
#endif
};
static const WarpEvent wood_warps[] = {WARP(22, 42, 0, 19, 1), WARP(24, 2, 0, 19, 0)};
static const BgEvent wood_signs[] = {SIGN(21, 38, wood_sign)};
#if FULL
static const CoordEvent wood_triggers[] = {
    TRIGGER(24, 8, VAR_PETALBURG_WOODS_STATE, 0, thief_in_wood), TRIGGER(25, 8, VAR_PETALBURG_WOODS_STATE, 0, thief_in_wood),
};
#define WOOD_TRIGGERS wood_triggers
#else
#define WOOD_TRIGGERS 0
#endif
static const MapEvents wood_events = {FULL ? 6 : 4, 2, FULL ? 2 : 0, 1, wood_people, wood_warps, WOOD_TRIGGERS, wood_signs};
const MapHeader map_woods = {
    &layout_Woods, &wood_events, &no_scripts, 0, 0, 135, SECTION_WOODS, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- the city ---- */

static const Command city_arrive[] = {SET_FLAG(FLAG_VISITED_RUSTBORO_CITY), END};
static const Command city_boy[] = {SAY("The leader of the hall builds walls. There is a switch, though."), END};
static const Command city_girl[] = {SAY("The president of Devon looks for somebody with a badge."), END};
static const Command city_sign[] = {SAY("Rustboro, the city of stone."), END};
static const Command hall_sign[] = {SAY("Rustboro's hall. Leader: Petra, as hard as rock."), END};
static const ObjectTemplate city_people[] = {
    PERSON(1, LOOK_BOY, 24, 20, 0, LOOKS_AROUND, 0, city_boy),
    PERSON(2, LOOK_GIRL, 14, 34, 0, LOOKS_AROUND, 0, city_girl),
};
static const WarpEvent city_warps[] = {
    WARP(31, 15, 11, 3, 0), WARP(9, 15, 11, 2, 0), WARP(9, 29, 11, 5, 0), WARP(30, 29, 11, 7, 0),
    WARP(11, 43, 11, 11, 0),
};
static const BgEvent city_signs[] = {SIGN(22, 34, city_sign), SIGN(19, 20, hall_sign)};
static const MapEvents city_events = {2, 5, 0, 2, city_people, city_warps, 0, city_signs};
static const MapConnection city_sides[] = {CONNECTION(SIDE_SOUTH, 0, 0, 19)};
static const MapConnections city_connections = {1, city_sides};
static const MapScripts city_scripts = {city_arrive, 0};
const MapHeader map_rustboro = {
    &layout_Rustboro, &city_events, &city_scripts, &city_connections,
    0, 4, SECTION_RUSTBORO, 0, 0, TYPE_CITY, 0, 4, 0,
};

/* ---- the hall: a switch moves the wall before the leader, and back ---- */

static const Command switch_close[] = {SHOW(3), CLEAR_FLAG(FLAG_GYM_BARRIERS), SAY("Something heavy slides shut."), END};
static const Command barrier_switch[] = {
    IF_FLAG(FLAG_GYM_BARRIERS, switch_close),
    HIDE(3),
    SAY("You pull the switch. Something heavy slides away."),
    END,
};
static const Command barrier[] = {SAY("A wall on wheels. It does not move."), END};
static const Trainer josh = {320, "Josh", "JOSH: Cracked!", 100, {{74, 5}}, false};
static const Duel josh_duel = {&josh, "JOSH: Stone before skill!", "JOSH: Petra is harder than I am.", 0};
static const Trainer petra = {265, "Petra", "PETRA: You have cracked my wall!", 1500, {{74, 6}, {320, 7}}, false};
static const Command petra_later[] = {SAY("PETRA: In Dewford, far over the sea, there is another hall."), END};
static const Command leader[] = {
    IF_FLAG(FLAG_BADGE01_GET, petra_later),
    SAY("PETRA: I am Petra, leader of this hall. Water wears down the stone, they say. Prove it!"),
    BATTLE(&petra),
    SET_FLAG(FLAG_BADGE01_GET),
    SET_FLAG(FLAG_DEFEATED_RUSTBORO_GYM),
    GIVE_ITEM(ITEM_ROCK_TOMB, 1),
    SAY("PETRA: Take the badge of stone. With it you may cut small trees, once somebody teaches you."),
    END,
};
static const ObjectTemplate gym_people[] = {
    PERSON(1, LOOK_PETRA, 5, 3, DOWN, STANDS, 0, leader),
    TRAINER(2, LOOK_BOY, 8, 11, LEFT, 4, &josh_duel),
    PERSON(3, LOOK_BARRIER, 5, 5, DOWN, STANDS, FLAG_GYM_BARRIERS, barrier),
};
static const WarpEvent gym_warps[] = {WARP(5, 19, 0, 3, 0)};
static const BgEvent gym_signs[] = {SIGN(0, 14, barrier_switch)};
static const MapEvents gym_events = {3, 1, 0, 1, gym_people, gym_warps, 0, gym_signs};
const MapHeader map_rustboro_gym = {
    &layout_RustboroGym, &gym_events, &no_scripts, 0, 0, 94, SECTION_RUSTBORO, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- rooms ---- */

static const Command president_early[] = {SAY("PRESIDENT: I look for somebody brave. Have you a badge yet?"), END};
static const Command president_later[] = {SAY("PRESIDENT: The old sailor lives on the beach of Route 104."), END};
#if FULL
#define TO_READER "into the cave of Dewford"
#else
#define TO_READER "to Dewford"
#endif
static const Command president[] = {
    IF_NOT_FLAG(FLAG_BADGE01_GET, president_early),
    IF_FLAG(FLAG_RECEIVED_POKENAV, president_later),
    SAY("PRESIDENT: A badge! Then please carry this letter " TO_READER ". The sailor on Route 104 will take you."
        "\nAnd take this PokeNav: its map shows where you are. It is in your menu."),
    GIVE_ITEM(ITEM_LETTER, 1),
#if FULL
    SAY("PRESIDENT: And these parts are for Keel, who builds ships in Slateport. The sailor knows the way there, too."),
    GIVE_ITEM(ITEM_DEVON_GOODS, 1),
#endif
    SET_FLAG(FLAG_SYS_POKENAV_GET),
    SET_FLAG(FLAG_RECEIVED_POKENAV),
    SET_VAR(VAR_BRINEY_LOCATION, 1), /* whoever loses before the next centre finds him at home */
    CLEAR_FLAG(FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY),
    CLEAR_FLAG(FLAG_HIDE_BRINEYS_HOUSE_PEEKO),
    END,
};
static const ObjectTemplate devon_people[] = {PERSON(1, LOOK_ELDER, 9, 3, DOWN, STANDS, 0, president)};
static const WarpEvent devon_warps[] = {WARP(9, 8, 0, 3, 1)};
static const MapEvents devon_events = {1, 1, 0, 0, devon_people, devon_warps, 0, 0};
const MapHeader map_devon = {
    &layout_Devon3F, &devon_events, &no_scripts, 0, 0, 269, SECTION_RUSTBORO, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command cutter_later[] = {SAY("Trees grow back. That is what I like about them."), END};
static const Command cutter[] = {
    IF_FLAG(FLAG_RECEIVED_HM_CUT, cutter_later),
    SAY("You want to learn how to cut? Here. With Petra's badge you may even do it."),
    GIVE_ITEM(ITEM_CUT, 1),
    SET_FLAG(FLAG_RECEIVED_HM_CUT),
    END,
};
static const ObjectTemplate cutter_people[] = {PERSON(1, LOOK_GUARD, 6, 4, DOWN, STANDS, 0, cutter)};
static const WarpEvent cutter_warps[] = {WARP(4, 8, 0, 3, 4)};
static const MapEvents cutter_events = {1, 1, 0, 0, cutter_people, cutter_warps, 0, 0};
const MapHeader map_cutter = {
    &layout_Cutter, &cutter_events, &no_scripts, 0, 0, 98, SECTION_RUSTBORO, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 3, 2), WARP(7, 8, 0, 3, 2)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_rustboro_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_RUSTBORO, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command seller[] = {
    NOTE("Welcome! What can I do for you?"), CALL(offer_rustboro), SCREEN(&shop_screen), SAY("Come again!"), END,
};
static const ObjectTemplate mart_people[] = {PERSON(1, LOOK_GUARD, 0, 2, RIGHT, STANDS, 0, seller)};
static const WarpEvent mart_warps[] = {WARP(3, 7, 0, 3, 3), WARP(4, 7, 0, 3, 3)};
static const BgEvent mart_signs[] = {SIGN(2, 3, seller), SIGN(2, 2, seller)};
static const MapEvents mart_events = {1, 2, 0, 2, mart_people, mart_warps, 0, mart_signs};
const MapHeader map_rustboro_mart = {
    &layout_Mart, &mart_events, &no_scripts, 0, 0, 63, SECTION_RUSTBORO, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
