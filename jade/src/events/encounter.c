#include "events/encounter.h"
#include "battle/after_battle.h"
#include "battle/battle.h"
#include "creatures/pokemon.h"
#include "data/data.h"
#include "full/items/repel.h"
#include "save/save.h"
#include "system/demands.h"

typedef struct { u16 species; u8 least, most; } Wild;
typedef struct { s8 group, number; u8 chance; Wild kinds[4]; } Habitat; /* chance of 256 a step; kinds as likely */

static const Habitat habitats[] = {
    {0, 16, 20, {{290, 2, 2}, {286, 2, 2}, {290, 2, 3}, {288, 2, 2}}}, /* Route 101 */
    {0, 18, 20, {{286, 2, 3}, {288, 2, 3}, {309, 2, 3}, {286, 3, 3}}}, /* Route 103 */
    {0, 17, 20, {{286, 3, 4}, {290, 3, 4}, {295, 3, 4}, {288, 3, 4}}}, /* Route 102 */
    {0, 10, 20, {{290, 2, 3}, {288, 2, 3}, {286, 2, 3}, {290, 2, 3}}}, /* Oldale's corner */
    {0, 19, 20, {{288, 4, 5}, {290, 4, 5}, {304, 4, 5}, {309, 4, 5}}}, /* Route 104 */
    {24, 11, 20, {{286, 5, 6}, {290, 5, 5}, {304, 5, 6}, {290, 5, 6}}}, /* the wood */
    {24, 7, 16, {{41, 6, 8}, {66, 6, 8}, {41, 7, 8}, {74, 6, 8}}}, /* the cave */
    {0, 0, 20, {{304, 4, 5}, {309, 4, 5}, {295, 4, 5}, {288, 4, 5}}},  /* Petalburg's pond */
#if FULL
    {24, 8, 14, {{41, 9, 10}, {382, 9, 11}, {335, 10, 11}, {322, 9, 11}}}, /* the cave's lower floors */
    {24, 9, 14, {{41, 10, 11}, {382, 10, 12}, {382, 10, 12}, {322, 10, 12}}},
    {24, 10, 14, {{41, 7, 8}, {335, 6, 10}, {335, 7, 9}, {382, 7, 8}}}, /* its last chamber */
    {0, 25, 28, {{337, 12, 13}, {286, 12, 12}, {309, 12, 13}, {295, 13, 13}}}, /* Route 110 */
    {0, 27, 28, {{339, 14, 16}, {66, 14, 15}, {339, 14, 15}, {339, 15, 16}}}, /* Route 112 */
    {24, 14, 14, {{339, 15, 16}, {218, 15, 15}, {66, 15, 16}, {339, 14, 16}}}, /* Fiery Path */
    {0, 28, 28, {{288, 14, 16}, {304, 14, 16}, {339, 15, 16}, {288, 15, 16}}}, /* Route 113 */
    {0, 29, 28, {{290, 15, 16}, {295, 15, 16}, {295, 16, 17}, {304, 15, 16}}}, /* Route 114 */
    {24, 13, 28, {{339, 20, 22}, {66, 20, 22}, {339, 20, 21}, {66, 20, 21}}}, /* Jagged Pass */
#endif
};

bool encounter_step(u8 behaviour)
{
    const WarpData *here = &gSaveBlock1Ptr->location;
    if (behaviour != MB_TALL_GRASS && behaviour != MB_CAVE)
        return false;
    for (u32 i = 0; i < ARRAY_COUNT(habitats); ++i) {
        const Habitat *habitat = &habitats[i];
        if (habitat->group != here->group || habitat->number != here->number)
            continue;
        if (!party_can_fight() || (random16() & 0xFF) >= habitat->chance)
            return false;
        const Wild *kind = &habitat->kinds[random16() & 3];
#if FULL
        u8 level = kind->least + random16() % (kind->most - kind->least + 1);
        if (repel_keeps_away(level))
            return false;
        battle_wild(kind->species, level, battle_return);
#else
        battle_wild(kind->species, kind->least + random16() % (kind->most - kind->least + 1), battle_return);
#endif
        return true;
    }
    return false;
}
