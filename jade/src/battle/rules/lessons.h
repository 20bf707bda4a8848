/* Experience and what it teaches: levels, moves. */
#ifndef LESSONS_H
#define LESSONS_H

#include "battle/battle_steps.h"

/* The party's member gains its part of what the fainted foe is worth; `after` is the step when all is told. */
void lessons_experience(u32 slot, const BattlePokemon *foe, u32 parts, Step after);

#endif
