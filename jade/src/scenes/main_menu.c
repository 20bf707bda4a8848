/* What comes after the title: the saved game, or a new one. */
#include "field/field.h"
#include "system/emerald.h"
#include "system/scene.h"
#include "system/video.h"
#include "text/menu.h"

enum { CONTINUE, NEW_GAME, SAVED = 1 };

static const Window window = {5, 3, 12, 4, 0x100}, about = {5, 10, 20, 4, 0x140};
static const char *const labels[] = {"Continue", "New game"};
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
    fade_start(true);
    scene_set(leave, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}

void scene_main_menu(void)
{
    if (gSaveFileStatus != SAVED) {
        scene_intro();
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
