#include "battle/after_battle.h"
#include "battle/duel.h"
#include "creatures/evolution.h"
#include "creatures/pokemon.h"
#include "events/script.h"
#include "field/field_return.h"
#include "field/ground/object.h"
#include "field/warp.h"
#include "save/save.h"
#include "system/demands.h"
#include "system/scene.h"
#include "world/ferry.h"

static bool in_script;

static void free_player(void)
{
    sLockFieldControls = false;
    objects_unfreeze();
    field_resume();
}

static void back(void)
{
    if (in_script)
        field_return_reloaded(LABEL_CB2_RETURN_TO_SCRIPT, script_go_on);
    else
        field_return_reloaded(LABEL_CB2_RETURN_TO_FIELD, free_player);
}

/* Half of the money is gone; one wakes up where one was healed last, and the ferry waits where it did. */
static void white_out(void)
{
    script_abandon();
    money_set(money_get() / 2);
    party_heal();
    script_run_silently(ferry_after_defeat);
    field_white_out();
}

static void go_back(void)
{
    if (gBattleOutcome == OUTCOME_LOST)
        scene_set(white_out, LABEL_CB2_WHITE_OUT, LABEL_NONE);
    else
        evolution_check(back);
}

void battle_return(void)
{
    in_script = false;
    go_back();
}

void battle_return_first(void)
{
    in_script = true;
    back();
}

void battle_return_script(void)
{
    in_script = true;
    go_back();
}

#if FULL
void battle_white_out(void)
{
    scene_set(white_out, LABEL_CB2_WHITE_OUT, LABEL_NONE);
}
#endif
