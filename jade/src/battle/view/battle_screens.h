/* The bag and the party, opened in a battle. */
#ifndef BATTLE_SCREENS_H
#define BATTLE_SCREENS_H

void battle_open_bag(void);
void battle_open_party(void);     /* to change, or to go back */
void battle_open_successor(void); /* somebody has to come out */

#endif
