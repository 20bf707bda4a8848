/* The player: from keys to steps, and what a step sets off. */
#ifndef PLAYER_H
#define PLAYER_H

#include "system/types.h"

void player_input(void);     /* one frame without a script */
bool player_arrived(void);   /* true once, when a step ends */
void player_step_done(void);

#endif
