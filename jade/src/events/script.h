/* The interpreter of events: it runs one of them at a time. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "events/command.h"

void script_go_on(void);  /* after a battle, on the map again */
void script_abandon(void);
void script_start(const Command *script);
bool script_running(void);
void script_update(void); /* one frame */

#endif
