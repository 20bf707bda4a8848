#include "full/wandering.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "save/save.h"

/* Emerald's range of who wanders: tiles from where he began, sideways in the low nibble, up and down in the high one. */
static bool in_range(const ObjectEvent *object, s32 x, s32 y)
{
    u32 most_x = object->range & 15, most_y = object->range >> 4;
    return (u32) (x + BORDER - object->initial.x) + most_x <= 2 * most_x
           && (u32) (y + BORDER - object->initial.y) + most_y <= 2 * most_y;
}

/* As in Emerald: waits, turns somewhere, and takes a step if nothing is in the way. */
void wander(u8 index, u8 *wait)
{
    const ObjectEvent *object = &gObjectEvents[index];
    s32 x = object->current.x - BORDER, y = object->current.y - BORDER;
    if (*wait) {
        --*wait;
        return;
    }
    u8 direction = DOWN + (random16() & 3);
    *wait = 32 * (1 + (random16() & 3));
    direction_step(direction, &x, &y);
    object_face(index, direction);
    if (in_range(object, x, y) && !(map_cell(x, y) & CELL_COLLISION) && object_at(x, y) == NO_OBJECT)
        object_step(index, direction, STEP_WALK, FRAMES_16);
}
