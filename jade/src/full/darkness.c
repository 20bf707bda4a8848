#include "full/darkness.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/video.h"

/* Emerald: in a cave without Flash the level is 7, and one sees 24 pixels far (sFlashLevelToRadius). */
enum { DARK_LEVEL = 7, RADIUS = 24 };
/* Behind the text and before everything else: screen block 30, tiles above those of all windows. */
enum { LAYER = 1, SCREEN = 30, CHARACTERS = 2, FIRST_TILE = 0x300, PALETTE = 14, BLACK = 1 };
enum { SIDE = 2 * RADIUS / 8, COLUMN = 120 / 8 - SIDE / 2, ROW = 80 / 8 - SIDE / 2, SOLID = SIDE * SIDE };

/* Eight pixels of the square around the circle, four bits each. */
static u32 row_of(s32 x, s32 y)
{
    u32 row = 0;
    for (u32 i = 0; i < 8; ++i) {
        s32 across = 2 * (x + (s32) i - RADIUS) + 1, down = 2 * (y - RADIUS) + 1;
        if (across * across + down * down > 4 * RADIUS * RADIUS)
            row |= BLACK << 4 * i;
    }
    return row;
}

static void draw_tiles(void)
{
    volatile u32 *to = (volatile u32 *) (VRAM + CHARACTERS * 0x2000) + FIRST_TILE * 8;
    for (u32 tile = 0; tile < SIDE * SIDE; ++tile)
        for (u32 y = 0; y < 8; ++y)
            *to++ = row_of(tile % SIDE * 8, tile / SIDE * 8 + y);
    for (u32 y = 0; y < 8; ++y)
        *to++ = BLACK * 0x11111111;
}

u32 darkness_layer(void)
{
    u16 *cells = VRAM + SCREEN * 1024;
    bool dark = gMapHeader.cave && demands[DEMAND_DARK];
    gSaveBlock1Ptr->flash_level = dark ? DARK_LEVEL : 0;
    if (!dark)
        return 0;
    draw_tiles();
    BG_PALETTE[PALETTE * 16 + BLACK] = 0;
    fill16(cells, PALETTE << 12 | (FIRST_TILE + SOLID), 1024);
    for (u32 i = 0; i < SIDE * SIDE; ++i)
        cells[(ROW + i / SIDE) * 32 + COLUMN + i % SIDE] = PALETTE << 12 | (FIRST_TILE + i);
    REG_BGCNT(LAYER) = 1 | CHARACTERS << 2 | SCREEN << 8;
    return LAYER_DARKNESS;
}
