/* The bag, a pocket at a time: left and right turn to the next one, A uses what is of use on the way. */
#include "creatures/evolution.h"
#include "data/data.h"
#include "field/start_menu.h"
#include "full/coast/bike.h"
#include "full/items/bag_actions.h"
#include "full/pace/options.h"
#include "save/bag.h"
#include "save/save.h"
#include "screens/screens.h"
#include "screens/use_screen.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/task.h"
#include "text/menu.h"

enum { MAX_SHOWN = 64, NAME_X = 14, COUNT_X = 190, TEXT_Y = 134 };

static const char *const headings[POCKETS] = {"ITEMS", "BALLS", "MACHINES", "BERRIES", "KEY ITEMS"};

#if !FULL
static const char *const actions[] = {"Use", "Cancel"};
static const Window action_window = {21, 12, 7, 4, 0x220};
#endif

static u8 pocket;
static bool choosing, again; /* again: back from using something */
static const ItemSlot *shown[MAX_SHOWN];

static void draw_row(u32 entry, u32 y)
{
    window_text(&page, NAME_X, y, item_find(shown[entry]->item)->name);
    window_text(&page, COUNT_X - 26, y, "x");
    window_number(&page, COUNT_X, y, bag_quantity(shown[entry]));
}

static List list = {0, 0, PAGE_ROWS - 1, 0, draw_row};

static void note(const char *text)
{
    window_fill(&page, 0, TEXT_Y - 10, PAGE_WIDTH, 20, COLOUR_PAPER);
    window_fill(&page, 4, TEXT_Y - 8, PAGE_WIDTH - 8, 1, COLOUR_SHADOW);
    window_text(&page, 6, TEXT_Y - 5, text);
}

static void draw_description(void)
{
    note(list.count ? item_find(shown[list.cursor]->item)->about : "Nothing in this pocket.");
}

static void note_position(void)
{
    gBagPosition.pocket = pocket;
    gBagPosition.cursor[pocket] = list.cursor - list.top;
    gBagPosition.scroll[pocket] = list.top;
}

static void draw_pocket(void)
{
    u32 capacity;
    const ItemSlot *slots = bag_pocket(pocket, &capacity);
    list.count = 0;
    for (u32 i = 0; i < capacity; ++i)
        if (slots[i].item)
            shown[list.count++] = &slots[i];
    if (!again || list.cursor >= list.count)
        list.top = list.cursor = 0;
    page_heading(headings[pocket]);
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 176, 3, "<  >");
    text_colours(COLOUR_INK, COLOUR_SHADOW);
    list_draw(&list);
    note_position();
    draw_description();
}

static void draw(void)
{
    choosing = false;
    window_open(&page);
    draw_pocket();
    again = false;
}

/* ---- using something ---- */

static void back(void)
{
    again = true;
    if (evolution_due())
        evolution_check(start_menu_back_reloaded);
    else
        screen_follow(&bag_screen, start_menu_back);
}

#if FULL
void bag_note(const char *text)
{
    note(text);
}

void bag_draw_again(void)
{
    again = true;
    draw();
}

void bag_use(u16 item)
{
    again = true;
    use_choose(item);
    screen_open(&use_screen, back);
}

static void update_choice(void)
{
    if (bag_actions_update()) {
        bag_draw_again();
    } else {
        choosing = true; /* what is drawn again has closed its windows */
    }
}

static void choose(void)
{
    if (item_find(shown[list.cursor]->item)->use == RIDE) {
        note(bike_use());
        return;
    }
    choosing = bag_actions_open(shown[list.cursor]);
    if (!choosing)
        note("There is a time and a place for that.");
}
#else
static void update_choice(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return;
    choice_close();
    choosing = false;
    again = true;
    draw();
    if (choice == 0) {
        use_choose(shown[list.cursor]->item);
        screen_open(&use_screen, back);
    }
}

static void choose(void)
{
    if (!use_allowed(shown[list.cursor]->item)) {
        note("There is a time and a place for that.");
        return;
    }
    choice_open(&action_window, actions, ARRAY_COUNT(actions), 0);
    task_start(LABEL_TASK_MULTICHOICE);
    choosing = true;
}
#endif

static bool update(void)
{
    if (choosing) {
        update_choice();
        return false;
    }
    u16 turning = FULL ? options_turning(gMain.new_keys) : gMain.new_keys & (KEY_LEFT | KEY_RIGHT);
    if (turning) {
        pocket = (pocket + (turning & KEY_RIGHT ? 1 : POCKETS - 1)) % POCKETS;
        draw_pocket();
    } else if (list_update(&list)) {
        note_position();
        draw_description();
    } else if (gMain.new_keys & KEY_A && list.count) {
        choose();
    }
    return gMain.new_keys & KEY_B;
}

const Screen bag_screen = {LABEL_CB2_BAG, draw, update, false};
