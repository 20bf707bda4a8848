#include "world/services.h"
#include "creatures/pokemon.h"
#include "save/save.h"
#include "screens/screens.h"
#include "system/emerald.h"
#include "world/ferry.h"

/* ---- the centre ---- */

/* In front of each centre's door; its first warp leads there. */
static void set_respawn(void)
{
    const WarpEvent *door = &gMapHeader.events->warps[0];
    const WarpEvent *outside = &map_find(door->map_group, door->map_number)->events->warps[door->warp];
    gSaveBlock1Ptr->last_heal = (WarpData) {door->map_group, door->map_number, -1, 0, outside->x, outside->y + 1};
}

static const Command arrive[] = {CALL(set_respawn), CALL(ferry_note_place), END};
const MapScripts centre_scripts = {arrive, 0};

static void heal(void)
{
    party_heal();
    stat_add(STAT_USED_POKECENTER, 1);
}

const Command nurse[] = {
    SAY("Welcome! Let me look after your creatures for a moment."),
    CALL(heal),
    SAY("There! They are fit again. Take care!"),
    END,
};

const Command computer[] = {
    NOTE("The computer hums."),
    SCREEN(&storage_screen),
    END,
};

/* ---- the shops ---- */

static const u16 wares_oldale[] = {4, 13, 14, 18, 17, 0},
                 wares_rustboro[] = {4, 3, 13, 22, 14, 15, 16, 17, 18, 85, 86, 0};

void offer_oldale(void)
{
    shop_wares = wares_oldale;
}

void offer_rustboro(void)
{
    shop_wares = wares_rustboro;
}

const Command nothing_here[] = {END};
