/* What the player has chosen in the options, in Emerald's fields of SaveBlock2. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "system/types.h"

/* In Emerald's order, which is that of the cursor on its screen; Jade has neither sound nor other frames. */
typedef enum {
    OPTION_TEXT_SPEED,
    OPTION_BATTLE_SCENE, /* 1: off */
    OPTION_BATTLE_STYLE,
    OPTION_SOUND,
    OPTION_BUTTON_MODE,
    OPTION_FRAME,
    OPTION_CANCEL,
} Option;

enum { BUTTONS_NORMAL, BUTTONS_LR, BUTTONS_L_IS_A };

u8 option_get(Option option);
void option_set(Option option, u8 value);
void options_reset(void);         /* what a game begins with */
u8 options_letter_frames(void);   /* for each letter of a message */
u16 options_buttons(u16 held);    /* the keys that those stand for */
u16 options_turning(u16 pressed); /* left and right, for which L and R may stand */

#endif
