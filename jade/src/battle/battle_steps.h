/* What the files of the battle share: the running battle, and how one step leads to the next. */
#ifndef BATTLE_STEPS_H
#define BATTLE_STEPS_H

#include "battle/duel.h"
#include "full/pace/options.h"
#include "system/demands.h"
#include "system/scene.h"

typedef void (*Step)(void);

enum { NO_SLOT = 4 };

typedef struct {
    const Move *move; /* null: none this turn */
    u8 slot;          /* where it is among the four; NO_SLOT for Struggle */
    enum Battler target;
} Plan;

typedef struct {
    const Trainer *trainer; /* null against wild ones */
    TeamMember team[3];
    u8 team_size, tries;
    enum Battler acting;     /* whose action the player chooses */
    bool present[BATTLERS]; /* out there, and not fainted */
    Plan plans[BATTLERS];
    bool first; /* the very first: Emerald has numbers of its own for it */
    Scene after;
#if FULL
    bool lesson; /* somebody else chooses: full/west/catching.h */
#endif
} Battle;

extern Battle battle;

#if FULL
#define BATTLE_IS_LESSON battle.lesson
#else
#define BATTLE_IS_LESSON false
#endif

/* Frames that pass by themselves at Emerald's pace, about as long as Emerald shows these. */
enum { SEND_OUT_FRAMES = 150, MOVE_FRAMES = 165, UNSEEN_MOVE_FRAMES = 20, FAINT_FRAMES = 80, EXPERIENCE_FRAMES = 90, LEVEL_FRAMES = 120,
       BEATEN_FRAMES = 120 };
/* Whether moves are shown, which the player decides. */
#define BATTLE_HAS_SCENE (!FULL || !option_get(OPTION_BATTLE_SCENE))
#define BATTLE_SHOW(frames) ((void) (DEMANDED(DEMAND_PACE) && (battle_wait(frames), true)))

void battle_wait(u32 frames);                 /* before the text or the step that comes next */
void battle_say(const char *text, Step step); /* then goes on with the step */
void battle_then(Step step);                  /* the step of the next frame */
void battle_name(u8 *to, enum Battler battler); /* for a text: with whose it is */
void battle_resume(Step step);                /* after another screen */
void battle_send_out(enum Battler battler, u32 slot);
void battle_show_experience(void);
void battle_store(void);                         /* HP, PP and statuses back into both parties */
Pokemon *battle_mon(enum Battler battler);
bool battle_is_out(enum Battler battler, u32 slot); /* whether this member of its party fights now */
u32 battle_reserve(enum Battler battler);        /* who could take its place; PARTY_SIZE: nobody */

void step_turn(void);         /* battle_choice.c: whoever fainted is replaced, then the player chooses */
void step_choose(void);       /* battle_choice.c: the choice for battle.acting */
void step_acted(void);        /* battle_choice.c: battle.acting did something else than a move */
void step_moves(void);        /* battle_turn.c: all moves that were chosen */
void step_faints(Step then);  /* battle_end.c: says who fainted, and who has won by that */
void step_caught(void);
void step_ran(void);
void step_looked_on(void);    /* somebody else has caught it */

#endif
