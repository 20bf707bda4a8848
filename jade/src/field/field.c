#include "field/field.h"
#include "data/data.h"
#include "events/script.h"
#include "field/field_return.h"
#include "field/ground/camera.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "field/player.h"
#include "field/position.h"
#include "field/start_menu.h"
#include "field/warp.h"
#include "full/cave/darkness.h"
#include "full/mountain/boulders.h"
#include "full/poison.h"
#include "full/people/faces.h"
#include "full/people/wandering.h"
#include "save/blocks.h"
#include "save/clock.h"
#include "save/save.h"
#include "system/demands.h"
#include "system/scene.h"
#include "system/task.h"
#include "system/video.h"
#include "text/text.h"

static void field_update(void);

enum { LOADING_FRAMES = 30 };

static void (*after_return)(void);
static bool reloading;  /* the pictures of the map were overwritten */
static bool continuing; /* a saved game: the place is the saved one */

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
    task_stop(LABEL_TASK_EXIT_DOOR);
    task_stop(LABEL_TASK_EXIT_NON_DOOR);
    scene_set(field_update, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
    unlock();
}

static void show_map(void)
{
    blocks_move();
    tasks_reset();
    const WarpData *to = &gSaveBlock1Ptr->location;
    u8 behaviour = map_behaviour(to->x, to->y);
    bool up = to->warp < 0 || behaviour == MB_SOUTH_ARROW_WARP;
    if (FULL && continuing)
        boulders_as_saved();
    if (continuing) {
        behaviour = MB_NORMAL;
        object_put_player(gSaveBlock1Ptr->pos.x, gSaveBlock1Ptr->pos.y, gSaveBlock1Ptr->objects[PLAYER].facing & 15);
    } else {
        object_put_player(to->x, to->y, up ? UP : DOWN);
    }
    continuing = false;
    objects_spawn();
    player_settle();
    camera_reset();
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE | (FULL ? darkness_layer() : 0));
    fade_start(false);
    task_start(behaviour == MB_ANIMATED_DOOR ? LABEL_TASK_EXIT_DOOR : LABEL_TASK_EXIT_NON_DOOR);
    if (behaviour == MB_ANIMATED_DOOR)
        object_walk(PLAYER, "D");
    scene_set(arrive, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

/* In Emerald the screen stays black while the old map's music fades. */
static void wait_for_map(void)
{
    static u8 waited;
    if (++waited < LOADING_FRAMES)
        return;
    waited = 0;
    show_map();
}

static void load_map(void)
{
    save_forget_map();
    map_load(gSaveBlock1Ptr->location.group, gSaveBlock1Ptr->location.number);
    scene_set(DEMANDED(DEMAND_PACE) ? wait_for_map : show_map, LABEL_CB2_LOAD_MAP2, LABEL_NONE);
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

static void depart(void)
{
    sLockFieldControls = true;
    task_start(LABEL_TASK_WARP);
    fade_start(true);
    scene_set(fade_away, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

void field_warp(s8 group, s8 number, s8 warp)
{
    sWarpDestination = (WarpData) {group, number, warp, 0, 0, 0};
    depart();
}

void field_travel(s8 group, s8 number, s16 x, s16 y)
{
    sWarpDestination = (WarpData) {group, number, -1, 0, x, y};
    depart();
}

void field_new_game(u8 gender, const u8 *name)
{
    save_new_game(gender, name);
    sWarpDestination = new_game_place;
    sLockFieldControls = true;
    video_show(0);
    video_load_world();
    text_init();
    change_place();
}

void field_continue(void)
{
    gPlayerPartyCount = gSaveBlock1Ptr->party_count;
    memcpy(gPlayerParty, gSaveBlock1Ptr->party, sizeof gSaveBlock1Ptr->party);
    sPlayTimeCounterState = 1;
    sLockFieldControls = true;
    continuing = true;
    video_show(0);
    video_load_world();
    text_init();
    scene_set(load_map, LABEL_CB2_CONTINUE, LABEL_NONE);
}

void field_resume(void)
{
    scene_set(field_update, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

static void show_again(void)
{
    objects_update();
    camera_update();
    if (!fade_active())
        after_return();
}

/* One frame with the number of the function that comes back: the blocks have just moved. */
static void come_back(void)
{
    tasks_reset();
    text_clear();
    if (reloading) {
        video_load_world();
#if FULL
        faces_load();
#endif
        text_init();
        objects_redraw();
        camera_reset();
    }
    reloading = false;
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE | (FULL ? darkness_layer() : 0));
    fade_start(false);
    scene_set(show_again, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

void field_return(u32 callback2, void (*then)(void))
{
    after_return = then;
    blocks_move();
    scene_set(come_back, callback2, LABEL_NONE);
}

void field_return_reloaded(u32 callback2, void (*then)(void))
{
    reloading = true;
    video_show(0);
    field_return(callback2, then);
}

void field_white_out(void)
{
    sWarpDestination = gSaveBlock1Ptr->last_heal;
    sLockFieldControls = true;
    video_show(0);
    video_load_world();
    text_init();
    change_place();
}

static void field_update(void)
{
    clock_new_days();
    if (script_running())
        script_update();
    else if (gMain.new_keys & KEY_START && !object_busy(PLAYER))
        start_menu_open();
    else
        player_input();
    if (FULL)
        people_wander();
    objects_update();
    if (player_arrived())
        player_step_done();
    if (FULL)
        poison_update();
    camera_update();
}
