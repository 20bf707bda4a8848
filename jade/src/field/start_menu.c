#include "field/start_menu.h"
#include "events/script.h"
#include "field/field_move.h"
#include "field/field_return.h"
#include "field/ground/camera.h"
#include "field/ground/object.h"
#include "save/flash.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/scene.h"
#include "system/task.h"
#include "text/menu.h"

enum { FLAG_POKEDEX_GET = 0x861, FLAG_POKEMON_GET = 0x860, FLAG_POKENAV_GET = 0x862, MAX_ENTRIES = FULL ? 8 : 7 };

static void show_dex(void);
static void show_party(void);
static void show_bag(void);
static void show_nav(void);
static void show_card(void);
static void save_game(void);
#if FULL
static void show_options(void);
#endif
static void leave(void);

typedef struct {
    const char *label;
    u16 flag; /* that must be set, or 0 */
    void (*choose)(void);
} Entry;

static const Entry entries[MAX_ENTRIES] = {
    {"Pokedex", FLAG_POKEDEX_GET, show_dex},
    {"Party", FLAG_POKEMON_GET, show_party},
    {"Bag", 0, show_bag},
    {"PokeNav", FLAG_POKENAV_GET, show_nav},
    {"Card", 0, show_card},
    {"Save", 0, save_game},
#if FULL
    {"Option", 0, show_options},
#endif
    {"Exit", 0, leave},
};

static const Entry *shown[MAX_ENTRIES];

/* ---- saving: a script like any other ---- */

static const Command keep_playing[] = {END};
static const Command saving[] = {
    ASK("Would you like to save the game?"),
    IF_NO(keep_playing),
    NOTE("Saving... Please leave the power on."),
    CALL(flash_save_start),
    WAIT(flash_save_step),
    SAY("{P} saved the game."),
    END,
};

static void update(void)
{
    objects_update();
    camera_update();
    s32 choice = choice_update();
    sStartMenuCursorPos = choice_cursor();
    if (gMain.new_keys & KEY_START)
        choice = CHOICE_BACK;
    if (choice >= 0)
        shown[choice]->choose();
    else if (choice == CHOICE_BACK)
        leave();
}

void start_menu_open(void)
{
    static Window window = {22, 1, 7, 0, 0x220};
    const char *labels[MAX_ENTRIES];
    u8 count = 0;
    for (u8 i = 0; i < MAX_ENTRIES; ++i) {
        if (entries[i].flag && !flag_get(entries[i].flag))
            continue;
        labels[count] = entries[i].label;
        shown[count++] = &entries[i];
    }
    window.height = 2 * count;
    sLockFieldControls = true;
    gMenuCallback = LABEL_START_MENU_INPUT;
    objects_freeze();
    task_start(LABEL_TASK_START_MENU);
    choice_open(&window, labels, count, sStartMenuCursorPos);
    scene_set(update, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

static void close(void)
{
    choice_close();
    task_stop(LABEL_TASK_START_MENU);
}

static void leave(void)
{
    close();
    objects_unfreeze();
    sLockFieldControls = false;
    field_resume();
}

static void save_game(void)
{
    close();
    stat_add(STAT_SAVED_GAME, 1);
    field_resume();
    script_start(saving);
}

void start_menu_back(void)
{
    field_return(LABEL_CB2_RETURN_WITH_MENU, start_menu_open);
}

/* The menu again, or the map, where a move of the field was chosen. */
static void go_on(void)
{
    const Command *script = field_move_chosen();
    if (!script) {
        start_menu_open();
        return;
    }
    field_resume();
    script_start(script);
}

void start_menu_back_reloaded(void)
{
    field_return_reloaded(LABEL_CB2_RETURN_WITH_MENU, go_on);
}

static void show(const Screen *screen)
{
    task_stop(LABEL_TASK_START_MENU);
    screen_open(screen, screen->pictures ? start_menu_back_reloaded : start_menu_back);
}

static void show_dex(void)
{
    show(&dex_screen);
}

static void show_party(void)
{
    show(&party_screen);
}

static void show_bag(void)
{
    show(&bag_screen);
}

static void show_nav(void)
{
    show(&nav_screen);
}

static void show_card(void)
{
    show(&card_screen);
}

#if FULL
static void show_options(void)
{
    show(&option_screen);
}
#endif
