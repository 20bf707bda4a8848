/* How a map gives way to another. */
#ifndef WARP_H
#define WARP_H

#include "system/types.h"

void field_travel(s8 group, s8 number, s16 x, s16 y); /* a warp to a tile */
void field_warp(s8 group, s8 number, s8 warp);
void field_white_out(void); /* to the last bed, in the dark */

#endif
