/* The professor's bag: three creatures to choose from; left and right, then A and A again. */
#include "creatures/pokemon.h"
#include "data/data.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/emerald.h"
#include "text/menu.h"

enum { VAR_STARTER_MON = 0x4023, STARTERS = 3, FIRST_SHOWN = 1, LEVEL = 5 };
enum { PICTURE_X = 88, PICTURE_Y = 34, NAME_X = 88, NAME_Y = 100, TEXT_Y = 124 };

/* In Emerald's order, but for the one that is offered first: it is the best against the first leader. */
static const u16 starters[STARTERS] = {277, 283, 280};
static u8 cursor;
static bool asking;

static void note(const char *text)
{
    window_fill(&page, 0, TEXT_Y - 6, PAGE_WIDTH, 1, COLOUR_SHADOW);
    window_fill(&page, 0, TEXT_Y, PAGE_WIDTH, 16, COLOUR_PAPER);
    window_text(&page, 8, TEXT_Y, text);
}

static void show(void)
{
    const Species *species = species_find(starters[cursor]);
    page_picture(PICTURE_X, PICTURE_Y, species->species);
    window_fill(&page, 0, NAME_Y, PAGE_WIDTH, 14, COLOUR_PAPER);
    u32 x = window_text(&page, NAME_X - 12, NAME_Y, species->name);
    window_text(&page, x + 10, NAME_Y, type_name(species->types[0]));
    window_text(&page, 20, 60, cursor ? "<" : " ");
    window_text(&page, 196, 60, cursor < STARTERS - 1 ? ">" : " ");
}

static void draw(void)
{
    cursor = FIRST_SHOWN;
    asking = false;
    page_open("THE PROFESSOR'S BAG");
    show();
    note("Left, right: another one. A: this one.");
}

static bool update(void)
{
    u16 keys = gMain.new_keys;
    if (asking && keys & KEY_A)
        return true;
    if (asking && keys & KEY_B) {
        asking = false;
        note("Left, right: another one. A: this one.");
    } else if (!asking && keys & KEY_A) {
        asking = true;
        note("Do you choose this one? (A: yes, B: no)");
    } else if (!asking && keys & KEY_LEFT && cursor) {
        --cursor;
        show();
    } else if (!asking && keys & KEY_RIGHT && cursor < STARTERS - 1) {
        ++cursor;
        show();
    }
    return false;
}

void starter_take(void)
{
    static const u8 emeralds_order[] = {0, 2, 1}; /* the grass one, the fire one, the water one */
    var_set(VAR_STARTER_MON, emeralds_order[cursor]);
    party_add(starters[cursor], LEVEL, 0);
}

const Screen starter_screen = {LABEL_CB2_CHOOSE_STARTER, draw, update, true};
