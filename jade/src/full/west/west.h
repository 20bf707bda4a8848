/* What jade_full.gba adds between the Pokédex and the first badge. Numbers are Emerald's. */
#ifndef WEST_H
#define WEST_H

#include "events/trainer.h"
#include "field/ground/map.h"
#include "system/demands.h"

enum { FLAG_HIDE_PETALBURG_WOODS_DEVON_EMPLOYEE = 0x2D4, FLAG_HIDE_PETALBURG_WOODS_AQUA_GRUNT = 0x2D5,
       FLAG_HIDE_PETALBURG_GYM_WALLY = 0x362 };
enum { VAR_PETALBURG_GYM_STATE = 0x4085, VAR_PETALBURG_WOODS_STATE = 0x4098, VAR_SCOTT_PETALBURG_ENCOUNTER = 0x40C9 };
enum { LESSON_OVER = 2 }; /* of the former */

extern const MapHeader map_petalburg_gym;
extern const Command thief_in_wood[], thief_waits[], devon_man_waits[]; /* the wood: who they are is below */
enum { DEVON_MAN = 5, THIEF = 6 };

/* Who fights on Routes 102 and 104; where they stand is where one must pass (worlds/demanding/narrows.py). */
extern const Duel calvin_duel, rick_duel, tiana_duel, allen_duel, billy_duel, ivan_duel, darian_duel, winston_duel, haley_duel;

#endif
