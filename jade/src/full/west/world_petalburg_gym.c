/* Petalburg's hall, where the player's father is the leader and somebody catches his first creature; and a thief in the
 * wood. */
#include "full/west/west.h"
#include "world/world.h"

enum { FATHER = 1, WILL = 2, WILLS_SPECIES = 356, WILLS_LEVEL = 5, SECTION = SECTION_PETALBURG };

static const Command father_later[] = {SAY("FATHER: Four badges, {P}. Then I fight you, and not before."), END};
static const Command lesson[] = {
    SAY("FATHER: {P}! You have come all the way on foot? And with a creature of your own!"),
    SHOW(WILL),
    SAY("A BOY: Excuse me. I am Will. I move to my uncle, where the air is better, and I have nobody to take along."
        "\nFATHER: Then catch somebody. Take my Scamp, and this ball. {P}, go with him into the grass and look after him!"),
    SAY("WILL: There! Something moved. Please stay with me, {P}."),
    CATCHING(WILLS_SPECIES, WILLS_LEVEL),
    SAY("WILL: It is mine! I have done it! Thank you, {P}. And thank you, sir: here is your Scamp."),
    HIDE(WILL),
    SET_VAR(VAR_PETALBURG_GYM_STATE, LESSON_OVER),
    SAY("FATHER: Well done, you two. And you, {P}: there is a hall in Rustboro, beyond the wood. Begin there!"),
    END,
};
static const Command father[] = {IF_VAR_BELOW(VAR_PETALBURG_GYM_STATE, LESSON_OVER, lesson), GOTO(father_later)};
static const Command will[] = {SAY("WILL: Where does one look first?"), END};
static const ObjectTemplate people[] = {
    PERSON(FATHER, LOOK_FATHER, 4, 104, DOWN, STANDS, 0, father),
    PERSON(WILL, LOOK_WILL, 6, 106, LEFT, STANDS, FLAG_HIDE_PETALBURG_GYM_WALLY, will),
};
static const WarpEvent warps[] = {WARP(3, 111, 0, 0, 2), WARP(4, 111, 0, 0, 2)};
static const MapEvents events = {2, 2, 0, 0, people, warps, 0, 0};
static const MapScripts scripts = {0, 0};
const MapHeader map_petalburg_gym = {
    &layout_PetalburgGym, &events, &scripts, 0, 0, 79, SECTION, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- in the wood ---- */

static const Trainer thief = {10, "Brine Thief", "THIEF: You are a child, and I have lost. Do not tell anybody!", 180, {{286, 9}}, false};
const Command devon_man_waits[] = {SAY("A MAN: There are mushrooms here that walk. I am sure of it."), END};
const Command thief_waits[] = {SAY("THIEF: I am a tree. Go on!"), END};
const Command thief_in_wood[] = {
    SAY("A MAN: Hello! Have you seen a mushroom on two legs? I have looked for one since this morning."),
    SAY("THIEF: And I have looked for you! Those papers of Devon that you carry are for us of the Brine Gang."),
    SAY("A MAN: Oh! You there, with the ball on your belt: do something!"),
    SAY("THIEF: That child? Very well. The child first!"),
    BATTLE(&thief),
    SAY("THIEF: It does not matter. Others of us are on their way to Rustboro."),
    HIDE(THIEF),
    SET_VAR(VAR_PETALBURG_WOODS_STATE, 1),
    GIVE_ITEM(ITEM_GREAT_BALL, 1),
    SAY("A MAN: That was close! Take this great ball. I must hurry: if they want something in Rustboro, it is in our house."),
    HIDE(DEVON_MAN),
    END,
};
