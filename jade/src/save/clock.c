#include "save/clock.h"
#include "save/save.h"
#include "system/emerald.h"

enum { DAILY_FLAGS_START = 0x920, DAILY_FLAGS_END = 0x960, VAR_DAYS = 0x4040 };
enum { MINUTES_A_DAY = 10 }; /* Jade has no clock in its cartridge: its days are of play time */

void clock_tick(void)
{
    SaveBlock2 *block = gSaveBlock2Ptr;
    if (sPlayTimeCounterState != 1 || ++block->vblanks < 60)
        return;
    block->vblanks = 0;
    if (++block->seconds < 60)
        return;
    block->seconds = 0;
    if (++block->minutes < 60)
        return;
    block->minutes = 0;
    if (++block->hours > 999) {
        block->hours = 999;
        block->minutes = block->seconds = block->vblanks = 59;
        sPlayTimeCounterState = 2;
    }
}

void clock_new_days(void)
{
    const SaveBlock2 *block = gSaveBlock2Ptr;
    u16 day = (block->hours * 60 + block->minutes) / MINUTES_A_DAY;
    if (var_get(VAR_DAYS) == day)
        return;
    var_set(VAR_DAYS, day);
    memset(&gSaveBlock1Ptr->flags[DAILY_FLAGS_START / 8], 0, (DAILY_FLAGS_END - DAILY_FLAGS_START) / 8);
}
