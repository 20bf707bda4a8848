#include "system/task.h"
#include "system/demands.h"
#include "system/emerald.h"

void tasks_reset(void)
{
    static const u32 always[] = {LABEL_TASK_WEATHER, LABEL_TASK_PER_STEP, LABEL_TASK_MUDDY_SLOPE, LABEL_TASK_TIME};
    for (u32 i = 0; i < TASK_COUNT; ++i)
        gTasks[i].active = false;
    for (u32 i = 0; i < ARRAY_COUNT(always); ++i)
        task_start(always[i]);
}

void task_start(u32 function)
{
    u32 i = 0;
    while (i < TASK_COUNT - 1 && gTasks[i].active)
        ++i;
    gTasks[i].function = function;
    gTasks[i].active = true;
}

void task_stop(u32 function)
{
    for (u32 i = 0; i < TASK_COUNT; ++i)
        if (gTasks[i].function == function)
            gTasks[i].active = false;
}

#if FULL
s16 *task_begin(u32 function)
{
    task_start(function);
    u32 i = 0;
    while (i < TASK_COUNT - 1 && !(gTasks[i].active && gTasks[i].function == function))
        ++i;
    return gTasks[i].data;
}
#endif
