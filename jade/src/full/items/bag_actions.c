#include "full/items/bag_actions.h"
#include "data/data.h"
#include "full/items/repel.h"
#include "full/items/toss.h"
#include "screens/screens.h"
#include "screens/use_screen.h"
#include "system/task.h"
#include "text/menu.h"

enum { MAX_ACTIONS = 3, BOTTOM = 16 };

typedef enum { USE, TOSS, CANCEL } Action;

static struct {
    const ItemSlot *slot;
    Action actions[MAX_ACTIONS];
    bool tossing, telling; /* telling: until a button is pressed */
} bag;

bool bag_actions_open(const ItemSlot *slot)
{
    static const char *const names[] = {"Use", "Toss", "Cancel"};
    static Window window = {21, 0, 7, 0, 0x220};
    const char *labels[MAX_ACTIONS];
    bool usable = use_allowed(slot->item) || item_find(slot->item)->use == REPEL;
    bool possible[MAX_ACTIONS] = {usable, toss_allowed(), true};
    u8 count = 0;
    for (Action action = USE; action <= CANCEL; ++action) {
        if (!possible[action])
            continue;
        labels[count] = names[action];
        bag.actions[count++] = action;
    }
    bag.slot = slot;
    bag.tossing = bag.telling = false;
    window.height = 2 * count;
    window.row = BOTTOM - window.height;
    if (count == 1)
        return false;
    choice_open(&window, labels, count, 0);
    task_start(LABEL_TASK_MULTICHOICE);
    return true;
}

/* True where nothing more is to be seen of it. */
static bool use(void)
{
    u16 item = bag.slot->item;
    if (item_find(item)->use != REPEL) {
        bag_use(item);
        return true;
    }
    const char *said = repel_use(item, item_find(item)->amount);
    bag_draw_again();
    bag_note(said);
    bag.telling = true;
    return false;
}

static bool act(Action action)
{
    switch (action) {
    case USE: return use();
    case TOSS:
        toss_open(bag.slot);
        bag.tossing = true;
        return false;
    default: return true;
    }
}

bool bag_actions_update(void)
{
    if (bag.telling)
        return gMain.new_keys & (KEY_A | KEY_B);
    if (bag.tossing)
        return toss_update();
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return false;
    choice_close();
    bag_draw_again();
    return act(choice == CHOICE_BACK ? CANCEL : bag.actions[choice]);
}
