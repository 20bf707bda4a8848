/* Who fights between Oldale and Rustboro besides those of jade.gba: numbers, kinds and levels are Emerald's, as far as
 * its kinds are here. */
#include "full/west/west.h"

#define DUEL(name, number, title, beaten, prize, challenge, later, ...) \
    static const Trainer name = {number, title, beaten, prize, {__VA_ARGS__}, false}; \
    const Duel name##_duel = {&name, challenge, later, 0}

DUEL(calvin, 318, "Calvin", "CALVIN: You are not new at this, are you?", 80,
     "CALVIN: A ball on your belt! That means that you must fight me.", "CALVIN: I stand here so that nobody gets by without a fight.",
     {286, 5});
DUEL(rick, 615, "Rick", "RICK: My silk is torn!", 64,
     "RICK: They creep, and they crawl, and they are all mine!", "RICK: Under each leaf there is another one.",
     {290, 4}, {290, 4});
DUEL(tiana, 603, "Tiana", "TIANA: And I had practised all morning!", 64,
     "TIANA: I have caught two already. Now I want to see them fight!", "TIANA: I shall practise until noon, then.",
     {288, 4}, {295, 4});
DUEL(allen, 333, "Allen", "ALLEN: That is not how it went in my head.", 60,
     "ALLEN: You came from Oldale? I could hear you from here.", "ALLEN: Petalburg has a hall. I look at its door every day.",
     {288, 4}, {304, 3});
DUEL(billy, 319, "Billy", "BILLY: I should have worn my other trousers.", 80,
     "BILLY: Nobody walks past me in such good shoes!", "BILLY: These are the most comfortable trousers of all.",
     {288, 5}, {295, 7});
DUEL(ivan, 337, "Ivan", "IVAN: You have cut my line.", 240,
     "IVAN: I caught these this morning. They are fresh!", "IVAN: The big ones bite at night.",
     {309, 5}, {72, 6}, {72, 7});
DUEL(darian, 696, "Darian", "DARIAN: It slipped out of my hands!", 360,
     "DARIAN: Psst! You frighten what lives in there. Now you must fight it.", "DARIAN: Quiet, please.",
     {72, 9});
DUEL(winston, 136, "Winston", "WINSTON: And it has cost so much!", 1400,
     "WINSTON: I only have the best. Look at its collar!", "WINSTON: I shall buy a better one.",
     {288, 7});
DUEL(haley, 604, "Haley", "HALEY: I did not want to win anyway.", 96,
     "HALEY: You are going to Rustboro? Then you are strong. Or lost.", "HALEY: The hall of Rustboro has a wall with a switch.",
     {295, 6}, {290, 6});
