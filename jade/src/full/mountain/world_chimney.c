/* The peak, where a gang wants to wake the mountain, and the pass that leads down from it, one way. */
#include "battle/battle.h"
#include "events/trainer.h"
#include "full/mountain/mountain.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* ---- the peak ---- */

/* One of the gang, who fights at sight and leaves with the others. */
#define FOE(id, x, y, facing, sight, duel) \
    {id, LOOK_ASH, 0, 0, x, y, 3, STANDS, facing, 1, sight, duel, FLAG_HIDE_MT_CHIMNEY_TEAM_MAGMA, 0}
enum { MARL = 1, SENTRY, BRAND, FIRST_HAND, SECOND_HAND };

static const Trainer brand = {597, "Brand", "BRAND: The boss will melt me!", 440, {{339, 18}, {286, 20}, {41, 22}}, false};
static const Duel brand_duel = {&brand, "BRAND: You are too late! The machine is on!", "BRAND: Go on, ask the boss.", 0};
static const Trainer first_hand = {146, "Ash Hand", "HAND: Hot, hot, hot!", 400, {{339, 20}}, false};
static const Duel first_hand_duel = {&first_hand, "HAND: The Ash Gang makes new land here!", "HAND: My shoes melt.", 0};
static const Trainer second_hand = {579, "Ash Hand", "HAND: Smoke in my eyes.", 400, {{286, 20}}, false};
static const Duel second_hand_duel = {&second_hand, "HAND: Nobody disturbs the boss!", "HAND: He is not that nice anyway.", 0};
static const Trainer marl = {602, "Marl", "MARL: What?! I have lost my calm...", 1000, {{286, 24}, {41, 24}, {340, 25}}, false};
static const Command marl_talks[] = {
    SAY("MARL: This stone will wake the mountain, and it will make us land to stand on. You cannot understand that."),
    BATTLE(&marl),
    SAY("MARL: The sea has won a day. Gang, we leave. Take the machine. No, leave the machine, it is hot!"),
    SET_FLAG(FLAG_DEFEATED_EVIL_TEAM_MT_CHIMNEY),
    SET_FLAG(FLAG_HIDE_MT_CHIMNEY_TEAM_AQUA),
    CLEAR_FLAG(FLAG_HIDE_FALLARBOR_HOUSE_PROF_COZMO),
    SET_FLAG(FLAG_HIDE_METEOR_FALLS_1F_1R_COZMO),
    CLEAR_FLAG(FLAG_HIDE_MT_CHIMNEY_LAVA_COOKIE_LADY),
    HIDE(SENTRY),
    HIDE(BRAND),
    HIDE(FIRST_HAND),
    HIDE(SECOND_HAND),
    HIDE(MARL),
    END,
};
static const Command sentry[] = {SAY("ASH HAND: The pass is closed, until the mountain is awake."), END};
static const Command cookies[] = {SAY("I bake on the hot stones. Everything I bake is black."), END};
static const Command peak_sign[] = {SAY("The pass to Lavaridge. Down only."), END};
static const ObjectTemplate peak_people[] = {
    PERSON(MARL, LOOK_MARL, 8, 10, DOWN, STANDS, FLAG_HIDE_MT_CHIMNEY_TEAM_MAGMA, marl_talks),
    PERSON(SENTRY, LOOK_ASH, 20, 40, UP, STANDS, FLAG_HIDE_MT_CHIMNEY_TEAM_MAGMA, sentry),
    FOE(BRAND, 14, 10, LEFT, 4, &brand_duel),
    FOE(FIRST_HAND, 30, 16, UP, 4, &first_hand_duel),
    FOE(SECOND_HAND, 8, 24, RIGHT, 4, &second_hand_duel),
    PERSON(6, LOOK_GIRL, 30, 26, DOWN, STANDS, FLAG_HIDE_MT_CHIMNEY_LAVA_COOKIE_LADY, cookies),
};
static const WarpEvent peak_warps[] = {WARP(17, 36, 19, 1, 0), WARP(20, 41, 24, 13, 0)};
static const BgEvent peak_signs[] = {SIGN(18, 38, peak_sign)};
static const MapEvents peak_events = {6, 2, 0, 1, peak_people, peak_warps, 0, peak_signs};
const MapHeader map_chimney = {
    &layout_Chimney, &peak_events, &no_scripts, 0, 0, 136, SECTION_CHIMNEY, 0, 0, TYPE_ROUTE, 0, 4, 0,
};

/* ---- the pass ---- */

FOUND(salve, 6, ITEM_BURN_HEAL, "You found a burn salve!");
static const Trainer eric = {632, "Eric", "ERIC: I slipped!", 400, {{74, 20}, {66, 20}}, false};
static const Duel eric_duel = {&eric, "ERIC: I have climbed all mountains but this one!", "ERIC: And this one I do not.", 0};
static const Trainer diana = {474, "Diana", "DIANA: Over already?", 304, {{290, 19}, {295, 19}, {304, 19}}, false};
static const Duel diana_duel = {&diana, "DIANA: I found the way! Or did I?", "DIANA: Down is always a way.", 0};
static const Trainer ethan = {216, "Ethan", "ETHAN: My tent slid down.", 320, {{288, 20}, {304, 20}}, false};
static const Duel ethan_duel = {&ethan, "ETHAN: It is hard to jump down with a tent!", "ETHAN: It is below us, somewhere.", 0};
static const Trainer autumn = {217, "Autumn", "AUTUMN: I fall, too.", 336, {{290, 21}}, false};
static const Duel autumn_duel = {&autumn, "AUTUMN: Stop! I was just about to jump.", "AUTUMN: You jump first.", 0};
static const Trainer julio = {566, "Julio", "JULIO: A flat tyre!", 840, {{82, 21}}, false};
static const Duel julio_duel = {&julio, "JULIO: I ride up here. On one wheel!", "JULIO: I push it up, mostly.", 0};
static const Command pass_sign[] = {SAY("Jagged Pass. West of the foot: Lavaridge."), END};
static const ObjectTemplate pass_people[] = {
    TRAINER(1, LOOK_ELDER, 14, 10, RIGHT, 3, &eric_duel),
    TRAINER(2, LOOK_GIRL, 16, 16, LEFT, 3, &diana_duel),
    TRAINER(3, LOOK_BOY, 16, 26, RIGHT, 3, &ethan_duel),
    TRAINER(4, LOOK_GIRL, 16, 34, LEFT, 3, &autumn_duel),
    TRAINER(5, LOOK_BOY, 24, 40, LEFT, 4, &julio_duel),
    PERSON(6, LOOK_BALL, 4, 20, DOWN, STANDS, FLAG_ITEM_JAGGED_PASS_BURN_HEAL, salve),
};
static const WarpEvent pass_warps[] = {WARP(14, 4, 24, 12, 1), WARP(14, 43, 0, 27, 1)};
static const BgEvent pass_signs[] = {SIGN(16, 40, pass_sign)};
static const MapEvents pass_events = {6, 2, 0, 1, pass_people, pass_warps, 0, pass_signs};
const MapHeader map_jagged_pass = {
    &layout_JaggedPass, &pass_events, &no_scripts, 0, 0, 292, SECTION_JAGGED_PASS, 0, 0, TYPE_ROUTE, 0, 4, 0,
};
