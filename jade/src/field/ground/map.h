/* The map that the player is on: its header, its grid with the neighbours' edges, its events. */
#ifndef MAP_H
#define MAP_H

#include "events/command.h"
#include "system/emerald.h"

typedef struct {
    const Command *arrive; /* silently, before people appear */
    const Command *enter;  /* when the player first has control */
} MapScripts;

typedef struct {
    s8 group, number;
    const MapHeader *header;
} MapEntry;

extern const MapEntry map_directory[]; /* ends with a null header; its address is at 0x080000F0 */

const MapHeader *map_find(s8 group, s8 number);
void map_load(s8 group, s8 number); /* header, grid, templates; the location is the caller's */
u16 map_cell(s32 x, s32 y);         /* map coordinates; the grid reaches 7 tiles further */
u8 map_behaviour(s32 x, s32 y);
bool map_inside(s32 x, s32 y);
const WarpEvent *map_warp_at(s32 x, s32 y);
const CoordEvent *map_trigger_at(s32 x, s32 y);
const BgEvent *map_sign_at(s32 x, s32 y);
const MapScripts *map_scripts(void);

/* Where a step out of the map leads: the neighbour, and how coordinates change on the way. */
const MapConnection *map_neighbour(s32 x, s32 y, Coords *shift);

#endif
