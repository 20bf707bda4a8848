#include "full/mountain/boulders.h"
#include "art/assets.h"
#include "data/data.h"
#include "field/field_move.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "save/bag.h"
#include "save/save.h"
#include "system/demands.h"

enum { FLAG_RECEIVED_HM_STRENGTH = 0x6A, ITEM_STRENGTH = 342 };

static bool is_boulder(const ObjectEvent *object)
{
    return object->flags[0] & OBJECT_ACTIVE && object->graphics == LOOK_BOULDER;
}

/* As in Emerald: a boulder moves one tile, and who pushed it stays where he is. None is pushed into a way out. */
void boulder_push(u8 direction, s32 x, s32 y)
{
    u8 index = object_at(x, y);
    if (index == NO_OBJECT || !is_boulder(&gObjectEvents[index]) || object_busy(index) || !flag_get(FLAG_SYS_USE_STRENGTH))
        return;
    direction_step(direction, &x, &y);
    if (!map_inside(x, y) || map_cell(x, y) & CELL_COLLISION || object_at(x, y) != NO_OBJECT || map_warp_at(x, y))
        return;
    object_step(index, direction, STEP_WALK, FRAMES_16);
    object_step(PLAYER, direction, STEP_TURN, FRAMES_16);
}

void boulders_as_saved(void)
{
    for (u8 i = 0; i < OBJECT_COUNT; ++i) {
        const ObjectEvent *object = &gSaveBlock1Ptr->objects[i];
        if (is_boulder(object))
            object_place(object->local_id, object->current.x - BORDER, object->current.y - BORDER);
    }
}

static void can_push(void)
{
    gSpecialVar_Result = demands[DEMAND_LESSONS] ? field_move_can(MOVE_STRENGTH) : bag_count(ITEM_STRENGTH) > 0;
}

static const Command moves[] = {SAY("A big boulder. Now it can be pushed."), END};
static const Command stays[] = {SAY("A big boulder. Somebody strong could push it."), END};
static const Command leave[] = {END};
const Command boulder[] = {
    IF_FLAG(FLAG_SYS_USE_STRENGTH, moves), CALL(can_push), IF_NO(stays),
    ASK("A big boulder. Shall boulders be pushed?"), IF_NO(leave),
    IF_DEMAND(DEMAND_LESSONS, field_move_strengthen), SET_FLAG(FLAG_SYS_USE_STRENGTH), END,
};

static const Command strong_man_later[] = {SAY("If one is stuck in a corner, go out and come back. It rolls to where it lay."), END};
const Command strong_man[] = {
    IF_FLAG(FLAG_RECEIVED_HM_STRENGTH, strong_man_later),
    SAY("Boulders lie in the path, and my back hurts. Teach this to somebody strong, and push them. Whoever comes from the north just jumps down."),
    GIVE_ITEM(ITEM_STRENGTH, 1),
    SET_FLAG(FLAG_RECEIVED_HM_STRENGTH),
    END,
};
