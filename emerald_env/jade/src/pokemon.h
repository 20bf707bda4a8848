/* Creatures in Emerald's 80 and 100 bytes, encrypted and with a checksum. */
#ifndef POKEMON_H
#define POKEMON_H

#include "emerald.h"

enum { PARTY_SIZE = 6, MAX_LEVEL = 100, NICKNAME_SIZE = 10 };
enum Type { NORMAL, FIGHTING, FLYING, POISON, GROUND, ROCK, BUG, GHOST, STEEL, MYSTERY, FIRE, WATER, GRASS,
            ELECTRIC, PSYCHIC, ICE, DRAGON, DARK };
enum Growth { MEDIUM_FAST, MEDIUM_SLOW, SLOW };
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

/* What the 48 secret bytes hold, in the clear. */
typedef struct {
    u16 species, item;
    u32 experience;
    u8 pp_bonuses, friendship;
    u16 unused;
    u16 moves[4];
    u8 pp[4];
    u8 evs[12];
    u8 pokerus, met_location;
    u16 origin;
    u32 ivs, ribbons;
} Content;

const char *nature_name(u32 personality);
void mon_open(const BoxPokemon *box, Content *content);
void mon_seal(BoxPokemon *box, const Content *content);
void mon_create(Pokemon *mon, u16 species, u8 level, const char *nickname); /* 0: the species' name */
void mon_update(Pokemon *mon);   /* level and stats from experience; HP grow with their maximum */
void mon_take_out(Pokemon *mon); /* from a box: only `box` is filled in */
bool mon_teach(Pokemon *mon, u16 move); /* false where it knows four already */
void mon_replace_move(Pokemon *mon, u32 slot, u16 move);
u32 mon_experience_at(const Species *species, u32 level);

bool party_add(u16 species, u8 level, const char *nickname); /* a gift; false where all is full */
bool mon_keep(const Pokemon *mon); /* into the party, else into a box */
void party_heal(void);
void mon_add_effort(Pokemon *mon, const Species *beaten);
bool party_can_fight(void);
void party_close_gaps(void);

#endif
