/* The options: up and down choose one, left and right change it; they count from when the screen closes. */
#include "full/pace/options.h"
#include "screens/screens.h"
#include "system/emerald.h"
#include "system/task.h"
#include "text/menu.h"

enum { NAME_X = 14, FIRST_VALUE_X = 104, VALUE_WIDTH = 40, HELP_Y = 126, MAX_VALUES = 3 };

typedef struct {
    const char *name;
    Option option;
    u8 count;
    const char *values[MAX_VALUES];
} Row;

static const Row rows[] = {
    {"Text speed", OPTION_TEXT_SPEED, 3, {"Slow", "Mid", "Fast"}},
    {"Battle scene", OPTION_BATTLE_SCENE, 2, {"On", "Off"}},
    {"Buttons", OPTION_BUTTON_MODE, 3, {"Normal", "LR", "L=A"}},
    {"Cancel", OPTION_CANCEL, 0, {0}},
};

static u8 cursor;
static s16 *numbers; /* of its task, as in Emerald: the cursor, and each option's value one further on */

static void draw_values(u32 row)
{
    const Row *shown = &rows[row];
    for (u32 i = 0; i < shown->count; ++i) {
        bool chosen = i == (u16) numbers[1 + shown->option];
        text_colours(chosen ? COLOUR_RED : COLOUR_INK, COLOUR_SHADOW);
        window_text(&page, FIRST_VALUE_X + i * VALUE_WIDTH, PAGE_TOP + row * PAGE_ROW, shown->values[i]);
    }
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

static void begin_task(void)
{
    numbers = task_begin(LABEL_TASK_OPTIONS);
    numbers[0] = rows[0].option;
    for (Option option = 0; option < OPTION_CANCEL; ++option)
        numbers[1 + option] = option_get(option);
}

static void draw(void)
{
    cursor = 0;
    begin_task();
    page_open("OPTIONS");
    for (u32 row = 0; row < ARRAY_COUNT(rows); ++row) {
        window_text(&page, NAME_X, PAGE_TOP + row * PAGE_ROW, rows[row].name);
        draw_values(row);
    }
    page_cursor(cursor, true);
    window_text(&page, 6, HELP_Y, "Left and right change it, B leaves.");
}

static void change(s32 step)
{
    const Row *row = &rows[cursor];
    s16 *value = &numbers[1 + row->option];
    if (!row->count)
        return;
    *value = (*value + row->count + step) % row->count;
    draw_values(cursor);
}

static void keep(void)
{
    for (Option option = 0; option < OPTION_CANCEL; ++option)
        option_set(option, numbers[1 + option]);
    task_stop(LABEL_TASK_OPTIONS);
}

static bool update(void)
{
    u8 before = cursor;
    if (cursor_move(&cursor, ARRAY_COUNT(rows))) {
        page_cursor(before, false);
        page_cursor(cursor, true);
        numbers[0] = rows[cursor].option;
    } else if (gMain.new_keys & (KEY_LEFT | KEY_RIGHT)) {
        change(gMain.new_keys & KEY_RIGHT ? 1 : -1);
    }
    bool leaves = gMain.new_keys & KEY_B || (gMain.new_keys & KEY_A && rows[cursor].option == OPTION_CANCEL);
    if (leaves)
        keep();
    return leaves;
}

const Screen option_screen = {LABEL_CB2_OPTIONS, draw, update, false};
