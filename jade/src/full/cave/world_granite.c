/* Dewford's cave: down two floors and up again to whom the letter is for, behind a rock. The lower floors are dark. */
#include "full/cave/cave.h"
#include "full/cave/rocks.h"
#include "world/services.h"
#include "world/world.h"

static const MapScripts no_scripts = {0, 0};

/* A map of the cave, dark or not; most have neither triggers nor signs. */
#define CAVE_MAP(name, ground, number, dark, people, warps) \
    static const MapEvents name##_events = {ARRAY_COUNT(people), ARRAY_COUNT(warps), 0, 0, people, warps, 0, 0}; \
    const MapHeader name = {ground, &name##_events, &no_scripts, 0, 0, number, SECTION_GRANITE, dark, 0, TYPE_UNDERGROUND, 0, 4, 0}

/* ---- the first floor: its east is light, its west lies behind the lower floors ---- */

FOUND(rope_ball, 1, ITEM_ROPE, "You found a rope!");
static const Command hiker_later[] = {SAY("HIKER: Whoever wears Fin's badge can light the floors below."), END};
static const Command hiker[] = {
    IF_FLAG(FLAG_RECEIVED_HM_FLASH, hiker_later),
    SAY("HIKER: The way goes down, around and up again, and down there it is dark. Learn this: it lights caves."),
    GIVE_ITEM(ITEM_FLASH, 1),
    SET_FLAG(FLAG_RECEIVED_HM_FLASH),
    SAY("HIKER: It works for whoever wears the badge of the fist."),
    END,
};
static const ObjectTemplate people_1f[] = {
    PERSON(1, LOOK_BALL, 39, 3, DOWN, STANDS, FLAG_ITEM_GRANITE_CAVE_1F_ESCAPE_ROPE, rope_ball),
    PERSON(2, LOOK_ELDER, 38, 10, DOWN, STANDS, 0, hiker),
    PERSON(3, LOOK_ROCK, 6, 3, DOWN, STANDS, FLAG_TEMP_11, rock),
};
static const WarpEvent warps_1f[] = {WARP(36, 13, 0, 11, 2), WARP(27, 4, 24, 8, 0), WARP(16, 10, 24, 8, 1), WARP(6, 1, 24, 10, 0)};
CAVE_MAP(map_granite, &layout_Granite1F, 132, 0, people_1f, warps_1f);

/* ---- the lower floors ---- */

FOUND(lost_ball, 1, ITEM_POKE_BALL, "You found a ball!");
static const ObjectTemplate people_b1f[] = {
    PERSON(1, LOOK_BALL, 29, 4, DOWN, STANDS, FLAG_ITEM_GRANITE_CAVE_B1F_POKE_BALL, lost_ball),
};
static const WarpEvent warps_b1f[] = {
    WARP(20, 4, 24, 7, 1), WARP(4, 21, 24, 7, 2), WARP(27, 9, 24, 9, 0), WARP(26, 20, 24, 9, 1), WARP(8, 17, 24, 9, 2),
    WARP(18, 20, 24, 9, 3), WARP(6, 5, 24, 9, 4),
};
CAVE_MAP(map_granite_b1f, &layout_GraniteB1F, 133, 1, people_b1f, warps_b1f);

FOUND(repel, 1, ITEM_REPEL, "You found a repel!");
FOUND(candy, 2, ITEM_RARE_CANDY, "You found a candy!");
static const ObjectTemplate people_b2f[] = {
    PERSON(1, LOOK_BALL, 24, 22, DOWN, STANDS, FLAG_ITEM_GRANITE_CAVE_B2F_REPEL, repel),
    PERSON(2, LOOK_BALL, 18, 4, DOWN, STANDS, FLAG_ITEM_GRANITE_CAVE_B2F_RARE_CANDY, candy),
};
static const WarpEvent warps_b2f[] = {
    WARP(27, 9, 24, 8, 2), WARP(26, 20, 24, 8, 3), WARP(8, 17, 24, 8, 4), WARP(18, 20, 24, 8, 5), WARP(6, 5, 24, 8, 6),
};
CAVE_MAP(map_granite_b2f, &layout_GraniteB2F, 134, 1, people_b2f, warps_b2f);

/* ---- the last chamber: whom the letter is for leaves when he has it ---- */

static const Command reader[] = {
    SAY("Somebody comes all the way down and up here? With a letter for me! Take this for your trouble."),
    TAKE_ITEM(ITEM_LETTER, 1),
    SET_FLAG(FLAG_DELIVERED_STEVEN_LETTER),
    GIVE_ITEM(ITEM_NUGGET, 1),
    SAY("Good news from the president. I must be off. Your PokeNav will find me."),
    SET_FLAG(FLAG_REGISTERED_STEVEN_POKENAV),
    HIDE(1),
    END,
};
static const ObjectTemplate room_people[] = {PERSON(1, LOOK_BOY, 7, 6, 0, LOOKS_AROUND, FLAG_HIDE_GRANITE_CAVE_STEVEN, reader)};
static const WarpEvent room_warps[] = {WARP(6, 12, 24, 7, 3)};
CAVE_MAP(map_stevens_room, &layout_StevensRoom, 288, 0, room_people, room_warps);
