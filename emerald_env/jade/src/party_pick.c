#include "party_pick.h"
#include "emerald.h"
#include "party_list.h"

static u8 picked;

static void draw(void)
{
    u8 first = 0;
    picked = PICKED_NOBODY;
    while (first + 1 < gPlayerPartyCount && !gPlayerParty[first].hp)
        ++first;
    party_list_open(first, "Whom do you choose?");
}

static bool update(void)
{
    party_list_update();
    if (gMain.new_keys & KEY_A)
        picked = party_list_cursor();
    return gMain.new_keys & (KEY_A | KEY_B);
}

u8 party_picked(void)
{
    return picked;
}

const Screen party_pick_screen = {LABEL_CB2_PARTY, draw, update, false};
