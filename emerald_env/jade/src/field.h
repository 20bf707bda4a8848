/* Walking about: the overworld's frame, and how a map gives way to another. */
#ifndef FIELD_H
#define FIELD_H

#include "types.h"

void field_new_game(u8 gender, const u8 *name);
void field_travel(s8 group, s8 number, s16 x, s16 y); /* a warp to a tile */
void field_continue(void); /* the game that was loaded */
void field_warp(s8 group, s8 number, s8 warp);


/* The map's frames begin again: at once, or in the dark after a screen, with a last look at `then`. */
void field_resume(void);
void field_return(u32 callback2, void (*then)(void));
void field_return_reloaded(u32 callback2, void (*then)(void)); /* after pictures took the map's place */
void field_white_out(void); /* to the last bed, in the dark */

#endif
