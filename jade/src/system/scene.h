/* Which part of the game has the frame; gMain shows Emerald's numbers for it. */
#ifndef SCENE_H
#define SCENE_H

#include "system/types.h"

typedef void (*Scene)(void);

void scene_set(Scene scene, u32 callback2, u32 callback1);
void scene_label(u32 callback2);
void scene_boot(void);  /* title.c: the first scene */
void scene_main_menu(void); /* main_menu.c: continue, or begin anew */
void scene_intro(void); /* intro.c: what a new game tells */

#endif
