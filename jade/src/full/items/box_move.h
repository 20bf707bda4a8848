/* Moving one from a box into another, for which the party needs no room. */
#ifndef BOX_MOVE_H
#define BOX_MOVE_H

#include "system/types.h"

void box_move_begin(u8 box, u32 nth); /* whoever is the nth in it */
void box_move_stop(void);
bool box_moving(void);
const char *box_move_to(u8 box);      /* puts it down where there is room; what to say */

#endif
