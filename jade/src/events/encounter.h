/* What waits in tall grass. */
#ifndef ENCOUNTER_H
#define ENCOUNTER_H

#include "system/types.h"

bool encounter_step(u8 behaviour); /* after each step; true where a battle begins */

#endif
