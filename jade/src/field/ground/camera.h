/* The map layer: a ring of 16x16 metatiles around the player. */
#ifndef CAMERA_H
#define CAMERA_H

#include "system/emerald.h"

void camera_reset(void);             /* draws everything around the player */
void camera_shift(Coords shift);     /* the same picture in a neighbour's coordinates */
void camera_update(void);            /* scrolls to the player, draws what comes into view */

#endif
