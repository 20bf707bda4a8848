#include "creatures/pokemon.h"
#include "data/data.h"
#include "save/save.h"
#include "save/storage.h"
#include "system/demands.h"
#include "text/text.h"

enum { LANGUAGE_ENGLISH = 2, HAS_SPECIES = 2, BALL_POKE = 4, GAME_EMERALD = 3, FRIENDSHIP = 70, NO_MAIL = 0xFF };
enum { GROWTH_PART, ATTACKS_PART, EVS_PART, MISC_PART, PARTS, PART_SIZE = 12, NATURES = 25, MAX_EFFORT = 510 };

_Static_assert(sizeof(Content) == PARTS * PART_SIZE, "Content");

/* Where each of the four parts lies, by personality % 24 (facts: struct_layouts.json). */
static const u8 part_position[24][PARTS] = {
    {0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 1, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {0, 3, 2, 1},
    {1, 0, 2, 3}, {1, 0, 3, 2}, {2, 0, 1, 3}, {3, 0, 1, 2}, {2, 0, 3, 1}, {3, 0, 2, 1},
    {1, 2, 0, 3}, {1, 3, 0, 2}, {2, 1, 0, 3}, {3, 1, 0, 2}, {2, 3, 0, 1}, {3, 2, 0, 1},
    {1, 2, 3, 0}, {1, 3, 2, 0}, {2, 1, 3, 0}, {3, 1, 2, 0}, {2, 3, 1, 0}, {3, 2, 1, 0},
};

void mon_open(const BoxPokemon *box, Content *content)
{
    u32 words[12], key = box->personality ^ box->ot_id;
    memcpy(words, box->secure, sizeof words);
    for (u32 i = 0; i < ARRAY_COUNT(words); ++i)
        words[i] ^= key;
    for (u32 i = 0; i < PARTS; ++i)
        memcpy((u8 *) content + PART_SIZE * i, (u8 *) words + PART_SIZE * part_position[box->personality % 24][i],
               PART_SIZE);
}

void mon_seal(BoxPokemon *box, const Content *content)
{
    u32 words[12], key = box->personality ^ box->ot_id;
    u16 sum = 0;
    for (u32 i = 0; i < PARTS; ++i)
        memcpy((u8 *) words + PART_SIZE * part_position[box->personality % 24][i], (const u8 *) content + PART_SIZE * i,
               PART_SIZE);
    for (u32 i = 0; i < ARRAY_COUNT(words); ++i) {
        sum += words[i] + (words[i] >> 16);
        words[i] ^= key;
    }
    box->checksum = sum;
    memcpy(box->secure, words, sizeof words);
}

u32 mon_experience_at(const Species *species, u32 level)
{
    u32 cube = level * level * level;
    if (level <= 1)
        return 0;
    switch (species->growth) {
    case MEDIUM_SLOW: return cube * 6 / 5 + 100 * level - 15 * level * level - 140;
    case SLOW: return cube * 5 / 4;
#if FULL
    case FLUCTUATING: return cube * (level <= 15 ? (level + 1) / 3 + 24 : level <= 36 ? level + 14 : level / 2 + 32) / 50;
#endif
    default: return cube;
    }
}

const char *nature_name(u32 personality)
{
    static const char *const names[NATURES] = {
        "Hardy", "Lonely", "Brave", "Adamant", "Naughty", "Bold", "Docile", "Relaxed", "Impish", "Lax", "Timid", "Hasty",
        "Serious", "Jolly", "Naive", "Modest", "Mild", "Quiet", "Bashful", "Rash", "Calm", "Gentle", "Sassy", "Careful",
        "Quirky",
    };
    return names[personality % NATURES];
}

/* Emerald's formula: base, individual and effort values, then the nature's tenth more or less. */
static u16 stat_value(const Content *content, const Species *species, u32 stat, u32 level, u32 nature)
{
    u32 value = 2 * species->base[stat] + (content->ivs >> 5 * stat & 31) + content->evs[stat] / 4;
    if (stat == HP)
        return value * level / 100 + level + 10;
    value = value * level / 100 + 5;
    u32 raised = nature / 5 + ATTACK, lowered = nature % 5 + ATTACK;
    if (raised == lowered)
        return value;
    return stat == raised ? value * 110 / 100 : stat == lowered ? value * 90 / 100 : value;
}

void mon_update(Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    const Species *species = species_find(content.species);
    u32 level = 1, nature = mon->box.personality % NATURES;
    while (level < MAX_LEVEL && mon_experience_at(species, level + 1) <= content.experience)
        ++level;
    u16 max_hp = stat_value(&content, species, HP, level, nature);
    if (mon->hp || !mon->max_hp)
        mon->hp += max_hp - mon->max_hp;
    mon->level = level;
    mon->max_hp = max_hp;
    u16 *stats[] = {&mon->attack, &mon->defense, &mon->speed, &mon->sp_attack, &mon->sp_defense};
    for (u32 i = 0; i < ARRAY_COUNT(stats); ++i)
        *stats[i] = stat_value(&content, species, ATTACK + i, level, nature);
}

/* The last four moves that its kind knows at a level. */
static void learn_all(Content *content, const Species *species, u8 level)
{
    u32 count = 0;
    for (const Lesson *lesson = species->lessons; lesson->move && lesson->level <= level; ++lesson) {
        if (count == 4) {
            for (u32 i = 0; i < 3; ++i)
                content->moves[i] = content->moves[i + 1];
            count = 3;
        }
        content->moves[count++] = lesson->move;
    }
    for (u32 i = 1; demands[DEMAND_CURSOR] && i < count && move_find(content->moves[0])->power; ++i) {
        if (!move_find(content->moves[i])->power) { /* what does no harm is where the cursor begins */
            u16 harmless = content->moves[i];
            content->moves[i] = content->moves[0];
            content->moves[0] = harmless;
        }
    }
    for (u32 i = 0; i < count; ++i)
        content->pp[i] = move_find(content->moves[i])->pp;
}

void mon_create(Pokemon *mon, u16 number, u8 level, const char *nickname)
{
    const Species *species = species_find(number);
    Content content;
    memset(mon, 0, sizeof *mon);
    memset(&content, 0, sizeof content);
    mon->box.personality = random16();
    mon->box.personality |= (u32) random16() << 16;
    memcpy(&mon->box.ot_id, gSaveBlock2Ptr->trainer_id, 4);
    text_encode(mon->box.nickname, nickname ? nickname : species->name, NICKNAME_SIZE);
    memcpy(mon->box.ot_name, gSaveBlock2Ptr->name, sizeof mon->box.ot_name);
    mon->box.language = LANGUAGE_ENGLISH;
    mon->box.flags = HAS_SPECIES;
    mon->mail = NO_MAIL;
    content.species = number;
    content.experience = mon_experience_at(species, level);
    content.friendship = FRIENDSHIP;
    learn_all(&content, species, level);
    content.met_location = gMapHeader.section;
    content.origin = level | GAME_EMERALD << 7 | BALL_POKE << 11;
    content.ivs = random16() & 0x7FFF;
    content.ivs |= (u32) (random16() & 0x7FFF) << 15;
    mon_seal(&mon->box, &content);
    mon_update(mon);
}

void mon_take_out(Pokemon *mon)
{
    mon->status = 0;
    mon->mail = NO_MAIL;
    mon->hp = mon->max_hp = 0;
    mon_update(mon);
}

void mon_replace_move(Pokemon *mon, u32 slot, u16 move)
{
    Content content;
    mon_open(&mon->box, &content);
    content.moves[slot] = move;
    content.pp[slot] = move_find(move)->pp;
    mon_seal(&mon->box, &content);
}

bool mon_teach(Pokemon *mon, u16 move)
{
    Content content;
    mon_open(&mon->box, &content);
    for (u32 i = 0; i < 4; ++i) {
        if (content.moves[i] == move)
            return true;
        if (content.moves[i] == 0) {
            mon_replace_move(mon, i, move);
            return true;
        }
    }
    return false;
}

static void note_in_dex(const Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    dex_set(species_find(content.species)->national, true);
}

bool mon_keep(const Pokemon *mon)
{
    note_in_dex(mon);
    if (gPlayerPartyCount == PARTY_SIZE)
        return storage_put(&mon->box);
    gPlayerParty[gPlayerPartyCount++] = *mon;
    return true;
}

bool party_add(u16 number, u8 level, const char *nickname)
{
    Pokemon mon;
    mon_create(&mon, number, level, nickname);
    return mon_keep(&mon);
}

void party_heal(void)
{
    for (u32 i = 0; i < gPlayerPartyCount; ++i) {
        Pokemon *mon = &gPlayerParty[i];
        Content content;
        mon_open(&mon->box, &content);
        for (u32 slot = 0; slot < 4; ++slot)
            content.pp[slot] = content.moves[slot] ? move_find(content.moves[slot])->pp : 0;
        mon_seal(&mon->box, &content);
        mon->hp = mon->max_hp;
        mon->status = 0;
    }
}

/* At most 255 of a stat and 510 in all. */
void mon_add_effort(Pokemon *mon, const Species *beaten)
{
    Content content;
    u32 sum = 0;
    mon_open(&mon->box, &content);
    for (u32 i = 0; i < STATS; ++i)
        sum += content.evs[i];
    for (u32 i = 0; i < STATS; ++i) {
        u32 added = beaten->effort[i];
        if (sum + added > MAX_EFFORT || content.evs[i] + added > 0xFF)
            continue;
        content.evs[i] += added;
        sum += added;
    }
    mon_seal(&mon->box, &content);
}

bool party_can_fight(void)
{
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        if (gPlayerParty[i].hp)
            return true;
    return false;
}

void party_close_gaps(void)
{
    u8 count = 0;
    for (u32 i = 0; i < PARTY_SIZE; ++i)
        if (gPlayerParty[i].box.flags & HAS_SPECIES)
            gPlayerParty[count++] = gPlayerParty[i];
    for (u32 i = count; i < PARTY_SIZE; ++i)
        memset(&gPlayerParty[i], 0, sizeof(Pokemon));
    gPlayerPartyCount = count;
}
