#include "full/pace/options.h"
#include "system/demands.h"
#include "system/emerald.h"

enum { SLOW, MIDDLE, FAST, SPEEDS };

/* Where each is in SaveBlock2's half-word; the button mode has a byte of its own. */
static const struct { u8 shift, bits; } fields[OPTION_CANCEL] = {
    [OPTION_TEXT_SPEED] = {0, 3}, [OPTION_FRAME] = {3, 5},        [OPTION_SOUND] = {8, 1},
    [OPTION_BATTLE_STYLE] = {9, 1}, [OPTION_BATTLE_SCENE] = {10, 1},
};

static u16 mask(Option option)
{
    return (1 << fields[option].bits) - 1;
}

u8 option_get(Option option)
{
    const SaveBlock2 *block = gSaveBlock2Ptr;
    if (option == OPTION_BUTTON_MODE)
        return block->button_mode;
    return block->options >> fields[option].shift & mask(option);
}

void option_set(Option option, u8 value)
{
    SaveBlock2 *block = gSaveBlock2Ptr;
    if (option == OPTION_BUTTON_MODE) {
        block->button_mode = value;
        return;
    }
    block->options &= ~(mask(option) << fields[option].shift);
    block->options |= (value & mask(option)) << fields[option].shift;
}

/* Only worlds with Emerald's pace begin with its middle speed: the others are meant to be quick. */
void options_reset(void)
{
    gSaveBlock2Ptr->options = 0;
    gSaveBlock2Ptr->button_mode = BUTTONS_NORMAL;
    option_set(OPTION_TEXT_SPEED, DEMANDED(DEMAND_PACE) ? MIDDLE : FAST);
}

u8 options_letter_frames(void)
{
    static const u8 frames[SPEEDS] = {8, 4, 1};
    u8 speed = option_get(OPTION_TEXT_SPEED);
    return frames[speed < SPEEDS ? speed : MIDDLE];
}

/* The blocks are not there yet in the first frames. */
u16 options_buttons(u16 held)
{
    if (held & KEY_L && gSaveBlock2Ptr && option_get(OPTION_BUTTON_MODE) == BUTTONS_L_IS_A)
        return (held & ~KEY_L) | KEY_A;
    return held;
}

u16 options_turning(u16 pressed)
{
    u16 sides = pressed & (KEY_LEFT | KEY_RIGHT);
    if (option_get(OPTION_BUTTON_MODE) == BUTTONS_LR)
        sides |= (pressed & KEY_L ? KEY_LEFT : 0) | (pressed & KEY_R ? KEY_RIGHT : 0);
    return sides;
}
