/* Creatures in Emerald's 80 and 100 bytes, encrypted and with a checksum. */
#ifndef POKEMON_H
#define POKEMON_H

#include "creatures/species.h"
#include "system/emerald.h"

enum { PARTY_SIZE = 6, MAX_LEVEL = 100, NICKNAME_SIZE = 10 };
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
