/* A list of what can be used now: one of it is picked. */
#ifndef PICK_SCREEN_H
#define PICK_SCREEN_H

#include "text/screen.h"

extern const Screen item_pick_screen;
u16 item_picked(void); /* its number, or 0 */

#endif
