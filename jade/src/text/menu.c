#include "text/menu.h"
#include "system/emerald.h"
#include "system/task.h"

enum { FIRST_X = 10, FIRST_Y = 2, ROW = 16 };

static struct {
    const Window *window;
    u8 count, cursor;
} box;

void menu_note(u8 left, u8 top, u8 columns, u8 count, u8 cursor)
{
    sMenu = (Menu) {left, top, cursor, 0, count - 1, 0, 1, 0, ROW, columns, (count + columns - 1) / columns, 0};
}

static void draw_cursor(u8 code)
{
    window_fill(box.window, 0, FIRST_Y + box.cursor * ROW, FIRST_X, ROW - 2, COLOUR_PAPER);
    if (code)
        window_glyph(box.window, 1, FIRST_Y + box.cursor * ROW, code);
}

void choice_open(const Window *window, const char *const *labels, u8 count, u8 cursor)
{
    box.window = window;
    box.count = count;
    box.cursor = cursor < count ? cursor : 0;
    menu_note(window->column, window->row, 1, count, box.cursor);
    window_open(window);
    for (u8 i = 0; i < count; ++i)
        window_text(window, FIRST_X, FIRST_Y + i * ROW, labels[i]);
    draw_cursor(CODE_CURSOR);
}

bool cursor_move(u8 *cursor, u8 count)
{
    if (!(gMain.repeated & (KEY_UP | KEY_DOWN)) || count < 2)
        return false;
    *cursor = gMain.repeated & KEY_DOWN ? (*cursor + 1) % count : (*cursor + count - 1) % count;
    return true;
}

s32 choice_update(void)
{
    u8 before = box.cursor, after = before;
    if (cursor_move(&after, box.count)) {
        draw_cursor(0);
        box.cursor = after;
        sMenu.cursor = after;
        draw_cursor(CODE_CURSOR);
    }
    if (gMain.new_keys & KEY_A)
        return box.cursor;
    return gMain.new_keys & KEY_B ? CHOICE_BACK : CHOICE_OPEN;
}

u8 choice_cursor(void)
{
    return box.cursor;
}

void choice_close(void)
{
    window_close(box.window);
    task_stop(LABEL_TASK_YES_NO);
    task_stop(LABEL_TASK_MULTICHOICE);
    task_stop(LABEL_TASK_PARTY_CHOICE);
}

void yes_no_open(u8 cursor)
{
    static const Window window = {23, 9, 6, 4, 0x220};
    static const char *const words[] = {"Yes", "No"};
    choice_open(&window, words, 2, cursor);
    task_start(LABEL_TASK_YES_NO);
}
