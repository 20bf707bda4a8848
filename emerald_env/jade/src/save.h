/* What is remembered: flags, variables, money, counters, the bag, the Pokedex. */
#ifndef SAVE_H
#define SAVE_H

#include "emerald.h"

enum { STAT_STEPS = 5, STAT_USED_POKECENTER = 15 };
enum { START_MONEY = 3000 };

u16 random16(void); /* Emerald's generator (gRngValue): x * 0x41C64E6D + 0x6073 */

void save_attach(void);   /* points the three pointers at empty blocks */
void save_new_game(void); /* a fresh start: name, trainer id, key, money, flags */
void save_tick(void);     /* one frame of play time */

bool flag_get(u16 flag);
void flag_set(u16 flag);
void flag_clear(u16 flag);
u16 var_get(u16 var);
void var_set(u16 var, u16 value);
void stat_add(u32 stat, u32 amount);
bool bag_add(u16 item, u16 count);
void dex_set(u16 national_number, bool owned);

#endif
