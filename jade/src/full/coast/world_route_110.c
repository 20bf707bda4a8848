/* The way from the sea to the north: a gang that bars it, and a rival where it is narrow. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/coast/coast.h"
#include "world/services.h"
#include "world/world.h"

enum { KIM = 3 };

static const Command gang[] = {SAY("BRINE GANG: This road is closed until we have what we want from the museum!"), END};
static const Trainer kim = {521, "Kim", "KIM: You have become strong. Very strong!", 1200, {{309, 18}, {288, 18}, {281, 20}}, false};
static const Command rival[] = {
    FACE(KIM, LEFT),
    SAY("KIM: {P}! I came the long way round. Let us see who has learned more!"),
    BATTLE(&kim),
    SET_VAR(VAR_ROUTE110_STATE, 1),
    SAY("KIM: I shall train, and you should see the hall of Mauville. It tickles, they say."),
    HIDE(KIM),
    END,
};
static const Command rival_first[] = {SAY("KIM: Wait, I am not ready. Come to the middle of the road!"), END};
FOUND(ball, 4, ITEM_RARE_CANDY, "You found a rare candy!");
static const Trainer isabel = {302, "Isabel", "ISABEL: My darlings!", 640, {{288, 15}, {337, 15}}, false};
static const Duel isabel_duel = {&isabel, "ISABEL: Look how sweet mine are!", "ISABEL: Still sweet.", 0};
static const Trainer kaleb = {699, "Kaleb", "KALEB: Well, well.", 600, {{337, 14}, {288, 14}}, false};
static const Duel kaleb_duel = {&kaleb, "KALEB: I raise them with love. And with porridge.", "KALEB: More porridge!", 0};
static const Trainer timmy = {334, "Timmy", "TIMMY: Unfair!", 208, {{286, 13}, {337, 13}}, false};
static const Duel timmy_duel = {&timmy, "TIMMY: I run here every day. Nobody is faster!", "TIMMY: I meant on foot.", 0};
static const Trainer edwin = {512, "Edwin", "EDWIN: That one is not for sale.", 560, {{295, 14}, {304, 14}}, false};
static const Duel edwin_duel = {&edwin, "EDWIN: I collect battles. Yours, please!", "EDWIN: A fine piece.", 0};
static const Trainer joseph = {700, "Joseph", "JOSEPH: A false note!", 480, {{100, 14}, {337, 14}}, false};
static const Duel joseph_duel = {&joseph, "JOSEPH: Feel my thunder!", "JOSEPH: My strings hum without me.", 0};
static const Command south_sign[] = {SAY("Route 110. South: Slateport. North: Mauville."), END};
static const Command north_sign[] = {SAY("Route 110. Mauville is near: mind your hair."), END};
static const ObjectTemplate people[] = {
    PERSON(1, LOOK_BRINE, 16, 97, DOWN, STANDS, FLAG_HIDE_ROUTE_110_TEAM_AQUA, gang),
    PERSON(2, LOOK_BRINE, 17, 97, DOWN, STANDS, FLAG_HIDE_ROUTE_110_TEAM_AQUA, gang),
    PERSON(KIM, LOOK_RIVAL, 18, 51, LEFT, STANDS, FLAG_HIDE_ROUTE_110_RIVAL, rival_first),
    PERSON(4, LOOK_BALL, 28, 44, DOWN, STANDS, FLAG_ITEM_ROUTE_110_RARE_CANDY, ball),
    TURNING_TRAINER(5, LOOK_GIRL, 20, 82, 4, &isabel_duel),
    TURNING_TRAINER(6, LOOK_ELDER, 13, 72, 4, &kaleb_duel),
    TURNING_TRAINER(7, LOOK_BOY, 20, 60, 4, &timmy_duel),
    TURNING_TRAINER(8, LOOK_PROFESSOR, 13, 38, 4, &edwin_duel),
    TURNING_TRAINER(9, LOOK_BOY, 20, 22, 4, &joseph_duel),
};
static const CoordEvent triggers[] = {
    TRIGGER(16, 51, VAR_ROUTE110_STATE, 0, rival), TRIGGER(17, 51, VAR_ROUTE110_STATE, 0, rival),
};
static const BgEvent signs[] = {SIGN(19, 93, south_sign), SIGN(14, 6, north_sign)};
static const MapEvents events = {9, 0, 2, 2, people, 0, triggers, signs};
static const MapConnection sides[] = {CONNECTION(SIDE_SOUTH, 0, 0, 1), CONNECTION(SIDE_NORTH, 0, 0, 2)};
static const MapConnections connections = {2, sides};
static const MapScripts scripts = {0, 0};
const MapHeader map_route_110 = {
    &layout_Route110, &events, &scripts, &connections, 0, 26, SECTION_ROUTE_110, 0, 0, TYPE_ROUTE, 0, 4, 0,
};
