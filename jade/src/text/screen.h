/* Screens of their own: what covers the map until it closes. */
#ifndef SCREEN_H
#define SCREEN_H

#include "system/scene.h"
#include "text/text.h"

typedef struct {
    u32 callback2;        /* Emerald's number while it is open */
    void (*draw)(void);   /* once, in the dark */
    bool (*update)(void); /* one frame; true when it closes */
    bool pictures;        /* it shows creatures, in the place of the map's people */
} Screen;

/* Fades out, shows the screen, and when it has closed, in the dark, goes on with `after`. */
void screen_open(const Screen *screen, Scene after);
void screen_follow(const Screen *screen, Scene after); /* where it is dark already */

/* The whole screen as one window with a heading. */
extern const Window page;
enum { PAGE_WIDTH = 224, PAGE_TOP = 22, PAGE_ROW = 16, PAGE_ROWS = 7 };
void page_open(const char *heading);
void page_heading(const char *heading);
void page_row_clear(u32 row);
void page_cursor(u32 row, bool shown);
void page_picture(s32 x, s32 y, u16 species); /* on a screen with pictures; 0: none */

/* A list that is longer than the page. */
typedef struct {
    u16 count, top;
    u8 rows;
    u16 cursor;
    void (*draw_row)(u32 entry, u32 y);
} List;
void list_draw(List *list);
bool list_update(List *list); /* true where the cursor moved */

#endif
