/* What a new game tells and asks before it begins: who is playing? */
#include "data/data.h"
#include "field/field.h"
#include "scenes/naming.h"
#include "system/emerald.h"
#include "system/scene.h"
#include "system/video.h"
#include "text/menu.h"
#include "text/message.h"
#include "text/text.h"

enum { CREATURE = 283, CREATURE_X = 88, CREATURE_Y = 36 };

static const Window genders = {4, 4, 7, 4, 0x220};
static u8 gender, name[8];

static void begin(void)
{
    static const char *const defaults[] = {"ROBIN", "WREN"};
    if (name[0] == CODE_END)
        text_encode(name, defaults[gender], sizeof name);
    field_new_game(gender, name);
}

static void leave(void)
{
    sGlobalScriptContext.mode = 0;
    scene_set(begin, LABEL_CB2_NEW_GAME, LABEL_NONE);
}

static void ask_name(void)
{
    if (!fade_active()) {
        message_close();
        naming_open("YOUR NAME?", name, leave);
    }
}

static void choose_gender(void)
{
    s32 choice = choice_update();
    if (choice < 0)
        return;
    gender = choice;
    choice_close();
    fade_start(true);
    scene_set(ask_name, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}

static void ask_gender(void)
{
    static const char *const labels[] = {"Boy", "Girl"};
    message_update();
    if (!message_printed())
        return;
    choice_open(&genders, labels, ARRAY_COUNT(labels), 0);
    scene_set(choose_gender, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}

static void talk(void)
{
    if (!fade_active() && message_update()) {
        message_start("And who are you? A boy? Or a girl?");
        scene_set(ask_gender, LABEL_CB2_MAIN_MENU, LABEL_NONE);
    }
}

void scene_intro(void)
{
    text_init();
    video_load_battle(false);
    video_load_creature(0, CREATURE, false);
    sprites_begin();
    sprite_add_creature(CREATURE_X, CREATURE_Y, 0, false);
    sprites_end();
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE);
    message_start(intro_text);
    fade_start(false);
    scene_set(talk, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}
