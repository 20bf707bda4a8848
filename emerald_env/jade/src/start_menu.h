/* The menu that START opens on the map. */
#ifndef START_MENU_H
#define START_MENU_H

void start_menu_open(void); /* takes the frames until it closes */

#endif
