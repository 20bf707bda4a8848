/* Text: Emerald's character codes, our font, windows of pixels on the text layer. */
#ifndef TEXT_H
#define TEXT_H

#include "types.h"

enum { CODE_SPACE = 0x00, CODE_PAGE = 0xFB, CODE_LINE = 0xFE, CODE_END = 0xFF };
enum { LINE_HEIGHT = 15 };

typedef struct { u8 column, row, width, height; u16 tile; } Window; /* in tiles of 8 pixels */

void text_init(void);

/* ASCII to Emerald's codes, ended by 0xFF where it fits, and filled up with 0xFF. */
void text_encode(u8 *to, const char *from, u32 size);

/* Expands a message into gStringVar4: {P} is the player's name, {1} is gStringVar1. Words are
 * wrapped at `width` pixels; every `lines` lines, and at a newline in the text, a new page begins. */
void text_layout(const char *from, u32 width, u32 lines);

void window_open(const Window *window);  /* frame and paper */
void window_clear(const Window *window); /* paper only */
void window_close(const Window *window);
u32 window_glyph(const Window *window, u32 x, u32 y, u8 code); /* returns the advance in pixels */
void window_arrow(const Window *window, bool shown);

#endif
