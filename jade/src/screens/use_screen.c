#include "screens/use_screen.h"
#include "creatures/party_list.h"
#include "creatures/pokemon.h"
#include "data/data.h"
#include "save/bag.h"
#include "system/emerald.h"
#include "system/task.h"
#include "text/menu.h"

enum State { CHOOSING, FORGETTING, DONE };

static const Window move_window = {18, 6, 10, 8, 0x220};
static const char question[] = "On whom?";

static struct {
    const Item *item;
    enum State state;
    u16 move; /* that is about to be learned */
} use;

bool use_allowed(u16 item)
{
    u8 kind = item_find(item)->use;
    return kind == HEAL_HP || kind == HEAL_PP || kind == CURE || kind == LEVEL_UP || kind == TEACH;
}

void use_choose(u16 item)
{
    use.item = item_find(item);
    gPartyMenu.item = item;
    gPartyMenu.kind = PARTY_FIELD;
    gPartyMenu.action = PARTY_USE_ITEM;
}

static void draw(void)
{
    use.state = CHOOSING;
    party_list_open(0, question);
}

static void done(const char *text)
{
    u8 cursor = party_list_cursor();
    party_list_open(cursor, "");
    party_list_note_about(cursor, text);
    use.state = DONE;
}

static Pokemon *chosen(void)
{
    return &gPlayerParty[party_list_cursor()];
}

/* ---- what each kind does; false where it would change nothing ---- */

static bool heal_hp(Pokemon *mon)
{
    if (!mon->hp || mon->hp == mon->max_hp)
        return false;
    u32 hp = mon->hp + use.item->amount;
    mon->hp = hp < mon->max_hp ? hp : mon->max_hp;
    done(" feels better!");
    return true;
}

static bool cure(Pokemon *mon)
{
    if (!(mon->status & use.item->amount))
        return false;
    mon->status = 0;
    done(" is well again!");
    return true;
}

static bool heal_pp(Pokemon *mon)
{
    Content content;
    bool changed = false;
    mon_open(&mon->box, &content);
    for (u32 i = 0; i < 4; ++i) {
        u8 most = move_find(content.moves[i])->pp;
        u32 pp = content.pp[i] + use.item->amount;
        changed = changed || content.pp[i] < most;
        content.pp[i] = pp < most ? pp : most;
    }
    mon_seal(&mon->box, &content);
    if (changed)
        done(" has its moves back!");
    return changed;
}

static void ask_which(const Content *content)
{
    const char *labels[4];
    for (u32 i = 0; i < 4; ++i)
        labels[i] = move_find(content->moves[i])->name;
    party_list_note("Forget which move? (B: none)");
    choice_open(&move_window, labels, 4, 0);
    use.state = FORGETTING;
    task_start(LABEL_TASK_MULTICHOICE);
}

/* True where the move is learned, or a question about it is open. */
static bool teach(Pokemon *mon, u16 move)
{
    Content content;
    mon_open(&mon->box, &content);
    if (!species_learns(content.species, move))
        return false;
    for (u32 i = 0; i < 4; ++i)
        if (content.moves[i] == move)
            return false;
    use.move = gPartyMenu.data = move;
    if (mon_teach(mon, move))
        done(" learned a move!");
    else
        ask_which(&content);
    return true;
}

static bool level_up(Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    const Species *species = species_find(content.species);
    if (mon->level >= MAX_LEVEL)
        return false;
    content.experience = mon_experience_at(species, mon->level + 1);
    mon_seal(&mon->box, &content);
    mon_update(mon);
    done(" grew by a level!");
    for (const Lesson *lesson = species->lessons; lesson->move; ++lesson)
        if (lesson->level == mon->level)
            teach(mon, lesson->move);
    return true;
}

static bool use_on(Pokemon *mon)
{
    switch (use.item->use) {
    case HEAL_HP: return heal_hp(mon);
    case HEAL_PP: return heal_pp(mon);
    case CURE: return cure(mon);
    case LEVEL_UP: return level_up(mon);
    case TEACH: return teach(mon, use.item->amount);
    default: return false;
    }
}

/* What can be used for ever has no price. */
static void consume(void)
{
    if (use.item->price)
        bag_remove(use.item->number, 1);
}

static void choose(void)
{
    party_list_update();
    if (!(gMain.new_keys & KEY_A) || !gPlayerPartyCount)
        return;
    if (!use_on(chosen()))
        party_list_note("It would change nothing.");
    else if (use.state == DONE || use.item->use == LEVEL_UP)
        consume();
}

static u16 move_at(const Pokemon *mon, u32 slot)
{
    Content content;
    mon_open(&mon->box, &content);
    return content.moves[slot];
}

static void forget(void)
{
    s32 choice = choice_update();
    if (choice == CHOICE_OPEN)
        return;
    if (choice >= 0 && move_kept(move_at(chosen(), choice))) {
        party_list_note("That move is for ever. Which one?");
        return;
    }
    choice_close();
    if (choice == CHOICE_BACK) {
        done(" keeps its moves.");
        return;
    }
    mon_replace_move(chosen(), choice, use.move);
    if (use.item->use == TEACH)
        consume();
    done(" learned a new move!");
}

static bool update(void)
{
    switch (use.state) {
    case CHOOSING:
        choose();
        return gMain.new_keys & KEY_B;
    case FORGETTING:
        forget();
        return false;
    default:
        return gMain.new_keys & (KEY_A | KEY_B);
    }
}

const Screen use_screen = {LABEL_CB2_PARTY, draw, update, false};
