/* A turn: the moves one after the other, and what comes at its end. */
#include "battle/battle_steps.h"
#include "battle/rules/battle_rules.h"
#include "battle/rules/battle_status.h"
#include "battle/view/battle_view.h"
#include "save/save.h"
#include "text/message.h"
#include "text/text.h"

static struct {
    u8 order[BATTLERS], count, done; /* whose moves, how many of them, and how many are over */
    u8 ending;                       /* what comes after the moves: how far that is */
    enum Battler battler, target;    /* whose move is shown now, and whom it meets */
    Result result;
} turn;

/* ---- a move ---- */

static void next_move(void);

static void end_of_move(void)
{
    battle_store();
    step_faints(next_move);
}

static void tell_recoil(void)
{
    battle_name(gStringVar1, turn.battler);
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
    battle_name(gStringVar1, turn.target);
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
    else if (battle.plans[turn.battler].move->effect == INFLICT)
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
    battle_name(gStringVar1, turn.result.changed);
    text_encode(gStringVar2, names[turn.result.stat], 16);
    battle_say(turn.result.change > 0 ? "{1}'s {2} rose!" : turn.result.change < 0 ? "{1}'s {2} fell!"
               : "{1}'s {2} cannot change any more!", tell_inflicted);
}

static void tell_effect(void)
{
    battle_name(gStringVar1, turn.target);
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
    turn.result = battle_move(turn.battler, turn.target, battle.plans[turn.battler].move);
    BATTLE_SHOW(BATTLE_HAS_SCENE ? MOVE_FRAMES : UNSEEN_MOVE_FRAMES);
    battle_name(gStringVar1, turn.battler);
    if (turn.result.missed) {
        battle_say("{1} missed!", end_of_move);
        return;
    }
    if (turn.result.damage && BATTLE_HAS_SCENE)
        view_shake(turn.target);
    battle_then(tell_critical);
}

static void announce(void)
{
    const Move *move = battle.plans[turn.battler].move;
    if (battle.plans[turn.battler].slot < NO_SLOT)
        --gBattleMons[turn.battler].pp[battle.plans[turn.battler].slot];
    battle_name(gStringVar1, turn.battler);
    text_encode(gStringVar2, move->name, 16);
    battle_say("{1} uses {2}!", strike);
}

/* Whoever sleeps, is frozen or too stiff does not come to its move. */
static void begin_move(void)
{
    enum Hindrance hindrance = status_hindrance(turn.battler);
    battle_name(gStringVar1, turn.battler);
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
    battle_store();
    step_faints(end_of_turn);
}

/* One after the other: berries, then poison and burns, then a skin that is shed; then the next turn. */
static void end_of_turn(void)
{
    typedef struct { bool (*happens)(enum Battler battler); const char *text; } Ending;
    static const Ending endings[] = {
        {status_eats_berry, "{1} ate its berry and feels better!"},
        {status_hurts, "{1} is hurt by it!"},
        {status_sheds, "{1} shed its skin and is well again!"},
    };
    while (turn.ending < gBattlersCount * ARRAY_COUNT(endings)) {
        enum Battler battler = turn.ending % gBattlersCount;
        const Ending *ending = &endings[turn.ending++ / gBattlersCount];
        if (!battle.present[battler] || !ending->happens(battler))
            continue;
        battle_name(gStringVar1, battler);
        if (ending->happens == status_sheds)
            view_boxes();
        battle_say(ending->text, after_hurt);
        return;
    }
    step_turn();
}

/* Where a move goes: to the other one where its target has fainted. */
static enum Battler aim(enum Battler battler)
{
    enum Battler target = battle.plans[battler].target;
    return battle.present[target] ? target : target ^ FOE_SECOND ^ FOE;
}

static void next_move(void)
{
    while (turn.done < turn.count) {
        turn.battler = turn.order[turn.done++];
        turn.target = aim(turn.battler);
        if (battle.present[turn.battler] && battle.present[turn.target]) {
            begin_move();
            return;
        }
    }
    turn.ending = 0;
    end_of_turn();
}

static void foes_choose(void)
{
    for (enum Battler foe = FOE; foe < gBattlersCount; foe += 2) {
        if (!battle.present[foe])
            continue;
        battle.plans[foe].move = battle_foe_move(foe, &battle.plans[foe].slot);
        battle.plans[foe].target = battle.present[OWN_SECOND] && random16() & 1 ? OWN_SECOND : OWN;
    }
}

/* By priority and speed. */
static void sort_moves(void)
{
    turn.count = turn.done = 0;
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler) {
        if (!battle.plans[battler].move)
            continue;
        u32 at = turn.count++;
        for (; at; --at) {
            enum Battler before = turn.order[at - 1];
            if (!battle_before(battler, battle.plans[battler].move, before, battle.plans[before].move))
                break;
            turn.order[at] = before;
        }
        turn.order[at] = battler;
    }
}

void step_moves(void)
{
    foes_choose();
    sort_moves();
    next_move();
}
