#include "creatures/party_list.h"
#include "battle/rules/battle_status.h"
#include "system/emerald.h"
#include "text/menu.h"

enum { NAME_X = 14, LEVEL_X = 110, BAR_X = 124, BAR_WIDTH = 48, HP_X = 216, TEXT_Y = 128, HEIGHT = 144 };

static u8 cursor;

void party_list_note(const char *text)
{
    window_fill(&page, 0, TEXT_Y - 4, PAGE_WIDTH, 20, COLOUR_PAPER);
    window_text(&page, 6, TEXT_Y, text);
}

void party_list_note_about(u32 index, const char *text)
{
    party_list_note("");
    window_text(&page, window_codes(&page, 6, TEXT_Y, gPlayerParty[index].box.nickname), TEXT_Y, text);
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
    if (mon->status) {
        window_text(&page, LEVEL_X - 24, y, status_tag(mon->status));
    } else {
        window_text(&page, LEVEL_X - 28, y, "L");
        window_number(&page, LEVEL_X, y, mon->level);
    }
    draw_hp_bar(&page, BAR_X, y + 4, BAR_WIDTH, mon->hp, mon->max_hp);
    u32 x = window_number(&page, HP_X, y, mon->max_hp);
    window_text(&page, x - 7, y, "/");
    window_number(&page, x - 8, y, mon->hp);
}

void party_list_draw(const char *note)
{
    page_heading("PARTY");
    window_fill(&page, 0, PAGE_TOP - 4, PAGE_WIDTH, HEIGHT - PAGE_TOP + 4, COLOUR_PAPER);
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        draw_row(i);
    page_cursor(cursor, true);
    party_list_note(note);
}

void party_list_open(u8 at, const char *note)
{
    cursor = at;
    gPartyMenu.slot = at;
    window_open(&page);
    party_list_draw(note);
}

void party_list_update(void)
{
    u8 after = cursor;
    if (cursor_move(&after, gPlayerPartyCount)) {
        page_cursor(cursor, false);
        cursor = after;
        gPartyMenu.slot = after;
        page_cursor(cursor, true);
    }
}

u8 party_list_cursor(void)
{
    return cursor;
}
