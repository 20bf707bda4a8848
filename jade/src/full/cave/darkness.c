#include "full/cave/darkness.h"
#include "save/save.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/video.h"

/* Emerald: in a dark cave the level is 7, after Flash 1, and one sees so many pixels far (sFlashLevelToRadius). */
enum { DARK_LEVEL = 7, DARK_RADIUS = 24, LIT_LEVEL = 1, LIT_RADIUS = 72, FLAG_SYS_USE_FLASH = 0x888, UNDERGROUND = 4 };
/* Behind the text and before everything else: screen block 30, tiles above those of all maps. */
enum { LAYER = 1, SCREEN = 30, CHARACTERS = 1, FIRST_TILE = 0x100, PALETTE = 14, BLACK = 1 };
enum { COLUMN = 120 / 8, ROW = 80 / 8, FLIP_X = 1 << 10, FLIP_Y = 1 << 11 }; /* the middle of the screen */

/* Eight pixels of the lower right quarter of the square around the circle, four bits each. */
static u32 row_of(s32 x, s32 y, s32 radius)
{
    u32 row = 0;
    for (u32 i = 0; i < 8; ++i) {
        s32 across = 2 * (x + (s32) i) + 1, down = 2 * y + 1;
        if (across * across + down * down > 4 * radius * radius)
            row |= BLACK << 4 * i;
    }
    return row;
}

static void draw_tiles(u32 side)
{
    volatile u32 *to = (volatile u32 *) (VRAM + CHARACTERS * 0x2000) + FIRST_TILE * 8;
    for (u32 tile = 0; tile < side * side; ++tile)
        for (u32 y = 0; y < 8; ++y)
            *to++ = row_of(tile % side * 8, tile / side * 8 + y, side * 8);
    for (u32 y = 0; y < 8; ++y)
        *to++ = BLACK * 0x11111111;
}

/* The quarter four times, mirrored, and black around it. */
static void draw_cells(u32 side)
{
    u16 *cells = VRAM + SCREEN * 1024;
    fill16(cells, PALETTE << 12 | (FIRST_TILE + side * side), 1024);
    for (u32 tile = 0; tile < side * side; ++tile) {
        u32 x = tile % side, y = tile / side, below = (ROW + y) * 32 + COLUMN, above = (ROW - 1 - y) * 32 + COLUMN;
        u16 cell = PALETTE << 12 | (FIRST_TILE + tile);
        cells[below + x] = cell;
        cells[below - 1 - x] = cell | FLIP_X;
        cells[above + x] = cell | FLIP_Y;
        cells[above - 1 - x] = cell | FLIP_X | FLIP_Y;
    }
}

static u8 level(void)
{
    if (!gMapHeader.cave || !demands[DEMAND_DARK])
        return 0;
    return flag_get(FLAG_SYS_USE_FLASH) ? LIT_LEVEL : DARK_LEVEL;
}

bool darkness_is_deep(void)
{
    return level() == DARK_LEVEL;
}

u32 darkness_layer(void)
{
    if (gMapHeader.type != UNDERGROUND)
        flag_clear(FLAG_SYS_USE_FLASH);
    gSaveBlock1Ptr->flash_level = level();
    if (!level())
        return 0;
    u32 side = (level() == DARK_LEVEL ? DARK_RADIUS : LIT_RADIUS) / 8;
    draw_tiles(side);
    BG_PALETTE[PALETTE * 16 + BLACK] = 0;
    draw_cells(side);
    REG_BGCNT(LAYER) = 1 | CHARACTERS << 2 | SCREEN << 8;
    return LAYER_DARKNESS;
}

void darkness_light(void)
{
    flag_set(FLAG_SYS_USE_FLASH);
    darkness_layer();
}
