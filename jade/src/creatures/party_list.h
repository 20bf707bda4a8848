/* The party as a list of rows with a cursor; the screens that show it share it. */
#ifndef PARTY_LIST_H
#define PARTY_LIST_H

#include "text/screen.h"

void draw_hp_bar(const Window *window, u32 x, u32 y, u32 width, u32 hp, u32 max_hp);
void party_list_open(u8 cursor, const char *note); /* opens the window, too */
void party_list_draw(const char *note);
void party_list_note(const char *text);
void party_list_note_about(u32 index, const char *text); /* begins with the name */
void party_list_update(void); /* moves the cursor */
u8 party_list_cursor(void);

#endif
