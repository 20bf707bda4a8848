/* Somebody else's first catch, at which the player looks on, as in Emerald. */
#ifndef CATCHING_H
#define CATCHING_H

#include "system/types.h"

void catching_begin(u16 species, u8 level); /* what is caught; from a script, which then goes on */
void catching_choose(void);                 /* in place of the player's choice in each turn */

#endif
