/* The party: who is in it and how they are; A takes two to change places, or a closer look. */
#include "party_screen.h"
#include "data.h"
#include "emerald.h"
#include "menu.h"
#include "screens.h"

enum { NAME_X = 14, LEVEL_X = 110, BAR_X = 124, BAR_WIDTH = 48, HP_X = 216, TEXT_Y = 128, NOBODY = 0xFF };
enum { LOOK, SWITCH, CANCEL };

static const char *const actions[] = {"Look", "Switch", "Cancel"};
static const Window action_window = {21, 11, 7, 6, 0x220};

static struct {
    u8 cursor, switching;
    bool choosing, looking;
    u8 chosen;
} party;

static void note(const char *text)
{
    window_fill(&page, 0, TEXT_Y - 4, PAGE_WIDTH, 20, COLOUR_PAPER);
    window_text(&page, 6, TEXT_Y, text);
}

void draw_hp_bar(const Window *window, u32 x, u32 y, u32 width, u32 hp, u32 max_hp)
{
    u32 filled = max_hp ? (hp * width + max_hp - 1) / max_hp : 0;
    u8 colour = hp * 2 > max_hp ? COLOUR_GREEN : hp * 5 > max_hp ? COLOUR_YELLOW : COLOUR_RED;
    window_fill(window, x - 1, y - 1, width + 2, 6, COLOUR_LINE);
    window_fill(window, x, y, width, 4, COLOUR_SHADOW);
    window_fill(window, x, y, filled, 4, colour);
}

static void draw_row(u32 index)
{
    const Pokemon *mon = &gPlayerParty[index];
    u32 y = PAGE_TOP + index * PAGE_ROW;
    page_row_clear(index);
    window_codes(&page, NAME_X, y, mon->box.nickname);
    window_text(&page, LEVEL_X - 28, y, "L");
    window_number(&page, LEVEL_X, y, mon->level);
    draw_hp_bar(&page, BAR_X, y + 4, BAR_WIDTH, mon->hp, mon->max_hp);
    u32 x = window_number(&page, HP_X, y, mon->max_hp);
    window_text(&page, x - 7, y, "/");
    window_number(&page, x - 8, y, mon->hp);
}

static void draw_party(void)
{
    page_heading("PARTY");
    window_fill(&page, 0, PAGE_TOP - 4, PAGE_WIDTH, 144 - PAGE_TOP + 4, COLOUR_PAPER);
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        draw_row(i);
    page_cursor(party.cursor, true);
    note("Whom do you choose?");
}

static void draw(void)
{
    memset(&party, 0, sizeof party);
    party.switching = NOBODY;
    window_open(&page);
    draw_party();
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
    window_fill(&page, 0, PAGE_TOP - 4, PAGE_WIDTH, 144 - PAGE_TOP + 4, COLOUR_PAPER);
    window_codes(&page, NAME_X, PAGE_TOP, mon->box.nickname);
    window_text(&page, 80, PAGE_TOP, type_name(species->types[0]));
    if (species->types[1] != species->types[0])
        window_text(&page, 130, PAGE_TOP, type_name(species->types[1]));
    for (u32 i = 0; i < ARRAY_COUNT(stats); ++i) {
        u32 x = NAME_X + 42 * i;
        window_text(&page, x, PAGE_TOP + PAGE_ROW, names[i]);
        window_number(&page, x + 38, PAGE_TOP + PAGE_ROW, stats[i]);
    }
    u32 next = mon_experience_at(species, mon->level + 1) - content.experience;
    window_text(&page, NAME_X, PAGE_TOP + 2 * PAGE_ROW, "To the next level");
    window_number(&page, 200, PAGE_TOP + 2 * PAGE_ROW, next);
    draw_moves(&content);
}

static void switch_places(void)
{
    Pokemon moved = gPlayerParty[party.switching];
    gPlayerParty[party.switching] = gPlayerParty[party.cursor];
    gPlayerParty[party.cursor] = moved;
    party.switching = NOBODY;
    draw_party();
}

static void update_choice(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return;
    choice_close();
    window_open(&page);
    draw_party();
    party.choosing = false;
    if (choice == LOOK) {
        party.looking = true;
        look(&gPlayerParty[party.cursor]);
    } else if (choice == SWITCH) {
        party.switching = party.cursor;
        note("Change places with whom?");
    }
}

static void move_cursor(void)
{
    u8 after = party.cursor;
    if (cursor_move(&after, gPlayerPartyCount)) {
        page_cursor(party.cursor, false);
        party.cursor = after;
        page_cursor(party.cursor, true);
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
            draw_party();
        return false;
    }
    move_cursor();
    if (gMain.new_keys & KEY_A && party.switching != NOBODY) {
        switch_places();
    } else if (gMain.new_keys & KEY_A && gPlayerPartyCount) {
        choice_open(&action_window, actions, ARRAY_COUNT(actions), 0);
        party.choosing = true;
    }
    if (gMain.new_keys & KEY_B && party.switching != NOBODY) {
        party.switching = NOBODY;
        note("Whom do you choose?");
        return false;
    }
    return gMain.new_keys & KEY_B;
}

const Screen party_screen = {LABEL_CB2_PARTY, draw, update};

/* ---- choosing one of them for somebody else ---- */

static void draw_pick(void)
{
    draw();
    party.chosen = NOBODY;
    page_cursor(party.cursor, false);
    while (party.cursor + 1 < gPlayerPartyCount && !gPlayerParty[party.cursor].hp)
        ++party.cursor;
    page_cursor(party.cursor, true);
}

static bool update_pick(void)
{
    move_cursor();
    if (gMain.new_keys & KEY_A)
        party.chosen = party.cursor;
    return gMain.new_keys & (KEY_A | KEY_B);
}

u8 party_picked(void)
{
    return party.chosen;
}

const Screen party_pick_screen = {LABEL_CB2_PARTY, draw_pick, update_pick};
