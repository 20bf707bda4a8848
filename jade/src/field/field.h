/* Walking about: how the overworld's frames begin. */
#ifndef FIELD_H
#define FIELD_H

#include "system/types.h"

void field_new_game(u8 gender, const u8 *name);
void field_continue(void); /* the game that was loaded */

#endif
