/* A turn: what the player chooses, and the moves one after the other. */
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
    const Move *moves[BATTLERS]; /* null: none this turn */
    u8 slots[BATTLERS];
    enum Battler targets[BATTLERS];
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
    else if (turn.moves[turn.battler]->effect == INFLICT)
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
    turn.result = battle_move(turn.battler, turn.target, turn.moves[turn.battler]);
    battle_name(gStringVar1, turn.battler);
    if (turn.result.missed) {
        battle_say("{1} missed!", end_of_move);
        return;
    }
    if (turn.result.damage)
        view_shake(turn.target);
    battle_then(tell_critical);
}

static void announce(void)
{
    const Move *move = turn.moves[turn.battler];
    if (turn.slots[turn.battler] < NO_SLOT)
        --gBattleMons[turn.battler].pp[turn.slots[turn.battler]];
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
    enum Battler target = turn.targets[battler];
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
        turn.moves[foe] = battle_foe_move(foe, &turn.slots[foe]);
        turn.targets[foe] = battle.present[OWN_SECOND] && random16() & 1 ? OWN_SECOND : OWN;
    }
}

/* By priority and speed. */
static void sort_moves(void)
{
    turn.count = turn.done = 0;
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler) {
        if (!turn.moves[battler])
            continue;
        u32 at = turn.count++;
        for (; at; --at) {
            enum Battler before = turn.order[at - 1];
            if (!battle_before(battler, turn.moves[battler], before, turn.moves[before]))
                break;
            turn.order[at] = before;
        }
        turn.order[at] = battler;
    }
}

static void begin_moves(void)
{
    foes_choose();
    sort_moves();
    next_move();
}

/* ---- choices ---- */

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
        begin_moves();
}

void step_acted(void)
{
    turn.moves[battle.acting] = 0;
    choose_next();
}

static void open_moves(void);

static void show_target(void)
{
    memcpy(gStringVar1, gBattleMons[turn.target].nickname, sizeof gBattleMons[OWN].nickname);
    message_start("Aim at {1}? Left and right: the other one.");
    message_finish();
    view_aim(turn.target);
}

static void choose_target(void)
{
    if (gMain.new_keys & (KEY_LEFT | KEY_RIGHT | KEY_UP | KEY_DOWN)) {
        turn.target ^= FOE ^ FOE_SECOND;
        show_target();
    } else if (gMain.new_keys & KEY_A) {
        view_aim(BATTLERS);
        turn.targets[battle.acting] = turn.target;
        choose_next();
    } else if (gMain.new_keys & KEY_B) {
        view_aim(BATTLERS);
        turn.moves[battle.acting] = 0;
        open_moves();
    }
}

static void use_move(u8 slot, const Move *move)
{
    turn.slots[battle.acting] = slot;
    turn.moves[battle.acting] = move;
    turn.target = turn.targets[battle.acting] = battle.present[FOE] ? FOE : FOE_SECOND;
    text_clear();
    view_boxes();
    if (move->effect == STAT_OWN || !battle.present[FOE] || !battle.present[FOE_SECOND]) {
        choose_next();
        return;
    }
    show_target();
    battle_then(choose_target);
}

static void choose_move(void)
{
    bool moved;
    s32 choice = grid_update(&moved);
    const BattlePokemon *mon = &gBattleMons[battle.acting];
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
        battle_say("You cannot get away!", step_acted);
}

/* B: the first of two chooses again, unless it did something already. */
static void choose_before(void)
{
    if (battle.acting == OWN || !turn.moves[OWN])
        return;
    battle.acting = OWN;
    step_choose();
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
    case CHOICE_BACK: choose_before(); break;
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
    memcpy(gStringVar1, gBattleMons[battle.acting].nickname, sizeof gBattleMons[OWN].nickname);
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
    battle.acting = battler;
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
    memset(turn.moves, 0, sizeof turn.moves);
    battle.acting = battle.present[OWN] ? OWN : OWN_SECOND;
    step_choose();
}
