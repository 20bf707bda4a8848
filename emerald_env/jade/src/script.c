#include "script.h"
#include "message.h"
#include "object.h"
#include "pokemon.h"
#include "save.h"
#include "text.h"

enum { STATUS_RUNNING = 0, STATUS_WAITING = 1, STATUS_SHUTDOWN = 2 };
enum { MODE_STOPPED = 0, MODE_BYTECODE = 1 };

static struct {
    const Command *next;
    bool talking, box_open;
    u8 walking; /* who we wait for, or 0xFE */
} script;

enum { NOBODY = 0xFE };

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
    script.talking = script.box_open = false;
    script.walking = NOBODY;
    set_status(STATUS_RUNNING, MODE_BYTECODE);
}

bool script_running(void)
{
    return script.next != 0;
}

static void say(const char *text)
{
    message_start(text);
    script.talking = script.box_open = true;
    sGlobalScriptContextStatus = STATUS_WAITING;
}

static void give_item(u16 item, u16 count)
{
    bag_add(item, count);
}

/* Commands that change something and never wait. */
static void change(const Command *command)
{
    switch (command->op) {
    case OP_SET_FLAG: flag_set(command->a); break;
    case OP_CLEAR_FLAG: flag_clear(command->a); break;
    case OP_SET_VAR: var_set(command->a, command->b); break;
    case OP_GIVE_ITEM: give_item(command->a, command->b); break;
    case OP_GIVE_MON: party_add(command->a, command->b, command->p); break;
    case OP_FACE: object_face(object_find(command->who), command->a); break;
    case OP_HIDE: object_hide(command->who); break;
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
    case OP_IF_FACING: taken = gSpecialVar_Facing == command->a; break;
    }
    return taken ? command->p : 0;
}

static void finish(void)
{
    if (script.box_open)
        message_close();
    script.next = 0;
    script.box_open = false;
    set_status(STATUS_SHUTDOWN, MODE_STOPPED);
    objects_unfreeze();
}

/* One command; true where the script has to wait. */
static bool step(void)
{
    const Command *command = script.next++;
    const Command *target = jump(command);
    if (target) {
        script.next = target;
    } else if (command->op == OP_END) {
        finish();
        return true;
    } else if (command->op == OP_SAY) {
        say(command->p);
        return true;
    } else if (command->op == OP_WALK) {
        if (script.box_open)
            message_close();
        script.box_open = false;
        script.walking = command->who;
        object_walk(object_find(command->who), command->p);
        return true;
    } else {
        change(command);
    }
    return false;
}

void script_update(void)
{
    if (script.talking) {
        if (!message_update())
            return;
        script.talking = false;
        set_status(STATUS_RUNNING, MODE_BYTECODE);
    }
    if (script.walking != NOBODY) {
        if (object_busy(object_find(script.walking)))
            return;
        script.walking = NOBODY;
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
