#include "field/ground/camera.h"
#include "art/assets.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "system/demands.h"
#include "system/video.h"

enum { RING = 16, SIDE_X = 7, SIDE_Y = 5, PLAYER_X = 112, PLAYER_Y = 72 };

static Coords ring, scroll; /* ring: what to add to a map coordinate to find its place in the ring */
static Coords shown;        /* the tile that the ring was drawn around */

static void draw_cell(s32 x, s32 y)
{
    const u16 *tiles = &world_metatiles[(map_cell(x, y) & CELL_METATILE) * 4];
    u16 *to = video_map_cells() + ((y + ring.y) & (RING - 1)) * 64 + ((x + ring.x) & (RING - 1)) * 2;
    to[0] = tiles[0];
    to[1] = tiles[1];
    to[32] = tiles[2];
    to[33] = tiles[3];
}

static Coords player_tile(void)
{
    Coords at = gObjectEvents[PLAYER].current;
    return (Coords) {at.x - BORDER, at.y - BORDER};
}

void camera_reset(void)
{
    Coords at = player_tile();
    ring = (Coords) {0, 0};
    for (s32 y = -SIDE_Y - 1; y <= SIDE_Y + 1; ++y)
        for (s32 x = -SIDE_X; x <= SIDE_X + 1; ++x)
            draw_cell(at.x + x, at.y + y);
    shown = at;
    scroll.x = -1;
    camera_update();
}

/* A step brings new columns or rows; a leap over a ledge two. */
static void follow(Coords at)
{
    for (; shown.x != at.x; shown.x += at.x > shown.x ? 1 : -1)
        for (s32 y = -SIDE_Y; y <= SIDE_Y; ++y)
            draw_cell(at.x > shown.x ? shown.x + 1 + SIDE_X : shown.x - 1 - SIDE_X, at.y + y);
    for (; shown.y != at.y; shown.y += at.y > shown.y ? 1 : -1)
        for (s32 x = -SIDE_X; x <= SIDE_X; ++x)
            draw_cell(at.x + x, at.y > shown.y ? shown.y + 1 + SIDE_Y : shown.y - 1 - SIDE_Y);
}

void camera_shift(Coords shift)
{
    ring.x -= shift.x;
    ring.y -= shift.y;
    shown.x += shift.x;
    shown.y += shift.y;
}

#if FULL
/* A leap sideways passes seventeen columns, and the ring has sixteen: the last one is drawn when the first is out of sight. */
static Coords seen_tile(void)
{
    Coords at = player_tile();
    s32 x = object_pixels(PLAYER).x, first = x >> 4, last = (x + 15) >> 4;
    at.x = at.x < first ? first : at.x > last ? last : at.x;
    return at;
}
#else
#define seen_tile player_tile
#endif

void camera_update(void)
{
    follow(seen_tile());
    Coords at = object_pixels(PLAYER);
    s32 x = at.x + ring.x * 16 - PLAYER_X, y = at.y + ring.y * 16 - PLAYER_Y;
    if (x != scroll.x || y != scroll.y) {
        scroll = (Coords) {x, y};
        video_scroll(x, y);
    }
    objects_draw(at.x - PLAYER_X, at.y - PLAYER_Y);
}
