/* The battle's frame: one step follows another, most of them after something was said. */
#include "battle/battle.h"
#include "battle/battle_steps.h"
#include "battle/rules/battle_rules.h"
#include "battle/rules/battle_status.h"
#include "battle/view/battle_screens.h"
#include "battle/view/battle_view.h"
#include "creatures/pokemon.h"
#include "save/bag.h"
#include "save/blocks.h"
#include "save/save.h"
#include "system/demands.h"
#include "system/task.h"
#include "system/video.h"
#include "text/menu.h"
#include "text/message.h"
#include "text/text.h"

enum { READING_FRAMES = 20 };
/* Emerald's: the pause after a message (B_WAIT_TIME_LONG), which no key ends, and the way into a battle */
enum { LONG_PAUSE = 64, OPENING_FRAMES = 240 };

Battle battle;

static struct {
    Step next;
    u8 frames;
    bool saying;
} now;

static u16 waiting; /* frames that pass by themselves, at Emerald's pace */

/* ---- saying ---- */

static void encode_name(u8 *to, const char *before, const u8 *name)
{
    u32 length = 0;
    for (; *before; ++before)
        text_encode(to + length++, before, 1);
    for (u32 i = 0; i < NICKNAME_SIZE && name[i] != CODE_END; ++i)
        to[length++] = name[i];
    to[length] = CODE_END;
}

void battle_name(u8 *to, enum Battler battler)
{
    const char *before = battler_is_own(battler) ? "" : battle.trainer ? "The foe's " : "The wild ";
    encode_name(to, before, gBattleMons[battler].nickname);
}

void battle_then(Step step)
{
    now.next = step;
}

#if FULL
void battle_wait(u32 frames)
{
    waiting += frames;
}
#endif

void battle_say(const char *text, Step step)
{
    message_start(text);
    gBattleMainFunc = gBattlerControllerFuncs[battle.acting] = 0; /* nothing is chosen now */
    now.saying = true;
    now.frames = 0;
    now.next = step;
}

/* True when the text was there long enough, or a button hurried it. */
static bool said(void)
{
    message_update();
    if (!message_printed())
        return false;
    if (DEMANDED(DEMAND_PACE))
        return ++now.frames > LONG_PAUSE;
    return gMain.new_keys & (KEY_A | KEY_B) || ++now.frames > READING_FRAMES;
}

static void update(void)
{
    view_draw_sprites();
    if (fade_active() || !view_settle())
        return;
    if (FULL && waiting) {
        --waiting;
        return;
    }
    if (now.saying && !said())
        return;
    now.saying = false;
    now.next();
}

/* ---- who is out there ---- */

Pokemon *battle_mon(enum Battler battler)
{
    return &(battler_is_own(battler) ? gPlayerParty : gEnemyParty)[gBattlerPartyIndexes[battler]];
}

void battle_store(void)
{
    for (enum Battler battler = OWN; battler < gBattlersCount; ++battler)
        if (battle.present[battler])
            battler_store(battler, battle_mon(battler));
}

bool battle_is_out(enum Battler battler, u32 slot)
{
    for (u32 i = battler & 1; i < gBattlersCount; i += 2)
        if (battle.present[i] && gBattlerPartyIndexes[i] == slot)
            return true;
    return false;
}

u32 battle_reserve(enum Battler battler)
{
    bool own = battler_is_own(battler);
    const Pokemon *party = own ? gPlayerParty : gEnemyParty;
    u32 count = own ? gPlayerPartyCount : gEnemyPartyCount;
    for (u32 slot = 0; slot < count; ++slot)
        if (party[slot].hp && !battle_is_out(battler, slot))
            return slot;
    return PARTY_SIZE;
}

void battle_show_experience(void)
{
    const BattlePokemon *mon = &gBattleMons[OWN];
    const Species *species = species_find(mon->species);
    u32 from = mon_experience_at(species, mon->level), to = mon_experience_at(species, mon->level + 1);
    view_experience(mon->experience > from ? (mon->experience - from) * 100 / (to - from) : 0);
}

void battle_send_out(enum Battler battler, u32 slot)
{
    bool own = battler_is_own(battler);
    battler_fill(battler, &(own ? gPlayerParty : gEnemyParty)[slot], slot);
    battle.present[battler] = true;
    BATTLE_SHOW(SEND_OUT_FRAMES);
    gMoveSelectionCursor[battler] = 0;
    if (!own)
        dex_set(species_find(gBattleMons[battler].species)->national, false);
    view_show(battler);
    if (own)
        battle_show_experience();
}

/* ---- the beginning ---- */

static void tell_rain(void)
{
    battle_say("It is raining.", step_turn);
}

/* Each step sends out one, until all places are taken. */
static bool send_first(enum Battler battler, const char *text, Step step)
{
    for (; battler < gBattlersCount; battler += 2) {
        u32 slot = battle_reserve(battler);
        if (battle.present[battler] || slot == PARTY_SIZE)
            continue;
        battle_send_out(battler, slot);
        battle_name(gStringVar1, battler);
        battle_say(text, step);
        return true;
    }
    return false;
}

static void go(void)
{
    if (send_first(OWN, "Go, {1}!", go))
        return;
    if (battle_rain())
        tell_rain();
    else
        step_turn();
}

static void introduce(void)
{
    if (!send_first(FOE, battle.trainer ? "{1} comes out!" : "{1} appears!", introduce))
        go();
}

static void challenge(void)
{
    text_encode(gStringVar1, battle.trainer->name, 32);
    battle_say(battle.trainer->pair ? "{1} want to fight!" : "{1} wants to fight!", introduce);
}

static void start(void)
{
    view_open();
    fade_start(false);
    now.saying = false;
    now.next = battle.trainer ? challenge : introduce;
    BATTLE_SHOW(OPENING_FRAMES);
    gMain.flags |= MAIN_IN_BATTLE;
    scene_set(update, LABEL_CB2_BATTLE, LABEL_CB1_BATTLE);
}

static void make_team(void)
{
    memset(gEnemyParty, 0, PARTY_SIZE * sizeof(Pokemon));
    gEnemyPartyCount = 0;
    for (u32 i = 0; i < battle.team_size; ++i) {
        mon_create(&gEnemyParty[i], battle.team[i].species, battle.team[i].level, 0);
        ++gEnemyPartyCount;
    }
    scene_set(start, LABEL_CB2_START_BATTLE, LABEL_NONE);
}

static void init(void)
{
    if (fade_active())
        return;
    blocks_move();
    tasks_reset();
    text_clear();
    video_show(0);
    bool pair = battle.trainer && battle.trainer->pair;
    gBattleTypeFlags = battle.trainer ? TYPE_FLAG_TRAINER : battle.first ? TYPE_FLAG_FIRST : 0;
    if (pair)
        gBattleTypeFlags |= TYPE_FLAG_DOUBLE;
    if (BATTLE_IS_LESSON)
        gBattleTypeFlags = TYPE_FLAG_LESSON;
    gBattleOutcome = 0;
    gBattlersCount = pair ? BATTLERS : 2;
    for (u32 i = 0; i < BATTLERS; ++i)
        gBattlerPositions[i] = i;
    memset(battle.present, false, sizeof battle.present);
    memset(gActionSelectionCursor, 0, BATTLERS);
    if (battle.trainer)
        gTrainerBattleOpponent_A = battle.trainer->number;
    stat_add(STAT_TOTAL_BATTLES, 1);
    stat_add(battle.trainer ? STAT_TRAINER_BATTLES : STAT_WILD_BATTLES, 1);
    scene_set(make_team, battle.first ? LABEL_CB2_START_FIRST_BATTLE : LABEL_CB2_INIT_BATTLE, LABEL_NONE);
}

static void begin(Scene after)
{
    battle.after = after;
    battle.tries = 0;
    sLockFieldControls = true;
    task_start(LABEL_TASK_BATTLE_START);
    fade_start(true);
    scene_set(init, LABEL_CB2_OVERWORLD, LABEL_CB1_OVERWORLD);
}

void battle_for_birch(u16 species, u8 level, Scene after)
{
    battle_wild(species, level, after);
    battle.first = true;
}

void battle_wild(u16 species, u8 level, Scene after)
{
    battle.trainer = 0;
    battle.first = false;
#if FULL
    battle.lesson = false;
#endif
    battle.team[0] = (TeamMember) {species, level};
    battle.team_size = 1;
    begin(after);
}

void battle_trainer(const Trainer *trainer, Scene after)
{
    battle.trainer = trainer;
    battle.first = false;
#if FULL
    battle.lesson = false;
#endif
    battle.team_size = 0;
    while (battle.team_size < ARRAY_COUNT(trainer->team) && trainer->team[battle.team_size].species) {
        battle.team[battle.team_size] = trainer->team[battle.team_size];
        ++battle.team_size;
    }
    begin(after);
}

#if FULL
void battle_lesson(u16 species, u8 level, Scene after)
{
    battle_wild(species, level, after);
    battle.lesson = true;
}
#endif

/* ---- after a screen that covered the battle ---- */

void battle_resume(Step step)
{
    view_open();
    battle_show_experience();
    fade_start(false);
    now.saying = false;
    now.next = step;
    scene_set(update, LABEL_CB2_BATTLE, LABEL_CB1_BATTLE);
}
