/* The screens that menus open. */
#ifndef SCREENS_H
#define SCREENS_H

#include "text/screen.h"

extern const Screen dex_screen, party_screen, bag_screen, card_screen, shop_screen, storage_screen, starter_screen,
    nav_screen, option_screen; /* the last only in jade_full.gba */

extern const u16 *shop_wares; /* for the shop: item numbers, ended by 0 */

/* What the bag does for what is chosen in it; only in jade_full.gba. */
void bag_note(const char *text);
void bag_draw_again(void);
void bag_use(u16 item); /* on one of the party */

void starter_take(void); /* whoever was chosen joins the party */

#endif
