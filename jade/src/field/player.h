/* The player: from keys to steps, and what a step sets off. */
#ifndef PLAYER_H
#define PLAYER_H

#include "system/types.h"

/* gPlayerAvatar.flags: he walks, or rides until he comes through a door. */
enum { AVATAR_ON_FOOT = 0x01, AVATAR_BIKE = 0x02 };

void player_input(void);     /* one frame without a script */
bool player_arrived(void);   /* true once, when a step ends */
void player_step_done(void);

#endif
