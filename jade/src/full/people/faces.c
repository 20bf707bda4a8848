#include "full/people/faces.h"
#include "art/assets.h"
#include "system/emerald.h"
#include "system/video.h"

enum { FIRST_PALETTE = 8, PALETTES = 7 }; /* free beside those of all people and of grass */
enum { LOOK_WORDS = LOOK_FRAMES * FRAME_TILES * 8 };

static u8 slots[FACES], palettes[FACES];
static u32 taken; /* a bit for each look whose pictures are gone for now */

static void show(u8 slot, const u32 *tiles)
{
    copy16((u16 *) OBJ_TILES + slot * LOOK_WORDS * 2, tiles, LOOK_WORDS * 2);
}

static bool on_map(u8 look)
{
    const MapEvents *events = gMapHeader.events;
    for (u8 i = 0; i < events->object_count; ++i)
        if (events->objects[i].graphics == look)
            return true;
    return false;
}

static bool spare(u8 look)
{
    bool always = look == LOOK_PLAYER || look == LOOK_GIRL_PLAYER || look == LOOK_BOAT;
    return !always && !(taken >> look & 1) && !on_map(look);
}

static void put_back(void)
{
    for (u8 look = 0; look < LOOK_ROCK; ++look)
        if (taken >> look & 1)
            show(look, people_tiles + look * LOOK_WORDS);
    taken = 0;
}

void faces_load(void)
{
    u8 count = 0, slot = LOOK_ROCK - 1;
    put_back();
    for (u8 face = 0; face < FACES && count < PALETTES; ++face) {
        if (!on_map(FIRST_FACE + face))
            continue;
        while (slot && !spare(slot))
            --slot;
        taken |= 1u << slot;
        slots[face] = slot;
        palettes[face] = FIRST_PALETTE + count++;
        show(slot, face_tiles + face * LOOK_WORDS);
        copy16(OBJ_PALETTE + palettes[face] * 16, face_palettes + face * 16, 16);
    }
}

u8 face_slot(u8 look)
{
    return slots[look - FIRST_FACE];
}

u8 face_palette(u8 look)
{
    return palettes[look - FIRST_FACE];
}
