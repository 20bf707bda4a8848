/* Creatures in Emerald's 100 bytes, encrypted and with a checksum. */
#ifndef POKEMON_H
#define POKEMON_H

#include "emerald.h"

typedef struct {
    u16 species, national;
    u8 hp, attack, defense, speed, sp_attack, sp_defense; /* base values */
    u16 moves[4];
    u8 pp[4];
} Species;

/* Adds one to the party with its own nickname; false where the party is full. */
bool party_add(u16 species, u8 level, const char *nickname);
void party_heal(void);

#endif
