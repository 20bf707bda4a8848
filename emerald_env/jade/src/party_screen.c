/* The party: who is in it and how they are; A takes two to change places, or a closer look. */
#include "bag.h"
#include "data.h"
#include "emerald.h"
#include "menu.h"
#include "party_list.h"
#include "screens.h"

enum { NAME_X = 14, STAT_WIDTH = 42, HEIGHT = 144, NOBODY = 0xFF };
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
}

static void draw_moves(const Content *content)
{
    for (u32 i = 0; i < 4 && content->moves[i]; ++i) {
        const Move *move = move_find(content->moves[i]);
        u32 y = PAGE_TOP + (3 + i) * PAGE_ROW;
        window_text(&page, NAME_X, y, move->name);
        window_text(&page, 104, y, type_name(move->type));
        u32 x = window_number(&page, 200, y, move->pp);
        window_text(&page, x - 7, y, "/");
        window_number(&page, x - 8, y, content->pp[i]);
    }
}

static void look(const Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    const Species *species = species_find(content.species);
    const u16 stats[] = {mon->attack, mon->defense, mon->speed, mon->sp_attack, mon->sp_defense};
    static const char *const names[] = {"Att", "Def", "Spd", "SpA", "SpD"};
    page_heading("CLOSER LOOK");
    window_fill(&page, 0, PAGE_TOP - 4, PAGE_WIDTH, HEIGHT - PAGE_TOP + 4, COLOUR_PAPER);
    u32 x = window_codes(&page, NAME_X, PAGE_TOP, mon->box.nickname);
    x = window_text(&page, x, PAGE_TOP, "  L ");
    window_number(&page, x + 12, PAGE_TOP, mon->level);
    window_text(&page, 104, PAGE_TOP, type_name(species->types[0]));
    if (species->types[1] != species->types[0])
        window_text(&page, 156, PAGE_TOP, type_name(species->types[1]));
    for (u32 i = 0; i < ARRAY_COUNT(stats); ++i) {
        x = window_text(&page, NAME_X + STAT_WIDTH * i, PAGE_TOP + PAGE_ROW, names[i]);
        window_number(&page, x + (stats[i] < 10 ? 9 : stats[i] < 100 ? 15 : 21), PAGE_TOP + PAGE_ROW, stats[i]);
    }
    x = window_text(&page, NAME_X, PAGE_TOP + PAGE_ROWS * PAGE_ROW, nature_name(mon->box.personality));
    if (content.item)
        window_text(&page, window_text(&page, x, PAGE_TOP + PAGE_ROWS * PAGE_ROW, ", holds: "),
                    PAGE_TOP + PAGE_ROWS * PAGE_ROW, item_find(content.item)->name);
    u32 next = mon_experience_at(species, mon->level + 1) - content.experience;
    window_text(&page, NAME_X, PAGE_TOP + 2 * PAGE_ROW, "To the next level");
    window_number(&page, 200, PAGE_TOP + 2 * PAGE_ROW, next);
    draw_moves(&content);
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
        if (!party.looking)
            party_list_draw(question);
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

const Screen party_screen = {LABEL_CB2_PARTY, draw, update, false};
