/* The party: who is in it and how they are; A takes two to change places, a closer look, or a move of the field. */
#include "creatures/party_list.h"
#include "creatures/pokemon.h"
#include "data/data.h"
#include "field/field_move.h"
#include "save/bag.h"
#include "screens/screens.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/task.h"
#include "text/menu.h"

enum { NAME_X = 14, STAT_WIDTH = 44, HEIGHT = 144, PICTURE_X = 168, PICTURE_Y = 24, NOBODY = 0xFF };
enum { BLUE_BERRY = 139, ACTIONS_BOTTOM = 17, MAX_ACTIONS = 8 };

typedef enum { LOOK, SWITCH, BERRY, CANCEL, FIELD_MOVE } Action;

static const char question[] = "Whom do you choose?";

static struct {
    u8 switching;
    bool choosing, looking;
    u8 count; /* of what can be done with the one that was chosen */
    Action actions[MAX_ACTIONS];
    u16 moves[MAX_ACTIONS];
} party;

static void draw(void)
{
    memset(&party, 0, sizeof party);
    gPartyMenu.kind = PARTY_FIELD;
    gPartyMenu.action = PARTY_CHOOSE;
    gPartyMenu.item = 0;
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

static void add_action(const char **labels, const char *label, Action action, u16 move)
{
    labels[party.count] = label;
    party.actions[party.count] = action;
    party.moves[party.count++] = move;
}

/* As in Emerald the moves of the field come after the closer look. */
static void open_choice(void)
{
    enum { COLUMN = FULL ? 19 : 21 }; /* the full engine has moves with longer names */
    static Window window = {COLUMN, 9, 28 - COLUMN, 8, 0x220};
    const char *labels[MAX_ACTIONS];
    Content content;
    party.count = 0;
    add_action(labels, "Look", LOOK, 0);
    mon_open(&gPlayerParty[party_list_cursor()].box, &content);
    for (u32 i = 0; i < 4; ++i)
        if (move_kept(content.moves[i]))
            add_action(labels, move_find(content.moves[i])->name, FIELD_MOVE, content.moves[i]);
    add_action(labels, "Switch", SWITCH, 0);
    add_action(labels, "Berry", BERRY, 0);
    add_action(labels, "Cancel", CANCEL, 0);
    window.height = 2 * party.count;
    window.row = ACTIONS_BOTTOM - window.height;
    choice_open(&window, labels, party.count, 0);
    task_start(LABEL_TASK_PARTY_CHOICE);
    party.choosing = true;
}

/* True where the screen closes, since a move clears the way. */
static bool act(Action action, u16 move)
{
    switch (action) {
    case LOOK:
        party.looking = true;
        look(&gPlayerParty[party_list_cursor()]);
        break;
    case BERRY:
        berry(&gPlayerParty[party_list_cursor()]);
        break;
    case SWITCH:
        party.switching = party_list_cursor();
        party_list_note("Change places with whom?");
        break;
    case FIELD_MOVE:
        if (field_move_choose(move))
            return true;
        party_list_note("That is of no use here and now.");
        break;
    default: break;
    }
    return false;
}

static bool update_choice(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return false;
    choice_close();
    party_list_open(party_list_cursor(), question);
    party.choosing = false;
    return choice >= 0 && act(party.actions[choice], party.moves[choice]);
}

static bool update(void)
{
    if (party.choosing)
        return update_choice();
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
        open_choice();
    }
    if (gMain.new_keys & KEY_B && party.switching != NOBODY) {
        party.switching = NOBODY;
        party_list_note(question);
        return false;
    }
    return gMain.new_keys & KEY_B;
}

const Screen party_screen = {LABEL_CB2_PARTY, draw, update, true};
