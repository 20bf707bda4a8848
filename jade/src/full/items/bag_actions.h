/* What can be done with something in the bag: use it, toss it. */
#ifndef BAG_ACTIONS_H
#define BAG_ACTIONS_H

#include "system/emerald.h"

bool bag_actions_open(const ItemSlot *slot); /* false where nothing can be done */
bool bag_actions_update(void);               /* one frame; true when it is over */

#endif
