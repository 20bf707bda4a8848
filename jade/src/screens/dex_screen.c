/* The Pokedex: everything seen, with a mark for what was caught. */
#include "data/data.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/emerald.h"

enum { MAX_KNOWN = 32, PICTURE_X = 168, PICTURE_Y = 52 };

static u16 known[MAX_KNOWN];

static void draw_row(u32 entry, u32 y)
{
    const Species *species = species_find(known[entry]);
    window_number(&page, 40, y, species->national);
    window_text(&page, 52, y, species->name);
    window_text(&page, 118, y, dex_get(species->national, true) ? "caught" : "seen");
}

static List list = {0, 0, PAGE_ROWS, 0, draw_row};

static void show(void)
{
    page_picture(PICTURE_X, PICTURE_Y, list.count ? known[list.cursor] : 0);
}

static void draw(void)
{
    list.count = list.top = list.cursor = 0;
    u32 caught = 0;
    for (const Species *species = species_table; species->species && list.count < MAX_KNOWN; ++species) {
        if (dex_get(species->national, false))
            known[list.count++] = species->species;
        caught += dex_get(species->national, true);
    }
    page_open("POKEDEX");
    list_draw(&list);
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 100, 3, "seen");
    window_number(&page, 144, 3, list.count);
    window_text(&page, 154, 3, "caught");
    window_number(&page, 212, 3, caught);
    text_colours(COLOUR_INK, COLOUR_SHADOW);
    show();
}

static bool update(void)
{
    if (list_update(&list))
        show();
    return gMain.new_keys & KEY_B;
}

const Screen dex_screen = {LABEL_CB2_POKEDEX, draw, update, true};
