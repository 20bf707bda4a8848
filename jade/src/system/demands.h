/* What a world demands of the player: a byte each in the ROM, set by whoever makes the world
 * (emerald_env/jade/worlds/demanding/demands.py). The game as it comes demands nothing. */
#ifndef DEMANDS_H
#define DEMANDS_H

#include "system/types.h"

/* 1 in jade_full.gba, the engine of worlds that demand more than jade.gba can: those of the second
 * group. jade.gba is built without a byte of that, so that what was recorded on it stays true. */
#ifndef FULL
#define FULL 0
#endif

enum Demand {
    DEMAND_LESSONS,     /* machines teach only who can learn, moves of the field are for ever, and must be known */
    DEMAND_CURSOR,      /* the lists of a battle open where the cursor was, and moves that do no harm come first */
    DEMAND_CLOCK,       /* the clock asks whether the time is right, with the cursor on No */

    DEMAND_POISON,      /* poison hurts on the way, every fourth step */
    DEMAND_DARK,        /* in a cave only what is near can be seen */
    DEMAND_PACE,        /* words, fades and battles take as long as Emerald's, and the processor works as long */

    ENGINE = 7,         /* no demand: whether this is jade_full.gba */
    DEMANDS = 8,
};

extern const volatile u8 demands[DEMANDS];

#define DEMANDED(which) (FULL && demands[which])

#endif
