#include "pokemon.h"
#include "data.h"
#include "save.h"
#include "text.h"

enum { PARTY_SIZE = 6, LANGUAGE_ENGLISH = 2, HAS_SPECIES = 2, BALL_POKE = 4, GAME_EMERALD = 3 };
enum { GROWTH, ATTACKS, EVS, MISC };

/* Where each of the four parts lies, by personality % 24 (facts: struct_layouts.json). */
static const u8 part_position[24][4] = {
    {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 3, 2, 1},
    {1, 0, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 1, 2}, {2, 0, 3, 1}, {3, 0, 2, 1},
    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 1, 0, 3}, {3, 1, 0, 2}, {2, 3, 0, 1}, {3, 2, 0, 1},
    {1, 2, 3, 0}, {1, 3, 2, 0}, {2, 1, 3, 0}, {3, 1, 2, 0}, {2, 3, 1, 0}, {3, 2, 1, 0},
};

typedef union {
    u16 halves[24];
    u32 words[12];
    u8 bytes[48];
} Secure;

static u8 *part(Secure *secure, const BoxPokemon *box, int kind)
{
    return secure->bytes + 12 * part_position[box->personality % 24][kind];
}

static void seal(BoxPokemon *box, Secure *secure)
{
    u32 key = box->personality ^ box->ot_id;
    u16 sum = 0;
    for (int i = 0; i < 24; ++i)
        sum += secure->halves[i];
    box->checksum = sum;
    for (int i = 0; i < 12; ++i)
        secure->words[i] ^= key;
    memcpy(box->secure, secure, sizeof *secure);
}

static const Species *find_species(u16 number)
{
    const Species *species = species_table;
    while (species->species && species->species != number)
        ++species;
    return species;
}

/* Total experience at a level of the growth "medium slow". */
static u32 experience_at(u32 level)
{
    return level * level * level * 6 / 5 + 100 * level - 15 * level * level - 140;
}

static void fill_parts(Secure *secure, const BoxPokemon *box, const Species *species, u8 level)
{
    u8 *growth = part(secure, box, GROWTH), *attacks = part(secure, box, ATTACKS);
    u8 *misc = part(secure, box, MISC);
    u32 experience = experience_at(level);
    u16 origin = level | GAME_EMERALD << 7 | BALL_POKE << 11;
    u32 ivs = (random16() & 0x7FFF) | (u32) (random16() & 0x7FFF) << 15;
    memcpy(growth, &species->species, 2);
    memcpy(growth + 4, &experience, 4);
    growth[9] = 70; /* friendship */
    memcpy(attacks, species->moves, 8);
    memcpy(attacks + 8, species->pp, 4);
    misc[1] = gMapHeader.section;
    memcpy(misc + 2, &origin, 2);
    memcpy(misc + 4, &ivs, 4);
}

/* Emerald's formula without effort values and with a neutral nature. */
static u16 stat_value(u8 base, u32 iv, u8 level)
{
    return (2 * base + iv) * level / 100 + 5;
}

static void fill_stats(Pokemon *mon, const Secure *secure, const Species *species, u8 level)
{
    u32 ivs;
    memcpy(&ivs, part((Secure *) secure, &mon->box, MISC) + 4, 4);
    mon->level = level;
    mon->mail = 0xFF;
    mon->max_hp = mon->hp = (2 * species->hp + (ivs & 31)) * level / 100 + level + 10;
    mon->attack = stat_value(species->attack, ivs >> 5 & 31, level);
    mon->defense = stat_value(species->defense, ivs >> 10 & 31, level);
    mon->speed = stat_value(species->speed, ivs >> 15 & 31, level);
    mon->sp_attack = stat_value(species->sp_attack, ivs >> 20 & 31, level);
    mon->sp_defense = stat_value(species->sp_defense, ivs >> 25 & 31, level);
}

bool party_add(u16 number, u8 level, const char *nickname)
{
    if (gPlayerPartyCount >= PARTY_SIZE)
        return false;
    const Species *species = find_species(number);
    Pokemon *mon = &gPlayerParty[gPlayerPartyCount];
    Secure secure = {0};
    memset(mon, 0, sizeof *mon);
    /* Nature 0 is neutral. */
    mon->box.personality = random16() | (u32) random16() << 16;
    mon->box.personality -= mon->box.personality % 25;
    memcpy(&mon->box.ot_id, gSaveBlock2Ptr->trainer_id, 4);
    text_encode(mon->box.nickname, nickname, sizeof mon->box.nickname);
    memcpy(mon->box.ot_name, gSaveBlock2Ptr->name, sizeof mon->box.ot_name);
    mon->box.language = LANGUAGE_ENGLISH;
    mon->box.flags = HAS_SPECIES;
    fill_parts(&secure, &mon->box, species, level);
    fill_stats(mon, &secure, species, level);
    seal(&mon->box, &secure);
    ++gPlayerPartyCount;
    dex_set(species->national, true);
    return true;
}

void party_heal(void)
{
    for (int i = 0; i < gPlayerPartyCount; ++i) {
        gPlayerParty[i].hp = gPlayerParty[i].max_hp;
        gPlayerParty[i].status = 0;
    }
}
