/* A turn: what the player chooses, and the two moves one after the other. */
#include "battle_rules.h"
#include "battle_screens.h"
#include "battle_status.h"
#include "battle_steps.h"
#include "battle_view.h"
#include "menu.h"
#include "message.h"
#include "save.h"
#include "text.h"

enum { FIGHT, BAG, PARTY, RUN, STRUGGLE = 165, NO_SLOT = 4 };

static const char *const actions[] = {"Fight", "Bag", "Party", "Run"};

static struct {
    const Move *moves[SIDES]; /* null: none this turn */
    u32 slots[SIDES];
    enum Side side; /* whose move is shown now */
    u8 done;        /* moves of this turn that are over */
    u8 ending;      /* what comes after the moves: how far that is */
    Result result;
} turn;

/* ---- a move ---- */

static void next_move(void);

static void end_of_move(void)
{
    battler_store(OWN, battle_own());
    battler_store(FOE, battle_foe());
    if (!gBattleMons[FOE].hp)
        step_foe_fainted();
    else if (!gBattleMons[OWN].hp)
        step_own_fainted();
    else
        next_move();
}

static void tell_recoil(void)
{
    battle_name(gStringVar1, turn.side);
    if (turn.result.recoil)
        battle_say("{1} is hit by the recoil!", end_of_move);
    else if (turn.result.gained)
        battle_say("{1} drew strength from it!", end_of_move);
    else
        end_of_move();
}

static void tell_inflicted(void)
{
    u8 status = turn.result.inflicted;
    battle_name(gStringVar1, turn.side == OWN ? FOE : OWN);
    if (status)
        view_boxes();
    if (status == ASLEEP)
        battle_say("{1} fell asleep!", tell_recoil);
    else if (status == POISONED)
        battle_say("{1} was poisoned!", tell_recoil);
    else if (status == BURNED)
        battle_say("{1} was burned!", tell_recoil);
    else if (status == FROZEN)
        battle_say("{1} was frozen solid!", tell_recoil);
    else if (status == PARALYSED)
        battle_say("{1} is paralysed! It may be unable to move!", tell_recoil);
    else if (turn.moves[turn.side]->effect == INFLICT)
        battle_say("But it had no effect.", tell_recoil);
    else
        tell_recoil();
}

static void tell_stage(void)
{
    static const char *const names[] = {"", "attack", "defense", "speed", "mind", "will", "aim", "luck"};
    if (!turn.result.stat) {
        tell_inflicted();
        return;
    }
    battle_name(gStringVar1, turn.result.stat_side);
    text_encode(gStringVar2, names[turn.result.stat], 16);
    battle_say(turn.result.change > 0 ? "{1}'s {2} rose!" : turn.result.change < 0 ? "{1}'s {2} fell!"
               : "{1}'s {2} cannot change any more!", tell_inflicted);
}

static void tell_effect(void)
{
    battle_name(gStringVar1, turn.side == OWN ? FOE : OWN);
    if (turn.result.effect == 0)
        battle_say("{1} does not even feel it...", tell_stage);
    else if (turn.result.effect > 10)
        battle_say("That was very effective!", tell_stage);
    else if (turn.result.effect < 10)
        battle_say("That was not very effective...", tell_stage);
    else
        tell_stage();
}

static void tell_critical(void)
{
    if (turn.result.critical && turn.result.damage)
        battle_say("A critical hit!", tell_effect);
    else
        tell_effect();
}

static void strike(void)
{
    turn.result = battle_move(turn.side, turn.moves[turn.side]);
    battle_name(gStringVar1, turn.side);
    if (turn.result.missed) {
        battle_say("{1} missed!", end_of_move);
        return;
    }
    if (turn.result.damage)
        view_shake(turn.side == OWN ? FOE : OWN);
    battle_then(tell_critical);
}

static void announce(void)
{
    const Move *move = turn.moves[turn.side];
    if (turn.slots[turn.side] < NO_SLOT)
        --gBattleMons[turn.side].pp[turn.slots[turn.side]];
    battle_name(gStringVar1, turn.side);
    text_encode(gStringVar2, move->name, 16);
    battle_say("{1} uses {2}!", strike);
}

/* Whoever sleeps, is frozen or too stiff does not come to its move. */
static void begin_move(void)
{
    enum Hindrance hindrance = status_hindrance(turn.side);
    battle_name(gStringVar1, turn.side);
    if (hindrance == WOKE_UP || hindrance == THAWED)
        view_boxes();
    switch (hindrance) {
    case STILL_ASLEEP: battle_say("{1} is fast asleep.", end_of_move); break;
    case WOKE_UP: battle_say("{1} woke up!", announce); break;
    case STILL_FROZEN: battle_say("{1} is frozen solid!", end_of_move); break;
    case THAWED: battle_say("{1} thawed out!", announce); break;
    case TOO_STIFF: battle_say("{1} is too stiff to move!", end_of_move); break;
    default: announce();
    }
}

static void end_of_turn(void);

static void after_hurt(void)
{
    battler_store(OWN, battle_own());
    battler_store(FOE, battle_foe());
    if (!gBattleMons[FOE].hp)
        step_foe_fainted();
    else if (!gBattleMons[OWN].hp)
        step_own_fainted();
    else
        end_of_turn();
}

/* One after the other: berries, then poison and burns, then a skin that is shed; step_choose when all is over. */
static void end_of_turn(void)
{
    typedef struct { bool (*happens)(enum Side side); const char *text; } Ending;
    static const Ending endings[] = {
        {status_eats_berry, "{1} ate its berry and feels better!"},
        {status_hurts, "{1} is hurt by it!"},
        {status_sheds, "{1} shed its skin and is well again!"},
    };
    while (turn.ending < SIDES * ARRAY_COUNT(endings)) {
        enum Side side = turn.ending % SIDES;
        const Ending *ending = &endings[turn.ending++ / SIDES];
        if (!ending->happens(side))
            continue;
        battle_name(gStringVar1, side);
        if (ending->happens == status_sheds)
            view_boxes();
        battle_say(ending->text, after_hurt);
        return;
    }
    step_choose();
}

static void next_move(void)
{
    if (turn.done == SIDES) {
        turn.ending = 0;
        end_of_turn();
        return;
    }
    if (turn.done++)
        turn.side = turn.side == OWN ? FOE : OWN;
    if (turn.moves[turn.side])
        begin_move();
    else
        next_move();
}

static void begin_turn(const Move *own)
{
    turn.moves[OWN] = own;
    turn.moves[FOE] = battle_foe_move(&turn.slots[FOE]);
    turn.side = own ? battle_first(own, turn.moves[FOE]) : OWN;
    turn.done = 0;
    next_move();
}

void step_foe_alone(void)
{
    begin_turn(0);
}

/* ---- choices ---- */

static void note_move(void)
{
    const BattlePokemon *mon = &gBattleMons[OWN];
    const Move *move = move_find(mon->moves[grid_cursor()]);
    grid_note(type_name(move->type), mon->pp[grid_cursor()], move->pp);
}

static void choose_move(void)
{
    bool moved;
    s32 choice = grid_update(&moved);
    if (moved)
        note_move();
    if (choice == CHOICE_BACK) {
        message_close();
        step_choose();
    } else if (choice >= 0 && gBattleMons[OWN].pp[choice]) {
        turn.slots[OWN] = choice;
        text_clear();
        view_boxes();
        begin_turn(move_find(gBattleMons[OWN].moves[choice]));
    }
}

/* Where the cursor begins: the move that promises the most damage. */
static u8 strongest(void)
{
    const BattlePokemon *own = &gBattleMons[OWN], *foe = &gBattleMons[FOE];
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
    if (!battle_has_pp(OWN)) {
        turn.slots[OWN] = NO_SLOT;
        begin_turn(move_find(STRUGGLE));
        return;
    }
    for (u32 i = 0; i < 4; ++i)
        labels[i] = gBattleMons[OWN].moves[i] ? move_find(gBattleMons[OWN].moves[i])->name : 0;
    text_clear();
    view_boxes();
    grid_open(labels, strongest(), true);
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
        battle_say("You cannot get away!", step_foe_alone);
}

static void choose_action(void)
{
    bool moved;
    s32 choice = grid_update(&moved);
    switch (choice) {
    case FIGHT: open_moves(); break;
    case BAG: battle_open_bag(); break;
    case PARTY: battle_open_party(); break;
    case RUN: run_away(); break;
    }
}

static void open_actions(void)
{
    grid_open(actions, FIGHT, false);
    gBattleMainFunc = LABEL_CHOOSE_ACTION;
    battle_then(choose_action);
}

void step_choose(void)
{
    memcpy(gStringVar1, gBattleMons[OWN].nickname, sizeof gBattleMons[OWN].nickname);
    message_start("What will {1} do?");
    message_finish();
    battle_then(open_actions);
}
