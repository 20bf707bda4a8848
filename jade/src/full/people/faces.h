/* Faces of their own: there is no room for the pictures of all people at once, so a map gets those that it needs. */
#ifndef FACES_H
#define FACES_H

#include "system/types.h"

void faces_load(void);             /* those of this map's people */
u8 face_slot(u8 look);             /* in whose place its pictures are */
u8 face_palette(u8 look);

#endif
