#include "save/bag.h"

enum { MAX_STACK = 99 };

ItemSlot *bag_pocket(u8 pocket, u32 *capacity)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    switch (pocket) {
    case POCKET_BALLS: *capacity = ARRAY_COUNT(block->balls); return block->balls;
    case POCKET_MACHINES: *capacity = ARRAY_COUNT(block->machines); return block->machines;
    case POCKET_BERRIES: *capacity = ARRAY_COUNT(block->berries); return block->berries;
    case POCKET_KEY_ITEMS: *capacity = ARRAY_COUNT(block->key_items); return block->key_items;
    default: *capacity = ARRAY_COUNT(block->items); return block->items;
    }
}

/* Emerald's item numbers lie in ranges, a pocket each. */
static u8 pocket_of(u16 item)
{
    if (item >= 1 && item <= 12)
        return POCKET_BALLS;
    if (item >= 133 && item <= 175)
        return POCKET_BERRIES;
    if (item >= 289 && item <= 346)
        return POCKET_MACHINES;
    return item >= 259 ? POCKET_KEY_ITEMS : POCKET_ITEMS;
}

u16 bag_quantity(const ItemSlot *slot)
{
    return slot->quantity ^ (u16) gSaveBlock2Ptr->key;
}

static void set_quantity(ItemSlot *slot, u16 quantity)
{
    slot->quantity = quantity ^ gSaveBlock2Ptr->key;
}

static ItemSlot *find(u16 item, u16 wanted)
{
    u32 capacity;
    ItemSlot *slots = bag_pocket(pocket_of(item), &capacity);
    for (u32 i = 0; i < capacity; ++i)
        if (slots[i].item == wanted)
            return &slots[i];
    return 0;
}

u16 bag_count(u16 item)
{
    const ItemSlot *slot = find(item, item);
    return slot ? bag_quantity(slot) : 0;
}

bool bag_add(u16 item, u16 count)
{
    ItemSlot *slot = find(item, item);
    if (slot && bag_quantity(slot) + count <= MAX_STACK) {
        set_quantity(slot, bag_quantity(slot) + count);
        return true;
    }
    slot = slot ? 0 : find(item, 0);
    if (!slot)
        return false;
    slot->item = item;
    set_quantity(slot, count);
    return true;
}

void bag_remove(u16 item, u16 count)
{
    ItemSlot *slot = find(item, item);
    if (!slot)
        return;
    u16 have = bag_quantity(slot);
    set_quantity(slot, have > count ? have - count : 0);
    if (have <= count)
        slot->item = 0;
}
