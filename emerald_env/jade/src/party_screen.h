/* What others use of the party screen. */
#ifndef PARTY_SCREEN_H
#define PARTY_SCREEN_H

#include "screen.h"

enum { PICKED_NOBODY = 0xFF };

extern const Screen party_pick_screen; /* closes when somebody was picked, or after B */
u8 party_picked(void);                 /* index in the party, or PICKED_NOBODY */
void draw_hp_bar(const Window *window, u32 x, u32 y, u32 width, u32 hp, u32 max_hp);

#endif
