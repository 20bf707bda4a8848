/* What comes after the title: the saved game, or a new one. */
#include "field/field.h"
#include "screens/screens.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/scene.h"
#include "system/video.h"
#include "text/menu.h"

enum { CONTINUE, NEW_GAME, OPTION, ENTRIES = FULL ? 3 : 2, SAVED = 1 };

static const Window window = {5, 3, 12, 2 * ENTRIES, 0x100};
static const Window about = {5, FULL ? 12 : 10, 20, 4, FULL ? 0x180 : 0x140};
static const char *const labels[] = {
    "Continue",
    "New game",
#if FULL
    "Option",
#endif
};
static s32 choice;

static void leave(void)
{
    if (fade_active())
        return;
    text_clear();
    if (choice == NEW_GAME)
        scene_set(scene_intro, LABEL_CB2_MAIN_MENU, LABEL_NONE);
    else
        field_continue();
}

static void choose(void)
{
    if (fade_active())
        return;
    choice = choice_update();
    if (choice < 0)
        return;
#if FULL
    if (gSaveFileStatus != SAVED)
        choice += NEW_GAME;
    if (choice == OPTION) {
        screen_open(&option_screen, scene_main_menu);
        return;
    }
#endif
    fade_start(true);
    scene_set(leave, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}

#if FULL
/* Without a saved game: a new one, or the options. */
static void open_fresh(void)
{
    static const Window fresh = {5, 3, 12, 2 * (ENTRIES - NEW_GAME), 0x100};
    video_show(LAYER_TEXT);
    text_clear();
    choice_open(&fresh, labels + NEW_GAME, ENTRIES - NEW_GAME, 0);
    fade_start(false);
    scene_set(choose, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}
#endif

void scene_main_menu(void)
{
    if (gSaveFileStatus != SAVED) {
#if FULL
        open_fresh();
#else
        scene_intro();
#endif
        return;
    }
    const SaveBlock2 *block = gSaveBlock2Ptr;
    video_show(LAYER_TEXT);
    text_clear();
    choice_open(&window, labels, ARRAY_COUNT(labels), CONTINUE);
    window_open(&about);
    window_codes(&about, 4, 2, block->name);
    window_text(&about, 4, 17, "Time");
    window_number(&about, 80, 17, block->hours);
    window_text(&about, 82, 17, ":");
    if (block->minutes < 10)
        window_text(&about, 88, 17, "0");
    window_number(&about, 102, 17, block->minutes);
    fade_start(false);
    scene_set(choose, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}
