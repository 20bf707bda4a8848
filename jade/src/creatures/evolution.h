/* Growing up: after a battle, whoever is old enough becomes something else. */
#ifndef EVOLUTION_H
#define EVOLUTION_H

#include "system/scene.h"

bool evolution_due(void);
void evolution_check(Scene after); /* in the dark; `after` has the frame when all is shown */

#endif
