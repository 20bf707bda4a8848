/* The message box at the bottom of the screen. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "system/types.h"

void message_start(const char *text);
/* One frame; true when the text stands complete and a button was pressed after it. */
bool message_update(void);
void message_finish(void);  /* prints the rest of the page at once */
bool message_printed(void); /* the text stands complete, whether or not a button was pressed */
void message_close(void);

#endif
