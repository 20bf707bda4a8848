#include "full/people/faces.h"
#include "art/assets.h"
#include "system/video.h"

enum { FIRST = LOOK_ROCK + 1, TILES = LOOK_FRAMES * FRAME_TILES };

void faces_load(void)
{
    const MapEvents *events = gMapHeader.events;
    const u32 *tiles = people_tiles + LOOK_BEAST * TILES * 8;
    for (u32 i = 0; events && i < events->object_count; ++i) {
        u8 look = events->objects[i].graphics;
        if (look < FIRST)
            continue;
        tiles = face_tiles + (look - FIRST) * TILES * 8;
        copy16(OBJ_PALETTE + FACE_PALETTE * 16, face_palettes + (look - FIRST) * 16, 16);
    }
    copy16((u16 *) OBJ_TILES + LOOK_BEAST * TILES * 16, tiles, TILES * 16);
}

u8 face_shown(u8 look)
{
    return look < FIRST ? look : LOOK_BEAST;
}
