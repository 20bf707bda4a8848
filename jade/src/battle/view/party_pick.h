/* Choosing one of the party, for the battle. */
#ifndef PARTY_PICK_H
#define PARTY_PICK_H

#include "text/screen.h"

enum { PICKED_NOBODY = 0xFF };

extern const Screen party_pick_screen; /* closes when somebody was picked, or after B */
void party_pick_from(u8 slot);         /* where the cursor begins */
u8 party_picked(void);                 /* index in the party, or PICKED_NOBODY */

#endif
