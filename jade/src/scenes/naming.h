/* The screen on which a name is put together. */
#ifndef NAMING_H
#define NAMING_H

#include "system/scene.h"

/* Begins in the dark; `name` has 8 bytes and gets up to 7 letters, none where the player gives none. */
void naming_open(const char *heading, u8 *name, Scene after);

#endif
