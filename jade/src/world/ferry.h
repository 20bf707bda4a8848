/* The old sailor's boat: between Route 104, Dewford and Route 109. */
#ifndef FERRY_H
#define FERRY_H

#include "events/command.h"

/* Who is who on Dewford and Route 109, and on Route 104. */
enum { FERRYMAN = 1, FERRYBOAT = 2, ROUTE_104_BOAT = 5, ROUTE_104_FERRYMAN = 6 };

/* What the sailor says in each place. */
extern const Command ferry_from_house[], ferry_from_dewford[], ferry_from_route_109[];
/* What happens when the player comes to a map: he may be aboard. */
extern const Command ferry_at_house[], ferry_at_route_104[], ferry_at_dewford[], ferry_at_route_109[];
/* What VAR_BRINEY_LOCATION remembers when one comes into a centre: where the sailor is now. */
void ferry_note_place(void);
/* The sailor waits where he was when one last came into a centre: run when a battle is lost. */
extern const Command ferry_after_defeat[];

#endif
