/* The trainer card. */
#include "data/data.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/emerald.h"

enum { LEFT_X = 12, RIGHT_X = 200, BADGES = 8, FLAG_BADGE_1 = 0x867 };

static void line(u32 row, const char *label, u32 number)
{
    u32 y = PAGE_TOP + row * PAGE_ROW;
    window_text(&page, LEFT_X, y, label);
    window_number(&page, RIGHT_X, y, number);
}

static void draw_badges(u32 y)
{
    window_text(&page, LEFT_X, y, "Badges");
    for (u32 i = 0; i < BADGES; ++i) {
        window_fill(&page, 72 + i * 17, y, 12, 12, COLOUR_SHADOW);
        if (flag_get(FLAG_BADGE_1 + i))
            window_fill(&page, 74 + i * 17, y + 2, 8, 8, COLOUR_YELLOW);
    }
}

static void draw(void)
{
    const SaveBlock2 *block = gSaveBlock2Ptr;
    u32 caught = 0, y = PAGE_TOP + 4 * PAGE_ROW;
    for (const Species *species = species_table; species->species; ++species)
        caught += dex_get(species->national, true);
    page_open("TRAINER CARD");
    window_text(&page, LEFT_X, PAGE_TOP, "Name");
    window_codes(&page, 150, PAGE_TOP, block->name);
    line(1, "Number", block->trainer_id[0] | block->trainer_id[1] << 8);
    line(2, "Money", money_get());
    line(3, "Caught", caught);
    window_text(&page, LEFT_X, y, "Time");
    window_number(&page, RIGHT_X - 22, y, block->hours);
    window_text(&page, RIGHT_X - 20, y, ":");
    if (block->minutes < 10)
        window_text(&page, RIGHT_X - 12, y, "0");
    window_number(&page, RIGHT_X, y, block->minutes);
    draw_badges(PAGE_TOP + 6 * PAGE_ROW);
}

static bool update(void)
{
    return gMain.new_keys & (KEY_A | KEY_B);
}

const Screen card_screen = {LABEL_CB2_CARD, draw, update, false};
