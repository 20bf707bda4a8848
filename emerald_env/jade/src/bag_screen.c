/* The bag, a pocket at a time: left and right turn to the next one. */
#include "bag.h"
#include "data.h"
#include "emerald.h"
#include "save.h"
#include "screens.h"

enum { MAX_SHOWN = 64, NAME_X = 14, COUNT_X = 190, TEXT_Y = 134 };

static const char *const headings[POCKETS] = {"ITEMS", "BALLS", "MACHINES", "BERRIES", "KEY ITEMS"};

static u8 pocket;
static const ItemSlot *shown[MAX_SHOWN];

static void draw_row(u32 entry, u32 y)
{
    window_text(&page, NAME_X, y, item_find(shown[entry]->item)->name);
    window_text(&page, COUNT_X - 26, y, "x");
    window_number(&page, COUNT_X, y, bag_quantity(shown[entry]));
}

static List list = {0, 0, PAGE_ROWS - 1, 0, draw_row};

static void draw_description(void)
{
    window_fill(&page, 0, TEXT_Y - 10, PAGE_WIDTH, 20, COLOUR_PAPER);
    window_fill(&page, 4, TEXT_Y - 8, PAGE_WIDTH - 8, 1, COLOUR_SHADOW);
    window_text(&page, 6, TEXT_Y - 5, list.count ? item_find(shown[list.cursor]->item)->about : "Nothing in this pocket.");
}

static void draw_pocket(void)
{
    u32 capacity;
    const ItemSlot *slots = bag_pocket(pocket, &capacity);
    list.count = list.top = list.cursor = 0;
    for (u32 i = 0; i < capacity; ++i)
        if (slots[i].item)
            shown[list.count++] = &slots[i];
    page_heading(headings[pocket]);
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 176, 3, "( / )");
    text_colours(COLOUR_INK, COLOUR_SHADOW);
    list_draw(&list);
    draw_description();
}

static void draw(void)
{
    window_open(&page);
    draw_pocket();
}

static bool update(void)
{
    if (gMain.new_keys & (KEY_LEFT | KEY_RIGHT)) {
        pocket = (pocket + (gMain.new_keys & KEY_RIGHT ? 1 : POCKETS - 1)) % POCKETS;
        draw_pocket();
    } else if (list_update(&list)) {
        draw_description();
    }
    return gMain.new_keys & KEY_B;
}

const Screen bag_screen = {LABEL_CB2_BAG, draw, update};
