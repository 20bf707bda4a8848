#include "events/script.h"
#include "battle/after_battle.h"
#include "battle/battle.h"
#include "creatures/pokemon.h"
#include "field/field_return.h"
#include "field/ground/object.h"
#include "field/warp.h"
#include "full/west/catching.h"
#include "save/bag.h"
#include "save/save.h"
#include "system/demands.h"
#include "text/menu.h"
#include "text/message.h"
#include "text/screen.h"
#include "text/text.h"

enum { STATUS_RUNNING = 0, STATUS_WAITING = 1, STATUS_SHUTDOWN = 2 };
enum { MODE_STOPPED = 0, MODE_BYTECODE = 1 };

enum Waiting { FOR_NOTHING, FOR_BUTTON, FOR_PRINTING, FOR_ANSWER, FOR_WALK, FOR_FUNCTION, FOR_SCREEN, FOR_PAUSE };

static struct {
    const Command *next;
    enum Waiting waiting;
    bool box_open, asking;
    u8 cursor; /* of the answers */
    u8 walking; /* who we wait for */
    bool (*function)(void);
} script;

#if FULL
static u16 pause;
#endif

static void set_status(u8 status, u8 mode)
{
    sGlobalScriptContextStatus = status;
    sGlobalScriptContext.mode = mode;
    sGlobalScriptContext.script = script.next;
    sLockFieldControls = status != STATUS_SHUTDOWN;
}

void script_start(const Command *start)
{
    script.next = start;
    script.waiting = FOR_NOTHING;
    script.box_open = false;
    set_status(STATUS_RUNNING, MODE_BYTECODE);
}

bool script_running(void)
{
    return script.next != 0;
}

static void say(const Command *command)
{
    message_start(command->p);
    script.box_open = true;
    script.asking = command->op == OP_ASK;
    script.cursor = command->a;
    script.waiting = command->op == OP_SAY ? FOR_BUTTON : FOR_PRINTING;
    sGlobalScriptContextStatus = STATUS_WAITING;
}

static void close_box(void)
{
    if (script.box_open)
        message_close();
    script.box_open = false;
}

/* Commands that change something and never wait. */
static void change(const Command *command)
{
    switch (command->op) {
    case OP_SET_FLAG: flag_set(command->a); break;
    case OP_CLEAR_FLAG: flag_clear(command->a); break;
    case OP_SET_VAR: var_set(command->a, command->b); break;
    case OP_GIVE_ITEM: gSpecialVar_Result = bag_add(command->a, command->b); break;
    case OP_TAKE_ITEM: bag_remove(command->a, command->b); break;
    case OP_GIVE_MON: party_add(command->a, command->b, command->p); break;
    case OP_FACE: object_face(object_find(command->who), command->a); break;
    case OP_HIDE: object_hide(command->who == WHO_TALKED ? gSpecialVar_LastTalked : command->who); break;
    case OP_SHOW: object_show(command->who); break;
    case OP_PLACE: object_place(command->who, command->a, command->b); break;
    case OP_CALL: ((void (*)(void)) command->p)(); break;
    }
}

/* The command after a jump that is taken, or null. */
static const Command *jump(const Command *command)
{
    bool taken = false;
    switch (command->op) {
    case OP_GOTO: taken = true; break;
    case OP_IF_FLAG: taken = flag_get(command->a); break;
    case OP_IF_NOT_FLAG: taken = !flag_get(command->a); break;
    case OP_IF_VAR_BELOW: taken = var_get(command->a) < command->b; break;
    case OP_IF_NO: taken = !gSpecialVar_Result; break;
    case OP_IF_DEMAND: taken = demands[command->a]; break;
    case OP_IF_FACING: taken = gSpecialVar_Facing == command->a; break;
    }
    return taken ? command->p : 0;
}

static void finish(void)
{
    close_box();
    script.next = 0;
    set_status(STATUS_SHUTDOWN, MODE_STOPPED);
    objects_unfreeze();
}

void script_go_on(void)
{
    field_resume();
    script.waiting = FOR_NOTHING;
    set_status(STATUS_RUNNING, MODE_BYTECODE);
}

static void return_from_screen(void)
{
    field_return(LABEL_CB2_RETURN_TO_SCRIPT, script_go_on);
}

static void return_from_pictures(void)
{
    field_return_reloaded(LABEL_CB2_RETURN_TO_SCRIPT, script_go_on);
}

void script_abandon(void)
{
    script.next = 0;
    script.box_open = false;
    script.waiting = FOR_NOTHING;
    set_status(STATUS_SHUTDOWN, MODE_STOPPED);
    objects_unfreeze();
}

/* Starts what takes its time. */
static void begin_waiting(const Command *command)
{
    switch (command->op) {
    case OP_SAY:
    case OP_ASK:
    case OP_NOTE:
        say(command);
        break;
    case OP_WALK:
        close_box();
        script.walking = command->who;
        script.waiting = FOR_WALK;
        object_walk(object_find(command->who), command->p);
        break;
    case OP_WAIT:
        script.function = (bool (*)(void)) command->p;
        script.waiting = FOR_FUNCTION;
        break;
#if FULL
    case OP_PAUSE:
        close_box();
        pause = command->a;
        script.waiting = FOR_PAUSE;
        break;
#endif
#if FULL
    case OP_CATCHING:
        close_box();
        script.waiting = FOR_SCREEN;
        catching_begin(command->a, command->b);
        break;
#endif
    case OP_SCREEN:
        close_box();
        script.waiting = FOR_SCREEN;
        screen_open(command->p, ((const Screen *) command->p)->pictures ? return_from_pictures : return_from_screen);
        break;
    case OP_FIRST_BATTLE:
        close_box();
        script.waiting = FOR_SCREEN;
        battle_for_birch(command->a, command->b, battle_return_first);
        break;
    case OP_BATTLE:
        close_box();
        script.waiting = FOR_SCREEN;
        battle_trainer(command->p, battle_return_script);
        break;
    }
}

/* The script is over; the player goes elsewhere. */
static void travel(const Command *command)
{
    close_box();
    script_abandon();
    field_travel(command->who, command->a, command->b, command->c);
}

/* One command; true where the script has to wait. */
static bool step(void)
{
    const Command *command = script.next++;
    const Command *target = jump(command);
    if (target) {
        script.next = target;
        return false;
    }
    if (command->op == OP_END) {
        finish();
        return true;
    }
    if (command->op == OP_WARP) {
        travel(command);
        return true;
    }
    change(command);
    begin_waiting(command);
    return script.waiting != FOR_NOTHING;
}

static bool answered(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return false;
    gSpecialVar_Result = choice == 0;
    choice_close();
    return true;
}

static bool printed(void)
{
    message_update();
    if (!message_printed())
        return false;
    if (script.asking) {
        yes_no_open(script.cursor);
        script.waiting = FOR_ANSWER;
        return false;
    }
    return true;
}

/* One frame of waiting; true when it is over. */
static bool waited(void)
{
    switch (script.waiting) {
    case FOR_BUTTON: return message_update();
    case FOR_PRINTING: return printed();
    case FOR_ANSWER: return answered();
    case FOR_WALK: return !object_busy(object_find(script.walking));
    case FOR_FUNCTION: return script.function();
#if FULL
    case FOR_PAUSE: return !pause || !--pause;
#endif
    case FOR_SCREEN: return false;
    default: return true;
    }
}

void script_update(void)
{
    if (script.waiting != FOR_NOTHING) {
        if (!waited())
            return;
        script.waiting = FOR_NOTHING;
        set_status(STATUS_RUNNING, MODE_BYTECODE);
    }
    while (!step())
        ;
}

void script_run_silently(const Command *start)
{
    for (const Command *command = start; command->op != OP_END;) {
        const Command *target = jump(command);
        if (!target)
            change(command);
        command = target ? target : command + 1;
    }
}
