/* Battles: how one begins. */
#ifndef BATTLE_H
#define BATTLE_H

#include "battle/duel.h"
#include "system/scene.h"

/* Each begins with a fade from the map; `after` has the frame, in the dark, when all is over. */
void battle_for_birch(u16 species, u8 level, Scene after); /* nobody runs from it */
void battle_wild(u16 species, u8 level, Scene after);
void battle_trainer(const Trainer *trainer, Scene after);
void battle_lesson(u16 species, u8 level, Scene after); /* full/west/catching.h */

#endif
