#include "field/field_move.h"
#include "art/assets.h"
#include "creatures/pokemon.h"
#include "data/data.h"
#include "field/ground/object.h"
#include "full/cave/darkness.h"
#include "save/save.h"
#include "system/demands.h"
#include "text/text.h"

enum { NO_LOOK = 0xFF };
typedef struct { u16 move, badge; u8 look; } FieldMove; /* look: of what it clears away, if anything */

/* Emerald asks for the third badge before rocks are smashed, and for the fourth before boulders are pushed; here rocks bar
 * the way to the second, and boulders that to the fourth. */
static const FieldMove field_moves[] = {
    {MOVE_CUT, 0x867, LOOK_BUSH},
#if FULL
    {MOVE_ROCK_SMASH, 0x867, LOOK_ROCK},
    {MOVE_FLASH, 0x868, NO_LOOK},
    {MOVE_STRENGTH, 0x869, LOOK_BOULDER},
#endif
};

static const Pokemon *user;
static u16 used;
static const Command *chosen;

static const FieldMove *find(u16 move)
{
    for (u32 i = 0; i < ARRAY_COUNT(field_moves); ++i)
        if (field_moves[i].move == move)
            return &field_moves[i];
    return 0;
}

static bool knows(const Pokemon *mon, u16 move)
{
    Content content;
    mon_open(&mon->box, &content);
    for (u32 i = 0; i < 4; ++i)
        if (content.moves[i] == move)
            return true;
    return false;
}

bool field_move_can(u16 move)
{
    if (!flag_get(find(move)->badge))
        return false;
    for (u32 i = 0; i < gPlayerPartyCount; ++i) {
        if (knows(&gPlayerParty[i], move)) {
            user = &gPlayerParty[i];
            used = move;
            return true;
        }
    }
    return false;
}

static u8 faced(void)
{
    const ObjectEvent *player = &gObjectEvents[PLAYER];
    s32 x = player->current.x - BORDER, y = player->current.y - BORDER;
    direction_step(player->facing & 15, &x, &y);
    return object_at(x, y);
}

static void tell(void)
{
    if (used == MOVE_CUT)
        stat_add(STAT_USED_CUT, 1);
    else if (FULL && used == MOVE_ROCK_SMASH)
        stat_add(STAT_USED_ROCK_SMASH, 1);
    memcpy(gStringVar1, user->box.nickname, NICKNAME_SIZE);
    gStringVar1[NICKNAME_SIZE] = CODE_END;
    text_encode(gStringVar2, move_find(used)->name, 16);
}

const Command field_move_clear[] = {CALL(tell), SAY("{1} uses {2}!"), HIDE(WHO_TALKED), END};

#if FULL
const Command field_move_strengthen[] = {CALL(tell), SAY("{1} uses {2}! Now boulders can be pushed."), SET_FLAG(FLAG_SYS_USE_STRENGTH), END};
static const Command light[] = {CALL(tell), SAY("{1} uses {2}!"), CALL(darkness_light), END};

static bool choose_light(void)
{
    if (!darkness_is_deep() || !field_move_can(MOVE_FLASH))
        return false;
    chosen = light;
    return true;
}
#endif

bool field_move_choose(u16 move)
{
#if FULL
    if (move == MOVE_FLASH)
        return choose_light();
#endif
    u8 index = faced();
    if (index == NO_OBJECT || gObjectEvents[index].graphics != find(move)->look || !field_move_can(move))
        return false;
    gSpecialVar_LastTalked = gObjectEvents[index].local_id;
    chosen = FULL && move == MOVE_STRENGTH ? field_move_strengthen : field_move_clear;
    return true;
}

const Command *field_move_chosen(void)
{
    const Command *script = chosen;
    chosen = 0;
    return script;
}
