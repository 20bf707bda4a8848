/* Events as tables of commands. */
#ifndef COMMAND_H
#define COMMAND_H

#include "system/types.h"

enum Operation {
    OP_END, OP_SAY, OP_GOTO, OP_IF_FLAG, OP_IF_NOT_FLAG, OP_IF_VAR_BELOW, OP_IF_FACING, OP_SET_FLAG, OP_CLEAR_FLAG,
    OP_SET_VAR, OP_GIVE_ITEM, OP_TAKE_ITEM, OP_GIVE_MON, OP_WALK, OP_FACE, OP_HIDE, OP_SHOW, OP_PLACE, OP_CALL,
    OP_ASK, OP_NOTE, OP_IF_NO, OP_WAIT, OP_SCREEN, OP_BATTLE, OP_FIRST_BATTLE, OP_WARP,
    OP_IF_DEMAND,
    OP_PAUSE, /* frames in which nothing happens: only in jade_full.gba, as what follows */
    OP_CATCHING,
};

typedef struct Command {
    u8 op, who;
    u16 a, b, c;
    const void *p;
} Command;

enum { WHO_PLAYER = 255, WHO_TALKED = 254 }; /* the latter: whom the player faced when he pressed A */

#define END {OP_END, 0, 0, 0, 0, 0}
#define SAY(text) {OP_SAY, 0, 0, 0, 0, text}
#define GOTO(script) {OP_GOTO, 0, 0, 0, 0, script}
#define IF_FLAG(flag, script) {OP_IF_FLAG, 0, flag, 0, 0, script}
#define IF_NOT_FLAG(flag, script) {OP_IF_NOT_FLAG, 0, flag, 0, 0, script}
#define IF_VAR_BELOW(var, value, script) {OP_IF_VAR_BELOW, 0, var, value, 0, script}
#define IF_FACING(direction, script) {OP_IF_FACING, 0, direction, 0, 0, script} /* the player, when he pressed A */
#define IF_DEMAND(demand, script) {OP_IF_DEMAND, 0, demand, 0, 0, script}
#define SET_FLAG(flag) {OP_SET_FLAG, 0, flag, 0, 0, 0}
#define CLEAR_FLAG(flag) {OP_CLEAR_FLAG, 0, flag, 0, 0, 0}
#define SET_VAR(var, value) {OP_SET_VAR, 0, var, value, 0, 0}
#define GIVE_ITEM(item, count) {OP_GIVE_ITEM, 0, item, count, 0, 0}
#define TAKE_ITEM(item, count) {OP_TAKE_ITEM, 0, item, count, 0, 0}
#define GIVE_MON(species, level, name) {OP_GIVE_MON, 0, species, level, 0, name}
#define WALK(who, steps) {OP_WALK, who, 0, 0, 0, steps} /* steps: letters of UDLR */
#define FACE(who, direction) {OP_FACE, who, direction, 0, 0, 0}
#define HIDE(who) {OP_HIDE, who, 0, 0, 0, 0}   /* also sets the flag of the object */
#define SHOW(who) {OP_SHOW, who, 0, 0, 0, 0}   /* also clears it */
#define PLACE(who, x, y) {OP_PLACE, who, x, y, 0, 0} /* in a map's `arrive` script, before people appear */
#define CALL(function) {OP_CALL, 0, 0, 0, 0, function}

#define ASK(text) {OP_ASK, 0, 0, 0, 0, text}           /* yes or no */
#define ASK_NO(text) {OP_ASK, 0, 1, 0, 0, text}        /* with the cursor on No */
#define IF_NO(script) {OP_IF_NO, 0, 0, 0, 0, script}   /* after ASK, or CALL of what leaves gSpecialVar_Result 0 */
#define NOTE(text) {OP_NOTE, 0, 0, 0, 0, text}         /* goes on when it is printed */
#define WAIT(function) {OP_WAIT, 0, 0, 0, 0, function} /* calls it each frame until it is true */
#define BATTLE(trainer) {OP_BATTLE, 0, 0, 0, 0, trainer} /* goes on only after a victory */
#define FIRST_BATTLE(species, level) {OP_FIRST_BATTLE, 0, species, level, 0, 0} /* goes on in any case */
#define TRAVEL(group, number, x, y) {OP_WARP, group, number, x, y, 0} /* the last command of a script */
#define CATCHING(species, level) {OP_CATCHING, 0, species, level, 0, 0} /* somebody else catches it; goes on in any case */
#define PAUSE(frames) {OP_PAUSE, 0, frames, 0, 0, 0}
#define SCREEN(screen) {OP_SCREEN, 0, 0, 0, 0, screen}

/* Runs a script that never waits, at once (script.c). */
void script_run_silently(const Command *script);

#endif
