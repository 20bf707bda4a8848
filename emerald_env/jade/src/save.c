#include "save.h"
#include "data.h"
#include "text.h"

u16 random16(void)
{
    gRngValue = gRngValue * 0x41C64E6D + 0x6073;
    return gRngValue >> 16;
}

void save_attach(void)
{
    gSaveBlock1Ptr = (SaveBlock1 *) &gSaveblock1;
    gSaveBlock2Ptr = (SaveBlock2 *) &gSaveblock2;
    gPokemonStoragePtr = &gPokemonStorage;
}

static void encrypt_all(u32 key)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    ItemSlot *slots = block->items;
    u32 count = (ItemSlot *) (block->berries + ARRAY_COUNT(block->berries)) - slots;
    for (u32 i = 0; i < count; ++i)
        slots[i].quantity ^= key;
    for (u32 i = 0; i < ARRAY_COUNT(block->stats); ++i)
        block->stats[i] ^= key;
    block->money ^= key;
    block->coins ^= key;
    gSaveBlock2Ptr->key ^= key;
}

void save_new_game(void)
{
    memset(gSaveBlock1Ptr, 0, sizeof(SaveBlock1));
    memset(gSaveBlock2Ptr, 0, sizeof(SaveBlock2));
    memset(gPokemonStoragePtr, 0, POKEMON_STORAGE_SIZE);
    memset(gPlayerParty, 0, 6 * sizeof(Pokemon));
    gPlayerPartyCount = 0;
    SaveBlock2 *block = gSaveBlock2Ptr;
    text_encode(block->name, "ROBIN", sizeof block->name);
    u32 id = random16() | (u32) random16() << 16;
    memcpy(block->trainer_id, &id, 4);
    block->options = 1; /* text speed: middle */
    gSaveBlock1Ptr->money = START_MONEY;
    for (const u16 *flag = initial_flags; *flag; ++flag)
        flag_set(*flag);
    encrypt_all(random16() | (u32) random16() << 16);
    sPlayTimeCounterState = 1;
}

void save_tick(void)
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
    if (++block->hours > 999)
        sPlayTimeCounterState = 2;
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

void stat_add(u32 stat, u32 amount)
{
    u32 key = gSaveBlock2Ptr->key;
    u32 value = (gSaveBlock1Ptr->stats[stat] ^ key) + amount;
    gSaveBlock1Ptr->stats[stat] = value ^ key;
}

/* Emerald's item numbers: 1-12 balls, 121-132 and up as below. */
static ItemSlot *pocket_of(u16 item, u32 *capacity)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    if (item >= 1 && item <= 12) {
        *capacity = ARRAY_COUNT(block->balls);
        return block->balls;
    }
    if (item >= 133 && item <= 175) {
        *capacity = ARRAY_COUNT(block->berries);
        return block->berries;
    }
    if (item >= 289 && item <= 346) {
        *capacity = ARRAY_COUNT(block->machines);
        return block->machines;
    }
    if (item >= 259) {
        *capacity = ARRAY_COUNT(block->key_items);
        return block->key_items;
    }
    *capacity = ARRAY_COUNT(block->items);
    return block->items;
}

bool bag_add(u16 item, u16 count)
{
    enum { MAX_STACK = 99 };
    u32 capacity;
    ItemSlot *slots = pocket_of(item, &capacity), *empty = 0;
    u16 key = gSaveBlock2Ptr->key;
    for (u32 i = 0; i < capacity; ++i) {
        u16 have = slots[i].quantity ^ key;
        if (slots[i].item == item && have + count <= MAX_STACK) {
            slots[i].quantity = (have + count) ^ key;
            return true;
        }
        if (!empty && slots[i].item == 0)
            empty = &slots[i];
    }
    if (!empty)
        return false;
    empty->item = item;
    empty->quantity = count ^ key;
    return true;
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
