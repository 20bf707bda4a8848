#include "save/blocks.h"
#include "save/save.h"
#include "system/emerald.h"

enum { SLIDE_MASK = 0x7C };

/* Emerald's: the trainer id's bytes and a random number, a multiple of 4 up to 124. */
static u32 new_slide(u32 id)
{
    u32 sum = (id & 0xFF) + (id >> 8 & 0xFF) + (id >> 16 & 0xFF) + (id >> 24);
    return (sum + random16()) & SLIDE_MASK;
}

static void point(u32 slide)
{
    gSaveBlock1Ptr = (SaveBlock1 *) (&gSaveblock1 + slide);
    gSaveBlock2Ptr = (SaveBlock2 *) (&gSaveblock2 + slide);
    gPokemonStoragePtr = (PokemonStorage *) (&gPokemonStorage + slide);
}

void blocks_attach(void)
{
    point(new_slide(0));
}

/* Everything that the key hides, from its present key to another one. */
static void encrypt(u32 key)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    u32 change = key ^ gSaveBlock2Ptr->key;
    ItemSlot *slots = block->items;
    u32 count = (ItemSlot *) (block->berries + ARRAY_COUNT(block->berries)) - slots;
    for (u32 i = 0; i < count; ++i)
        slots[i].quantity ^= change;
    for (u32 i = 0; i < ARRAY_COUNT(block->stats); ++i)
        block->stats[i] ^= change;
    block->money ^= change;
    block->coins ^= change;
    gSaveBlock2Ptr->key = key;
}

void blocks_move(void)
{
    SaveBlock1 *block1 = gSaveBlock1Ptr;
    SaveBlock2 *block2 = gSaveBlock2Ptr;
    PokemonStorage *storage = gPokemonStoragePtr;
    u32 id;
    memcpy(&id, block2->trainer_id, 4);
    point(new_slide(id));
    move32(gSaveBlock2Ptr, block2, sizeof *block2 / 4);
    move32(gSaveBlock1Ptr, block1, sizeof *block1 / 4);
    move32(gPokemonStoragePtr, storage, sizeof *storage / 4);
    u32 key = (u32) random16() << 16;
    encrypt(key + random16());
}
