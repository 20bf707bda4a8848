/* From the city at the crossing to the foot of the mountain, and the cable car. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/mountain/mountain.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- Route 111 ---- */

FOUND(drink, 5, ITEM_ETHER, "You found an ether!");
static const Trainer victor = {292, "Victor", "VICTOR: Oh! You are strong.", 400, {{304, 16}, {288, 16}}, false};
static const Duel victor_duel = {&victor, "VICTOR: Whoever wants to pass fights my family!", "VICTOR: My wife is stronger.", 0};
static const Trainer victoria = {299, "Victoria", "VICTORIA: How can this be?", 425, {{295, 17}}, false};
static const Duel victoria_duel = {&victoria, "VICTORIA: You beat my husband? Show me how!", "VICTORIA: My daughter will be angry.", 0};
static const Trainer vivi = {606, "Vivi", "VIVI: I wanted to win!", 375, {{72, 15}, {290, 15}, {339, 15}}, false};
static const Duel vivi_duel = {&vivi, "VIVI: Papa cries when he loses. I do not!", "VIVI: I do not cry. There is sand here.", 0};
static const Trainer vicky = {312, "Vicky", "VICKY: Four of us, and nobody left.", 450, {{356, 18}}, false};
static const Duel vicky_duel = {&vicky, "VICKY: I am the last one. And the best one.", "VICKY: We shall train together, all four.", 0};
static const Command south_sign_111[] = {SAY("Route 111. South: Mauville."), END};
static const Command west_sign_111[] = {SAY("Route 111. West: Route 112, the cable car, and the path through the mountain. The desert is closed for sweeping."), END};
static const ObjectTemplate people_111[] = {
    TRAINER(1, LOOK_BOY, 13, 124, RIGHT, 4, &victor_duel),
    TRAINER(2, LOOK_GIRL, 20, 106, LEFT, 4, &victoria_duel),
    TRAINER(3, LOOK_GIRL, 13, 88, RIGHT, 4, &vivi_duel),
    TRAINER(4, LOOK_ELDER, 20, 72, LEFT, 4, &vicky_duel),
    PERSON(5, LOOK_BALL, 30, 130, DOWN, STANDS, FLAG_ITEM_ROUTE_111_ELIXIR, drink),
};
static const BgEvent signs_111[] = {SIGN(19, 133, south_sign_111), SIGN(14, 63, west_sign_111)};
static const MapEvents events_111 = {5, 0, 0, 2, people_111, 0, 0, signs_111};
static const MapConnection sides_111[] = {CONNECTION(SIDE_SOUTH, 0, 0, 2), CONNECTION(SIDE_WEST, 20, 0, 27), CONNECTION(SIDE_WEST, 0, 0, 28)};
static const MapConnections connections_111 = {3, sides_111};
const MapHeader map_route_111 = {
    &layout_Route111, &events_111, &no_scripts, &connections_111, 0, 27, SECTION_ROUTE_111, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- Route 112: the west is above a ledge, and only reached over the mountain ---- */

FOUND(gold, 7, ITEM_NUGGET, "You found a nugget!");
static const Trainer brice = {626, "Brice", "BRICE: Out of breath!", 340, {{339, 17}, {66, 17}}, false};
static const Duel brice_duel = {&brice, "BRICE: Up there it smokes. Down here I do!", "BRICE: I take the cable car, next time.", 0};
static const Trainer trent = {627, "Trent", "TRENT: Crumbled!", 320, {{74, 16}, {74, 16}}, false};
static const Duel trent_duel = {&trent, "TRENT: Look at my rocks!", "TRENT: They are still good rocks.", 0};
static const Trainer larry = {213, "Larry", "LARRY: I shall sleep in the tent, then.", 304, {{295, 19}}, false};
static const Duel larry_duel = {&larry, "LARRY: Are you camping, too?", "LARRY: The ground is warm here. Very good.", 0};
static const Trainer carol = {471, "Carol", "CAROL: My picnic!", 272, {{304, 17}, {295, 17}}, false};
static const Duel carol_duel = {&carol, "CAROL: The view makes me strong!", "CAROL: Have a sandwich. With ash.", 0};
static const Trainer bryant = {746, "Bryant", "BRYANT: Burnt out.", 576, {{339, 18}, {218, 18}}, false};
static const Duel bryant_duel = {&bryant, "BRYANT: Lavaridge's fire burns in me!", "BRYANT: Only embers.", 0};
static const Trainer shayla = {747, "Shayla", "SHAYLA: What a smell!", 576, {{290, 18}, {295, 18}}, false};
static const Duel shayla_duel = {&shayla, "SHAYLA: Do you smell that? Sulphur and roses!", "SHAYLA: Mostly sulphur.", 0};
static const Command gang[] = {SAY("ASH HAND: The cable car is ours today. Find yourself another mountain!"), END};
static const Command station_sign[] = {SAY("The cable car. It runs when somebody is in it."), END};
static const Command lavaridge_sign[] = {SAY("Route 112. West: Lavaridge, the town of hot springs."), END};
static const ObjectTemplate people_112[] = {
    TRAINER(1, LOOK_ELDER, 20, 43, UP, 4, &brice_duel),
    TRAINER(2, LOOK_ELDER, 32, 38, DOWN, 4, &trent_duel),
    TRAINER(3, LOOK_BOY, 16, 48, UP, 3, &larry_duel),
    TRAINER(4, LOOK_GIRL, 30, 56, LEFT, 3, &carol_duel),
    TRAINER(5, LOOK_BOY, 9, 26, LEFT, 4, &bryant_duel),
    TRAINER(6, LOOK_GIRL, 4, 40, RIGHT, 4, &shayla_duel),
    PERSON(7, LOOK_BALL, 4, 56, DOWN, STANDS, FLAG_ITEM_ROUTE_112_NUGGET, gold),
    PERSON(8, LOOK_GUARD, 26, 36, DOWN, STANDS, FLAG_HIDE_ROUTE_112_TEAM_MAGMA, gang),
};
static const WarpEvent warps_112[] = {WARP(26, 35, 19, 0, 0), WARP(6, 19, 24, 13, 1), WARP(18, 23, 24, 14, 0), WARP(22, 14, 24, 14, 1)};
static const BgEvent signs_112[] = {SIGN(24, 38, station_sign), SIGN(4, 42, lavaridge_sign)};
static const MapEvents events_112 = {8, 4, 0, 2, people_112, warps_112, 0, signs_112};
static const MapConnection sides_112[] = {CONNECTION(SIDE_WEST, 40, 0, 12), CONNECTION(SIDE_EAST, -20, 0, 26)};
static const MapConnections connections_112 = {2, sides_112};
const MapHeader map_route_112 = {
    &layout_Route112, &events_112, &no_scripts, &connections_112, 0, 28, SECTION_ROUTE_112, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- the cable car: whoever steps to its door is asked, and is carried to the other one ---- */

enum { CAR_STANDS, CAR_GOES_UP, CAR_GOES_DOWN };

static const Command station_arrive[] = {SET_VAR(VAR_CABLE_CAR_STATION_STATE, CAR_STANDS), END};
static const Command stay[] = {WALK(WHO_PLAYER, "D"), END};
static const Command ride_up[] = {
    ASK("The cable car to the peak. Shall it go?"),
    IF_NO(stay),
    SET_VAR(VAR_CABLE_CAR_STATION_STATE, CAR_GOES_UP),
    TRAVEL(19, 1, 6, 2),
};
static const Command ride_down[] = {
    ASK("The cable car to the valley. Shall it go?"),
    IF_NO(stay),
    SET_VAR(VAR_CABLE_CAR_STATION_STATE, CAR_GOES_DOWN),
    TRAVEL(19, 0, 6, 2),
};
static const Command attendant[] = {SAY("Mind the gap. It is a long gap, all the way down."), END};
static const ObjectTemplate station_people[] = {PERSON(1, LOOK_GIRL, 3, 3, DOWN, STANDS, 0, attendant)};
static const CoordEvent valley_doors[] = {TRIGGER(6, 2, 0, 0, ride_up)}, peak_doors[] = {TRIGGER(6, 2, 0, 0, ride_down)};
/* The third says where the ride ends, for whoever plans. */
static const WarpEvent valley_warps[] = {WARP(6, 11, 0, 27, 0), WARP(7, 11, 0, 27, 0), WARP(6, 2, 19, 1, 2)};
static const WarpEvent peak_warps[] = {WARP(6, 11, 24, 12, 0), WARP(7, 11, 24, 12, 0), WARP(6, 2, 19, 0, 2)};
static const MapEvents valley_events = {1, 3, 1, 0, station_people, valley_warps, valley_doors, 0};
static const MapEvents peak_events = {1, 3, 1, 0, station_people, peak_warps, peak_doors, 0};
static const MapScripts station_scripts = {station_arrive, 0};
const MapHeader map_valley_station = {
    &layout_CableCar, &valley_events, &station_scripts, 0, 0, 118, SECTION_ROUTE_112, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
const MapHeader map_peak_station = {
    &layout_CableCar, &peak_events, &station_scripts, 0, 0, 118, SECTION_CHIMNEY, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
