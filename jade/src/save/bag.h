/* The bag: five pockets whose quantities the key hides. */
#ifndef BAG_H
#define BAG_H

#include "system/emerald.h"

enum { POCKET_ITEMS, POCKET_BALLS, POCKET_MACHINES, POCKET_BERRIES, POCKET_KEY_ITEMS, POCKETS };

ItemSlot *bag_pocket(u8 pocket, u32 *capacity);
u16 bag_quantity(const ItemSlot *slot);
u16 bag_count(u16 item);
bool bag_add(u16 item, u16 count); /* false where there is no room */
void bag_remove(u16 item, u16 count);

#endif
