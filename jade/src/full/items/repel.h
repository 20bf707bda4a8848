/* Repels: what lives in the grass and is weaker than one's first keeps away for some steps, as in Emerald. */
#ifndef REPEL_H
#define REPEL_H

#include "system/types.h"

const char *repel_use(u16 item, u16 steps); /* from the bag; what to say about it */
bool repel_step(void);                      /* after each step; true where a script tells that it is over */
bool repel_keeps_away(u8 level);

#endif
