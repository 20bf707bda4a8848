/* Numbers and prices are Emerald's (facts: items.csv); the words are ours. */
#include "data/data.h"
#include "system/demands.h"

static const Item items[] = {
    {3, "Great Ball", 600, CATCH, 15, "Catches better than a plain ball."},
    {4, "Ball", 200, CATCH, 10, "Throw it at what is tired."},
    {13, "Potion", 300, HEAL_HP, 20, "Heals 20 points."},
    {14, "Antidote", 100, CURE, POISONED, "Against poison."},
    {15, "Burn Salve", 250, CURE, BURNED, "Cools a burn."},
    {16, "Ice Salve", 250, CURE, FROZEN, "Thaws the frozen."},
    {17, "Wake Salts", 250, CURE, ASLEEP, "Nobody sleeps through that."},
    {18, "Stiff Salve", 200, CURE, PARALYSED, "Loosens stiff limbs."},
    {22, "Super Potion", 700, HEAL_HP, 50, "Heals 50 points."},
    {34, "Ether", 1200, HEAL_PP, 10, "Gives all moves 10 PP back."},
    {68, "Rare Candy", 4800, LEVEL_UP, 1, "Tastes of one more level."},
    {73, "Guard Special", 700, NO_USE, 0, "A charm. It smells of pepper."},
    {75, "Attack Plus", 500, NO_USE, 0, "A bitter drink."},
    {85, "Rope", 550, NO_USE, 0, "Long enough for any cave."},
#if FULL
    {86, "Repel", 350, REPEL, 100, "The weak keep away from the smell, for 100 steps."},
#else
    {86, "Repel", 350, NO_USE, 0, "Nobody likes the smell."},
#endif
    {110, "Nugget", 10000, NO_USE, 0, "Gold. A shop pays well for it."},
    {139, "Blue Berry", 20, HEAL_HP, 10, "Heals 10 points; whoever holds it eats it when in need."},
    {274, "Letter", 0, NO_USE, 0, "From the president, for Dewford."},
    {327, "Rock Tomb", 3000, TEACH, 317, "The lesson of Rustboro's leader."},
    {339, "Cut", 0, TEACH, 15, "The lesson that cuts small trees."},
#if FULL
    {342, "Strength", 0, TEACH, 70, "The lesson that pushes boulders."},
    {343, "Flash", 0, TEACH, 148, "The lesson that lights caves."},
    {344, "Rock Smash", 0, TEACH, 249, "The lesson that breaks cracked rocks."},
    {77, "Speed Plus", 350, NO_USE, 0, "A drink with bubbles."},
    {259, "Bike", 0, RIDE, 0, "Twice as fast as running. Outside only."},
    {269, "Parts", 0, NO_USE, 0, "From Devon, for Keel in Slateport."},
    {322, "Shock Wave", 3000, TEACH, 351, "The lesson of Mauville's leader."},
    {338, "Overheat", 3000, TEACH, 315, "The lesson of Lavaridge's leader."},
#endif
    {0, "?", 0, NO_USE, 0, ""},
};

const Item *item_find(u16 number)
{
    const Item *item = items;
    while (item->number && item->number != number)
        ++item;
    return item;
}
