/* Letters in a grid: A takes one, B takes one back, SELECT changes their size, START goes to "OK". */
#include "scenes/naming.h"
#include "art/assets.h"
#include "system/emerald.h"
#include "text/screen.h"
#include "text/text.h"

enum { MAX_LETTERS = 7, COLUMNS = 9, LETTER_ROWS = 3, ROWS = LETTER_ROWS + 1 };
enum { NAME_X = 40, NAME_Y = 26, NAME_STEP = 14, GRID_X = 22, GRID_Y = 50, STEP_X = 22, STEP_Y = 20, HINT_Y = 130 };

static const char *const letters[2][LETTER_ROWS] = {
    {"ABCDEFGHI", "JKLMNOPQR", "STUVWXYZ-"},
    {"abcdefghi", "jklmnopqr", "stuvwxyz-"},
};

static struct {
    const char *heading;
    u8 *name;
    u8 length, row, column, small;
} naming;

static void draw_name(void)
{
    window_fill(&page, NAME_X, NAME_Y, MAX_LETTERS * NAME_STEP, 14, COLOUR_PAPER);
    for (u32 i = 0; i < MAX_LETTERS; ++i) {
        if (i < naming.length)
            window_glyph(&page, NAME_X + i * NAME_STEP, NAME_Y, naming.name[i]);
        window_fill(&page, NAME_X + i * NAME_STEP, NAME_Y + 12, NAME_STEP - 4, 1, COLOUR_LINE);
    }
}

static void mark(bool shown)
{
    u32 x = GRID_X + (naming.row < LETTER_ROWS ? naming.column : 0u) * STEP_X - 10, y = GRID_Y + naming.row * STEP_Y;
    window_fill(&page, x, y, 9, 12, COLOUR_PAPER);
    if (shown)
        window_glyph(&page, x, y, CODE_CURSOR);
}

static void draw_letters(void)
{
    window_fill(&page, 0, GRID_Y, PAGE_WIDTH, LETTER_ROWS * STEP_Y, COLOUR_PAPER);
    for (u32 row = 0; row < LETTER_ROWS; ++row) {
        for (u32 column = 0; column < COLUMNS; ++column) {
            const char one[] = {letters[naming.small][row][column], 0};
            window_text(&page, GRID_X + column * STEP_X, GRID_Y + row * STEP_Y, one);
        }
    }
    mark(true);
}

static void draw(void)
{
    page_open(naming.heading);
    draw_name();
    draw_letters();
    window_text(&page, GRID_X, GRID_Y + LETTER_ROWS * STEP_Y, "OK");
    window_text(&page, 6, HINT_Y, "A: take  B: back  SELECT: a, A  START: OK");
}

static void go_to(u8 row, u8 column)
{
    mark(false);
    naming.row = row;
    naming.column = column;
    mark(true);
}

static void move(u16 keys)
{
    u8 row = naming.row, column = naming.column;
    if (keys & KEY_DOWN)
        row = (row + 1) % ROWS;
    if (keys & KEY_UP)
        row = (row + ROWS - 1) % ROWS;
    if (row < LETTER_ROWS && keys & KEY_RIGHT)
        column = (column + 1) % COLUMNS;
    if (row < LETTER_ROWS && keys & KEY_LEFT)
        column = (column + COLUMNS - 1) % COLUMNS;
    if (row != naming.row || column != naming.column)
        go_to(row, column);
}

static void take(void)
{
    naming.name[naming.length++] = font_codes[(u8) letters[naming.small][naming.row][naming.column]];
    draw_name();
    if (naming.length == MAX_LETTERS)
        go_to(LETTER_ROWS, naming.column);
}

static bool update(void)
{
    u16 keys = gMain.new_keys;
    move(gMain.repeated);
    if (keys & KEY_A) {
        if (naming.row == LETTER_ROWS)
            return true;
        if (naming.length < MAX_LETTERS)
            take();
    } else if (keys & KEY_B && naming.length) {
        naming.name[--naming.length] = CODE_END;
        draw_name();
    } else if (keys & KEY_SELECT) {
        naming.small ^= 1;
        draw_letters();
    } else if (keys & KEY_START) {
        go_to(LETTER_ROWS, naming.column);
    }
    return false;
}

void naming_open(const char *heading, u8 *name, Scene after)
{
    static const Screen screen = {LABEL_CB2_NAMING, draw, update, false};
    memset(&naming, 0, sizeof naming);
    naming.heading = heading;
    naming.name = name;
    memset(name, CODE_END, MAX_LETTERS + 1);
    screen_follow(&screen, after);
}
