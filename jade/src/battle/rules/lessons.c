#include "battle/rules/lessons.h"
#include "battle/view/battle_view.h"
#include "creatures/pokemon.h"
#include "system/task.h"
#include "text/menu.h"
#include "text/message.h"
#include "text/text.h"

static struct {
    Pokemon *mon;
    Step after;
    u8 level; /* the one whose lessons are looked through */
    u16 move;
} lesson;

static void next_lesson(void);

static void level_up(void)
{
    mon_update(lesson.mon);
    if (lesson.level >= lesson.mon->level) {
        lesson.after();
        return;
    }
    lesson.move = 0;
    ++lesson.level;
    text_number(gStringVar2, lesson.level);
    BATTLE_SHOW(LEVEL_FRAMES);
    battle_say("{1} grew to level {2}!", next_lesson);
}

/* ---- a fifth move ---- */

static void forget(void)
{
    bool moved;
    Content content;
    s32 choice = grid_update(&moved);
    mon_open(&lesson.mon->box, &content);
    sMenu.cursor = grid_cursor();
    if (choice == CHOICE_OPEN || (choice >= 0 && move_kept(content.moves[choice])))
        return;
    task_stop(LABEL_TASK_MULTICHOICE);
    text_clear();
    view_boxes();
    if (choice == CHOICE_BACK) {
        battle_say("{1} did not learn {2}.", next_lesson);
        return;
    }
    mon_replace_move(lesson.mon, choice, lesson.move);
    battle_say("{1} forgot a move and learned {2}!", next_lesson);
}

static void ask_which(void)
{
    Content content;
    const char *labels[4];
    mon_open(&lesson.mon->box, &content);
    for (u32 i = 0; i < 4; ++i)
        labels[i] = move_find(content.moves[i])->name;
    text_clear();
    view_boxes();
    grid_open(labels, 0, true);
    gMoveToLearn = lesson.move;
    menu_note(1, 15, 2, 4, 0);
    task_start(LABEL_TASK_MULTICHOICE);
    const Move *move = move_find(lesson.move);
    grid_note("For it?", move->pp, move->pp);
    battle_then(forget);
}

static void learn(void)
{
    text_encode(gStringVar2, move_find(lesson.move)->name, 16);
    if (mon_teach(lesson.mon, lesson.move))
        battle_say("{1} learned {2}!", next_lesson);
    else
        battle_say("{1} could learn {2}, but knows four moves. Which one shall it forget? (B: none)", ask_which);
}

/* The next move of this level, after the one that was just looked at. */
static void next_lesson(void)
{
    Content content;
    mon_open(&lesson.mon->box, &content);
    const Lesson *entry = species_find(content.species)->lessons;
    bool past = !lesson.move;
    for (; entry->move; ++entry) {
        if (entry->level == lesson.level && past) {
            lesson.move = entry->move;
            learn();
            return;
        }
        past = past || entry->move == lesson.move;
    }
    level_up();
}

void lessons_experience(u32 slot, const BattlePokemon *foe, u32 parts, Step after)
{
    Content content;
    u32 gained = species_find(foe->species)->experience * foe->level / 7 / parts;
    if (battle.trainer)
        gained = gained * 3 / 2;
    lesson.mon = &gPlayerParty[slot];
    lesson.after = after;
    lesson.level = lesson.mon->level;
    mon_open(&lesson.mon->box, &content);
    const Species *species = species_find(content.species);
    if (lesson.level < MAX_LEVEL)
        content.experience += gained;
    if (content.experience > mon_experience_at(species, MAX_LEVEL))
        content.experience = mon_experience_at(species, MAX_LEVEL);
    mon_seal(&lesson.mon->box, &content);
    mon_add_effort(lesson.mon, species_find(foe->species));
    memcpy(gStringVar1, lesson.mon->box.nickname, NICKNAME_SIZE);
    gStringVar1[NICKNAME_SIZE] = CODE_END;
    text_number(gStringVar2, gained);
    BATTLE_SHOW(EXPERIENCE_FRAMES);
    battle_say("{1} gained {2} points of experience!", level_up);
}
