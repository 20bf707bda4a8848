/* The boxes of the PC: PokemonStorage. */
#ifndef STORAGE_H
#define STORAGE_H

#include "system/emerald.h"

enum { BOXES = 14, BOX_PLACES = 30 };

void storage_reset(void);                 /* empty boxes with names */
bool storage_put(const BoxPokemon *box);  /* into the first free place, from the current box on */
u32 storage_count(u32 box);
BoxPokemon *storage_place(u32 box, u32 nth); /* the nth that is filled */

#endif
