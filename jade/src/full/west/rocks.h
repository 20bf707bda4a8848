/* Rocks that bar a way, and who teaches to smash them: put into their places by whoever makes the world. */
#ifndef ROCKS_H
#define ROCKS_H

#include "events/command.h"

extern const Command rock[], smasher[];

#endif
