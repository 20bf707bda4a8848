/* Who fights whom, and how it may end. */
#ifndef DUEL_H
#define DUEL_H

#include "data/data.h"

/* Emerald's positions: the even ones are the player's. Only a double battle has the second two. */
enum Battler { OWN, FOE, OWN_SECOND, FOE_SECOND, BATTLERS };
enum { TYPE_FLAG_DOUBLE = 1, TYPE_FLAG_TRAINER = 8, TYPE_FLAG_FIRST = 0x10, TYPE_FLAG_LESSON = 0x200 };
enum Outcome { OUTCOME_WON = 1, OUTCOME_LOST = 2, OUTCOME_RAN = 4, OUTCOME_CAUGHT = 7 };

typedef struct { u16 species; u8 level; } TeamMember;

typedef struct {
    u16 number; /* Emerald's; flag 0x500 + number says that it is beaten */
    const char *name, *beaten; /* what is said when it loses */
    u16 prize;
    TeamMember team[3]; /* ended by species 0 where it is shorter */
    bool pair;          /* two fight at once, against two */
} Trainer;

static inline bool battler_is_own(enum Battler battler)
{
    return !(battler & 1);
}

#endif
