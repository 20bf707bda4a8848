#include "creatures/evolution.h"
#include "creatures/pokemon.h"
#include "data/data.h"
#include "save/save.h"
#include "system/emerald.h"
#include "system/video.h"
#include "text/message.h"
#include "text/text.h"

enum { FLICKER_FRAMES = 120, CREATURE_X = 88, CREATURE_Y = 24 };

static struct {
    u8 slot, frame;
    Scene after;
} evolution;

static void finished(void)
{
    if (fade_active())
        return;
    message_close();
    ++evolution.slot;
    evolution_check(evolution.after);
}

static void tell(void)
{
    if (!message_update())
        return;
    fade_start(true);
    scene_set(finished, LABEL_CB2_EVOLUTION, LABEL_NONE);
}

static void change(void)
{
    Pokemon *mon = &gPlayerParty[evolution.slot];
    Content content;
    mon_open(&mon->box, &content);
    const Species *from = species_find(content.species);
    const Species *to = species_find(from->evolves_to);
    u8 plain[NICKNAME_SIZE];
    text_encode(plain, from->name, sizeof plain);
    if (!memcmp(mon->box.nickname, plain, sizeof plain))
        text_encode(mon->box.nickname, to->name, sizeof mon->box.nickname);
    content.species = to->species;
    mon_seal(&mon->box, &content);
    mon_update(mon);
    dex_set(to->national, true);
    stat_add(STAT_EVOLVED, 1);
    text_encode(gStringVar2, to->name, 16);
    message_start("It has grown into a {2}!");
    scene_set(tell, LABEL_CB2_EVOLUTION, LABEL_NONE);
}

static void flicker(void)
{
    u32 pace = evolution.frame < FLICKER_FRAMES / 2 ? 16 : 4;
    sprites_begin();
    sprite_add_creature(CREATURE_X, CREATURE_Y, evolution.frame == FLICKER_FRAMES || evolution.frame / pace & 1, false);
    sprites_end();
    if (evolution.frame++ == FLICKER_FRAMES)
        change();
}

static void announce(void)
{
    if (!fade_active() && message_update())
        scene_set(flicker, LABEL_CB2_EVOLUTION, LABEL_NONE);
}

static void show(const Pokemon *mon, const Species *species)
{
    evolution.frame = 0;
    text_init();
    video_load_battle(false);
    video_load_creature(0, species->species, false);
    video_load_creature(1, species->evolves_to, false);
    sprites_begin();
    sprite_add_creature(CREATURE_X, CREATURE_Y, 0, false);
    sprites_end();
    video_show(LAYER_MAP | LAYER_TEXT | LAYER_PEOPLE);
    memcpy(gStringVar1, mon->box.nickname, NICKNAME_SIZE);
    gStringVar1[NICKNAME_SIZE] = CODE_END;
    message_start("What is that? {1} is changing!");
    fade_start(false);
    scene_set(announce, LABEL_CB2_EVOLUTION, LABEL_NONE);
}

/* What somebody is, if it is about to change, or null. */
static const Species *changing(const Pokemon *mon)
{
    Content content;
    mon_open(&mon->box, &content);
    const Species *species = species_find(content.species);
    return species->evolves_at && mon->level >= species->evolves_at && mon->hp ? species : 0;
}

bool evolution_due(void)
{
    for (u32 i = 0; i < gPlayerPartyCount; ++i)
        if (changing(&gPlayerParty[i]))
            return true;
    return false;
}

void evolution_check(Scene after)
{
    if (evolution.after != after)
        evolution.slot = 0;
    evolution.after = after;
    for (; evolution.slot < gPlayerPartyCount; ++evolution.slot) {
        const Pokemon *mon = &gPlayerParty[evolution.slot];
        const Species *species = changing(mon);
        if (species) {
            show(mon, species);
            return;
        }
    }
    evolution.slot = 0;
    after();
}
