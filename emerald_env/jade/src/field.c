#include "field.h"
#include "camera.h"
#include "data.h"
#include "map.h"
#include "object.h"
#include "player.h"
#include "save.h"
#include "scene.h"
#include "text.h"
#include "video.h"

static void field_update(void);

static void unlock(void)
{
    sLockFieldControls = false;
    if (map_scripts()->enter)
        script_start(map_scripts()->enter);
}

/* After the fade: out of the door, then the map's own script. */
static void arrive(void)
{
    objects_update();
    camera_update();
    if (fade_active() || object_busy(PLAYER))
        return;
    player_settle();
    scene_set(field_update, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
    unlock();
}

static void show_map(void)
{
    const WarpData *to = &gSaveBlock1Ptr->location;
    u8 behaviour = map_behaviour(to->x, to->y);
    bool up = to->warp < 0 || behaviour == MB_SOUTH_ARROW_WARP;
    object_put_player(to->x, to->y, up ? UP : DOWN);
    objects_spawn();
    player_settle();
    camera_reset();
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE);
    fade_start(false);
    if (behaviour == MB_ANIMATED_DOOR) {
        object_walk(PLAYER, "D");
        camera_follow(DOWN, 2);
    }
    scene_set(arrive, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

static void load_map(void)
{
    map_load(gSaveBlock1Ptr->location.group, gSaveBlock1Ptr->location.number);
    scene_set(show_map, LABEL_CB2_LOAD_MAP2, LABEL_NONE);
}

/* As in Emerald the place is new one frame before the grid is. */
static void change_place(void)
{
    const WarpEvent *warps;
    gLastUsedWarp = gSaveBlock1Ptr->location;
    gSaveBlock1Ptr->location = sWarpDestination;
    WarpData *to = &gSaveBlock1Ptr->location;
    warps = map_find(to->group, to->number)->events->warps;
    if (to->warp >= 0) {
        to->x = warps[(u8) to->warp].x;
        to->y = warps[(u8) to->warp].y;
    }
    gSaveBlock1Ptr->pos = (Coords) {to->x, to->y};
    scene_set(load_map, LABEL_CB2_LOAD_MAP, LABEL_NONE);
}

static void fade_away(void)
{
    objects_update();
    camera_update();
    if (!fade_active())
        change_place();
}

void field_warp(s8 group, s8 number, s8 warp)
{
    sWarpDestination = (WarpData) {group, number, warp, 0, 0, 0};
    sLockFieldControls = true;
    fade_start(true);
    scene_set(fade_away, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

void field_new_game(void)
{
    save_new_game();
    sWarpDestination = new_game_place;
    sLockFieldControls = true;
    video_show(0);
    video_load_world();
    text_init();
    change_place();
}

static void field_update(void)
{
    if (script_running())
        script_update();
    else
        player_input();
    objects_update();
    if (player_arrived())
        player_step_done();
    camera_update();
}
