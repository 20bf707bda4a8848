/* The game's own tables: the world, its creatures, its words. */
#ifndef DATA_H
#define DATA_H

#include "map.h"
#include "pokemon.h"

extern const MapEntry map_directory[]; /* ends with a null header; its address is at 0x080000F0 */
extern const u16 initial_flags[];      /* set when a game begins; ends with 0 */
extern const Species species_table[];  /* ends with species 0 */
extern const char intro_text[];
extern const WarpData new_game_place;

#endif
