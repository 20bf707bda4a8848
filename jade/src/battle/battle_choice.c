/* What the player chooses for each of his own: a move and whom it hits, an item, another one, to run. */
#include "battle/battle_steps.h"
#include "battle/rules/battle_rules.h"
#include "battle/view/battle_screens.h"
#include "battle/view/battle_view.h"
#include "creatures/pokemon.h"
#include "full/west/catching.h"
#include "system/demands.h"
#include "text/menu.h"
#include "text/message.h"
#include "text/text.h"

enum { FIGHT, BAG, PARTY, RUN, STRUGGLE = 165 };

static const char *const actions[] = {"Fight", "Bag", "Party", "Run"};
static enum Battler target; /* that the player aims at now */

static void note_move(void)
{
    const BattlePokemon *mon = &gBattleMons[battle.acting];
    const Move *move = move_find(mon->moves[grid_cursor()]);
    grid_note(type_name(move->type), mon->pp[grid_cursor()], move->pp);
}

/* The next of one's own chooses, or all moves begin. */
static void choose_next(void)
{
    do
        battle.acting += 2;
    while (battle.acting < gBattlersCount && !battle.present[battle.acting]);
    if (battle.acting < gBattlersCount)
        step_choose();
    else
        step_moves();
}

void step_acted(void)
{
    battle.plans[battle.acting].move = 0;
    choose_next();
}

static void open_moves(void);

static void show_target(void)
{
    memcpy(gStringVar1, gBattleMons[target].nickname, sizeof gBattleMons[OWN].nickname);
    message_start("Aim at {1}? Left and right: the other one.");
    message_finish();
    view_aim(target);
}

static void choose_target(void)
{
    if (gMain.new_keys & (KEY_LEFT | KEY_RIGHT | KEY_UP | KEY_DOWN)) {
        target ^= FOE ^ FOE_SECOND;
        show_target();
    } else if (gMain.new_keys & KEY_A) {
        view_aim(BATTLERS);
        battle.plans[battle.acting].target = target;
        choose_next();
    } else if (gMain.new_keys & KEY_B) {
        view_aim(BATTLERS);
        battle.plans[battle.acting].move = 0;
        open_moves();
    }
}

static void use_move(u8 slot, const Move *move)
{
    gBattlerControllerFuncs[battle.acting] = 0;
    battle.plans[battle.acting].slot = slot;
    battle.plans[battle.acting].move = move;
    target = battle.plans[battle.acting].target = battle.present[FOE] ? FOE : FOE_SECOND;
    text_clear();
    view_boxes();
    if (move->effect == STAT_OWN || !battle.present[FOE] || !battle.present[FOE_SECOND]) {
        choose_next();
        return;
    }
    gBattlerControllerFuncs[battle.acting] = LABEL_INPUT_TARGET;
    show_target();
    battle_then(choose_target);
}

static void choose_move(void)
{
    bool moved;
    s32 choice = grid_update(&moved);
    const BattlePokemon *mon = &gBattleMons[battle.acting];
    gMoveSelectionCursor[battle.acting] = grid_cursor();
    if (moved)
        note_move();
    if (choice == CHOICE_BACK) {
        message_close();
        step_choose();
    } else if (choice >= 0 && mon->pp[choice]) {
        use_move(choice, move_find(mon->moves[choice]));
    }
}

/* Where the cursor begins: the move that promises the most damage. */
static u8 strongest(void)
{
    const BattlePokemon *own = &gBattleMons[battle.acting], *foe = &gBattleMons[battle.present[FOE] ? FOE : FOE_SECOND];
    u32 best = 0, most = 0;
    for (u32 i = 0; i < 4; ++i) {
        const Move *move = move_find(own->moves[i]);
        u32 effect = type_effect(move->type, foe->types[0]);
        if (foe->types[1] != foe->types[0])
            effect = effect * type_effect(move->type, foe->types[1]) / 10;
        u32 promise = own->moves[i] && own->pp[i] ? 1 + move->power * effect : 0;
        if (promise > most) {
            most = promise;
            best = i;
        }
    }
    return best;
}

static void open_moves(void)
{
    const char *labels[4];
    const u16 *known = gBattleMons[battle.acting].moves;
    if (!battle_has_pp(battle.acting)) {
        use_move(NO_SLOT, move_find(STRUGGLE));
        return;
    }
    for (u32 i = 0; i < 4; ++i)
        labels[i] = known[i] ? move_find(known[i])->name : 0;
    text_clear();
    view_boxes();
    u8 cursor = demands[DEMAND_CURSOR] ? gMoveSelectionCursor[battle.acting] : strongest();
    gMoveSelectionCursor[battle.acting] = cursor;
    grid_open(labels, cursor, true);
    gBattlerControllerFuncs[battle.acting] = LABEL_INPUT_MOVE;
    note_move();
    battle_then(choose_move);
}

static void run_away(void)
{
    if (battle.trainer)
        battle_say("Nobody runs from a trainer!", step_choose);
    else if (battle.first)
        battle_say("PROF: Don't leave me like this!", step_choose);
    else if (battle_escape(++battle.tries))
        battle_say("You got away safely.", step_ran);
    else
        battle_say("You cannot get away!", step_acted);
}

/* B: the first of two chooses again, unless it did something already. */
static void choose_before(void)
{
    if (battle.acting == OWN || !battle.plans[OWN].move)
        return;
    battle.acting = OWN;
    step_choose();
}

static void choose_action(void)
{
    bool moved;
    s32 choice = grid_update(&moved);
    gActionSelectionCursor[battle.acting] = grid_cursor();
    switch (choice) {
    case FIGHT: open_moves(); break;
    case BAG: battle_open_bag(); break;
    case PARTY: battle_open_party(); break;
    case RUN: run_away(); break;
    case CHOICE_BACK: choose_before(); break;
    }
}

static void open_actions(void)
{
    if (!demands[DEMAND_CURSOR])
        gActionSelectionCursor[battle.acting] = FIGHT;
    grid_open(actions, gActionSelectionCursor[battle.acting], false);
    gBattleMainFunc = LABEL_CHOOSE_ACTION;
    gBattlerControllerFuncs[battle.acting] = LABEL_INPUT_ACTION;
    battle_then(choose_action);
}

void step_choose(void)
{
#if FULL
    if (battle.lesson) {
        catching_choose();
        return;
    }
#endif
    memcpy(gStringVar1, gBattleMons[battle.acting].nickname, sizeof gBattleMons[OWN].nickname);
    gActiveBattler = battle.acting;
    gBattlerControllerFuncs[battle.acting] = 0;
    message_start("What will {1} do?");
    message_finish();
    battle_then(open_actions);
}

/* Whether somebody has to come first, in whose place. */
static bool replaces(enum Battler battler)
{
    u32 reserve = battle_reserve(battler);
    if (battle.present[battler] || reserve == PARTY_SIZE)
        return false;
    battle.acting = gActiveBattler = battler;
    if (battler_is_own(battler)) {
        battle_open_successor();
    } else {
        battle_send_out(battler, reserve);
        battle_name(gStringVar1, battler);
        battle_say("{1} comes out!", step_turn);
    }
    return true;
}

void step_turn(void)
{
    static const u8 order[] = {FOE, FOE_SECOND, OWN, OWN_SECOND};
    for (u32 i = 0; i < ARRAY_COUNT(order); ++i)
        if (order[i] < gBattlersCount && replaces(order[i]))
            return;
    memset(battle.plans, 0, sizeof battle.plans);
    battle.acting = battle.present[OWN] ? OWN : OWN_SECOND;
    step_choose();
}
