/* What follows when somebody has fainted: experience, the next one, the end. */
#include "battle_rules.h"
#include "battle_screens.h"
#include "battle_steps.h"
#include "battle_view.h"
#include "lessons.h"
#include "message.h"
#include "save.h"
#include "text.h"
#include "video.h"

enum { TRAINER_FLAGS = 0x500 };

static u8 outcome;

/* ---- the end ---- */

static void leave(void)
{
    if (fade_active())
        return;
    gMain.flags &= ~MAIN_IN_BATTLE;
    sGlobalScriptContext.mode = 0;
    u32 label = battle.first ? LABEL_CB2_END_FIRST_BATTLE : battle.trainer ? LABEL_CB2_END_TRAINER : LABEL_CB2_END_WILD;
    scene_set(battle.after, label, LABEL_NONE);
}

static void finish(void)
{
    gBattleOutcome = outcome;
    message_close();
    fade_start(true);
    scene_set(leave, LABEL_CB2_BATTLE, LABEL_CB1_BATTLE);
}

static void end_with(u8 how)
{
    outcome = how;
    finish();
}

void step_ran(void)
{
    end_with(OUTCOME_RAN);
}

static void won(void)
{
    end_with(OUTCOME_WON);
}

static void lost(void)
{
    end_with(OUTCOME_LOST);
}

static void caught(void)
{
    end_with(OUTCOME_CAUGHT);
}

void step_caught(void)
{
    Pokemon *mon = battle_foe();
    battler_store(FOE, mon);
    bool full = gPlayerPartyCount == PARTY_SIZE;
    mon_keep(mon);
    stat_add(STAT_CAPTURES, 1);
    memcpy(gStringVar1, gBattleMons[FOE].nickname, sizeof gBattleMons[FOE].nickname);
    battle_say(full ? "{1} was sent to a box." : "{1} comes with you.", caught);
}

/* ---- the foe's ---- */

static void prize(void)
{
    money_set(money_get() + battle.trainer->prize);
    text_number(gStringVar1, battle.trainer->prize);
    battle_say("You get {1} coins as a prize.", won);
}

static void concede(void)
{
    flag_set(TRAINER_FLAGS + battle.trainer->number);
    battle_say(battle.trainer->beaten, prize);
}

static void ready(void)
{
    if (gBattleMons[OWN].hp)
        step_choose();
    else
        battle_open_successor();
}

static void send_next(void)
{
    u32 next = gBattlerPartyIndexes[FOE] + 1u;
    if (next < battle.team_size) {
        battle_send_foe(next);
        battle_name(gStringVar1, FOE);
        battle_say("{1} comes out!", ready);
    } else if (battle.trainer) {
        text_encode(gStringVar1, battle.trainer->name, 32);
        battle_say("You have beaten {1}!", concede);
    } else {
        won();
    }
}

static void after_lessons(void)
{
    u16 slot = gBattlerPartyIndexes[OWN];
    u8 stages[sizeof gBattleMons[OWN].stages];
    memcpy(stages, gBattleMons[OWN].stages, sizeof stages);
    battler_fill(OWN, &gPlayerParty[slot], slot);
    memcpy(gBattleMons[OWN].stages, stages, sizeof stages);
    view_boxes();
    battle_show_experience();
    if (gBattleMons[OWN].hp)
        send_next();
    else
        step_own_fainted();
}

static void gain(void)
{
    lessons_experience(gBattlerPartyIndexes[OWN], after_lessons);
}

static void black_out(void)
{
    battle_say("{P} has nobody left who can fight... Everything went dark.", lost);
}

/* By its own recoil: with nobody left the battle is lost, even though the foe lies there too. */
static void both_fainted(void)
{
    view_hide(OWN);
    battle_name(gStringVar1, OWN);
    battle_say("{1} fainted!", party_can_fight() ? send_next : black_out);
}

void step_foe_fainted(void)
{
    view_hide(FOE);
    battle_name(gStringVar1, FOE);
    battle_say("{1} fainted!", gBattleMons[OWN].hp ? gain : both_fainted);
}

/* ---- the player's ---- */

void step_own_fainted(void)
{
    view_hide(OWN);
    battle_name(gStringVar1, OWN);
    battle_say("{1} fainted!", party_can_fight() ? battle_open_successor : black_out);
}
