#include "battle/view/pick_screen.h"
#include "data/data.h"
#include "save/bag.h"
#include "system/emerald.h"

enum { MAX_SHOWN = 32, NAME_X = 14, COUNT_X = 190 };

static u16 shown[MAX_SHOWN], picked;

static void draw_row(u32 entry, u32 y)
{
    window_text(&page, NAME_X, y, item_find(shown[entry])->name);
    window_text(&page, COUNT_X - 26, y, "x");
    window_number(&page, COUNT_X, y, bag_count(shown[entry]));
}

static List list = {0, 0, PAGE_ROWS, 0, draw_row};

static void draw(void)
{
    static const u8 pockets[] = {POCKET_BALLS, POCKET_ITEMS, POCKET_BERRIES};
    u32 capacity;
    list.count = list.top = list.cursor = picked = 0;
    for (u32 pocket = 0; pocket < ARRAY_COUNT(pockets); ++pocket) {
        const ItemSlot *slots = bag_pocket(pockets[pocket], &capacity);
        for (u32 i = 0; i < capacity && list.count < MAX_SHOWN; ++i) {
            u8 use = item_find(slots[i].item)->use;
            if (slots[i].item && (use == CATCH || use == HEAL_HP || use == HEAL_PP || use == CURE))
                shown[list.count++] = slots[i].item;
        }
    }
    page_open("USE WHAT?");
    list_draw(&list);
    if (!list.count)
        window_text(&page, NAME_X, PAGE_TOP, "There is nothing to use.");
}

static bool update(void)
{
    list_update(&list);
    if (gMain.new_keys & KEY_A && list.count)
        picked = shown[list.cursor];
    return gMain.new_keys & (KEY_A | KEY_B);
}

u16 item_picked(void)
{
    return picked;
}

const Screen item_pick_screen = {LABEL_CB2_BAG, draw, update, false};
