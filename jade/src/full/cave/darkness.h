/* Darkness in caves, in worlds that demand it: a circle around the player is seen, a wider one after Flash. */
#ifndef DARKNESS_H
#define DARKNESS_H

#include "system/types.h"

u32 darkness_layer(void);    /* draws it; what to add to the layers that are shown, 0 where it is light */
bool darkness_is_deep(void); /* nobody has used Flash yet */
void darkness_light(void);   /* Flash: until one leaves the cave */

#endif
