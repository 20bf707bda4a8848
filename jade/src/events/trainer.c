#include "events/trainer.h"
#include "events/script.h"
#include "field/ground/map.h"
#include "field/ground/object.h"
#include "save/save.h"
#include "system/demands.h"

enum { TRAINER_FLAGS = 0x500, MAX_SIGHT = 8, MARK_FRAMES = 60 }; /* at Emerald's pace a mark over his head comes first */
enum { MARK, APPROACH = FULL, CHALLENGE, FIGHT, END_HERE, DUEL_COMMANDS };

/* Filled in for whoever fights next: he comes up, speaks, fights. */
static Command duel[DUEL_COMMANDS], talk[2];
static char steps[MAX_SIGHT];

static void prepare(const Duel *with, u8 who)
{
#if FULL
    duel[MARK] = (Command) PAUSE(DEMANDED(DEMAND_PACE) ? MARK_FRAMES : 0);
#endif
    duel[APPROACH] = (Command) WALK(who, steps);
    duel[CHALLENGE] = (Command) SAY(with->challenge);
    duel[FIGHT] = (Command) BATTLE(with->trainer);
    duel[END_HERE] = (Command) END;
}

/* A pair fights only those who can send out two. */
static bool enough(const Duel *with)
{
    u32 able = 0;
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        able += gPlayerParty[i].hp != 0;
    return able > with->trainer->pair;
}

static bool beaten(const Duel *who)
{
    return flag_get(TRAINER_FLAGS + who->trainer->number);
}

const Command *trainer_or_script(const ObjectTemplate *from)
{
    if (!from->trainer_type)
        return from->script;
    const Duel *with = from->script;
    if (beaten(with) || !enough(with)) {
        bool alone = !beaten(with) && with->alone;
        talk[0] = (Command) SAY(alone ? with->alone : with->later);
        talk[1] = (Command) END;
        return talk;
    }
    steps[0] = 0;
    prepare(with, from->local_id);
    return duel;
}

/* How many free tiles lie between somebody and the player in the direction he looks; -1: not in sight. */
static s32 distance(const ObjectEvent *object, u32 sight)
{
    s32 x = object->current.x - BORDER, y = object->current.y - BORDER;
    for (u32 i = 0; i <= sight; ++i) {
        direction_step(object->facing & 15, &x, &y);
        u8 there = object_at(x, y);
        if (there == PLAYER)
            return i;
        if (there != NO_OBJECT || map_cell(x, y) & CELL_COLLISION)
            return -1;
    }
    return -1;
}

static void approach(u8 index, const ObjectTemplate *from, s32 tiles)
{
    static const char letters[] = {0, 'D', 'U', 'L', 'R'};
    for (s32 i = 0; i < tiles; ++i)
        steps[i] = letters[gObjectEvents[index].facing & 15];
    steps[tiles] = 0;
    objects_freeze();
    prepare(from->script, from->local_id);
    script_start(duel);
}

bool trainers_look(void)
{
    for (u8 i = PLAYER + 1; i < OBJECT_COUNT; ++i) {
        if (!(gObjectEvents[i].flags[0] & OBJECT_ACTIVE))
            continue;
        const ObjectTemplate *from = object_template(i);
        if (!from || !from->trainer_type || beaten(from->script) || !enough(from->script))
            continue;
        s32 tiles = distance(&gObjectEvents[i], from->trainer_range);
        if (tiles >= 0 && tiles < MAX_SIGHT) {
            approach(i, from, tiles);
            return true;
        }
    }
    return false;
}
