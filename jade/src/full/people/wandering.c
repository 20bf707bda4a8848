#include "full/people/wandering.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "save/save.h"

static u8 waits[OBJECT_COUNT]; /* frames until somebody turns again */

/* Emerald's range of who wanders: tiles from where he began, sideways in the low nibble, up and down in the high one. */
static bool in_range(const ObjectEvent *object, s32 x, s32 y)
{
    u32 most_x = object->range & 15, most_y = object->range >> 4;
    return (u32) (x + BORDER - object->initial.x) + most_x <= 2 * most_x
           && (u32) (y + BORDER - object->initial.y) + most_y <= 2 * most_y;
}

/* As in Emerald: waits, turns somewhere, and takes a step if nothing is in the way. */
static void wander(u8 index)
{
    const ObjectEvent *object = &gObjectEvents[index];
    s32 x = object->current.x - BORDER, y = object->current.y - BORDER;
    if (waits[index]) {
        --waits[index];
        return;
    }
    u8 direction = DOWN + (random16() & 3);
    waits[index] = 32 * (1 + (random16() & 3));
    direction_step(direction, &x, &y);
    object_face(index, direction);
    if (in_range(object, x, y) && !(map_cell(x, y) & CELL_COLLISION) && object_at(x, y) == NO_OBJECT)
        object_step(index, direction, STEP_WALK, FRAMES_16);
}

void people_wander(void)
{
    for (u8 i = 0; i < OBJECT_COUNT; ++i) {
        const ObjectEvent *object = &gObjectEvents[i];
        bool idle = object->flags[0] & OBJECT_ACTIVE && !(object->flags[1] & OBJECT_FROZEN) && !object_busy(i);
        if (idle && object->movement_type == WANDER_AROUND)
            wander(i);
    }
}
