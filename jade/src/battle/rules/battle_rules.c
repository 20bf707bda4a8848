#include "battle/rules/battle_rules.h"
#include "battle/rules/battle_status.h"
#include "creatures/pokemon.h"
#include "save/save.h"
#include "system/demands.h"

enum { SPECIAL_FROM = FIRE, CRITICAL_CHANCE = 16, STRUGGLE = 165 };

/* Emerald's stages of a stat, in hundredths. */
static const u16 stat_stages[MAX_STAGE + 1] = {25, 28, 33, 40, 50, 66, 100, 150, 200, 250, 300, 350, 400};
static const u16 accuracy_stages[MAX_STAGE + 1] = {33, 36, 43, 50, 60, 75, 100, 133, 166, 200, 233, 266, 300};

void battler_fill(enum Battler battler, const Pokemon *mon, u16 slot)
{
    BattlePokemon *filled = &gBattleMons[battler];
    Content content;
    mon_open(&mon->box, &content);
    const Species *species = species_find(content.species);
    memset(filled, 0, sizeof *filled);
    filled->species = content.species;
    filled->attack = mon->attack;
    filled->defense = mon->defense;
    filled->speed = mon->speed;
    filled->sp_attack = mon->sp_attack;
    filled->sp_defense = mon->sp_defense;
    memcpy(filled->moves, content.moves, sizeof filled->moves);
    memcpy(filled->pp, content.pp, sizeof filled->pp);
    filled->ivs = content.ivs;
    memset(filled->stages, NEUTRAL_STAGE, sizeof filled->stages);
    filled->ability = species->ability;
    filled->status = mon->status;
    memcpy(filled->types, species->types, sizeof filled->types);
    filled->hp = mon->hp;
    filled->max_hp = mon->max_hp;
    filled->level = mon->level;
    filled->friendship = content.friendship;
    filled->item = content.item;
    memcpy(filled->nickname, mon->box.nickname, sizeof mon->box.nickname);
    filled->nickname[sizeof mon->box.nickname] = 0xFF;
    memcpy(filled->ot_name, mon->box.ot_name, sizeof mon->box.ot_name);
    filled->ot_name[sizeof mon->box.ot_name] = 0xFF;
    filled->experience = content.experience;
    filled->personality = mon->box.personality;
    filled->ot_id = mon->box.ot_id;
    gBattlerPartyIndexes[battler] = slot;
}

void battler_store(enum Battler battler, Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    memcpy(content.pp, gBattleMons[battler].pp, sizeof content.pp);
    content.item = gBattleMons[battler].item;
    mon_seal(&mon->box, &content);
    mon->hp = gBattleMons[battler].hp;
    mon->status = gBattleMons[battler].status;
}

static u32 staged(u32 value, u8 stage)
{
    return value * stat_stages[stage] / 100;
}

/* Whether it is in need, and its ability strengthens this type then. */
static bool driven(const BattlePokemon *from, u8 type)
{
    u8 ability = type == GRASS ? OVERGROW : type == FIRE ? BLAZE : TORRENT;
    return (type == GRASS || type == FIRE || type == WATER) && from->ability == ability && from->hp * 3 <= from->max_hp;
}

static u32 damage_of(const BattlePokemon *from, const BattlePokemon *to, const Move *move, bool critical)
{
    bool special = move->type >= SPECIAL_FROM;
    u32 attack = staged(special ? from->sp_attack : from->attack, from->stages[special ? SP_ATTACK : ATTACK]);
    u32 defense = staged(special ? to->sp_defense : to->defense, to->stages[special ? SP_DEFENSE : DEFENSE]);
    u32 damage = (2 * from->level / 5 + 2) * move->power * attack / (defense ? defense : 1) / 50 + 2;
    if (!special && from->status && from->ability == GUTS)
        damage = damage * 3 / 2;
    else if (!special && from->status & BURNED)
        damage /= 2;
    if (driven(from, move->type))
        damage = damage * 3 / 2;
    if (battle_rain() && (move->type == WATER || move->type == FIRE))
        damage = move->type == WATER ? damage * 3 / 2 : damage / 2;
    if (critical)
        damage *= 2;
    if (move->type == from->types[0] || move->type == from->types[1])
        damage = damage * 3 / 2;
    return damage;
}

static bool hits(const BattlePokemon *from, const BattlePokemon *to, const Move *move)
{
    if (!move->accuracy)
        return true;
    s32 stage = from->stages[ACCURACY] + NEUTRAL_STAGE - to->stages[EVASION];
    stage = stage < 0 ? 0 : stage > MAX_STAGE ? MAX_STAGE : stage;
    return random16() % 100 < move->accuracy * accuracy_stages[stage] / 100u;
}

static void change_stage(Result *result, enum Battler battler, const Move *move)
{
    u8 *stage = &gBattleMons[battler].stages[move->stat], ability = gBattleMons[battler].ability;
    s32 after = *stage + move->change;
    if (move->change < 0 && (ability == CLEAR_BODY || (ability == KEEN_EYE && move->stat == ACCURACY)))
        after = -1;
    result->stat = move->stat;
    result->changed = battler;
    result->change = after < 0 || after > MAX_STAGE ? 0 : move->change;
    *stage += result->change;
}

static void strike(Result *result, BattlePokemon *from, BattlePokemon *to, const Move *move)
{
    result->effect = type_effect(move->type, to->types[0]);
    if (to->types[1] != to->types[0])
        result->effect = result->effect * type_effect(move->type, to->types[1]) / 10;
    if (move->number == STRUGGLE)
        result->effect = 10;
    result->critical = random16() % (move->critical ? CRITICAL_CHANCE / 2 : CRITICAL_CHANCE) == 0;
    u32 damage = damage_of(from, to, move, result->critical) * result->effect / 10;
    damage = damage * (100 - random16() % 16) / 100;
    if (!damage && result->effect)
        damage = 1;
    result->damage = damage < to->hp ? damage : to->hp;
    to->hp -= result->damage;
    if (move->effect == HIT_DRAIN && result->damage) {
        u32 gained = result->damage / 2 + 1, room = from->max_hp - from->hp;
        result->gained = gained < room ? gained : room;
        from->hp += result->gained;
    } else if (move->effect == HIT_RECOIL && (from->ability != ROCK_HEAD || move->number == STRUGGLE)) {
        u32 recoil = result->damage / 4 + 1;
        result->recoil = recoil < from->hp ? recoil : from->hp;
        from->hp -= result->recoil;
    }
}

Result battle_move(enum Battler attacker, enum Battler target, const Move *move)
{
    Result result = {.effect = 10};
    BattlePokemon *from = &gBattleMons[attacker], *to = &gBattleMons[target];
    result.missed = move->effect != STAT_OWN && !hits(from, to, move);
    if (result.missed)
        return result;
    if (move->effect == STAT_OWN || move->effect == STAT_FOE) {
        change_stage(&result, move->effect == STAT_OWN ? attacker : target, move);
        return result;
    }
    if (move->effect == INFLICT) {
        result.inflicted = status_inflict(to, move);
        return result;
    }
    strike(&result, from, to, move);
    if (FULL && move->effect == HIT_TIRING) {
        change_stage(&result, attacker, move);
        return result;
    }
    if (!to->hp || !result.effect || to->ability == SHIELD_DUST)
        return result;
    if (move->stat)
        change_stage(&result, target, move);
    if (move->status && random16() % 100 < move->chance)
        result.inflicted = status_inflict(to, move);
    return result;
}

static u32 speed_of(enum Battler battler)
{
    const BattlePokemon *mon = &gBattleMons[battler];
    u32 speed = staged(mon->speed, mon->stages[SPEED]);
    if (mon->ability == SWIFT_SWIM && battle_rain())
        speed *= 2;
    return mon->status & PARALYSED ? speed / 4 : speed;
}

bool battle_before(enum Battler one, const Move *ones, enum Battler other, const Move *others)
{
    u32 speed = speed_of(one), others_speed = speed_of(other);
    if (ones->priority != others->priority)
        return ones->priority > others->priority;
    return speed == others_speed ? random16() & 1 : speed > others_speed;
}

bool battle_has_pp(enum Battler battler)
{
    for (u32 i = 0; i < 4; ++i)
        if (gBattleMons[battler].moves[i] && gBattleMons[battler].pp[i])
            return true;
    return false;
}

const Move *battle_foe_move(enum Battler foe, u8 *slot)
{
    const BattlePokemon *mon = &gBattleMons[foe];
    if (!battle_has_pp(foe)) {
        *slot = 4;
        return move_find(STRUGGLE);
    }
    do
        *slot = random16() & 3;
    while (!mon->moves[*slot] || !mon->pp[*slot]);
    return move_find(mon->moves[*slot]);
}

bool battle_escape(u32 tries)
{
    u32 own = gBattleMons[OWN].speed, foe = gBattleMons[FOE].speed;
    return gBattleMons[OWN].ability == RUN_AWAY || own >= foe || (random16() & 0xFF) < own * 128 / foe + 30 * tries;
}

static u32 square_root(u32 value)
{
    u32 root = 0;
    for (u32 bit = 1u << 15; bit; bit >>= 1)
        if ((root | bit) * (root | bit) <= value)
            root |= bit;
    return root;
}

u32 battle_ball_shakes(u32 ball_tenths)
{
    const BattlePokemon *foe = &gBattleMons[FOE];
    u32 rate = species_find(foe->species)->catch_rate, shakes = 0;
    u32 chance = rate * ball_tenths / 10 * (3 * foe->max_hp - 2 * foe->hp) / (3 * foe->max_hp);
    if (foe->status & (ASLEEP | FROZEN))
        chance *= 2;
    else if (foe->status)
        chance = chance * 3 / 2;
    if (chance >= 255)
        return 4;
    u32 limit = 1048560 / square_root(square_root(16711680 / (chance ? chance : 1)));
    while (shakes < 4 && random16() < limit)
        ++shakes;
    return shakes;
}
