/* The way back to the map. */
#ifndef FIELD_RETURN_H
#define FIELD_RETURN_H

#include "system/types.h"

/* The map's frames begin again: at once, or in the dark after a screen, with a last look at `then`. */
void field_resume(void);
void field_return(u32 callback2, void (*then)(void));
void field_return_reloaded(u32 callback2, void (*then)(void)); /* after pictures took the map's place */

#endif
