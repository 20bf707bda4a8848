/* What a new game tells before it begins. */
#include "data.h"
#include "emerald.h"
#include "field.h"
#include "message.h"
#include "scene.h"
#include "video.h"

static void begin(void)
{
    field_new_game();
}

static void leave(void)
{
    if (!fade_active()) {
        message_close();
        sGlobalScriptContext.mode = 0;
        scene_set(begin, LABEL_CB2_NEW_GAME, LABEL_NONE);
    }
}

static void talk(void)
{
    if (!fade_active() && message_update()) {
        fade_start(true);
        scene_set(leave, LABEL_CB2_MAIN_MENU, LABEL_NONE);
    }
}

void scene_intro(void)
{
    video_show(LAYER_TEXT);
    message_start(intro_text);
    fade_start(false);
    scene_set(talk, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}
