#include "battle_view.h"
#include "battle_status.h"
#include "menu.h"
#include "party_list.h"
#include "text.h"
#include "video.h"

enum { BAR_WIDTH = 48, BAR_X = 40, SHAKE_FRAMES = 16, CURSOR_WIDTH = 10 };

static const Window boxes[SIDES] = {{17, 9, 12, 4, 0x0C0}, {1, 1, 12, 3, 0x090}};
static const Coords places[SIDES] = {{28, 56}, {152, 2}};
static const Window actions = {17, 15, 12, 4, 0x210}, moves = {1, 15, 19, 4, 0x010}, detail = {22, 15, 7, 4, 0x100};

static struct {
    bool shown[SIDES];
    u16 hp[SIDES]; /* as the bar shows them, on the way to the true ones */
    u8 shake[SIDES];
    u8 percent;
} view;

static struct {
    const Window *window;
    u8 cursor, count;
} grid;

static void draw_bar(enum Side side)
{
    const Window *box = &boxes[side];
    const BattlePokemon *mon = &gBattleMons[side];
    draw_hp_bar(box, BAR_X, 14, BAR_WIDTH, view.hp[side], mon->max_hp);
    if (side != OWN)
        return;
    window_fill(box, 16, 19, 80, 10, COLOUR_PAPER);
    u32 x = window_number(box, 88, 20, mon->max_hp);
    window_text(box, x - 7, 20, "/");
    window_number(box, x - 8, 20, view.hp[side]);
}

static void draw_box(enum Side side)
{
    const Window *box = &boxes[side];
    const BattlePokemon *mon = &gBattleMons[side];
    window_open(box);
    window_codes(box, 4, 1, mon->nickname);
    window_text(box, 68, 1, "L");
    window_number(box, 90, 1, mon->level);
    window_text(box, mon->status ? 14 : 22, 11, mon->status ? status_tag(mon->status) : "HP");
    draw_bar(side);
}

void view_show(enum Side side)
{
    view.shown[side] = true;
    view.hp[side] = gBattleMons[side].hp;
    video_load_creature(side, gBattleMons[side].species, side == OWN);
    draw_box(side);
}

void view_hide(enum Side side)
{
    view.shown[side] = false;
    window_close(&boxes[side]);
}

void view_open(bool foe_shown, bool own_shown)
{
    text_init();
    video_load_battle(gMapHeader.type == TYPE_INDOOR);
    memset(&view.shake, 0, sizeof view.shake);
    view.shown[FOE] = view.shown[OWN] = false;
    if (foe_shown)
        view_show(FOE);
    if (own_shown)
        view_show(OWN);
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE);
    view_draw_sprites();
}

void view_boxes(void)
{
    for (enum Side side = OWN; side < SIDES; ++side)
        if (view.shown[side])
            draw_box(side);
    view_experience(view.percent);
}

bool view_settle(void)
{
    bool settled = true;
    for (enum Side side = OWN; side < SIDES; ++side) {
        u16 goal = gBattleMons[side].hp, most = gBattleMons[side].max_hp;
        if (!view.shown[side] || view.hp[side] == goal)
            continue;
        u16 pace = most / BAR_WIDTH + 1;
        s32 left = goal - view.hp[side];
        view.hp[side] += left > pace ? pace : left < -pace ? -pace : left;
        draw_bar(side);
        settled = false;
    }
    return settled;
}

void view_experience(u32 percent)
{
    view.percent = percent;
    if (view.shown[OWN]) {
        window_fill(&boxes[OWN], 16, 30, 72, 2, COLOUR_SHADOW);
        window_fill(&boxes[OWN], 16, 30, 72 * percent / 100, 2, COLOUR_LIGHT);
    }
}

void view_shake(enum Side side)
{
    view.shake[side] = SHAKE_FRAMES;
}

void view_draw_sprites(void)
{
    sprites_begin();
    for (enum Side side = OWN; side < SIDES; ++side) {
        bool blink = view.shake[side] & 4;
        if (view.shake[side])
            --view.shake[side];
        if (view.shown[side] && !blink)
            sprite_add_creature(places[side].x, places[side].y, side, false);
    }
    sprites_end();
}

/* ---- two columns of words ---- */

static void grid_mark(bool shown)
{
    u32 x = 4 + (grid.cursor & 1) * (grid.window->width * 4), y = 2 + (grid.cursor >> 1) * 15;
    window_fill(grid.window, x, y, CURSOR_WIDTH - 1, 12, COLOUR_PAPER);
    if (shown)
        window_glyph(grid.window, x, y, CODE_CURSOR);
}

void grid_open(const char *const labels[4], u8 cursor, bool wide)
{
    grid.window = wide ? &moves : &actions;
    grid.cursor = cursor;
    grid.count = 0;
    window_open(grid.window);
    if (wide)
        window_open(&detail);
    for (; grid.count < 4 && labels[grid.count]; ++grid.count) {
        u32 x = 4 + CURSOR_WIDTH + (grid.count & 1) * (grid.window->width * 4);
        window_text(grid.window, x, 2 + (grid.count >> 1) * 15, labels[grid.count]);
    }
    grid_mark(true);
}

void grid_note(const char *first, u32 number, u32 most)
{
    window_clear(&detail);
    window_text(&detail, 2, 2, first);
    window_text(&detail, 2, 17, "PP");
    u32 x = window_number(&detail, 54, 17, most);
    window_text(&detail, x - 7, 17, "/");
    window_number(&detail, x - 8, 17, number);
}

s32 grid_update(bool *moved)
{
    u8 after = grid.cursor;
    if (gMain.repeated & (KEY_LEFT | KEY_RIGHT))
        after ^= 1;
    if (gMain.repeated & (KEY_UP | KEY_DOWN))
        after ^= 2;
    *moved = after != grid.cursor && after < grid.count;
    if (*moved) {
        grid_mark(false);
        grid.cursor = after;
        grid_mark(true);
    }
    if (gMain.new_keys & KEY_A)
        return grid.cursor;
    return gMain.new_keys & KEY_B ? CHOICE_BACK : CHOICE_OPEN;
}

u8 grid_cursor(void)
{
    return grid.cursor;
}
