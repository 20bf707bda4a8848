/* Walking about: the overworld's frame, and how a map gives way to another. */
#ifndef FIELD_H
#define FIELD_H

#include "types.h"

void field_new_game(void);
void field_warp(s8 group, s8 number, s8 warp);

#endif
