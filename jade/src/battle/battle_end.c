/* What follows when somebody has fainted: experience, the next one, the end. */
#include "battle/battle_steps.h"
#include "battle/rules/battle_rules.h"
#include "battle/rules/lessons.h"
#include "battle/view/battle_screens.h"
#include "battle/view/battle_view.h"
#include "creatures/pokemon.h"
#include "save/save.h"
#include "system/video.h"
#include "text/message.h"
#include "text/text.h"

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

#if FULL
void step_looked_on(void)
{
    end_with(OUTCOME_CAUGHT);
}
#endif

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
    Pokemon *mon = battle_mon(FOE);
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
    BATTLE_SHOW(BEATEN_FRAMES);
    battle_say(battle.trainer->beaten, prize);
}

static void beat(void)
{
    if (!battle.trainer) {
        won();
        return;
    }
    text_encode(gStringVar1, battle.trainer->name, 32);
    battle_say("You have beaten {1}!", concede);
}

/* ---- whoever fainted ---- */

static struct {
    Step after;
    enum Battler foe, learner; /* whose worth is shared, and whose turn it is to get its part */
} fallen;

static void next_faint(void);
static void share(void);

static void after_lessons(void)
{
    BattlePokemon *mon = &gBattleMons[fallen.learner];
    u8 stages[sizeof mon->stages];
    memcpy(stages, mon->stages, sizeof stages);
    battler_fill(fallen.learner, battle_mon(fallen.learner), gBattlerPartyIndexes[fallen.learner]);
    memcpy(mon->stages, stages, sizeof stages);
    view_boxes();
    battle_show_experience();
    fallen.learner += 2;
    share();
}

static bool stands(enum Battler battler)
{
    return battle.present[battler] && gBattleMons[battler].hp;
}

/* What a foe is worth is shared among those who stand. */
static void share(void)
{
    u32 parts = stands(OWN) + stands(OWN_SECOND);
    while (fallen.learner < gBattlersCount && !stands(fallen.learner))
        fallen.learner += 2;
    if (fallen.learner < gBattlersCount)
        lessons_experience(gBattlerPartyIndexes[fallen.learner], &gBattleMons[fallen.foe], parts, after_lessons);
    else
        next_faint();
}

static void black_out(void)
{
    battle_say("{P} has nobody left who can fight... Everything went dark.", lost);
}

static void faint(enum Battler battler)
{
    battle.present[battler] = false;
    view_hide(battler);
    fallen.foe = battler;
    fallen.learner = OWN;
    battle_name(gStringVar1, battler);
    BATTLE_SHOW(FAINT_FRAMES);
    battle_say("{1} fainted!", battler_is_own(battler) ? next_faint : share);
}

/* One after the other, foes first. By recoil both sides may lie there: then the battle is lost. */
static void next_faint(void)
{
    static const u8 order[] = {FOE, FOE_SECOND, OWN, OWN_SECOND};
    for (u32 i = 0; i < ARRAY_COUNT(order); ++i) {
        if (battle.present[order[i]] && !gBattleMons[order[i]].hp) {
            faint(order[i]);
            return;
        }
    }
    if (!party_can_fight())
        black_out();
    else if (!battle.present[FOE] && !battle.present[FOE_SECOND] && battle_reserve(FOE) == PARTY_SIZE)
        beat();
    else
        fallen.after();
}

void step_faints(Step then)
{
    fallen.after = then;
    next_faint();
}
