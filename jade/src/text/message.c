#include "text/message.h"
#include "full/pace/options.h"
#include "system/demands.h"
#include "system/emerald.h"
#include "text/text.h"

enum { PRINTING, PAGE_END, TEXT_END };
enum { LINE_WIDTH = 208, LINES = 2, FIRST_X = 4, FIRST_Y = 2, ARROW_PERIOD = 16 };
#define FRAMES_PER_LETTER (FULL ? options_letter_frames() : 2)
/* Emerald's states of a text printer (facts: sTextPrinters) */
enum { PRINTER_CHARACTER = 0, PRINTER_WAIT = 1, PRINTER_CLEAR = 2 };

static const Window box = {1, 15, 28, 4, 0x010};

static struct {
    const u8 *next;
    u8 state, x, y, clock;
} message;

static bool sped_up; /* at Emerald's pace */

static void set_state(u8 state)
{
    static const u8 printer[] = {PRINTER_CHARACTER, PRINTER_CLEAR, PRINTER_WAIT};
    message.state = state;
    message.clock = 0;
    sTextPrinters[0].active = state != TEXT_END;
    sTextPrinters[0].state = printer[state];
    sFieldMessageBoxMode = state == TEXT_END ? 0 : 2;
    sGlobalScriptContext.mode = 2;
    sGlobalScriptContext.native = state == TEXT_END ? LABEL_WAIT_FOR_BUTTON : LABEL_IS_MESSAGE_HIDDEN;
}

void message_start(const char *text)
{
    text_layout(text, LINE_WIDTH, LINES);
    message.next = gStringVar4;
    message.x = FIRST_X;
    message.y = FIRST_Y;
    window_open(&box);
    if (FULL)
        sped_up = false;
    set_state(PRINTING);
}

static void print_letter(void)
{
    u8 code = *message.next++;
    sTextPrinters[0].current = message.next;
    if (code == CODE_END) {
        set_state(TEXT_END);
    } else if (code == CODE_PAGE) {
        set_state(PAGE_END);
    } else if (code == CODE_LINE) {
        message.x = FIRST_X;
        message.y += LINE_HEIGHT;
    } else {
        message.x += window_glyph(&box, message.x, message.y, code);
    }
}

static void blink_arrow(void)
{
    u32 phase = message.clock++ % (2 * ARROW_PERIOD);
    if (phase % ARROW_PERIOD == 0)
        window_arrow(&box, phase == 0);
}

#if FULL
/* At Emerald's pace letters come one by one: one each frame, after A or B was pressed and while it is held. */
static void print_in_time(bool pressed)
{
    sped_up = sped_up || pressed;
    if (++message.clock >= FRAMES_PER_LETTER || (sped_up && gMain.held & (KEY_A | KEY_B))) {
        message.clock = 0;
        print_letter();
    }
}
#endif

bool message_update(void)
{
    bool pressed = gMain.new_keys & (KEY_A | KEY_B);
#if FULL
    if (demands[DEMAND_PACE] && message.state == PRINTING) {
        print_in_time(pressed);
        return false;
    }
#endif
    if (message.state == PRINTING) {
        bool hurry = gMain.held & (KEY_A | KEY_B);
        if (++message.clock >= FRAMES_PER_LETTER || hurry) {
            message.clock = 0;
            print_letter();
            if (hurry && message.state == PRINTING)
                print_letter();
        }
        return false;
    }
    blink_arrow();
    if (!pressed)
        return false;
    if (message.state == TEXT_END)
        return true;
    window_clear(&box);
    message.x = FIRST_X;
    message.y = FIRST_Y;
    set_state(PRINTING);
    return false;
}

void message_finish(void)
{
    while (message.state == PRINTING)
        print_letter();
}

bool message_printed(void)
{
    return message.state == TEXT_END;
}

void message_close(void)
{
    window_close(&box);
    sTextPrinters[0].active = 0;
    sFieldMessageBoxMode = 0;
}
