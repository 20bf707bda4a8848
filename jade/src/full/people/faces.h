/* Faces of their own: there is no room for the pictures of all people at once, so a map gets those that it needs. */
#ifndef FACES_H
#define FACES_H

#include "system/types.h"

void faces_load(void);             /* those of this map's people */
u8 face_slot(u8 look);             /* in whose place its pictures are */
u8 face_palette(u8 look);

/* Where somebody's pictures and colours are: the story's people have theirs loaded with the map. */
#if FULL
#define SLOT_OF(look) (look >= FIRST_FACE ? face_slot(look) : look)
#define PALETTE_OF(look) (look >= FIRST_FACE ? face_palette(look) : people_palette_of[look])
#else
#define SLOT_OF(look) look
#define PALETTE_OF(look) people_palette_of[look]
#endif

#endif
