/* Emerald's load, in worlds that demand its pace. */
#ifndef PACE_H
#define PACE_H

void pace_work(void); /* in each frame: the transfers of sound, and work through the vertical blank */

#endif
