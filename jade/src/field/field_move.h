/* Moves that clear the way on the map, light it or push what lies there, where the world demands that they are taught. */
#ifndef FIELD_MOVE_H
#define FIELD_MOVE_H

#include "events/command.h"

bool field_move_can(u16 move);      /* somebody of the party knows it, and the badge allows it */
bool field_move_choose(u16 move);   /* from the party's screen; false where it is of no use */
const Command *field_move_chosen(void); /* once: the script of what was chosen, or null */
extern const Command field_move_clear[]; /* whatever the player faces is gone */
extern const Command field_move_strengthen[]; /* boulders can be pushed until the map is left */

#endif
