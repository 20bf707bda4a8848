/* Power-on, and what happens every frame. */
#include "full/pace/options.h"
#include "full/pace/pace.h"
#include "save/clock.h"
#include "save/save.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/scene.h"
#include "system/video.h"

void wait_for_vblank_flag(volatile u16 *flag); /* crt0.s, at its fixed address */

enum { REPEAT_DELAY = 20, REPEAT_PERIOD = 5 };

static Scene current;

void scene_set(Scene scene, u32 callback2, u32 callback1)
{
    current = scene;
    gMain.callback1 = callback1;
    scene_label(callback2);
}

void scene_label(u32 callback2)
{
    gMain.callback2 = callback2;
    gMain.state = 0;
}

void _start(void); /* crt0.s: clears the memory and begins anew */

/* A, B, SELECT and START together switch the console off and on, as in Emerald. */
static void read_keys(void)
{
    enum { RESET = KEY_A | KEY_B | KEY_SELECT | KEY_START };
    u16 held = ~REG_KEYINPUT & 0x3FF;
    if ((held & RESET) == RESET) {
        REG_IME = 0;
        REG_DISPCNT = 0;
        BG_PALETTE[0] = 0;
        _start();
    }
    if (FULL)
        held = options_buttons(held);
    gMain.new_raw = gMain.new_keys = held & ~gMain.held;
    if (held && held == gMain.held)
        --gMain.repeat_counter;
    else
        gMain.repeat_counter = REPEAT_DELAY;
    gMain.repeated = gMain.new_keys;
    if (gMain.repeat_counter == 0) {
        gMain.repeated = held;
        gMain.repeat_counter = REPEAT_PERIOD;
    }
    gMain.held_raw = gMain.held = held;
}

static void wait_for_frame(void)
{
    gMain.intr_check = 0;
    wait_for_vblank_flag(&gMain.intr_check);
    ++gMain.vblank_counter1;
}

int main(void)
{
    REG_WAITCNT = 0x4317;
    video_init();
    REG_DISPSTAT = 1 << 3; /* interrupt at the vertical blank */
    REG_IE = 1;
    REG_IME = 1;
    sGlobalScriptContextStatus = 2;
    scene_set(scene_boot, LABEL_CB2_COPYRIGHT, LABEL_NONE);
    for (;;) {
        read_keys();
        current();
        fade_update();
        if (sPlayTimeCounterState)
            clock_tick();
        if (DEMANDED(DEMAND_PACE))
            pace_work();
        wait_for_frame();
        random16();
        video_flush();
    }
}
