#include "save/save.h"
#include "data/data.h"
#include "save/storage.h"
#include "system/demands.h"

enum { MAX_MONEY = 999999, FLAG_SYS_TV_WATCH = 0x891, MIDDLE_SPEED = 1 };

u16 random16(void)
{
    gRngValue = gRngValue * 0x41C64E6D + 0x6073;
    return gRngValue >> 16;
}

void save_new_game(u8 gender, const u8 *name)
{
    memset(gSaveBlock1Ptr, 0, sizeof(SaveBlock1));
    u16 options = FULL ? gSaveBlock2Ptr->options : MIDDLE_SPEED; /* the title's, or the last game's */
    u8 buttons = gSaveBlock2Ptr->button_mode;
    memset(gSaveBlock2Ptr, 0, sizeof(SaveBlock2));
    storage_reset();
    memset(gPlayerParty, 0, 6 * sizeof(Pokemon));
    gPlayerPartyCount = 0;
    SaveBlock2 *block = gSaveBlock2Ptr;
    memcpy(block->name, name, sizeof block->name);
    block->gender = gender;
    u32 id = random16() | (u32) random16() << 16;
    memcpy(block->trainer_id, &id, 4);
    block->options = options;
    if (FULL)
        block->button_mode = buttons;
    gSaveBlock1Ptr->money = START_MONEY;
    for (const u16 *flag = initial_flags; *flag; ++flag)
        flag_set(*flag);
    flag_set(FLAG_SYS_TV_WATCH);
    sPlayTimeCounterState = 1;
}

bool flag_get(u16 flag)
{
    return gSaveBlock1Ptr->flags[flag >> 3] >> (flag & 7) & 1;
}

void flag_set(u16 flag)
{
    gSaveBlock1Ptr->flags[flag >> 3] |= 1 << (flag & 7);
}

void flag_clear(u16 flag)
{
    gSaveBlock1Ptr->flags[flag >> 3] &= ~(1 << (flag & 7));
}

u16 var_get(u16 var)
{
    return gSaveBlock1Ptr->vars[var - 0x4000];
}

void var_set(u16 var, u16 value)
{
    gSaveBlock1Ptr->vars[var - 0x4000] = value;
}

/* What lasts only as long as one stays on a map: flags 0x00 to 0x1F, variables 0x4000 to 0x400F. */
void save_forget_map(void)
{
    memset(gSaveBlock1Ptr->flags, 0, 0x20 / 8);
    memset(gSaveBlock1Ptr->vars, 0, 0x10 * sizeof(u16));
    if (FULL)
        flag_clear(FLAG_SYS_USE_STRENGTH);
}

void stat_add(u32 stat, u32 amount)
{
    u32 key = gSaveBlock2Ptr->key;
    u32 value = (gSaveBlock1Ptr->stats[stat] ^ key) + amount;
    gSaveBlock1Ptr->stats[stat] = value ^ key;
}

void dex_set(u16 national_number, bool owned)
{
    u32 byte = (national_number - 1) >> 3, bit = 1 << ((national_number - 1) & 7);
    gSaveBlock2Ptr->seen[byte] |= bit;
    gSaveBlock1Ptr->seen1[byte] |= bit;
    gSaveBlock1Ptr->seen2[byte] |= bit;
    if (owned)
        gSaveBlock2Ptr->owned[byte] |= bit;
}

bool dex_get(u16 national_number, bool owned)
{
    u32 byte = (national_number - 1) >> 3, bit = 1 << ((national_number - 1) & 7);
    u8 seen = gSaveBlock2Ptr->seen[byte] & gSaveBlock1Ptr->seen1[byte] & gSaveBlock1Ptr->seen2[byte];
    return (owned ? gSaveBlock2Ptr->owned[byte] & seen : seen) & bit;
}

u32 money_get(void)
{
    return gSaveBlock1Ptr->money ^ gSaveBlock2Ptr->key;
}

void money_set(u32 money)
{
    gSaveBlock1Ptr->money = (money > MAX_MONEY ? MAX_MONEY : money) ^ gSaveBlock2Ptr->key;
}
