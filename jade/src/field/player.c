#include "field/player.h"
#include "art/assets.h"
#include "events/encounter.h"
#include "events/script.h"
#include "events/trainer.h"
#include "field/ground/camera.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "field/position.h"
#include "field/warp.h"
#include "full/mountain/boulders.h"
#include "full/poison.h"
#include "full/items/repel.h"
#include "save/save.h"
#include "system/demands.h"

enum { FLAG_RUNNING_SHOES = 0x8C0 };
enum { AVATAR_DASH = 0x80 };
enum { NOT_MOVING, TURNING, MOVING };

static bool stepping;

static Coords tile(void)
{
    Coords at = gObjectEvents[PLAYER].current;
    return (Coords) {at.x - BORDER, at.y - BORDER};
}

static u8 held_direction(void)
{
    u16 held = gMain.held;
    return held & KEY_UP ? UP : held & KEY_DOWN ? DOWN : held & KEY_LEFT ? LEFT : held & KEY_RIGHT ? RIGHT : 0;
}

static bool blocked(s32 x, s32 y)
{
    return (map_cell(x, y) & CELL_COLLISION) || object_at(x, y) != NO_OBJECT;
}

void player_settle(void)
{
    gSaveBlock1Ptr->pos = tile();
}

/* Over the map's edge the neighbour becomes the map; the player keeps his place in the world. */
static void cross(s32 x, s32 y)
{
    Coords shift;
    const MapConnection *to = map_neighbour(x, y, &shift);
    if (!to)
        return;
    sWarpDestination = (WarpData) {to->map_group, to->map_number, -1, 0, x + shift.x, y + shift.y};
    save_forget_map();
    map_load(to->map_group, to->map_number);
    gSaveBlock1Ptr->location = sWarpDestination;
    gSaveBlock1Ptr->pos = (Coords) {x + shift.x, y + shift.y};
    objects_shift(shift);
    camera_shift(shift);
    objects_spawn();
}

static void walk(u8 direction, s32 x, s32 y)
{
    bool run = gMain.held & KEY_B && flag_get(FLAG_RUNNING_SHOES);
    if (!map_inside(x, y))
        cross(x, y);
    bool ride = FULL && gPlayerAvatar.flags & AVATAR_BIKE;
    object_step(PLAYER, direction, STEP_WALK, ride ? FRAMES_4 : run ? FRAMES_8 : FRAMES_16);
    gPlayerAvatar.flags = ride ? AVATAR_BIKE : AVATAR_ON_FOOT | (run ? AVATAR_DASH : 0);
    gPlayerAvatar.running_state = MOVING;
    stepping = true;
}

static void use_warp(const WarpEvent *warp)
{
    field_warp(warp->map_group, warp->map_number, warp->warp);
}

#if FULL
/* Whether a step leads over a ledge: it is jumped in its own direction only, and not where one would land on something. */
static bool jumps(u8 direction, s32 x, s32 y)
{
    static const u8 ledges[] = {0, MB_JUMP_SOUTH, MB_JUMP_NORTH, MB_JUMP_WEST, MB_JUMP_EAST};
    if (map_behaviour(x, y) != ledges[direction])
        return false;
    direction_step(direction, &x, &y);
    return map_inside(x, y) && !blocked(x, y);
}
#else
#define jumps(direction, x, y) (direction == DOWN && map_behaviour(x, y) == MB_JUMP_SOUTH && !blocked(x, y + 1))
#endif

static void try_step(u8 direction)
{
    Coords at = tile();
    s32 x = at.x, y = at.y;
    const WarpEvent *warp = map_warp_at(x, y);
    if (warp && direction == DOWN && map_behaviour(x, y) == MB_SOUTH_ARROW_WARP) {
        use_warp(warp);
        return;
    }
    direction_step(direction, &x, &y);
    if (jumps(direction, x, y)) {
        object_step(PLAYER, FULL ? direction : DOWN, STEP_JUMP, FRAMES_32);
        if (FULL)
            stat_add(STAT_JUMPED_DOWN_LEDGES, 1);
        gPlayerAvatar.running_state = MOVING;
        stepping = true;
    } else if (!blocked(x, y) && (map_behaviour(x, y) != MB_ANIMATED_DOOR || direction == UP)) {
        walk(direction, x, y);
    } else {
        object_face(PLAYER, direction);
        gPlayerAvatar.running_state = NOT_MOVING;
        if (FULL)
            boulder_push(direction, x, y);
    }
}

/* Whether it is somebody, who turns to whoever speaks to him, and not a wall on wheels or a boulder. */
static bool turns(u8 look)
{
    return !FULL || (look != LOOK_BARRIER && look != LOOK_BLUE_BARRIER && look != LOOK_BOULDER);
}

/* What the player faces: somebody, a sign, or over a counter somebody behind it. */
static const Command *faced_script(u8 direction)
{
    Coords at = tile();
    s32 x = at.x, y = at.y;
    const BgEvent *sign;
    direction_step(direction, &x, &y);
    sign = map_sign_at(x, y);
    u8 index = object_at(x, y);
    if (index != NO_OBJECT && index != PLAYER) {
        static const u8 opposite[] = {0, UP, DOWN, RIGHT, LEFT};
        if (turns(gObjectEvents[index].graphics))
            object_face(index, opposite[direction]);
        gSpecialVar_LastTalked = gObjectEvents[index].local_id;
        return trainer_or_script(object_template(index));
    }
    return sign && (!sign->kind || direction == UP) ? sign->script : 0;
}

static bool interact(void)
{
    u8 direction = gObjectEvents[PLAYER].facing & 15;
    const Command *script = faced_script(direction);
    if (!script)
        return false;
    gSpecialVar_Facing = direction;
    objects_freeze();
    script_start(script);
    script_update();
    return true;
}

void player_input(void)
{
    u8 direction = held_direction(), facing = gObjectEvents[PLAYER].facing & 15;
    if (object_busy(PLAYER))
        return;
    if (gMain.new_keys & KEY_A && interact())
        return;
    if (!direction) {
        gPlayerAvatar.running_state = NOT_MOVING;
    } else if (direction != facing && gPlayerAvatar.running_state != MOVING) {
        object_step(PLAYER, direction, STEP_TURN, FRAMES_8);
        gPlayerAvatar.running_state = TURNING;
    } else {
        try_step(direction);
    }
}

bool player_arrived(void)
{
    if (!stepping || object_busy(PLAYER))
        return false;
    stepping = false;
    return true;
}

/* Whether a floor gives way, or what is under it blows one up. */
static inline bool drops(u8 behaviour)
{
    return behaviour == MB_LAVARIDGE_GYM_1F_WARP || behaviour == MB_LAVARIDGE_GYM_B1F_WARP;
}

void player_step_done(void)
{
    Coords at = tile();
    const WarpEvent *warp = map_warp_at(at.x, at.y);
    const CoordEvent *trigger = map_trigger_at(at.x, at.y);
    u8 behaviour = map_behaviour(at.x, at.y);
    player_settle();
    stat_add(STAT_STEPS, 1);
    if (warp && (behaviour == MB_LADDER || behaviour == MB_ANIMATED_DOOR || (FULL && drops(behaviour)))) {
        use_warp(warp);
    } else if (trigger) {
        objects_freeze();
        script_start(trigger->script);
    } else if (!trainers_look() && !(DEMANDED(DEMAND_POISON) && poison_step()) && !(FULL && repel_step())) {
        encounter_step(behaviour);
    }
}
