/* The way back from a battle to the map: a look at who grew up, or a white-out. */
#ifndef AFTER_BATTLE_H
#define AFTER_BATTLE_H

void battle_return(void);        /* what a battle in the grass leads to */
void battle_return_script(void); /* what a battle in a script leads to, if it was won */
void battle_return_first(void);  /* what the first battle leads to: on, however it ended */
void battle_white_out(void);     /* after a defeat on the way, in the dark */

#endif
