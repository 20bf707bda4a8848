/* Kinds of creatures: their numbers, and what they learn. */
#ifndef SPECIES_H
#define SPECIES_H

#include "system/types.h"

enum Type { NORMAL, FIGHTING, FLYING, POISON, GROUND, ROCK, BUG, GHOST, STEEL, MYSTERY, FIRE, WATER, GRASS,
            ELECTRIC, PSYCHIC, ICE, DRAGON, DARK, TYPES };
enum Growth { MEDIUM_FAST, MEDIUM_SLOW, SLOW, FLUCTUATING }; /* the last only in jade_full.gba */
enum { HP, ATTACK, DEFENSE, SPEED, SP_ATTACK, SP_DEFENSE, STATS, ACCURACY = STATS, EVASION, STAGES };

/* Emerald's bits; a sleeper's three count the turns that are left. */
enum Status { ASLEEP = 7, POISONED = 8, BURNED = 16, FROZEN = 32, PARALYSED = 64 };
/* Those of Emerald's abilities that make a difference here. */
enum Ability { SHIELD_DUST = 19, CLEAR_BODY = 29, SWIFT_SWIM = 33, RUN_AWAY = 50, KEEN_EYE = 51, SHED_SKIN = 61, GUTS = 62,
               OVERGROW = 65, BLAZE = 66, TORRENT = 67, ROCK_HEAD = 69 };

typedef struct { u8 level; u16 move; } Lesson;

typedef struct {
    u16 species, national;
    const char *name;
    u8 base[STATS], types[2], growth, catch_rate, experience, ability;
    u8 effort[STATS]; /* what beating it adds to the winner's effort values */
    u8 evolves_at; /* level, or 0 */
    u16 evolves_to;
    const Lesson *lessons; /* by level; ends with move 0 */
} Species;

#endif
