/* The first seconds: an empty screen, then the title until somebody presses A or START. */
#include "full/pace/options.h"
#include "save/blocks.h"
#include "save/flash.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "system/scene.h"
#include "system/video.h"
#include "text/text.h"

enum { BLANK_FRAMES = 8, BLINK_FRAMES = 32 };

static const Window prompt = {10, 15, 10, 2, 0x010};
static u16 clock;

static void draw_prompt(bool shown)
{
    static const char words[] = "PRESS START";
    if (!shown) {
        window_close(&prompt);
        return;
    }
    u8 codes[sizeof words];
    text_encode(codes, words, sizeof codes);
    window_open(&prompt);
    u32 x = 9;
    for (const u8 *code = codes; *code != CODE_END; ++code)
        x += window_glyph(&prompt, x, 3, *code);
}

static void leave(void)
{
    if (fade_active())
        return;
    window_close(&prompt);
    scene_set(scene_main_menu, LABEL_CB2_MAIN_MENU, LABEL_NONE);
}

static void title(void)
{
    if (clock++ % BLINK_FRAMES == 0)
        draw_prompt(clock % (2 * BLINK_FRAMES) == 1);
    if (!fade_active() && gMain.new_keys & (KEY_A | KEY_START)) {
        fade_start(true);
        scene_set(leave, LABEL_CB2_TITLE, LABEL_NONE);
    }
}

static void draw_title(void)
{
    blocks_attach();
    if (!flash_load() && FULL)
        options_reset();
    video_load_picture();
    text_init();
    video_show(LAYER_MAP | LAYER_TEXT);
    fade_start(false);
    clock = 0;
    scene_set(title, LABEL_CB2_TITLE, LABEL_NONE);
}

void scene_boot(void)
{
    if (++clock >= BLANK_FRAMES)
        scene_set(draw_title, LABEL_CB2_INIT_TITLE, LABEL_NONE);
}
