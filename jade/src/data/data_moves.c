/* Numbers are Emerald's (facts: moves.csv); the words are ours. */
#include "data/data.h"
#include "system/demands.h"

/* number, name, power, type, accuracy, PP, priority, effect, stage, change, critical, status, its chance */
const Move move_table[] = {
    {1, "Pound", 40, NORMAL, 100, 35, 0, HIT, 0, 0, 0, 0, 0},
    {10, "Scratch", 40, NORMAL, 100, 35, 0, HIT, 0, 0, 0, 0, 0},
    {24, "Two Kicks", 60, FIGHTING, 100, 30, 0, HIT, 0, 0, 0, 0, 0},
    {43, "Glare", 0, NORMAL, 100, 30, 0, STAT_FOE, DEFENSE, -1, 0, 0, 0},
    {52, "Ember", 40, FIRE, 100, 25, 0, HIT, 0, 0, 0, BURNED, 10},
    {348, "Leaf Blade", 70, GRASS, 100, 15, 0, HIT, 0, 0, 1, 0, 0},
    {79, "Doze Dust", 0, GRASS, 75, 15, 0, INFLICT, 0, 0, 0, ASLEEP, 100},
    {86, "Jolt", 0, ELECTRIC, 100, 20, 0, INFLICT, 0, 0, 0, PARALYSED, 100},
    {181, "Cold Breath", 40, ICE, 100, 25, 0, HIT, 0, 0, 0, FROZEN, 10},
    {15, "Cut", 50, NORMAL, 95, 30, 0, HIT, 0, 0, 0, 0, 0},
    {249, "Rock Smash", 20, FIGHTING, 100, 15, 0, HIT, 0, 0, 0, 0, 0},
    {33, "Tackle", 35, NORMAL, 95, 35, 0, HIT, 0, 0, 0, 0, 0},
    {45, "Growl", 0, NORMAL, 100, 40, 0, STAT_FOE, ATTACK, -1, 0, 0, 0},
    {189, "Mud Slap", 20, GROUND, 100, 10, 0, HIT, ACCURACY, -1, 0, 0, 0},
    {55, "Water Gun", 40, WATER, 100, 25, 0, HIT, 0, 0, 0, 0, 0},
    {36, "Take Down", 90, NORMAL, 85, 20, 0, HIT_RECOIL, 0, 0, 0, 0, 0},
    {341, "Mud Shot", 55, GROUND, 95, 15, 0, HIT, SPEED, -1, 0, 0, 0},
    {39, "Tail Whip", 0, NORMAL, 100, 30, 0, STAT_FOE, DEFENSE, -1, 0, 0, 0},
    {29, "Headbutt", 70, NORMAL, 100, 15, 0, HIT, 0, 0, 0, 0, 0},
    {28, "Sand Throw", 0, GROUND, 100, 15, 0, STAT_FOE, ACCURACY, -1, 0, 0, 0},
    {44, "Bite", 60, DARK, 100, 25, 0, HIT, 0, 0, 0, 0, 0},
    {336, "Howl", 0, NORMAL, 0, 40, 0, STAT_OWN, ATTACK, 1, 0, 0, 0},
    {81, "String", 0, BUG, 95, 40, 0, STAT_FOE, SPEED, -1, 0, 0, 0},
    {40, "Sting", 15, POISON, 100, 35, 0, HIT, 0, 0, 0, POISONED, 30},
    {71, "Absorb", 20, GRASS, 100, 20, 0, HIT_DRAIN, 0, 0, 0, 0, 0},
    {64, "Peck", 35, FLYING, 100, 35, 0, HIT, 0, 0, 0, 0, 0},
    {98, "Quick Hit", 40, NORMAL, 100, 30, 1, HIT, 0, 0, 0, 0, 0},
    {17, "Wing Hit", 60, FLYING, 100, 35, 0, HIT, 0, 0, 0, 0, 0},
    {88, "Rock Throw", 50, ROCK, 90, 15, 0, HIT, 0, 0, 0, 0, 0},
    {111, "Curl Up", 0, NORMAL, 0, 40, 0, STAT_OWN, DEFENSE, 1, 0, 0, 0},
    {106, "Harden", 0, NORMAL, 0, 30, 0, STAT_OWN, DEFENSE, 1, 0, 0, 0},
    {317, "Rock Tomb", 50, ROCK, 80, 10, 0, HIT, SPEED, -1, 0, 0, 0},
    {2, "Chop", 50, FIGHTING, 100, 25, 0, HIT, 0, 0, 1, 0, 0},
    {93, "Confusion", 50, PSYCHIC, 100, 25, 0, HIT, 0, 0, 0, 0, 0},
    {141, "Leech", 20, BUG, 100, 15, 0, HIT_DRAIN, 0, 0, 0, 0, 0},
    {310, "Astonish", 30, GHOST, 100, 15, 0, HIT, 0, 0, 0, 0, 0},
    {51, "Acid", 40, POISON, 100, 30, 0, HIT, 0, 0, 0, 0, 0},
#if FULL
    {84, "Static", 40, ELECTRIC, 100, 30, 0, HIT, 0, 0, 0, PARALYSED, 10},
    {209, "Spark", 65, ELECTRIC, 100, 20, 0, HIT, 0, 0, 0, PARALYSED, 30},
    {351, "Shock Wave", 60, ELECTRIC, 0, 20, 0, HIT, 0, 0, 0, 0, 0},
    {103, "Screech", 0, NORMAL, 85, 40, 0, STAT_FOE, DEFENSE, -2, 0, 0, 0},
    {34, "Body Slam", 85, NORMAL, 100, 15, 0, HIT, 0, 0, 0, PARALYSED, 30},
    {70, "Strength", 80, NORMAL, 100, 15, 0, HIT, 0, 0, 0, 0, 0},
    {148, "Flash", 0, NORMAL, 70, 20, 0, STAT_FOE, ACCURACY, -1, 0, 0, 0},
    {123, "Smog", 20, POISON, 70, 20, 0, HIT, 0, 0, 0, POISONED, 40},
    {172, "Fire Wheel", 60, FIRE, 100, 25, 0, HIT, 0, 0, 0, BURNED, 10},
    {222, "Tremor", 70, GROUND, 100, 30, 0, HIT, 0, 0, 0, 0, 0}, /* of its strengths the middle one */
    {315, "Overheat", 140, FIRE, 90, 5, 0, HIT_TIRING, SP_ATTACK, -2, 0, 0, 0},
#endif
    {165, "Struggle", 50, NORMAL, 100, 1, 0, HIT_RECOIL, 0, 0, 0, 0, 0},
    {0, "-", 0, NORMAL, 0, 0, 0, HIT, 0, 0, 0, 0, 0},
};

const Move *move_find(u16 number)
{
    const Move *move = move_table;
    while (move->number && move->number != number)
        ++move;
    return move;
}

bool move_kept(u16 move)
{
    return demands[DEMAND_LESSONS] && (move == MOVE_CUT || move == MOVE_ROCK_SMASH || (FULL && (move == MOVE_FLASH || move == MOVE_STRENGTH)));
}
