#include "full/poison.h"
#include "battle/after_battle.h"
#include "creatures/pokemon.h"
#include "events/script.h"
#include "field/ground/object.h"
#include "save/save.h"
#include "system/video.h"
#include "text/message.h"
#include "text/text.h"

/* pret: src/field_poison.c, UpdatePoisonStepCounter; STATUS1_TOXIC_POISON counts, too */
enum { VAR_POISON_STEPS = 0x402B, PERIOD = 4, BADLY_POISONED = 0x80 };
enum { MOSAIC_FRAMES = 12 };

static u8 shown; /* frames of the mosaic that are left */

static bool poisoned(const Pokemon *mon)
{
    return mon->status & (POISONED | BADLY_POISONED);
}

/* Who has just fainted, one after the other: is cured by that, and named. */
static void name_fainted(void)
{
    gSpecialVar_Result = false;
    for (u32 i = 0; i < gPlayerPartyCount; ++i) {
        Pokemon *mon = &gPlayerParty[i];
        if (mon->hp || !poisoned(mon))
            continue;
        mon->status = 0;
        memcpy(gStringVar1, mon->box.nickname, NICKNAME_SIZE);
        gStringVar1[NICKNAME_SIZE] = CODE_END;
        gSpecialVar_Result = true;
        return;
    }
}

static void can_go_on(void)
{
    gSpecialVar_Result = party_can_fight();
}

static bool go_dark(void)
{
    static bool fading;
    if (!fading) {
        message_close();
        fade_start(true);
        fading = true;
    } else if (!fade_active()) {
        fading = false;
        battle_white_out();
    }
    return false;
}

static const Command white_out[] = {
    SAY("{P} has nobody left who can fight... Everything went dark."), WAIT(go_dark), END,
};
static const Command after[] = {CALL(can_go_on), IF_NO(white_out), END};
static const Command fainted[] = {
    CALL(name_fainted), IF_NO(after), SAY("{1} fainted from the poison..."), GOTO(fainted),
};

bool poison_step(void)
{
    u16 steps = (var_get(VAR_POISON_STEPS) + 1) % PERIOD;
    bool hurt = false, lost = false;
    var_set(VAR_POISON_STEPS, steps);
    for (u32 i = 0; !steps && i < gPlayerPartyCount; ++i) {
        Pokemon *mon = &gPlayerParty[i];
        if (!mon->hp || !poisoned(mon))
            continue;
        hurt = true;
        lost |= !--mon->hp;
    }
    if (hurt)
        shown = MOSAIC_FRAMES;
    if (lost) {
        objects_freeze();
        script_start(fainted);
    }
    return lost;
}

void poison_update(void)
{
    if (!shown)
        return;
    --shown;
    u32 size = shown < MOSAIC_FRAMES / 2 ? shown : MOSAIC_FRAMES - shown;
    REG_BGCNT(3) |= BG_MOSAIC;
    REG_MOSAIC = size | size << 4;
}
