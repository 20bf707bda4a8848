/* People and things on the map: gObjectEvents, how they walk and how they look. */
#ifndef OBJECT_H
#define OBJECT_H

#include "system/emerald.h"

enum { PLAYER = 0, NO_OBJECT = 0xFF };
enum { LOOK_AROUND = 1, WANDER_AROUND = 2 }; /* movement types of a template: turns now and then; walks */

void objects_spawn(void);           /* everybody of this map but the player */
void object_put_player(s32 x, s32 y, u8 direction);
u8 object_find(u8 who);             /* index by local id, or NO_OBJECT */
u8 object_at(s32 x, s32 y);         /* index of who stands (or arrives) there, or NO_OBJECT */
void object_face(u8 index, u8 direction);
void object_hide(u8 who);
void object_show(u8 who);
void object_place(u8 who, s32 x, s32 y);
const ObjectTemplate *object_template(u8 index);

/* Starts a step of 2^duration frames: in place, by one tile, or over a ledge by two. */
enum { FRAMES_4 = 2, FRAMES_8 = 3, FRAMES_16 = 4, FRAMES_32 = 5 };
typedef enum { STEP_TURN, STEP_WALK, STEP_JUMP } Step;
void object_step(u8 index, u8 direction, Step step, u8 duration);
void object_walk(u8 index, const char *steps); /* letters of UDLR */
bool object_busy(u8 index);
bool object_scripted(u8 index);

void objects_update(void); /* one frame of movement */
void objects_freeze(void);
void objects_unfreeze(void);
Coords object_pixels(u8 index);     /* of the tile's upper left corner, in the map */
void objects_draw(s32 camera_x, s32 camera_y);
void objects_redraw(void);           /* other sprites took their place */
void objects_shift(Coords shift);   /* the player's coordinates, on the way to a neighbour */
bool direction_step(u8 direction, s32 *x, s32 *y);

#endif
