/* People who walk about, as Emerald's do. */
#ifndef WANDERING_H
#define WANDERING_H

#include "system/emerald.h"

void wander(u8 index, u8 *wait); /* a frame of who stands still; wait: frames until the next turn */

#endif
