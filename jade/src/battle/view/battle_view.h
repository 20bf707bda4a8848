/* What a battle looks like: the two creatures, their boxes, the choices. */
#ifndef BATTLE_VIEW_H
#define BATTLE_VIEW_H

#include "battle/duel.h"

void view_open(void);                  /* all anew */
void view_show(enum Battler battler);  /* its picture and its box, after another came in */
void view_hide(enum Battler battler);
void view_boxes(void);                 /* numbers and bars, where they changed */
bool view_settle(void);                /* one frame; true when the bars stand where the HP do */
void view_experience(u32 percent);     /* of the own one's way to its next level */
void view_shake(enum Battler battler); /* it was hit */
void view_aim(enum Battler battler);   /* it blinks; BATTLERS: nobody does */
void view_draw_sprites(void);

/* Two columns of two words to choose from; -1 is B. */
void grid_open(const char *const labels[4], u8 cursor, bool wide);
s32 grid_update(bool *moved); /* CHOICE_OPEN and so on as in menu.h */
u8 grid_cursor(void);
void grid_note(const char *first, u32 number, u32 most); /* in the box on the right of a wide grid */

#endif
