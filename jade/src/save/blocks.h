/* The three save blocks: where they lie, how they move, and the key that hides their numbers. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include "system/types.h"

void blocks_attach(void); /* points the three pointers at the blocks, at a random slide */
void blocks_move(void);   /* to another random slide, under a new key */

#endif
