/* Poison on the way, in worlds that demand it. */
#ifndef POISON_H
#define POISON_H

#include "system/types.h"

bool poison_step(void);   /* after each step; true where somebody fainted, and a script tells it */
void poison_update(void); /* one frame of the mosaic that shows it */

#endif
