/* Faces of their own for those whom one meets once: there are no tiles for all, so each takes the beast's on its map. */
#ifndef FACES_H
#define FACES_H

#include "system/types.h"

enum { FACE_PALETTE = 14 };

void faces_load(void);        /* that of this map, or the beast's again */
u8 face_shown(u8 look);       /* the look whose tiles show it */

#endif
