#include "full/cave/rocks.h"
#include "data/data.h"
#include "field/field_move.h"
#include "save/bag.h"
#include "system/demands.h"
#include "system/emerald.h"

enum { FLAG_RECEIVED_HM_ROCK_SMASH = 0x6B, ITEM_ROCK_SMASH = 344 };

static void can_smash(void)
{
    gSpecialVar_Result = demands[DEMAND_LESSONS] ? field_move_can(MOVE_ROCK_SMASH) : bag_count(ITEM_ROCK_SMASH) > 0;
}

static const Command stays[] = {SAY("A rock with a crack. A hard blow could break it."), END};
static const Command leave[] = {END};
const Command rock[] = {
    CALL(can_smash), IF_NO(stays), ASK("A rock with a crack. Shall it be smashed?"), IF_NO(leave),
    IF_DEMAND(DEMAND_LESSONS, field_move_clear), HIDE(WHO_TALKED), END,
};

static const Command smasher_later[] = {SAY("Rocks grow back. Nobody knows how."), END};
const Command smasher[] = {
    IF_FLAG(FLAG_RECEIVED_HM_ROCK_SMASH, smasher_later),
    SAY("The man in the cave? He sits behind a rock, two floors down and up again. Learn this: it breaks rocks."),
    GIVE_ITEM(ITEM_ROCK_SMASH, 1),
    SET_FLAG(FLAG_RECEIVED_HM_ROCK_SMASH),
    END,
};
