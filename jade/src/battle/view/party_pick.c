#include "battle/view/party_pick.h"
#include "creatures/party_list.h"
#include "system/emerald.h"

static u8 picked, first;

static void draw(void)
{
    picked = PICKED_NOBODY;
    gPartyMenu.kind = PARTY_BATTLE;
    gPartyMenu.action = PARTY_SEND_OUT;
    gPartyMenu.item = 0;
    party_list_open(first, "Whom do you choose?");
}

static bool update(void)
{
    party_list_update();
    if (gMain.new_keys & KEY_A)
        picked = party_list_cursor();
    return gMain.new_keys & (KEY_A | KEY_B);
}

void party_pick_from(u8 slot)
{
    first = slot;
}

u8 party_picked(void)
{
    return picked;
}

const Screen party_pick_screen = {LABEL_CB2_PARTY, draw, update, false};
