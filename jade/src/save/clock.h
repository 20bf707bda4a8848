/* The time that a game has been played, and the days that it makes. */
#ifndef CLOCK_H
#define CLOCK_H

void clock_tick(void);     /* one frame of play time */
void clock_new_days(void); /* what happens once a day: the daily flags are cleared */

#endif
