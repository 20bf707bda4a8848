/* Darkness in caves, in worlds that demand it: a small circle around the player is seen. */
#ifndef DARKNESS_H
#define DARKNESS_H

#include "system/types.h"

u32 darkness_layer(void); /* draws it; what to add to the layers that are shown, 0 where it is light */

#endif
