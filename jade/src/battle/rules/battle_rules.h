/* What a move does: numbers only, nothing is shown. */
#ifndef BATTLE_RULES_H
#define BATTLE_RULES_H

#include "battle/duel.h"

enum { NEUTRAL_STAGE = 6, MAX_STAGE = 12 };

typedef struct {
    bool missed, critical;
    u8 effect;    /* of the types, in tenths; 10 is plain */
    u16 damage, gained, recoil;
    u8 changed, stat; /* whose stage changed; stat 0: none */
    s8 change;          /* 0: it could not change any further */
    u8 inflicted;       /* what the other one got, of enum Status */
} Result;

void battler_fill(enum Battler battler, const Pokemon *mon, u16 slot);
void battler_store(enum Battler battler, Pokemon *mon); /* HP, PP and status back into the party */
Result battle_move(enum Battler attacker, enum Battler target, const Move *move);
bool battle_before(enum Battler one, const Move *ones, enum Battler other, const Move *others);
const Move *battle_foe_move(enum Battler foe, u8 *slot);
bool battle_has_pp(enum Battler battler);
bool battle_escape(u32 tries);
u32 battle_ball_shakes(u32 ball_tenths); /* 4: caught */

#endif
