/* People who walk about, as Emerald's do. */
#ifndef WANDERING_H
#define WANDERING_H

void people_wander(void); /* a frame of all who stand still */

#endif
