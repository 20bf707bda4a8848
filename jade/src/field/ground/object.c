#include "field/ground/object.h"
#include "art/assets.h"
#include "field/ground/map.h"
#include "field/position.h"
#include "full/people/faces.h"
#include "save/save.h"
#include "system/demands.h"
#include "system/video.h"

enum { SIGHT_X = 9, SIGHT_Y = 8 };
enum { DROPS = 14, DROP_TILE = 1020, RAIN_PERIOD = 4 };
enum { TILE = 16, TUFT_TILE = 1016, TUFT_PALETTE = 15, JUMP_HEIGHT = 10 };
enum { STILL, TURNING, WALKING, JUMPING };

/* What Emerald keeps in sprites: how far a step has come. */
static struct {
    u8 action, frame, duration, other_leg, wait; /* a step has 2^duration frames */
    const char *steps;
} motions[OBJECT_COUNT];

static bool redraw;
static u8 used; /* no object is active from this index on */

bool direction_step(u8 direction, s32 *x, s32 *y)
{
    *x += direction == RIGHT ? 1 : direction == LEFT ? -1 : 0;
    *y += direction == DOWN ? 1 : direction == UP ? -1 : 0;
    return direction != 0;
}

static void set_position(ObjectEvent *object, s32 x, s32 y)
{
    object->current = object->previous = object->initial = (Coords) {x + BORDER, y + BORDER};
    object->behaviour = object->previous_behaviour = map_behaviour(x, y);
}

static void set_facing(ObjectEvent *object, u8 direction)
{
    object->facing = direction | direction << 4;
}

static void spawn(const ObjectTemplate *from)
{
    u8 index = 1;
    while (index < OBJECT_COUNT && gObjectEvents[index].flags[0] & OBJECT_ACTIVE)
        ++index;
    if (index == OBJECT_COUNT)
        return;
    ObjectEvent *object = &gObjectEvents[index];
    memset(object, 0, sizeof *object);
    memset(&motions[index], 0, sizeof motions[index]);
    if (index >= used)
        used = index + 1;
    object->flags[0] = OBJECT_ACTIVE;
    object->local_id = from->local_id;
    object->graphics = from->graphics;
    object->movement_type = from->movement;
    object->map_group = gSaveBlock1Ptr->location.group;
    object->map_number = gSaveBlock1Ptr->location.number;
    object->elevations = 0x33;
    set_position(object, from->x, from->y);
    set_facing(object, from->range ? from->range : DOWN);
    if (FULL && from->movement == WANDER_AROUND) {
        object->range = from->range;
        set_facing(object, DOWN);
    }
}

void objects_spawn(void)
{
    for (u8 i = 1; i < OBJECT_COUNT; ++i)
        gObjectEvents[i].flags[0] = 0;
    used = PLAYER + 1;
#if FULL
    faces_load();
#endif
    for (u8 i = 0; i < gMapHeader.events->object_count; ++i) {
        const ObjectTemplate *from = &gSaveBlock1Ptr->templates[i];
        if (!from->flag || !flag_get(from->flag))
            spawn(from);
    }
    redraw = true;
}

void object_put_player(s32 x, s32 y, u8 direction)
{
    ObjectEvent *player = &gObjectEvents[PLAYER];
    memset(player, 0, sizeof *player);
    memset(&motions[PLAYER], 0, sizeof motions[PLAYER]);
    player->flags[0] = OBJECT_ACTIVE;
    player->flags[1] = OBJECT_CAMERA;
    player->flags[2] = OBJECT_PLAYER;
    player->local_id = 0xFF;
    player->graphics = gSaveBlock2Ptr->gender ? LOOK_GIRL_PLAYER : LOOK_PLAYER;
    player->map_group = gSaveBlock1Ptr->location.group;
    player->map_number = gSaveBlock1Ptr->location.number;
    player->elevations = 0x33;
    set_position(player, x, y);
    set_facing(player, direction);
    gPlayerAvatar.flags = 1;
    gPlayerAvatar.object = PLAYER;
    gPlayerAvatar.gender = gSaveBlock2Ptr->gender;
    redraw = true;
}

u8 object_find(u8 who)
{
    for (u8 i = 0; i < used; ++i)
        if (gObjectEvents[i].flags[0] & OBJECT_ACTIVE && gObjectEvents[i].local_id == who)
            return i;
    return NO_OBJECT;
}

u8 object_at(s32 x, s32 y)
{
    for (u8 i = 0; i < used; ++i) {
        const ObjectEvent *object = &gObjectEvents[i];
        if (object->flags[0] & OBJECT_ACTIVE && object->current.x == x + BORDER && object->current.y == y + BORDER)
            return i;
    }
    return NO_OBJECT;
}

void object_face(u8 index, u8 direction)
{
    if (index == NO_OBJECT)
        return;
    set_facing(&gObjectEvents[index], direction);
    redraw = true;
}

static ObjectTemplate *template_of(u8 who)
{
    for (u8 i = 0; i < gMapHeader.events->object_count; ++i)
        if (gSaveBlock1Ptr->templates[i].local_id == who)
            return &gSaveBlock1Ptr->templates[i];
    return 0;
}

const ObjectTemplate *object_template(u8 index)
{
    return template_of(gObjectEvents[index].local_id);
}

void object_hide(u8 who)
{
    const ObjectTemplate *from = template_of(who);
    u8 index = object_find(who);
    if (from && from->flag)
        flag_set(from->flag);
    if (index != NO_OBJECT)
        gObjectEvents[index].flags[0] = 0;
    redraw = true;
}

void object_show(u8 who)
{
    const ObjectTemplate *from = template_of(who);
    if (!from)
        return;
    flag_clear(from->flag);
    if (object_find(who) == NO_OBJECT)
        spawn(from);
    redraw = true;
}

void object_place(u8 who, s32 x, s32 y)
{
    ObjectTemplate *from = template_of(who);
    if (from) {
        from->x = x;
        from->y = y;
    }
}

void object_step(u8 index, u8 direction, Step step, u8 duration)
{
    ObjectEvent *object = &gObjectEvents[index];
    s32 x = 0, y = 0;
    set_facing(object, direction);
    motions[index].action = TURNING + step;
    motions[index].frame = 0;
    motions[index].duration = duration;
    motions[index].other_leg ^= 1;
    object->flags[0] |= OBJECT_HELD;
    object->flags[0] &= ~OBJECT_HELD_DONE;
    object->previous = object->current;
    if (step != STEP_TURN) {
        direction_step(direction, &x, &y);
        object->current.x += step == STEP_JUMP ? 2 * x : x;
        object->current.y += step == STEP_JUMP ? 2 * y : y;
    }
    object->previous_behaviour = object->behaviour;
    object->behaviour = map_behaviour(object->current.x - BORDER, object->current.y - BORDER);
    redraw = true;
}

void object_walk(u8 index, const char *steps)
{
    if (index != NO_OBJECT)
        motions[index].steps = steps;
}

bool object_busy(u8 index)
{
    return index != NO_OBJECT && (motions[index].action != STILL || motions[index].steps);
}

bool object_scripted(u8 index)
{
    return motions[index].steps != 0;
}

static u8 letter_direction(char letter)
{
    return letter == 'U' ? UP : letter == 'D' ? DOWN : letter == 'L' ? LEFT : RIGHT;
}

/* The next step of a scripted walk; a step onto somebody is left out. */
static void walk_on(u8 index)
{
    ObjectEvent *object = &gObjectEvents[index];
    s32 x = object->current.x - BORDER, y = object->current.y - BORDER;
    u8 direction = letter_direction(*motions[index].steps);
    if (!*motions[index].steps) {
        motions[index].steps = 0;
        return;
    }
    ++motions[index].steps;
    direction_step(direction, &x, &y);
    if (object_at(x, y) == NO_OBJECT)
        object_step(index, direction, STEP_WALK, FRAMES_16);
}

/* What somebody does who stands still: goes on with a walk, or looks around. */
static void think(u8 index)
{
    ObjectEvent *object = &gObjectEvents[index];
    if (motions[index].steps) {
        walk_on(index);
    } else if (object->movement_type == LOOK_AROUND && !(object->flags[1] & OBJECT_FROZEN)) {
        if (motions[index].wait == 0) {
            object_face(index, DOWN + (random16() & 3));
            motions[index].wait = 32 + (random16() & 0x7F);
        }
        --motions[index].wait;
    }
}

static void move(u8 index)
{
    ObjectEvent *object = &gObjectEvents[index];
    redraw = true;
    if (++motions[index].frame < 1 << motions[index].duration)
        return;
    motions[index].action = STILL;
    object->previous = object->current;
    object->flags[0] &= ~OBJECT_HELD;
    object->flags[0] |= OBJECT_HELD_DONE;
    if (index == PLAYER && motions[index].steps)
        player_settle();
}

void objects_update(void)
{
    for (u8 i = 0; i < used; ++i) {
        if (!(gObjectEvents[i].flags[0] & OBJECT_ACTIVE))
            continue;
        if (motions[i].action != STILL)
            move(i);
        if (motions[i].action == STILL)
            think(i);
    }
}

void objects_freeze(void)
{
    for (u8 i = 0; i < OBJECT_COUNT; ++i)
        gObjectEvents[i].flags[1] |= OBJECT_FROZEN;
}

void objects_unfreeze(void)
{
    for (u8 i = 0; i < OBJECT_COUNT; ++i)
        gObjectEvents[i].flags[1] &= ~OBJECT_FROZEN;
}

Coords object_pixels(u8 index)
{
    const ObjectEvent *object = &gObjectEvents[index];
    s32 x = (object->current.x - BORDER) * TILE, y = (object->current.y - BORDER) * TILE;
    if (motions[index].action >= WALKING) {
        u8 duration = motions[index].duration;
        s32 left = (1 << duration) - motions[index].frame;
        x -= (object->current.x - object->previous.x) * TILE * left >> duration;
        y -= (object->current.y - object->previous.y) * TILE * left >> duration;
    }
    return (Coords) {x, y};
}

static u8 picture_of(u8 index)
{
    enum { FRAME_DOWN = 0, FRAME_UP = 2, FRAME_SIDE = 4 };
    u8 facing = gObjectEvents[index].facing & 15;
    bool stepping = motions[index].action != STILL && motions[index].frame < 1 << motions[index].duration >> 1;
    if (facing == DOWN || facing == UP)
        return (facing == DOWN ? FRAME_DOWN : FRAME_UP) + stepping;
    return FRAME_SIDE + (stepping ? 1 + motions[index].other_leg : 0);
}

/* Only scripts take the player to sea: there he sits in the boat. */
static u8 look_of(u8 index)
{
    const ObjectEvent *object = &gObjectEvents[index];
    return index == PLAYER && object->behaviour == MB_OCEAN_WATER ? LOOK_BOAT : object->graphics;
}

static void draw(u8 index, s32 x, s32 y)
{
    const ObjectEvent *object = &gObjectEvents[index];
    u8 facing = object->facing & 15, picture = picture_of(index);
    u8 look = look_of(index);
    bool flip = facing == RIGHT || ((picture == 1 || picture == 3) && motions[index].other_leg);
    s32 lift = 0;
    if (motions[index].action == JUMPING) {
        s32 frame = motions[index].frame, duration = motions[index].duration;
        lift = 4 * JUMP_HEIGHT * frame * ((1 << duration) - frame) >> 2 * duration;
    } else if (object->behaviour == MB_TALL_GRASS) {
        sprite_add(x, y, TUFT_TILE, TUFT_PALETTE, false, false);
    }
    if (FULL && look == LOOK_ROCK)
        sprite_add(x, y - TILE, LOOK_ROCK * LOOK_FRAMES * FRAME_TILES, rock_palette, true, false);
    else
        sprite_add(x, y - TILE - lift, (SLOT_OF(look) * LOOK_FRAMES + picture) * FRAME_TILES,
                   PALETTE_OF(look), true, flip);
}

/* Whether somebody is so near to the player that he may be on the screen: in tiles, before pixels are asked for. */
static bool near(const ObjectEvent *object)
{
    Coords player = gObjectEvents[PLAYER].current;
    u32 x = object->current.x - player.x + SIGHT_X, y = object->current.y - player.y + SIGHT_Y;
    return x <= 2 * SIGHT_X && y <= 2 * SIGHT_Y;
}

/* Drops fall aslant, each from another height; they are in front of everybody. */
static void draw_rain(void)
{
    u32 time = gMain.vblank_counter1 / RAIN_PERIOD;
    for (u32 i = 0; i < DROPS; ++i) {
        u32 fallen = time * 20 + i * 53;
        sprite_add((i * 97 + 256 - fallen / 4 % 256) % 256 - 8, fallen % 192 - 16, DROP_TILE, TUFT_PALETTE, false, false);
    }
}

/* Who stands further down is in front; who is far from the screen is left out. */
void objects_draw(s32 camera_x, s32 camera_y)
{
    u8 order[OBJECT_COUNT], count = 0;
    Coords at[OBJECT_COUNT];
    bool rain = gMapHeader.weather == WEATHER_RAIN;
    if (!redraw && !(rain && gMain.vblank_counter1 % RAIN_PERIOD == 0))
        return;
    redraw = false;
    for (u8 i = 0; i < used; ++i) {
        if (!(gObjectEvents[i].flags[0] & OBJECT_ACTIVE) || !near(&gObjectEvents[i]))
            continue;
        at[i] = object_pixels(i);
        at[i].x -= camera_x;
        at[i].y -= camera_y;
        if (at[i].x <= -TILE || at[i].x >= SCREEN_WIDTH || at[i].y <= -TILE || at[i].y >= SCREEN_HEIGHT + TILE)
            continue;
        u8 place = count++;
        for (; place > 0 && at[order[place - 1]].y < at[i].y; --place)
            order[place] = order[place - 1];
        order[place] = i;
    }
    sprites_begin();
    if (rain)
        draw_rain();
    for (u8 i = 0; i < count; ++i)
        draw(order[i], at[order[i]].x, at[order[i]].y);
    sprites_end();
}

void objects_redraw(void)
{
    redraw = true;
}

void objects_shift(Coords shift)
{
    ObjectEvent *player = &gObjectEvents[PLAYER];
    Coords *all[] = {&player->current, &player->previous, &player->initial};
    for (u32 i = 0; i < ARRAY_COUNT(all); ++i) {
        all[i]->x += shift.x;
        all[i]->y += shift.y;
    }
}
