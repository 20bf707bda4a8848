/* gTasks as a reader sees it: which of Emerald's tasks would run now. They are labels, nothing is called. */
#ifndef TASK_H
#define TASK_H

#include "system/types.h"

void tasks_reset(void); /* only those that every moment of walking about has */
void task_start(u32 function);
void task_stop(u32 function);
s16 *task_begin(u32 function); /* one whose numbers mean something: returns them; only in jade_full.gba */

#endif
