#include "full/west/catching.h"
#include "battle/after_battle.h"
#include "battle/battle.h"
#include "battle/battle_steps.h"
#include "battle/view/battle_view.h"
#include "creatures/pokemon.h"
#include "text/text.h"

enum { LENT_SPECIES = 288, LENT_LEVEL = 7, BLOWS = 2 };

static u8 turns;

/* The player's own party is kept where Emerald keeps it in the meantime. */
static void lend(void)
{
    memcpy(gSaveBlock1Ptr->party, gPlayerParty, sizeof gSaveBlock1Ptr->party);
    gSaveBlock1Ptr->party_count = gPlayerPartyCount;
    memset(gPlayerParty, 0, sizeof gSaveBlock1Ptr->party);
    mon_create(&gPlayerParty[0], LENT_SPECIES, LENT_LEVEL, 0);
    gPlayerPartyCount = 1;
}

static void give_back(void)
{
    memcpy(gPlayerParty, gSaveBlock1Ptr->party, sizeof gSaveBlock1Ptr->party);
    gPlayerPartyCount = gSaveBlock1Ptr->party_count;
    battle_return_first();
}

void catching_begin(u16 species, u8 level)
{
    turns = 0;
    lend();
    battle_lesson(species, level, give_back);
}

/* The first move in the first turn, the second in the next: one that does no harm, so that something is left to catch. */
static void strike(void)
{
    u8 slot = turns % BLOWS;
    battle.plans[OWN] = (Plan) {move_find(gBattleMons[OWN].moves[slot]), slot, FOE};
    text_clear();
    view_boxes();
    step_moves();
}

static void caught(void)
{
    battle_name(gStringVar1, FOE);
    battle_say("Gotcha! {1} is caught!", step_looked_on);
}

void catching_choose(void)
{
    if (turns < BLOWS)
        battle_say(turns++ ? "WILL: It is still so lively. Once more!" : "WILL: What do I say? Ah, yes: go on, hit it!", strike);
    else
        battle_say("WILL throws a ball!", caught);
}
