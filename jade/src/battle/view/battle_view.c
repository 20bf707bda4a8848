#include "battle/view/battle_view.h"
#include "battle/battle_steps.h"
#include "battle/rules/battle_status.h"
#include "creatures/party_list.h"
#include "system/video.h"
#include "text/menu.h"
#include "text/text.h"

enum { BAR_WIDTH = 48, BAR_X = 40, SHAKE_FRAMES = 16, BLINK = 8, PAIR_ROW = 20, CURSOR_WIDTH = 10 };

/* Of one against one; and of two against two, where each side has one box for both. */
static const Window boxes[] = {{17, 9, 12, 4, 0x0C0}, {1, 1, 12, 3, 0x090}};
static const Window pair_boxes[] = {{17, 8, 12, 5, 0x240}, {1, 1, 12, 5, 0x280}};
static const Coords places[] = {{28, 56}, {152, 2}};
static const Coords pair_places[BATTLERS] = {{0, 56}, {122, 0}, {52, 58}, {176, 2}};
static const Window actions = {17, 15, 12, 4, 0x210}, moves = {1, 15, 19, 4, 0x010}, detail = {22, 15, 7, 4, 0x100};

static struct {
    bool shown[BATTLERS];
    u16 hp[BATTLERS]; /* as the bar shows them, on the way to the true ones */
    u8 shake[BATTLERS];
    u8 percent, frame;
    enum Battler aimed; /* it blinks; BATTLERS: nobody */
} view;

static struct {
    const Window *window;
    u8 cursor, count;
} grid;

static bool pair(void)
{
    return gBattlersCount > 2;
}

static const Window *box_of(enum Battler battler)
{
    return pair() ? &pair_boxes[battler & 1] : &boxes[battler];
}

static u32 top_of(enum Battler battler)
{
    return battler > FOE ? PAIR_ROW : 0;
}

static void draw_bar(enum Battler battler)
{
    const Window *box = box_of(battler);
    const BattlePokemon *mon = &gBattleMons[battler];
    draw_hp_bar(box, BAR_X, top_of(battler) + 14, BAR_WIDTH, view.hp[battler], mon->max_hp);
    if (battler != OWN || pair())
        return;
    window_fill(box, 16, 19, 80, 10, COLOUR_PAPER);
    u32 x = window_number(box, 88, 20, mon->max_hp);
    window_text(box, x - 7, 20, "/");
    window_number(box, x - 8, 20, view.hp[battler]);
}

static void draw_lines(enum Battler battler)
{
    const Window *box = box_of(battler);
    const BattlePokemon *mon = &gBattleMons[battler];
    u32 top = top_of(battler);
    window_codes(box, 4, top + 1, mon->nickname);
    window_text(box, 68, top + 1, "L");
    window_number(box, 90, top + 1, mon->level);
    window_text(box, mon->status ? 14 : 22, top + 11, mon->status ? status_tag(mon->status) : "HP");
    draw_bar(battler);
}

/* The box that this one is in, with whoever shares it. */
static void draw_box(enum Battler battler)
{
    window_open(box_of(battler));
    for (u32 i = battler & 1; i < gBattlersCount; i += 2)
        if (view.shown[i])
            draw_lines(i);
}

void view_show(enum Battler battler)
{
    view.shown[battler] = true;
    view.hp[battler] = gBattleMons[battler].hp;
    video_load_creature(battler, gBattleMons[battler].species, battler_is_own(battler));
    draw_box(battler);
}

void view_hide(enum Battler battler)
{
    view.shown[battler] = false;
    if (pair() && view.shown[battler ^ FOE ^ FOE_SECOND])
        draw_box(battler);
    else
        window_close(box_of(battler));
}

void view_open(void)
{
    text_init();
    video_load_battle(gMapHeader.type == TYPE_INDOOR);
    memset(&view, 0, sizeof view);
    view.aimed = BATTLERS;
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler)
        if (battle.present[battler])
            view_show(battler);
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE);
    view_draw_sprites();
}

void view_boxes(void)
{
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler)
        if (view.shown[battler])
            draw_box(battler);
    view_experience(view.percent);
}

bool view_settle(void)
{
    bool settled = true;
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler) {
        u16 goal = gBattleMons[battler].hp, most = gBattleMons[battler].max_hp;
        if (!view.shown[battler] || view.hp[battler] == goal)
            continue;
        u16 pace = most / BAR_WIDTH + 1;
        s32 left = goal - view.hp[battler];
        view.hp[battler] += left > pace ? pace : left < -pace ? -pace : left;
        draw_bar(battler);
        settled = false;
    }
    return settled;
}

void view_experience(u32 percent)
{
    view.percent = percent;
    if (view.shown[OWN] && !pair()) {
        window_fill(&boxes[OWN], 16, 30, 72, 2, COLOUR_SHADOW);
        window_fill(&boxes[OWN], 16, 30, 72 * percent / 100, 2, COLOUR_LIGHT);
    }
}

void view_shake(enum Battler battler)
{
    view.shake[battler] = SHAKE_FRAMES;
}

void view_aim(enum Battler battler)
{
    view.aimed = battler;
}

void view_draw_sprites(void)
{
    const Coords *at = pair() ? pair_places : places;
    ++view.frame;
    sprites_begin();
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler) {
        bool blink = view.shake[battler] & 4 || (battler == view.aimed && view.frame & BLINK);
        if (view.shake[battler])
            --view.shake[battler];
        if (view.shown[battler] && !blink)
            sprite_add_creature(at[battler].x, at[battler].y, battler, false);
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
