#include "services.h"
#include "emerald.h"
#include "pokemon.h"
#include "save.h"
#include "screens.h"

/* ---- the centre ---- */

static void heal(void)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    party_heal();
    block->last_heal = block->location;
    block->last_heal.warp = -1;
    block->last_heal.x = block->pos.x;
    block->last_heal.y = block->pos.y;
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

static const u16 wares_oldale[] = {4, 13, 0}, wares_rustboro[] = {4, 3, 13, 22, 85, 86, 0};

void offer_oldale(void)
{
    shop_wares = wares_oldale;
}

void offer_rustboro(void)
{
    shop_wares = wares_rustboro;
}

const Command nothing_here[] = {END};
