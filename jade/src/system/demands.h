/* What a world demands of the player: a byte each in the ROM, set by whoever makes the world
 * (emerald_env/jade/worlds/demands.py). The game as it comes demands nothing. */
#ifndef DEMANDS_H
#define DEMANDS_H

#include "system/types.h"

enum Demand {
    DEMAND_LESSONS,     /* machines teach only who can learn, moves of the field are for ever, and must be known */
    DEMAND_CURSOR,      /* the lists of a battle open where the cursor was, and moves that do no harm come first */
    DEMAND_CLOCK,       /* the clock asks whether the time is right, with the cursor on No */
    DEMANDS = 8,
};

extern const volatile u8 demands[DEMANDS];

#endif
