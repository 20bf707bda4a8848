/* The party: who is in it and how they are; A takes two to change places, or a closer look. */
#include "creatures/party_list.h"
#include "creatures/pokemon.h"
#include "data/data.h"
#include "save/bag.h"
#include "screens/screens.h"
#include "system/emerald.h"
#include "text/menu.h"

enum { NAME_X = 14, STAT_WIDTH = 44, HEIGHT = 144, PICTURE_X = 168, PICTURE_Y = 24, NOBODY = 0xFF };
enum { LOOK, SWITCH, BERRY, CANCEL, BLUE_BERRY = 139 };

static const char *const actions[] = {"Look", "Switch", "Berry", "Cancel"};
static const Window action_window = {21, 9, 7, 8, 0x220};
static const char question[] = "Whom do you choose?";

static struct {
    u8 switching;
    bool choosing, looking;
} party;

static void draw(void)
{
    memset(&party, 0, sizeof party);
    party.switching = NOBODY;
    party_list_open(0, question);
    page_picture(0, 0, 0);
}

static void draw_moves(const Content *content)
{
    for (u32 i = 0; i < 4 && content->moves[i]; ++i) {
        const Move *move = move_find(content->moves[i]);
        u32 y = PAGE_TOP + (4 + i) * PAGE_ROW;
        window_text(&page, NAME_X, y, move->name);
        window_text(&page, 104, y, type_name(move->type));
        u32 x = window_number(&page, 200, y, move->pp);
        window_text(&page, x - 7, y, "/");
        window_number(&page, x - 8, y, content->pp[i]);
    }
}

/* A word and a number in one of the columns beside the picture. */
static void draw_value(u32 column, u32 row, const char *name, u32 value)
{
    u32 y = PAGE_TOP + row * PAGE_ROW, digits = value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 4;
    u32 x = window_text(&page, NAME_X + STAT_WIDTH * column, y, name);
    window_number(&page, x + 4 + 6 * digits, y, value);
}

static void draw_person(const Pokemon *mon, const Content *content, const Species *species)
{
    u32 y = PAGE_TOP, x = window_codes(&page, NAME_X, y, mon->box.nickname);
    x = window_text(&page, x, y, "  L ");
    window_number(&page, x + 12, y, mon->level);
    y += PAGE_ROW;
    x = window_text(&page, NAME_X, y, type_name(species->types[0]));
    if (species->types[1] != species->types[0])
        x = window_text(&page, window_text(&page, x, y, ", "), y, type_name(species->types[1]));
    window_text(&page, window_text(&page, x, y, "; "), y, nature_name(mon->box.personality));
    if (!content->item)
        return;
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, window_text(&page, 104, 3, "holds: "), 3, item_find(content->item)->name);
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

static void look(const Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    const Species *species = species_find(content.species);
    page_heading("CLOSER LOOK");
    window_fill(&page, 0, PAGE_TOP - 4, PAGE_WIDTH, HEIGHT - PAGE_TOP + 4, COLOUR_PAPER);
    draw_person(mon, &content, species);
    draw_value(0, 2, "Att", mon->attack);
    draw_value(1, 2, "Def", mon->defense);
    draw_value(2, 2, "Spd", mon->speed);
    draw_value(0, 3, "SpA", mon->sp_attack);
    draw_value(1, 3, "SpD", mon->sp_defense);
    draw_value(2, 3, "Next", mon_experience_at(species, mon->level + 1) - content.experience);
    draw_moves(&content);
    page_picture(PICTURE_X, PICTURE_Y, content.species);
}

static void switch_places(void)
{
    u8 other = party_list_cursor();
    Pokemon moved = gPlayerParty[party.switching];
    gPlayerParty[party.switching] = gPlayerParty[other];
    gPlayerParty[other] = moved;
    party.switching = NOBODY;
    party_list_draw(question);
}

/* Gives a berry to hold, or takes it back into the bag. */
static void berry(Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    if (content.item && bag_add(content.item, 1)) {
        content.item = 0;
        party_list_note("The berry is in the bag again.");
    } else if (!content.item && bag_count(BLUE_BERRY)) {
        bag_remove(BLUE_BERRY, 1);
        content.item = BLUE_BERRY;
        party_list_note("It holds the berry now.");
    } else {
        party_list_note("You have no berry to give.");
    }
    mon_seal(&mon->box, &content);
}

static void update_choice(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return;
    choice_close();
    party_list_open(party_list_cursor(), question);
    party.choosing = false;
    if (choice == LOOK) {
        party.looking = true;
        look(&gPlayerParty[party_list_cursor()]);
    } else if (choice == BERRY) {
        berry(&gPlayerParty[party_list_cursor()]);
    } else if (choice == SWITCH) {
        party.switching = party_list_cursor();
        party_list_note("Change places with whom?");
    }
}

static bool update(void)
{
    if (party.choosing) {
        update_choice();
        return false;
    }
    if (party.looking) {
        party.looking = !(gMain.new_keys & (KEY_A | KEY_B));
        if (party.looking)
            return false;
        party_list_draw(question);
        page_picture(0, 0, 0);
        return false;
    }
    party_list_update();
    if (gMain.new_keys & KEY_A && party.switching != NOBODY) {
        switch_places();
    } else if (gMain.new_keys & KEY_A && gPlayerPartyCount) {
        choice_open(&action_window, actions, ARRAY_COUNT(actions), 0);
        party.choosing = true;
    }
    if (gMain.new_keys & KEY_B && party.switching != NOBODY) {
        party.switching = NOBODY;
        party_list_note(question);
        return false;
    }
    return gMain.new_keys & KEY_B;
}

const Screen party_screen = {LABEL_CB2_PARTY, draw, update, true};
