/* What the files of the battle share: the running battle, and how one step leads to the next. */
#ifndef BATTLE_STEPS_H
#define BATTLE_STEPS_H

#include "battle.h"

typedef void (*Step)(void);

typedef struct {
    const Trainer *trainer; /* null against wild ones */
    TeamMember team[3];
    u8 team_size, tries;
    bool first; /* the very first: Emerald has numbers of its own for it */
    Scene after;
} Battle;

extern Battle battle;

void battle_say(const char *text, Step step); /* then goes on with the step */
void battle_then(Step step);                  /* the step of the next frame */
void battle_name(u8 *to, enum Side side);     /* for a text: with whose it is */
void battle_resume(Step step);                /* after another screen */
void battle_send_out(u32 slot);
void battle_send_foe(u32 slot);
void battle_show_experience(void);
Pokemon *battle_own(void);
Pokemon *battle_foe(void);

void step_choose(void);      /* battle_turn.c: the player's choice */
void step_foe_alone(void);   /* battle_turn.c: the player did something else than a move */
void step_foe_fainted(void); /* battle_end.c */
void step_own_fainted(void);
void step_caught(void);
void step_ran(void);

#endif
