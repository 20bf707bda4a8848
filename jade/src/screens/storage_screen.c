/* The PC's boxes: left and right change between the party and the boxes, L and R turn the boxes. In jade_full.gba
 * SELECT takes one that is in a box to move it into another. */
#include "creatures/pokemon.h"
#include "data/data.h"
#include "full/items/box_move.h"
#include "save/storage.h"
#include "screens/screens.h"
#include "system/demands.h"
#include "system/emerald.h"

#define TAKE_WHOM (FULL ? "Take whom? (A; SELECT: into a box)" : "Take whom with you?")

enum { NAME_X = 14, SPECIES_X = 96, LEVEL_X = 190, TEXT_Y = 132 };

static bool withdrawing;

static const BoxPokemon *entry_box(u32 entry)
{
    return withdrawing ? storage_place(gPokemonStoragePtr->current_box, entry) : &gPlayerParty[entry].box;
}

static void draw_row(u32 entry, u32 y)
{
    Pokemon mon;
    Content content;
    mon.box = *entry_box(entry);
    mon_take_out(&mon);
    mon_open(&mon.box, &content);
    window_codes(&page, NAME_X, y, mon.box.nickname);
    window_text(&page, SPECIES_X, y, species_find(content.species)->name);
    window_text(&page, LEVEL_X - 28, y, "L");
    window_number(&page, LEVEL_X, y, mon.level);
}

static List list = {0, 0, PAGE_ROWS - 1, 0, draw_row};

static void note(const char *text)
{
    window_fill(&page, 0, TEXT_Y - 8, PAGE_WIDTH, 20, COLOUR_PAPER);
    window_fill(&page, 4, TEXT_Y - 6, PAGE_WIDTH - 8, 1, COLOUR_SHADOW);
    window_text(&page, 6, TEXT_Y - 3, text);
}

static void draw_all(const char *text)
{
    list.count = withdrawing ? storage_count(gPokemonStoragePtr->current_box) : gPlayerPartyCount;
    if (list.cursor >= list.count)
        list.cursor = list.top = 0;
    page_heading(withdrawing ? "TAKE FROM   <  >" : "PUT AWAY   <  >");
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_codes(&page, 160, 3, gPokemonStoragePtr->names[gPokemonStoragePtr->current_box]);
    text_colours(COLOUR_INK, COLOUR_SHADOW);
    list_draw(&list);
    note(text);
}

static void draw(void)
{
    window_open(&page);
    withdrawing = false;
    list.cursor = list.top = 0;
    draw_all(FULL ? "Put whom away? (A; B leaves)" : "Put whom away? (Up, down, A; B leaves)");
}

/* Whether the party could fight without one of them. */
static bool needed(u32 index)
{
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        if (i != index && gPlayerParty[i].hp)
            return false;
    return true;
}

static void deposit(void)
{
    Pokemon *mon = &gPlayerParty[list.cursor];
    if (needed(list.cursor)) {
        note("You would be all alone!");
    } else if (!storage_put(&mon->box)) {
        note("All boxes are full.");
    } else {
        memset(mon, 0, sizeof *mon);
        party_close_gaps();
        draw_all("It is in the box now.");
    }
}

static void withdraw(void)
{
    BoxPokemon *place = storage_place(gPokemonStoragePtr->current_box, list.cursor);
    if (gPlayerPartyCount == PARTY_SIZE) {
        note("Your party is full.");
        return;
    }
    Pokemon *mon = &gPlayerParty[gPlayerPartyCount++];
    memset(mon, 0, sizeof *mon);
    mon->box = *place;
    mon_take_out(mon);
    memset(place, 0, sizeof *place);
    draw_all("It is with you now.");
}

#if FULL
static void turn_box(void)
{
    u8 box = gPokemonStoragePtr->current_box + (gMain.new_keys & KEY_R ? 1 : BOXES - 1);
    gPokemonStoragePtr->current_box = box % BOXES;
}

static const char where[] = "Where to? (L, R, A; B: nowhere)";

/* While one is moved: it is put down where A is pressed, and B leaves it where it was. */
static void update_move(void)
{
    if (gMain.new_keys & (KEY_L | KEY_R)) {
        turn_box();
        draw_all(where);
    } else if (gMain.new_keys & KEY_A) {
        draw_all(box_move_to(gPokemonStoragePtr->current_box));
    } else if (gMain.new_keys & KEY_B) {
        box_move_stop();
        draw_all("It stays where it was.");
    }
}
#endif

static bool update(void)
{
#if FULL
    if (box_moving()) {
        update_move();
        return false;
    }
    if (gMain.new_keys & KEY_SELECT && withdrawing && list.count) {
        box_move_begin(gPokemonStoragePtr->current_box, list.cursor);
        note(where);
        return false;
    }
#endif
    if (gMain.new_keys & (KEY_LEFT | KEY_RIGHT)) {
        withdrawing = !withdrawing;
        list.cursor = list.top = 0;
        draw_all(withdrawing ? TAKE_WHOM : "Put whom away?");
    } else if (gMain.new_keys & (KEY_L | KEY_R)) {
        u8 box = gPokemonStoragePtr->current_box + (gMain.new_keys & KEY_R ? 1 : BOXES - 1);
        gPokemonStoragePtr->current_box = box % BOXES;
        draw_all("Another box.");
    } else if (!list_update(&list) && gMain.new_keys & KEY_A && list.count) {
        if (withdrawing)
            withdraw();
        else
            deposit();
    }
    return gMain.new_keys & KEY_B;
}

const Screen storage_screen = {LABEL_CB2_STORAGE, draw, update, false};
