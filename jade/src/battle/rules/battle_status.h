/* Sleep, poison, burns, ice, paralysis, and what lasts a turn: rain, a berry that is held. */
#ifndef BATTLE_STATUS_H
#define BATTLE_STATUS_H

#include "battle/duel.h"

enum Hindrance { HINDERED_BY_NOTHING, STILL_ASLEEP, WOKE_UP, STILL_FROZEN, THAWED, TOO_STIFF };

u8 status_inflict(BattlePokemon *mon, const Move *move); /* what it got, 0 where it got nothing */
enum Hindrance status_hindrance(enum Battler battler);         /* before its move */
bool status_hurts(enum Battler battler);                       /* at the end of a turn; takes the HP */
bool status_sheds(enum Battler battler);                       /* at the end of a turn; cures it */
bool status_eats_berry(enum Battler battler);                  /* at half of its HP; heals it */
const char *status_tag(u32 status);                      /* three letters, none for the healthy */
bool battle_rain(void);

#endif
