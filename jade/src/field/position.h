/* Where the player is, for the save block. */
#ifndef POSITION_H
#define POSITION_H

#include "system/types.h"

void player_settle(void); /* the save block's position becomes the player's */

#endif
