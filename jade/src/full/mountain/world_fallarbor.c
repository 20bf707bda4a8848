/* Through the mountain and around it: a path of fire, a road under ash, a small town, and falls where a stone is stolen. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/mountain/boulders.h"
#include "full/mountain/mountain.h"
#include "full/cave/rocks.h"
#include "screens/screens.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- Fiery Path: a rock lies in its southern entrance, and boulders in a room behind it; one jumps back down ---- */

FOUND(stone_ball, 2, ITEM_NUGGET, "You found a nugget, still warm!");
static const ObjectTemplate path_people[] = {
    PERSON(1, LOOK_ROCK, 26, 35, DOWN, STANDS, FLAG_TEMP_11, rock),
    PERSON(2, LOOK_BALL, 5, 29, DOWN, STANDS, FLAG_ITEM_FIERY_PATH_FIRE_STONE, stone_ball),
    PERSON(3, LOOK_ELDER, 22, 27, DOWN, STANDS, 0, strong_man),
    PERSON(4, LOOK_BOULDER, 8, 15, DOWN, STANDS, 0, boulder),
    PERSON(5, LOOK_BOULDER, 12, 15, DOWN, STANDS, 0, boulder),
    PERSON(6, LOOK_BOULDER, 10, 18, DOWN, STANDS, 0, boulder),
};
static const WarpEvent path_warps[] = {WARP(26, 36, 0, 27, 2), WARP(26, 3, 0, 27, 3)};
static const MapEvents path_events = {ARRAY_COUNT(path_people), 2, 0, 0, path_people, path_warps, 0, 0};
const MapHeader map_fiery_path = {
    &layout_FieryPath, &path_events, &no_scripts, 0, 0, 293, SECTION_FIERY_PATH, 0, 0, TYPE_UNDERGROUND, 0, 0, 0,
};

/* ---- Route 113 ---- */

FOUND(ether, 6, ITEM_ETHER, "You found an ether under the ash!");
static const Trainer jaylen = {326, "Jaylen", "JAYLEN: Ash in my shoes.", 304, {{339, 19}}, false};
static const Duel jaylen_duel = {&jaylen, "JAYLEN: I count the flakes. You are the first guest after 4,011.", "JAYLEN: 4,012, 4,013...", 0};
static const Trainer dillon = {327, "Dillon", "DILLON: Grey all over.", 304, {{337, 19}}, false};
static const Duel dillon_duel = {&dillon, "DILLON: I was playing in the ash. Play with me!", "DILLON: My mother will not know me.", 0};
static const Trainer madeline = {434, "Madeline", "MADELINE: Up with the umbrella.", 760, {{339, 19}}, false};
static const Duel madeline_duel = {&madeline, "MADELINE: Ash? What do you think the umbrella is for?", "MADELINE: It used to be white.", 0};
static const Trainer wyatt = {711, "Wyatt", "WYATT: A rare defeat.", 1080, {{74, 18}, {74, 18}}, false};
static const Duel wyatt_duel = {&wyatt, "WYATT: Under the ash are rare things. And I!", "WYATT: Watch where you step.", 0};
static const Trainer coby = {709, "Coby", "COBY: They cannot see in this.", 608, {{304, 17}, {309, 19}}, false};
static const Duel coby_duel = {&coby, "COBY: My birds are white, below it.", "COBY: We fly home and bathe.", 0};
static const Command east_sign_113[] = {SAY("Route 113. Ash falls all day. West: Fallarbor."), END};
static const ObjectTemplate people_113[] = {
    TRAINER(1, LOOK_BOY, 86, 11, UP, 3, &jaylen_duel),
    TRAINER(2, LOOK_BOY, 70, 8, DOWN, 3, &dillon_duel),
    TRAINER(3, LOOK_GIRL, 54, 11, UP, 3, &madeline_duel),
    TRAINER(4, LOOK_ELDER, 38, 8, DOWN, 3, &wyatt_duel),
    TRAINER(5, LOOK_BOY, 20, 11, UP, 3, &coby_duel),
    PERSON(6, LOOK_BALL, 46, 4, DOWN, STANDS, FLAG_ITEM_ROUTE_113_MAX_ETHER, ether),
};
static const BgEvent signs_113[] = {SIGN(92, 7, east_sign_113)};
static const MapEvents events_113 = {6, 0, 0, 1, people_113, 0, 0, signs_113};
static const MapConnection sides_113[] = {CONNECTION(SIDE_WEST, 0, 0, 13), CONNECTION(SIDE_EAST, 0, 0, 26)};
static const MapConnections connections_113 = {2, sides_113};
const MapHeader map_route_113 = {
    &layout_Route113, &events_113, &no_scripts, &connections_113, 0, 29, SECTION_ROUTE_113, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- Fallarbor ---- */

static const Command town_arrive[] = {SET_FLAG(FLAG_VISITED_FALLARBOR_TOWN), END};
static const Command town_girl[] = {SAY("Our professor looks at stones that fell from the sky. He went to the falls, and he is late for supper."), END};
static const Command town_elder[] = {SAY("The ash is good for turnips. Only for turnips."), END};
static const Command town_sign[] = {SAY("Fallarbor. Shake your coat."), END};
static const ObjectTemplate town_people[] = {
    PERSON(1, LOOK_GIRL, 8, 12, 0, LOOKS_AROUND, 0, town_girl),
    PERSON(2, LOOK_ELDER, 14, 14, 0, LOOKS_AROUND, 0, town_elder),
};
static const WarpEvent town_warps[] = {WARP(5, 7, 5, 4, 0), WARP(14, 7, 5, 0, 0)};
static const BgEvent town_signs[] = {SIGN(9, 7, town_sign)};
static const MapEvents town_events = {2, 2, 0, 1, town_people, town_warps, 0, town_signs};
static const MapConnection town_sides[] = {CONNECTION(SIDE_WEST, 0, 0, 29), CONNECTION(SIDE_EAST, 0, 0, 28)};
static const MapConnections town_connections = {2, town_sides};
static const MapScripts town_scripts = {town_arrive, 0};
const MapHeader map_fallarbor = {
    &layout_Fallarbor, &town_events, &town_scripts, &town_connections, 0, 14, SECTION_FALLARBOR, 0, 0, TYPE_TOWN, 0, 4, 0,
};

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 13, 0), WARP(7, 8, 0, 13, 0)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_fallarbor_centre = {
    &layout_Centre1F, &centre_events, &centre_scripts, 0, 0, 61, SECTION_FALLARBOR, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command seller[] = {
    NOTE("Welcome! What can I do for you?"), CALL(offer_rustboro), SCREEN(&shop_screen), SAY("Come again!"), END,
};
static const ObjectTemplate mart_people[] = {PERSON(1, LOOK_GUARD, 0, 2, RIGHT, STANDS, 0, seller)};
static const WarpEvent mart_warps[] = {WARP(3, 7, 0, 13, 1), WARP(4, 7, 0, 13, 1)};
static const BgEvent mart_signs[] = {SIGN(2, 3, seller), SIGN(2, 2, seller)};
static const MapEvents mart_events = {1, 2, 0, 2, mart_people, mart_warps, 0, mart_signs};
const MapHeader map_fallarbor_mart = {
    &layout_Mart, &mart_events, &no_scripts, 0, 0, 63, SECTION_FALLARBOR, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- Route 114 ---- */

FOUND(candy, 5, ITEM_RARE_CANDY, "You found a rare candy!");
static const Trainer steve = {143, "Steve", "STEVE: I must look at that again.", 1080, {{74, 18}}, false};
static const Duel steve_duel = {&steve, "STEVE: I collect what others step on!", "STEVE: Did you step on anything good?", 0};
static const Trainer bernie = {206, "Bernie", "BERNIE: Out!", 576, {{218, 18}, {339, 18}}, false};
static const Duel bernie_duel = {&bernie, "BERNIE: I keep warm by burning things.", "BERNIE: Cold again.", 0};
static const Trainer nancy = {472, "Nancy", "NANCY: Spilled.", 304, {{290, 19}, {295, 19}}, false};
static const Duel nancy_duel = {&nancy, "NANCY: We are having tea. You are the cake!", "NANCY: More tea?", 0};
static const Trainer lenny = {628, "Lenny", "LENNY: A rockslide!", 360, {{74, 18}, {66, 18}}, false};
static const Duel lenny_duel = {&lenny, "LENNY: Men in red hoods pushed me! So I push you!", "LENNY: They went to the falls.", 0};
static const Command sign_114[] = {SAY("Route 114. The falls of the meteors are at its end."), END};
static const ObjectTemplate people_114[] = {
    TRAINER(1, LOOK_ELDER, 30, 12, LEFT, 3, &steve_duel),
    TRAINER(2, LOOK_BOY, 22, 22, RIGHT, 3, &bernie_duel),
    TRAINER(3, LOOK_GIRL, 14, 32, RIGHT, 3, &nancy_duel),
    TRAINER(4, LOOK_ELDER, 10, 38, RIGHT, 3, &lenny_duel),
    PERSON(5, LOOK_BALL, 32, 34, DOWN, STANDS, FLAG_ITEM_ROUTE_114_RARE_CANDY, candy),
};
static const WarpEvent warps_114[] = {WARP(8, 44, 24, 0, 0)};
static const BgEvent signs_114[] = {SIGN(26, 7, sign_114)};
static const MapEvents events_114 = {5, 1, 0, 1, people_114, warps_114, 0, signs_114};
static const MapConnection sides_114[] = {CONNECTION(SIDE_EAST, 0, 0, 13)};
static const MapConnections connections_114 = {1, sides_114};
const MapHeader map_route_114 = {
    &layout_Route114, &events_114, &no_scripts, &connections_114, 0, 30, SECTION_ROUTE_114, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- Meteor Falls: whoever comes far enough sees the stone stolen; then the gang is on the peak ---- */

enum { SCHOLAR = 1, THIEF, SECOND_THIEF };
static const Command theft[] = {
    SAY("SCHOLAR: Help! That stone is from the sky, and it is mine!"),
    SAY("ASH HAND: It is ours now. The boss waits on the peak, and the cable car waits for us."),
    HIDE(THIEF),
    HIDE(SECOND_THIEF),
    SET_VAR(VAR_METEOR_FALLS_STATE, 1),
    SET_FLAG(FLAG_MET_ARCHIE_METEOR_FALLS),
    SET_FLAG(FLAG_HIDE_METEOR_FALLS_TEAM_AQUA),
    SET_FLAG(FLAG_HIDE_ROUTE_112_TEAM_MAGMA),
    SAY("SCHOLAR: They want to wake the mountain with it. Somebody must take the cable car, too!"),
    END,
};
static const Command scholar[] = {SAY("SCHOLAR: They are on Mt. Chimney. I would come with you, but I must write this down."), END};
static const Command thief[] = {SAY("ASH HAND: Go away. We are robbing somebody."), END};
FOUND(salve, 4, ITEM_SUPER_POTION, "You found a super potion!");
static const ObjectTemplate falls_people[] = {
    PERSON(SCHOLAR, LOOK_PROFESSOR, 12, 12, DOWN, STANDS, FLAG_HIDE_METEOR_FALLS_1F_1R_COZMO, scholar),
    PERSON(THIEF, LOOK_GUARD, 16, 12, LEFT, STANDS, FLAG_HIDE_METEOR_FALLS_TEAM_MAGMA, thief),
    PERSON(SECOND_THIEF, LOOK_GUARD, 18, 12, LEFT, STANDS, FLAG_HIDE_METEOR_FALLS_TEAM_MAGMA, thief),
    PERSON(4, LOOK_BALL, 22, 26, DOWN, STANDS, FLAG_ITEM_METEOR_FALLS_1F_1R_FULL_HEAL, salve),
};
static const WarpEvent falls_warps[] = {WARP(14, 38, 0, 29, 0)};
static const CoordEvent falls_triggers[] = {TRIGGER(14, 14, VAR_METEOR_FALLS_STATE, 0, theft)};
static const MapEvents falls_events = {4, 1, 1, 0, falls_people, falls_warps, falls_triggers, 0};
const MapHeader map_meteor_falls = {
    &layout_MeteorFalls, &falls_events, &no_scripts, 0, 0, 125, SECTION_METEOR_FALLS, 0, 0, TYPE_UNDERGROUND, 0, 0, 0,
};
