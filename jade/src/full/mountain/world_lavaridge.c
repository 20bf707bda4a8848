/* The town of hot springs, and its hall, whose floor gives way. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/mountain/mountain.h"
#include "screens/screens.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- the town ---- */

static const Command town_arrive[] = {SET_FLAG(FLAG_VISITED_LAVARIDGE_TOWN), END};
static const Command town_elder[] = {SAY("I sit in the hot sand until my knees stop. Then I walk home, and they start again."), END};
static const Command town_girl[] = {SAY("Steam comes out of the cracks in the hall's floor. Step on one, and you are downstairs."), END};
static const Command town_sign[] = {SAY("Lavaridge. Warm feet for everybody."), END};
static const Command hall_sign[] = {SAY("Lavaridge's hall. Leader: Scoria. Mind the cracks."), END};
static const ObjectTemplate town_people[] = {
    PERSON(1, LOOK_ELDER, 13, 4, 0, LOOKS_AROUND, 0, town_elder),
    PERSON(2, LOOK_GIRL, 16, 16, 0, LOOKS_AROUND, 0, town_girl),
};
static const WarpEvent town_warps[] = {WARP(5, 5, 4, 5, 0), WARP(14, 11, 4, 4, 0), WARP(5, 13, 4, 1, 0)};
static const BgEvent town_signs[] = {SIGN(10, 8, town_sign), SIGN(11, 16, hall_sign)};
static const MapEvents town_events = {2, 3, 0, 2, town_people, town_warps, 0, town_signs};
static const MapConnection town_sides[] = {CONNECTION(SIDE_EAST, -40, 0, 27)};
static const MapConnections town_connections = {1, town_sides};
static const MapScripts town_scripts = {town_arrive, 0};
const MapHeader map_lavaridge = {
    &layout_Lavaridge, &town_events, &town_scripts, &town_connections, 0, 13, SECTION_LAVARIDGE, 0, 0, TYPE_TOWN, 0, 4, 0,
};

/* ---- the hall: trapdoors in the floor above, geysers below them ---- */

static const Command gym_sign[] = {SAY("SCORIA'S HALL: Falling is part of it."), END};
static const Trainer cole = {201, "Cole", "COLE: Cooled down!", 736, {{339, 23}}, false};
static const Duel cole_duel = {&cole, "COLE: Hot enough for you?", "COLE: I am wet through.", 0};
static const Trainer axle = {203, "Axle", "AXLE: My steam is gone.", 736, {{339, 23}}, false};
static const Duel axle_duel = {&axle, "AXLE: One more step, and you are gone!", "AXLE: I know all cracks. But one.", 0};
static const Trainer gerald = {648, "Gerald", "GERALD: Well fought.", 1104, {{218, 23}}, false};
static const Duel gerald_duel = {&gerald, "GERALD: I came here for the springs, and stayed for the fire.", "GERALD: To the springs!", 0};
static const Trainer danielle = {650, "Danielle", "DANIELLE: So strong!", 552, {{356, 23}}, false};
static const Duel danielle_duel = {&danielle, "DANIELLE: I train in the heat!", "DANIELLE: I shall train at noon, too.", 0};
static const Trainer jace = {204, "Jace", "JACE: Out of coal.", 736, {{218, 23}}, false};
static const Duel jace_duel = {&jace, "JACE: Welcome downstairs!", "JACE: The geyser over there? It leads up. I think.", 0};
static const Trainer jeff = {202, "Jeff", "JEFF: Pfff.", 704, {{218, 22}, {218, 22}}, false};
static const Duel jeff_duel = {&jeff, "JEFF: You fell right into my battle!", "JEFF: Everybody falls.", 0};
static const Trainer eli = {501, "Eli", "ELI: Down again.", 460, {{339, 23}}, false};
static const Duel eli_duel = {&eli, "ELI: I came to bathe, and fell in here.", "ELI: Warm, at least.", 0};
static const Trainer scoria = {268, "Scoria", "SCORIA: Oh... I tried too hard to look like a leader.", 2900,
                               {{218, 24}, {340, 26}, {321, 29}}, false};
static const Command scoria_later[] = {SAY("SCORIA: Being a leader is easier if one does not play one."), END};
static const Command leader[] = {
    IF_FLAG(FLAG_BADGE04_GET, scoria_later),
    SAY("SCORIA: So you, um... I mean: Welcome, challenger! My heat comes from deep below. Feel it!"),
    BATTLE(&scoria),
    SET_FLAG(FLAG_BADGE04_GET),
    SET_FLAG(FLAG_DEFEATED_LAVARIDGE_GYM),
    GIVE_ITEM(ITEM_OVERHEAT, 1),
    SET_FLAG(FLAG_RECEIVED_TM_OVERHEAT),
    SAY("SCORIA: Take the badge of the flame, and this lesson. Whoever uses it is tired after that. Like me, now."),
    END,
};
static const ObjectTemplate gym_people[] = {
    PERSON(1, LOOK_SCORIA, 6, 2, DOWN, STANDS, 0, leader),
    TRAINER(2, LOOK_BOY, 7, 12, LEFT, 2, &cole_duel),
    TRAINER(3, LOOK_BOY, 11, 6, DOWN, 2, &axle_duel),
    TRAINER(4, LOOK_BOY, 15, 8, UP, 2, &gerald_duel),
    TRAINER(5, LOOK_GIRL, 3, 16, UP, 2, &danielle_duel),
};
static const WarpEvent gym_warps[] = {
    WARP(13, 18, 0, 12, 2), WARP(14, 18, 0, 12, 2), WARP(7, 4, 4, 2, 0), WARP(9, 4, 4, 2, 1), WARP(13, 2, 4, 2, 2), WARP(1, 6, 4, 2, 3),
    WARP(10, 7, 4, 2, 4), WARP(1, 10, 4, 2, 5), WARP(11, 10, 4, 2, 6), WARP(14, 11, 4, 2, 7), WARP(3, 14, 4, 2, 8),
};
static const BgEvent gym_signs[] = {SIGN(15, 17, gym_sign)};
static const MapEvents gym_events = {5, 11, 0, 1, gym_people, gym_warps, 0, gym_signs};
const MapHeader map_lavaridge_gym_1f = {
    &layout_LavaridgeGym1F, &gym_events, &no_scripts, 0, 0, 69, SECTION_LAVARIDGE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const ObjectTemplate below_people[] = {
    TRAINER(1, LOOK_BOY, 7, 8, LEFT, 2, &jace_duel),
    TRAINER(2, LOOK_BOY, 11, 12, UP, 2, &jeff_duel),
    TRAINER(3, LOOK_ELDER, 3, 16, UP, 2, &eli_duel),
};
static const WarpEvent below_warps[] = {
    WARP(7, 4, 4, 1, 2), WARP(9, 4, 4, 1, 3), WARP(13, 2, 4, 1, 4), WARP(1, 6, 4, 1, 5), WARP(10, 7, 4, 1, 6), WARP(1, 10, 4, 1, 7),
    WARP(11, 10, 4, 1, 8), WARP(14, 11, 4, 1, 9), WARP(3, 14, 4, 1, 10),
};
static const MapEvents below_events = {3, 9, 0, 0, below_people, below_warps, 0, 0};
const MapHeader map_lavaridge_gym_b1f = {
    &layout_LavaridgeGymB1F, &below_events, &no_scripts, 0, 0, 70, SECTION_LAVARIDGE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- rooms ---- */

static const ObjectTemplate centre_people[] = {PERSON(1, LOOK_NURSE, 6, 2, DOWN, STANDS, 0, nurse)};
static const WarpEvent centre_warps[] = {WARP(6, 8, 0, 12, 0), WARP(7, 8, 0, 12, 0)};
static const BgEvent centre_signs[] = {SIGN(6, 3, nurse), SIGN(13, 2, computer)};
static const MapEvents centre_events = {1, 2, 0, 2, centre_people, centre_warps, 0, centre_signs};
const MapHeader map_lavaridge_centre = {
    &layout_LavaridgeCentre, &centre_events, &centre_scripts, 0, 0, 71, SECTION_LAVARIDGE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command seller[] = {
    NOTE("Welcome! What can I do for you?"), CALL(offer_rustboro), SCREEN(&shop_screen), SAY("Come again!"), END,
};
static const ObjectTemplate mart_people[] = {PERSON(1, LOOK_GUARD, 0, 2, RIGHT, STANDS, 0, seller)};
static const WarpEvent mart_warps[] = {WARP(3, 7, 0, 12, 1), WARP(4, 7, 0, 12, 1)};
static const BgEvent mart_signs[] = {SIGN(2, 3, seller), SIGN(2, 2, seller)};
static const MapEvents mart_events = {1, 2, 0, 2, mart_people, mart_warps, 0, mart_signs};
const MapHeader map_lavaridge_mart = {
    &layout_Mart, &mart_events, &no_scripts, 0, 0, 63, SECTION_LAVARIDGE, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
