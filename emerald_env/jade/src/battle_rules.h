/* What a move does: numbers only, nothing is shown. */
#ifndef BATTLE_RULES_H
#define BATTLE_RULES_H

#include "battle.h"

enum { NEUTRAL_STAGE = 6, MAX_STAGE = 12 };

typedef struct {
    bool missed, critical;
    u8 effect;    /* of the types, in tenths; 10 is plain */
    u16 damage, gained, recoil;
    u8 stat_side, stat; /* whose stage changed; stat 0: none */
    s8 change;          /* 0: it could not change any further */
    u8 inflicted;       /* what the other one got, of enum Status */
} Result;

void battler_fill(enum Side side, const Pokemon *mon, u16 slot);
void battler_store(enum Side side, Pokemon *mon); /* HP, PP and status back into the party */
Result battle_move(enum Side attacker, const Move *move);
enum Side battle_first(const Move *own, const Move *foe);
const Move *battle_foe_move(u32 *slot);
bool battle_has_pp(enum Side side);
bool battle_escape(u32 tries);
u32 battle_ball_shakes(u32 ball_tenths); /* 4: caught */

#endif
