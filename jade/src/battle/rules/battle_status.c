#include "battle/rules/battle_status.h"
#include "save/save.h"

enum { BLUE_BERRY = 139 };

bool battle_rain(void)
{
    return gMapHeader.weather == WEATHER_RAIN;
}

static bool has_type(const BattlePokemon *mon, u8 type)
{
    return mon->types[0] == type || mon->types[1] == type;
}

static bool immune(const BattlePokemon *mon, const Move *move)
{
    switch (move->status) {
    case POISONED: return has_type(mon, POISON) || has_type(mon, STEEL);
    case BURNED: return has_type(mon, FIRE);
    case FROZEN: return has_type(mon, ICE);
    case PARALYSED: return type_effect(move->type, mon->types[0]) == 0 || type_effect(move->type, mon->types[1]) == 0;
    default: return false;
    }
}

u8 status_inflict(BattlePokemon *mon, const Move *move)
{
    if (mon->status || immune(mon, move))
        return 0;
    mon->status = move->status == ASLEEP ? 2u + random16() % 4 : move->status; /* asleep for one to four turns */
    return move->status;
}

enum Hindrance status_hindrance(enum Battler battler)
{
    BattlePokemon *mon = &gBattleMons[battler];
    if (mon->status & ASLEEP) {
        --mon->status;
        return mon->status & ASLEEP ? STILL_ASLEEP : WOKE_UP;
    }
    if (mon->status & FROZEN) {
        if (random16() % 5)
            return STILL_FROZEN;
        mon->status = 0;
        return THAWED;
    }
    return mon->status & PARALYSED && random16() % 4 == 0 ? TOO_STIFF : HINDERED_BY_NOTHING;
}

bool status_hurts(enum Battler battler)
{
    BattlePokemon *mon = &gBattleMons[battler];
    if (!mon->hp || !(mon->status & (POISONED | BURNED)))
        return false;
    u32 hurt = mon->max_hp / 8 ? mon->max_hp / 8 : 1;
    mon->hp -= hurt < mon->hp ? hurt : mon->hp;
    return true;
}

bool status_sheds(enum Battler battler)
{
    BattlePokemon *mon = &gBattleMons[battler];
    if (!mon->hp || !mon->status || mon->ability != SHED_SKIN || random16() % 3)
        return false;
    mon->status = 0;
    return true;
}

bool status_eats_berry(enum Battler battler)
{
    BattlePokemon *mon = &gBattleMons[battler];
    if (!mon->hp || mon->item != BLUE_BERRY || mon->hp * 2 > mon->max_hp)
        return false;
    u32 room = mon->max_hp - mon->hp, healed = item_find(BLUE_BERRY)->amount;
    mon->hp += healed < room ? healed : room;
    mon->item = 0;
    return true;
}

const char *status_tag(u32 status)
{
    return status & ASLEEP ? "SLP" : status & POISONED ? "PSN" : status & BURNED ? "BRN" : status & FROZEN ? "ICE"
           : status & PARALYSED ? "PAR" : "";
}
