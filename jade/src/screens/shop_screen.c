/* The shop: left and right change between buying and selling; A asks how many. */
#include "data/data.h"
#include "save/bag.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/emerald.h"

enum { MAX_SHOWN = 64, NAME_X = 14, PRICE_X = 190, TEXT_Y = 132, MAX_AMOUNT = 99 };

const u16 *shop_wares; /* what is for sale: item numbers, ended by 0 */

static bool selling;
static u8 amount; /* being chosen, or 0 */
static u16 shown[MAX_SHOWN];

static u32 price_of(u16 item)
{
    u32 price = item_find(item)->price;
    return selling ? price / 2 : price;
}

static void draw_row(u32 entry, u32 y)
{
    window_text(&page, NAME_X, y, item_find(shown[entry])->name);
    if (selling) {
        window_text(&page, 118, y, "x");
        window_number(&page, 140, y, bag_count(shown[entry]));
    }
    window_number(&page, PRICE_X, y, price_of(shown[entry]));
}

static List list = {0, 0, PAGE_ROWS - 1, 0, draw_row};

static void note(const char *text)
{
    window_fill(&page, 0, TEXT_Y - 8, PAGE_WIDTH, 20, COLOUR_PAPER);
    window_fill(&page, 4, TEXT_Y - 6, PAGE_WIDTH - 8, 1, COLOUR_SHADOW);
    window_text(&page, 6, TEXT_Y - 3, text);
}

static void draw_money(void)
{
    page_heading(selling ? "SELL   <  >" : "BUY    <  >");
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 120, 3, "Money");
    window_number(&page, 214, 3, money_get());
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

static void fill_list(void)
{
    u32 capacity;
    list.count = 0;
    for (const u16 *ware = shop_wares; !selling && *ware; ++ware)
        shown[list.count++] = *ware;
    for (u8 pocket = 0; selling && pocket < POCKETS; ++pocket) {
        const ItemSlot *slots = bag_pocket(pocket, &capacity);
        for (u32 i = 0; i < capacity && list.count < MAX_SHOWN; ++i)
            if (slots[i].item && item_find(slots[i].item)->price)
                shown[list.count++] = slots[i].item;
    }
    if (list.cursor >= list.count)
        list.cursor = list.top = 0;
}

static void draw_all(void)
{
    fill_list();
    draw_money();
    list_draw(&list);
    note(list.count ? item_find(shown[list.cursor])->about : "You have nothing to sell.");
}

static void draw(void)
{
    window_open(&page);
    selling = false;
    amount = list.cursor = list.top = 0;
    draw_all();
}

static u32 limit(void)
{
    u32 price = price_of(shown[list.cursor]);
    u32 most = selling ? bag_count(shown[list.cursor]) : price ? money_get() / price : MAX_AMOUNT;
    return most < MAX_AMOUNT ? most : MAX_AMOUNT;
}

static void draw_amount(void)
{
    note(selling ? "Sell how many?" : "Buy how many?");
    window_text(&page, 110, TEXT_Y - 3, "x");
    window_number(&page, 132, TEXT_Y - 3, amount);
    window_number(&page, PRICE_X, TEXT_Y - 3, amount * price_of(shown[list.cursor]));
}

static void trade(void)
{
    u16 item = shown[list.cursor];
    u32 price = amount * price_of(item);
    const char *answer = "Thank you! Anything else?";
    if (selling) {
        bag_remove(item, amount);
        money_set(money_get() + price);
        answer = "Sold! Anything else?";
    } else if (bag_add(item, amount)) {
        money_set(money_get() - price);
        stat_add(STAT_SHOPPED, 1);
    } else {
        answer = "Your bag has no room for so many.";
    }
    amount = 0;
    draw_all();
    note(answer);
}

static void choose_amount(void)
{
    u16 keys = gMain.repeated;
    u32 most = limit(), before = amount;
    if (keys & KEY_UP)
        amount = amount < most ? amount + 1u : 1u;
    if (keys & KEY_DOWN)
        amount = amount > 1 ? amount - 1u : most;
    if (amount != before)
        draw_amount();
    if (gMain.new_keys & KEY_A) {
        trade();
    } else if (gMain.new_keys & KEY_B) {
        amount = 0;
        draw_all();
    }
}

static bool update(void)
{
    if (amount) {
        choose_amount();
        return false;
    }
    if (gMain.new_keys & (KEY_LEFT | KEY_RIGHT)) {
        selling = !selling;
        list.cursor = list.top = 0;
        draw_all();
    } else if (list_update(&list)) {
        note(item_find(shown[list.cursor])->about);
    } else if (gMain.new_keys & KEY_A && list.count) {
        amount = limit() ? 1 : 0;
        if (amount)
            draw_amount();
        else
            note("You have too little money.");
    }
    return gMain.new_keys & KEY_B;
}

const Screen shop_screen = {LABEL_CB2_BUY, draw, update, false};
