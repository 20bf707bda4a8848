/* Tossing something out of the bag, as in Emerald: how many, then whether really. */
#ifndef TOSS_H
#define TOSS_H

#include "system/emerald.h"

bool toss_allowed(void); /* from the pocket that is open: key items and machines are kept */
void toss_open(const ItemSlot *slot);
bool toss_update(void); /* one frame; true when it is over */

#endif
