/* Rocks that bar a way, and who teaches to smash them: the way to whom the letter is for, and others. */
#ifndef ROCKS_H
#define ROCKS_H

#include "events/command.h"

extern const Command rock[], smasher[];

#endif
