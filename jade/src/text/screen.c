#include "text/screen.h"
#include "system/emerald.h"
#include "system/video.h"
#include "text/menu.h"

enum { CURSOR_X = 2, HEADING_HEIGHT = 17 };

const Window page = {1, 1, 28, 18, 0x001};

static const Screen *open;
static Scene next;

static void leave(void)
{
    if (!fade_active()) {
        text_clear();
        next();
    }
}

static void run(void)
{
    if (fade_active() || !open->update())
        return;
    fade_start(true);
    scene_set(leave, open->callback2, LABEL_NONE);
}

static void enter(void)
{
    if (fade_active())
        return;
    text_clear();
    video_show(open->pictures ? LAYER_TEXT | LAYER_PEOPLE : LAYER_TEXT);
    open->draw();
    fade_start(false);
    scene_set(run, open->callback2, LABEL_NONE);
}

void screen_open(const Screen *screen, Scene after)
{
    open = screen;
    next = after;
    fade_start(true);
    scene_set(enter, gMain.callback2, gMain.callback1);
}

void screen_follow(const Screen *screen, Scene after)
{
    open = screen;
    next = after;
    scene_set(enter, screen->callback2, LABEL_NONE);
}

void page_heading(const char *heading)
{
    window_fill(&page, 0, 0, PAGE_WIDTH, HEADING_HEIGHT, COLOUR_FRAME);
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 6, 3, heading);
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

void page_open(const char *heading)
{
    window_open(&page);
    page_heading(heading);
}

void page_row_clear(u32 row)
{
    window_fill(&page, 0, PAGE_TOP + row * PAGE_ROW, PAGE_WIDTH, PAGE_ROW, COLOUR_PAPER);
}

void page_cursor(u32 row, bool shown)
{
    u32 y = PAGE_TOP + row * PAGE_ROW;
    window_fill(&page, CURSOR_X, y, 8, 12, COLOUR_PAPER);
    if (shown)
        window_glyph(&page, CURSOR_X, y, CODE_CURSOR);
}

void page_picture(s32 x, s32 y, u16 species)
{
    sprites_begin();
    if (species) {
        video_load_creature(0, species, false);
        sprite_add_creature(x, y, 0, true);
    }
    sprites_end();
}

void list_draw(List *list)
{
    for (u32 row = 0; row < list->rows; ++row) {
        page_row_clear(row);
        if (list->top + row < list->count)
            list->draw_row(list->top + row, PAGE_TOP + row * PAGE_ROW);
    }
    if (list->count)
        page_cursor(list->cursor - list->top, true);
}

bool list_update(List *list)
{
    u16 before = list->cursor, top = list->top;
    if (gMain.repeated & KEY_DOWN && list->cursor + 1 < list->count)
        ++list->cursor;
    else if (gMain.repeated & KEY_UP && list->cursor > 0)
        --list->cursor;
    if (list->cursor == before)
        return false;
    if (list->cursor < list->top)
        list->top = list->cursor;
    else if (list->cursor >= list->top + list->rows)
        list->top = list->cursor - list->rows + 1;
    if (list->top != top) {
        list_draw(list);
    } else {
        page_cursor(before - top, false);
        page_cursor(list->cursor - top, true);
    }
    return true;
}
