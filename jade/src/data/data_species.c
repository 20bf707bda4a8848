/* Base values are Emerald's (facts: species.csv, abilities by their numbers); names and lessons are ours. */
#include "data/data.h"
#include "system/demands.h"

static const Lesson lessons_283[] = {{1, 33}, {1, 45}, {6, 189}, {10, 55}, {15, 36}, {0, 0}};
static const Lesson lessons_284[] = {{1, 33}, {1, 45}, {6, 189}, {10, 55}, {16, 341}, {20, 36}, {0, 0}};
static const Lesson lessons_286[] = {{1, 33}, {5, 336}, {7, 28}, {13, 44}, {0, 0}};
static const Lesson lessons_288[] = {{1, 33}, {1, 45}, {5, 39}, {9, 29}, {0, 0}};
static const Lesson lessons_290[] = {{1, 33}, {1, 81}, {5, 40}, {0, 0}};
static const Lesson lessons_295[] = {{1, 310}, {3, 45}, {6, 79}, {7, 71}, {0, 0}};
static const Lesson lessons_304[] = {{1, 64}, {4, 98}, {13, 17}, {0, 0}};
static const Lesson lessons_309[] = {{1, 45}, {1, 55}, {5, 86}, {7, 17}, {0, 0}};
static const Lesson lessons_74[] = {{1, 33}, {1, 111}, {6, 88}, {0, 0}};
static const Lesson lessons_320[] = {{1, 33}, {7, 106}, {13, 88}, {14, 317}, {0, 0}};
static const Lesson lessons_66[] = {{1, 2}, {7, 45}, {0, 0}};
static const Lesson lessons_356[] = {{1, 93}, {9, 2}, {12, 181}, {0, 0}};
static const Lesson lessons_41[] = {{1, 141}, {6, 310}, {0, 0}};
static const Lesson lessons_72[] = {{1, 40}, {6, 81}, {12, 51}, {0, 0}};

static const Lesson lessons_277[] = {{1, 1}, {1, 43}, {6, 71}, {11, 98}, {0, 0}};
static const Lesson lessons_278[] = {{1, 1}, {1, 43}, {6, 71}, {11, 98}, {16, 348}, {0, 0}};
static const Lesson lessons_280[] = {{1, 10}, {1, 45}, {7, 52}, {16, 64}, {0, 0}};
static const Lesson lessons_281[] = {{1, 10}, {1, 45}, {7, 52}, {16, 24}, {0, 0}};
static const Lesson lessons_291[] = {{1, 106}, {7, 106}, {0, 0}};

#if FULL
static const Lesson lessons_100[] = {{1, 33}, {8, 103}, {15, 209}, {0, 0}};
static const Lesson lessons_82[] = {{1, 33}, {6, 84}, {16, 209}, {0, 0}};
static const Lesson lessons_337[] = {{1, 33}, {1, 86}, {4, 43}, {9, 336}, {12, 98}, {17, 209}, {0, 0}};
static const Lesson lessons_218[] = {{1, 52}, {1, 123}, {15, 88}, {22, 172}, {0, 0}};
static const Lesson lessons_339[] = {{1, 45}, {1, 33}, {11, 52}, {19, 222}, {25, 36}, {0, 0}};
static const Lesson lessons_340[] = {{1, 45}, {1, 33}, {11, 52}, {19, 222}, {25, 36}, {0, 0}};
static const Lesson lessons_321[] = {{1, 52}, {4, 123}, {14, 111}, {27, 34}, {29, 315}, {0, 0}};
static const Lesson lessons_322[] = {{1, 43}, {1, 10}, {9, 310}, {0, 0}};
static const Lesson lessons_335[] = {{1, 33}, {4, 28}, {10, 2}, {0, 0}};
static const Lesson lessons_382[] = {{1, 33}, {4, 106}, {7, 189}, {10, 29}, {0, 0}};
static const Lesson lessons_338[] = {{1, 33}, {1, 86}, {9, 336}, {12, 98}, {17, 209}, {25, 44}, {0, 0}};
#endif

/* number, national number, name, HP to special defense, types, growth, catch rate, experience, ability,
   effort values, evolution, lessons */
const Species species_table[] = {
    {283, 258, "Puddle", {50, 70, 50, 40, 50, 50}, {WATER, WATER}, MEDIUM_SLOW,
     45, 65, 67, {0, 1, 0, 0, 0, 0}, 16, 284, lessons_283},
    {284, 259, "Torrent", {70, 85, 70, 50, 60, 70}, {WATER, GROUND}, MEDIUM_SLOW,
     45, 143, 67, {0, 2, 0, 0, 0, 0}, 0, 0, lessons_284},
    {277, 252, "Sprig", {40, 45, 35, 70, 65, 55}, {GRASS, GRASS}, MEDIUM_SLOW,
     45, 65, 65, {0, 0, 0, 1, 0, 0}, 16, 278, lessons_277},
    {278, 253, "Bough", {50, 65, 45, 95, 85, 65}, {GRASS, GRASS}, MEDIUM_SLOW,
     45, 141, 65, {0, 0, 0, 2, 0, 0}, 0, 0, lessons_278},
    {280, 255, "Ashling", {45, 60, 40, 45, 70, 50}, {FIRE, FIRE}, MEDIUM_SLOW,
     45, 65, 66, {0, 0, 0, 0, 1, 0}, 16, 281, lessons_280},
    {281, 256, "Cinder", {60, 85, 60, 55, 85, 60}, {FIRE, FIGHTING}, MEDIUM_SLOW,
     45, 142, 66, {0, 1, 0, 0, 1, 0}, 0, 0, lessons_281},
    {291, 266, "Cocoon", {50, 35, 55, 15, 25, 25}, {BUG, BUG}, MEDIUM_FAST,
     120, 72, 61, {0, 0, 2, 0, 0, 0}, 0, 0, lessons_291},
    {286, 261, "Gruff", {35, 55, 35, 35, 30, 30}, {DARK, DARK}, MEDIUM_FAST,
     255, 55, 50, {0, 1, 0, 0, 0, 0}, 0, 0, lessons_286},
    {288, 263, "Scamp", {38, 30, 41, 60, 30, 41}, {NORMAL, NORMAL}, MEDIUM_FAST,
     255, 60, 53, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_288},
    {290, 265, "Silkling", {45, 45, 35, 20, 20, 30}, {BUG, BUG}, MEDIUM_FAST,
     255, 54, 19, {1, 0, 0, 0, 0, 0}, 7, 291, lessons_290},
    {295, 270, "Padlet", {40, 30, 30, 30, 40, 50}, {WATER, GRASS}, MEDIUM_SLOW,
     255, 74, 33, {0, 0, 0, 0, 0, 1}, 0, 0, lessons_295},
    {304, 276, "Dart", {40, 55, 30, 85, 30, 30}, {NORMAL, FLYING}, MEDIUM_SLOW,
     200, 59, 62, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_304},
    {309, 278, "Brinewing", {40, 30, 30, 85, 55, 30}, {WATER, FLYING}, MEDIUM_FAST,
     190, 64, 51, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_309},
    {74, 74, "Cobble", {40, 80, 100, 20, 30, 30}, {ROCK, GROUND}, MEDIUM_SLOW,
     255, 86, 69, {0, 0, 1, 0, 0, 0}, 0, 0, lessons_74},
    {320, 299, "Loadstar", {30, 45, 135, 30, 45, 90}, {ROCK, ROCK}, MEDIUM_FAST,
     255, 108, 5, {0, 0, 1, 0, 0, 0}, 0, 0, lessons_320},
    {66, 66, "Bruiser", {70, 80, 50, 35, 35, 35}, {FIGHTING, FIGHTING}, MEDIUM_SLOW,
     180, 88, 62, {0, 1, 0, 0, 0, 0}, 0, 0, lessons_66},
    {356, 307, "Zenling", {30, 40, 55, 60, 40, 55}, {FIGHTING, PSYCHIC}, MEDIUM_FAST,
     180, 91, 74, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_356},
    {41, 41, "Flit", {40, 45, 35, 55, 30, 40}, {POISON, FLYING}, MEDIUM_FAST,
     255, 54, 39, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_41},
    {72, 72, "Jellow", {40, 40, 35, 70, 50, 100}, {WATER, POISON}, SLOW,
     190, 105, 29, {0, 0, 0, 0, 0, 1}, 0, 0, lessons_72},
#if FULL
    {100, 100, "Fizzball", {40, 30, 50, 100, 55, 55}, {ELECTRIC, ELECTRIC}, MEDIUM_FAST,
     190, 103, 9, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_100},
    {82, 82, "Threecoil", {50, 60, 95, 70, 120, 70}, {ELECTRIC, STEEL}, MEDIUM_FAST,
     60, 161, 5, {0, 0, 0, 0, 2, 0}, 0, 0, lessons_82},
    {337, 309, "Sparkpup", {40, 45, 40, 65, 65, 40}, {ELECTRIC, ELECTRIC}, SLOW,
     120, 104, 9, {0, 0, 0, 1, 0, 0}, 0, 0, lessons_337},
    {338, 310, "Boltmane", {70, 75, 60, 105, 105, 60}, {ELECTRIC, ELECTRIC}, SLOW,
     45, 168, 9, {0, 0, 0, 2, 0, 0}, 0, 0, lessons_338},
    {218, 218, "Emberslug", {40, 40, 40, 20, 70, 40}, {FIRE, FIRE}, MEDIUM_FAST,
     190, 78, 40, {0, 0, 0, 0, 1, 0}, 0, 0, lessons_218},
    {339, 322, "Humpling", {60, 60, 40, 35, 65, 45}, {FIRE, GROUND}, MEDIUM_FAST,
     255, 88, 12, {0, 0, 0, 0, 1, 0}, 33, 340, lessons_339},
    {340, 323, "Twinpeak", {70, 100, 70, 40, 105, 75}, {FIRE, GROUND}, MEDIUM_FAST,
     150, 175, 40, {0, 1, 0, 0, 1, 0}, 0, 0, lessons_340},
    {321, 324, "Kettle", {70, 85, 140, 20, 85, 70}, {FIRE, FIRE}, MEDIUM_FAST,
     90, 161, 73, {0, 0, 2, 0, 0, 0}, 0, 0, lessons_321},
    {322, 302, "Gemgrin", {50, 75, 75, 50, 65, 65}, {DARK, GHOST}, MEDIUM_SLOW,
     45, 98, 51, {0, 1, 1, 0, 0, 0}, 0, 0, lessons_322},
    {335, 296, "Thumper", {72, 60, 30, 25, 20, 30}, {FIGHTING, FIGHTING}, FLUCTUATING,
     180, 87, 62, {1, 0, 0, 0, 0, 0}, 0, 0, lessons_335},
    {382, 304, "Orepup", {50, 70, 100, 30, 40, 40}, {STEEL, ROCK}, SLOW,
     180, 96, 69, {0, 0, 1, 0, 0, 0}, 0, 0, lessons_382},
#endif
    {0},
};

const Species *species_find(u16 number)
{
    const Species *species = species_table;
    while (species->species && species->species != number)
        ++species;
    return species;
}

/* Who learns by machine: the three that one begins with, and some of those in the grass. */
const u16 cut_learners[] = {277, 278, 280, 281, 283, 284, 288, 72, 0};
const u16 rock_smash_learners[] = {277, 278, 280, 281, 283, 284, 286, 288, 66, 74, 356, 0};

#if FULL
const u16 flash_learners[] = {277, 278, 295, 322, 337, 338, 356, 0};
const u16 strength_learners[] = {277, 278, 280, 281, 283, 284, 66, 74, 356, 339, 340, 321, 0};

static const u16 *learners_of(u16 move)
{
    switch (move) {
    case MOVE_CUT: return cut_learners;
    case MOVE_STRENGTH: return strength_learners;
    case MOVE_FLASH: return flash_learners;
    case MOVE_ROCK_SMASH: return rock_smash_learners;
    default: return 0;
    }
}

bool species_learns(u16 species, u16 move)
{
    const u16 *learner = demands[DEMAND_LESSONS] ? learners_of(move) : 0;
    if (!learner)
        return true;
    while (*learner && *learner != species)
        ++learner;
    return *learner != 0;
}
#else
bool species_learns(u16 species, u16 move)
{
    if (!demands[DEMAND_LESSONS] || (move != MOVE_CUT && move != MOVE_ROCK_SMASH))
        return true;
    for (const u16 *learner = move == MOVE_CUT ? cut_learners : rock_smash_learners; *learner; ++learner)
        if (*learner == species)
            return true;
    return false;
}
#endif
