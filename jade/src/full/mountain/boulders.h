/* Boulders, which are pushed after Strength, and who teaches it. */
#ifndef BOULDERS_H
#define BOULDERS_H

#include "events/command.h"

extern const Command boulder[], strong_man[];

void boulder_push(u8 direction, s32 x, s32 y); /* whatever lies there, if it is a boulder and free to move */
void boulders_as_saved(void);                  /* before people appear: a continued game's lie where they lay */

#endif
