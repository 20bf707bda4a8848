/* A box with a few words to choose from. */
#ifndef MENU_H
#define MENU_H

#include "text/text.h"

enum { CHOICE_OPEN = -2, CHOICE_BACK = -1 };

void choice_open(const Window *window, const char *const *labels, u8 count, u8 cursor);
s32 choice_update(void); /* one frame: the number chosen, CHOICE_BACK after B, else CHOICE_OPEN */
u8 choice_cursor(void);
void choice_close(void);

void yes_no_open(u8 cursor); /* 0 is yes */

/* What a reader finds in Emerald's place: the count of choices in columns, and the cursor. */
void menu_note(u8 left, u8 top, u8 columns, u8 count, u8 cursor);

/* Moves a cursor by the up and down keys, round about; true where it moved. */
bool cursor_move(u8 *cursor, u8 count);

#endif
