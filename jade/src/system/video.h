/* The screen: layers, the camera, fades. */
#ifndef VIDEO_H
#define VIDEO_H

#include "system/types.h"

enum { SCREEN_WIDTH = 240, SCREEN_HEIGHT = 160 };
enum { LAYER_TEXT = 1, LAYER_DARKNESS = 2, LAYER_MAP = 8, LAYER_PEOPLE = 16 };

void video_init(void);
void video_show(u32 layers);
void video_load_world(void);   /* tiles and palettes of all maps and people */
void video_load_picture(void); /* the title picture */
void video_load_battle(bool hall); /* what is behind a battle: meadows, or a hall */
void video_load_creature(u32 place, u16 species, bool from_behind); /* place 0 to 3 */
void video_scroll(u32 x, u32 y);
u16 *video_map_cells(void);    /* 32x32 cells of the map layer */
void video_flush(void);        /* in the vertical blank: what changed goes to the screen */

/* Sprites of this frame, front first. */
void sprites_begin(void);
void sprite_add(s32 x, s32 y, u16 tile, u16 palette, bool tall, bool flip);
void sprite_add_creature(s32 x, s32 y, u32 place, bool in_front); /* of the text, or behind it */
void sprites_end(void);

void fade_start(bool out);
bool fade_active(void);
void fade_update(void);

#endif
