#include "full/items/toss.h"
#include "data/data.h"
#include "save/bag.h"
#include "screens/screens.h"
#include "system/task.h"
#include "text/menu.h"

enum { HANDFUL = 10, COUNT_DATA = 8, SENTENCE_SIZE = 64 };
enum { COUNT_X = 12, NUMBER_RIGHT = 44, TEXT_Y = 2 };

static const Window count_window = {22, 12, 6, 2, 0x220};

static struct {
    u16 item;
    s16 *count; /* in the task, where Emerald has it */
    u16 most;
    enum { HOW_MANY, REALLY, TOSSED } state;
} toss;

bool toss_allowed(void)
{
    return gBagPosition.pocket != POCKET_KEY_ITEMS && gBagPosition.pocket != POCKET_MACHINES;
}

static void append(char *to, const char *words)
{
    while (*to)
        ++to;
    for (u32 i = 0; i < SENTENCE_SIZE; ++i)
        if (!(to[i] = words[i]))
            return;
}

/* "Throw away 3 Potion?" */
static void say(const char *before, const char *after)
{
    char sentence[2 * SENTENCE_SIZE] = "", number[] = "99 ";
    u32 count = *toss.count;
    number[0] = '0' + count / 10;
    number[1] = '0' + count % 10;
    append(sentence, before);
    append(sentence, count < 10 ? number + 1 : number);
    append(sentence, item_find(toss.item)->name);
    append(sentence, after);
    bag_note(sentence);
}

static void draw_count(void)
{
    window_clear(&count_window);
    window_text(&count_window, COUNT_X, TEXT_Y, "x");
    window_number(&count_window, NUMBER_RIGHT, TEXT_Y, *toss.count);
}

static void ask_really(void)
{
    task_stop(LABEL_TASK_TOSS);
    bag_draw_again();
    say("Throw away ", "?");
    yes_no_open(0);
    toss.state = REALLY;
}

void toss_open(const ItemSlot *slot)
{
    toss.item = slot->item;
    toss.most = bag_quantity(slot);
    toss.count = &task_begin(LABEL_TASK_TOSS)[COUNT_DATA];
    *toss.count = 1;
    toss.state = HOW_MANY;
    if (toss.most == 1) {
        ask_really();
        return;
    }
    window_open(&count_window);
    draw_count();
    bag_note("Throw away how many?");
}

/* One more or less goes round, ten more or less ends at the last one. */
static s32 changed(u16 keys, s32 count)
{
    if (keys & KEY_UP)
        return count == toss.most ? 1 : count + 1;
    if (keys & KEY_DOWN)
        return count == 1 ? toss.most : count - 1;
    if (keys & KEY_RIGHT)
        return count + HANDFUL < toss.most ? count + HANDFUL : toss.most;
    return count > HANDFUL ? count - HANDFUL : 1;
}

static bool choose_count(void)
{
    u16 keys = gMain.repeated & (KEY_UP | KEY_DOWN | KEY_LEFT | KEY_RIGHT);
    if (keys) {
        *toss.count = changed(keys, *toss.count);
        draw_count();
    } else if (gMain.new_keys & KEY_A) {
        ask_really();
    } else if (gMain.new_keys & KEY_B) {
        task_stop(LABEL_TASK_TOSS);
        return true;
    }
    return false;
}

static bool ask(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return false;
    choice_close();
    if (choice != 0)
        return true;
    bag_remove(toss.item, *toss.count);
    bag_draw_again();
    say("Threw away ", ".");
    toss.state = TOSSED;
    return false;
}

bool toss_update(void)
{
    switch (toss.state) {
    case HOW_MANY: return choose_count();
    case REALLY: return ask();
    default: return gMain.new_keys & (KEY_A | KEY_B);
    }
}
