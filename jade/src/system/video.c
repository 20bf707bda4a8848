#include "system/video.h"
#include "art/assets.h"
#include "system/demands.h"

/* Where Emerald has them: text in screen block 31, characters from block 2. */
enum { TEXT_SCREEN = 31, TEXT_CHARACTERS = 2, MAP_SCREEN = 29, MAP_CHARACTERS = 0 };
enum { TUFT_TILE = 1016, DROP_TILE = 1020, TUFT_PALETTE = 15, SPRITE_PRIORITY = 2 };
enum { CREATURE_TILE = 752, CREATURE_PALETTE = 12 };
enum { FADE_STEPS = 16, FADE_SPEED = 2, ALL_LAYERS_DARKER = 0x00FF, HIDDEN = 0x0200 };

static struct {
    u16 control, darkness, scroll_x, scroll_y;
    u8 sprites, shown, fade_step;
    bool changed, sprites_changed, fading_out;
} screen;

void video_init(void)
{
    REG_BGCNT(0) = 0 | TEXT_CHARACTERS << 2 | TEXT_SCREEN << 8;
    REG_BGCNT(3) = 3 | MAP_CHARACTERS << 2 | MAP_SCREEN << 8;
    fill16(OAM, HIDDEN, 512);
    screen.shown = 0;
    screen.control = 1 << 6;
    screen.changed = true;
}

void video_show(u32 layers)
{
    screen.control = 1 << 6 | layers << 8;
    screen.changed = true;
}

void video_load_world(void)
{
    copy16(VRAM, world_tiles, world_tile_count * 16);
    copy16(BG_PALETTE, world_palettes, world_palette_count * 16);
    copy16((u16 *) OBJ_TILES, people_tiles, people_looks * LOOK_FRAMES * FRAME_TILES * 16);
    if (FULL)
        copy16((u16 *) OBJ_TILES + LOOK_ROCK * LOOK_FRAMES * FRAME_TILES * 16, rock_tiles, FRAME_TILES * 16);
    copy16((u16 *) OBJ_TILES + TUFT_TILE * 16, tuft_tiles, 4 * 16);
    copy16((u16 *) OBJ_TILES + DROP_TILE * 16, drop_tiles, 4 * 16);
    copy16(OBJ_PALETTE, people_palettes, people_palette_count * 16);
    copy16(OBJ_PALETTE + TUFT_PALETTE * 16, tuft_palette, 16);
}

void video_load_picture(void)
{
    copy16(VRAM, title_tiles, title_tile_count * 16);
    copy16(BG_PALETTE, title_palette, 16);
    for (int row = 0; row < 20; ++row)
        copy16(video_map_cells() + row * 32, title_cells + row * 30, 30);
    video_scroll(0, 0);
}

void video_load_battle(bool hall)
{
    copy16(VRAM, hall ? hall_tiles : backdrop_tiles, (hall ? hall_tile_count : backdrop_tile_count) * 16);
    copy16(BG_PALETTE, hall ? hall_palette : backdrop_palette, 16);
    for (int row = 0; row < 20; ++row)
        copy16(video_map_cells() + row * 32, (hall ? hall_cells : backdrop_cells) + row * 30, 30);
    video_scroll(0, 0);
}

void video_load_creature(u32 place, u16 species, bool from_behind)
{
    u32 number = 0;
    while (creature_numbers[number] && creature_numbers[number] != species)
        ++number;
    copy16((u16 *) OBJ_TILES + (CREATURE_TILE + place * CREATURE_TILES) * 16,
           (from_behind ? creature_back_tiles : creature_tiles) + number * CREATURE_TILES * 8, CREATURE_TILES * 16);
    copy16(OBJ_PALETTE + (CREATURE_PALETTE + place) * 16, creature_palettes + number * 16, 16);
}

void video_scroll(u32 x, u32 y)
{
    screen.scroll_x = x;
    screen.scroll_y = y;
    screen.changed = true;
}

u16 *video_map_cells(void)
{
    return VRAM + MAP_SCREEN * 1024;
}

void video_flush(void)
{
    if (screen.changed) {
        REG_DISPCNT = screen.control;
        REG_BGHOFS(3) = screen.scroll_x;
        REG_BGVOFS(3) = screen.scroll_y;
        REG_BLDCNT = screen.darkness ? ALL_LAYERS_DARKER : 0;
        REG_BLDY = screen.darkness;
        screen.changed = false;
    }
    if (screen.sprites_changed) {
        copy16(OAM, gMain.oam, (screen.sprites > screen.shown ? screen.sprites : screen.shown) * 4);
        screen.shown = screen.sprites;
        screen.sprites_changed = false;
    }
}

void sprites_begin(void)
{
    screen.sprites = 0;
}

void sprite_add(s32 x, s32 y, u16 tile, u16 palette, bool tall, bool flip)
{
    s32 height = tall ? 32 : 16;
    if (x <= -16 || x >= SCREEN_WIDTH || y <= -height || y >= SCREEN_HEIGHT || screen.sprites >= 127)
        return;
    u16 *entry = gMain.oam + 4 * screen.sprites++;
    entry[0] = (y & 0xFF) | (tall ? 2 << 14 : 0);
    entry[1] = (x & 0x1FF) | flip << 12 | (tall ? 2 << 14 : 1 << 14);
    entry[2] = tile | SPRITE_PRIORITY << 10 | palette << 12;
}

void sprite_add_creature(s32 x, s32 y, u32 place, bool in_front)
{
    u16 *entry = gMain.oam + 4 * screen.sprites++;
    entry[0] = y & 0xFF;
    entry[1] = (x & 0x1FF) | 3 << 14;
    entry[2] = (CREATURE_TILE + place * CREATURE_TILES) | (in_front ? 0 : SPRITE_PRIORITY << 10)
               | (CREATURE_PALETTE + place) << 12;
}

void sprites_end(void)
{
    for (int i = screen.sprites; i < screen.shown; ++i)
        gMain.oam[4 * i] = HIDDEN;
    screen.sprites_changed = true;
}

void fade_start(bool out)
{
    screen.fading_out = out;
    screen.fade_step = 0;
    gPaletteFade.active = 0x80;
}

bool fade_active(void)
{
    return gPaletteFade.active != 0;
}

void fade_update(void)
{
    if (!fade_active())
        return;
    screen.fade_step += DEMANDED(DEMAND_PACE) ? 1 : FADE_SPEED;
    screen.darkness = screen.fading_out ? screen.fade_step : FADE_STEPS - screen.fade_step;
    screen.changed = true;
    if (screen.fade_step >= FADE_STEPS)
        gPaletteFade.active = 0;
}
