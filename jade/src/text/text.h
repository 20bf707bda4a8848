/* Text: Emerald's character codes, our font, windows of pixels on the text layer. */
#ifndef TEXT_H
#define TEXT_H

#include "system/types.h"

enum { COLOUR_PAPER = 1, COLOUR_INK, COLOUR_SHADOW, COLOUR_LINE, COLOUR_FRAME, COLOUR_LIGHT, COLOUR_RED,
       COLOUR_YELLOW = 12, COLOUR_GREEN = 13 };
enum { CODE_CURSOR = 0xEF };
enum { CODE_SPACE = 0x00, CODE_PAGE = 0xFB, CODE_LINE = 0xFE, CODE_END = 0xFF };
enum { LINE_HEIGHT = 15 };

typedef struct { u8 column, row, width, height; u16 tile; } Window; /* in tiles of 8 pixels */

void text_init(void);

/* ASCII to Emerald's codes, ended by 0xFF where it fits, and filled up with 0xFF. */
void text_encode(u8 *to, const char *from, u32 size);

/* Expands a message into gStringVar4: {P} is the player's name, {1} to {3} are gStringVar1 to 3. Words are
 * wrapped at `width` pixels; every `lines` lines, and at a newline in the text, a new page begins. */
void text_layout(const char *from, u32 width, u32 lines);

void window_open(const Window *window);  /* frame and paper */
void window_clear(const Window *window); /* paper only */
void window_close(const Window *window);
/* Each returns where the next letter comes. */
u32 window_text(const Window *window, u32 x, u32 y, const char *text);
u32 window_codes(const Window *window, u32 x, u32 y, const u8 *codes); /* until CODE_END */
u32 window_number(const Window *window, u32 right, u32 y, u32 number); /* ends at `right`; returns its start */
void window_fill(const Window *window, u32 x, u32 y, u32 width, u32 height, u8 colour);
void text_colours(u8 ink, u8 shadow); /* of what is written from now on */
void text_clear(void);                /* no window is left */
void text_number(u8 *codes, u32 number);
u32 window_glyph(const Window *window, u32 x, u32 y, u8 code); /* returns the advance in pixels */
void window_arrow(const Window *window, bool shown);

#endif
