/* The menu that START opens on the map, and the way back to it from a screen, in the dark. */
#ifndef START_MENU_H
#define START_MENU_H

void start_menu_open(void); /* takes the frames until it closes */
void start_menu_back(void);
void start_menu_back_reloaded(void); /* after pictures took the map's place */

#endif
