#include "full/items/repel.h"
#include "events/script.h"
#include "field/ground/object.h"
#include "save/bag.h"
#include "save/save.h"

enum { VAR_REPEL_STEP_COUNT = 0x4021 };

static const Command worn_off[] = {SAY("The smell of the repel has gone."), END};

const char *repel_use(u16 item, u16 steps)
{
    if (var_get(VAR_REPEL_STEP_COUNT))
        return "You still smell of the last one.";
    bag_remove(item, 1);
    var_set(VAR_REPEL_STEP_COUNT, steps);
    return "What a smell! The weak keep away.";
}

bool repel_step(void)
{
    u16 left = var_get(VAR_REPEL_STEP_COUNT);
    if (!left)
        return false;
    var_set(VAR_REPEL_STEP_COUNT, left - 1);
    if (left > 1)
        return false;
    objects_freeze();
    script_start(worn_off);
    return true;
}

/* pret: src/wild_encounter.c, IsWildLevelAllowedByRepel: the first who can fight decides */
bool repel_keeps_away(u8 level)
{
    if (!var_get(VAR_REPEL_STEP_COUNT))
        return false;
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        if (gPlayerParty[i].hp)
            return level < gPlayerParty[i].level;
    return false;
}
