/* Using something out of the bag on one of the party. */
#ifndef USE_SCREEN_H
#define USE_SCREEN_H

#include "text/screen.h"

extern const Screen use_screen;
bool use_allowed(u16 item);  /* whether it is of any use outside of battles */
void use_choose(u16 item);   /* before the screen opens */

#endif
