/* What is remembered: flags, variables, money, counters, the Pokedex. */
#ifndef SAVE_H
#define SAVE_H

#include "system/emerald.h"

enum { STAT_SAVED_GAME = 0, STAT_STEPS = 5, STAT_TOTAL_BATTLES = 7, STAT_WILD_BATTLES = 8, STAT_TRAINER_BATTLES = 9,
       STAT_CAPTURES = 11, STAT_EVOLVED = 14, STAT_USED_POKECENTER = 15, STAT_USED_CUT = 18, STAT_USED_ROCK_SMASH = 19, STAT_SHOPPED = 38,
       STAT_JUMPED_DOWN_LEDGES = 43 };
enum { FLAG_SYS_USE_STRENGTH = 0x889 };
enum { START_MONEY = 3000 };

u16 random16(void); /* Emerald's generator (gRngValue): x * 0x41C64E6D + 0x6073 */

/* A fresh start: name (8 bytes), trainer id, money, flags; no key yet. */
void save_new_game(u8 gender, const u8 *name);
void save_forget_map(void); /* what does not outlast a map */

bool flag_get(u16 flag);
void flag_set(u16 flag);
void flag_clear(u16 flag);
u16 var_get(u16 var);
void var_set(u16 var, u16 value);
void stat_add(u32 stat, u32 amount);
void dex_set(u16 national_number, bool owned); /* seen in any case; in all three copies */
bool dex_get(u16 national_number, bool owned);
u32 money_get(void);
void money_set(u32 money);

#endif
