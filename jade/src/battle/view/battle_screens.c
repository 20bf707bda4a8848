#include "battle/view/battle_screens.h"
#include "battle/battle_steps.h"
#include "battle/rules/battle_rules.h"
#include "battle/view/party_pick.h"
#include "battle/view/pick_screen.h"
#include "save/bag.h"
#include "text/text.h"

static u8 shakes;

/* ---- changing ---- */

static void come_out(void)
{
    battle_send_out(battle.acting, party_picked());
    battle_name(gStringVar1, battle.acting);
    battle_say("Go, {1}!", step_acted);
}

static void call_back(void)
{
    u8 picked = party_picked();
    if (picked == PICKED_NOBODY || picked == gBattlerPartyIndexes[battle.acting])
        step_choose();
    else if (battle_is_out(battle.acting, picked))
        battle_say("It fights already!", step_choose);
    else if (!gPlayerParty[picked].hp)
        battle_say("It is too tired to fight!", step_choose);
    else
        battle_say("Come back!", come_out);
}

static void back_from_party(void)
{
    battle_resume(call_back);
}

void battle_open_party(void)
{
    party_pick_from(gBattlerPartyIndexes[battle.acting]);
    screen_open(&party_pick_screen, back_from_party);
}

static void succeed(void)
{
    u8 picked = party_picked();
    if (picked == PICKED_NOBODY || !gPlayerParty[picked].hp || battle_is_out(battle.acting, picked)) {
        battle_open_successor();
        return;
    }
    battle_send_out(battle.acting, picked);
    battle_name(gStringVar1, battle.acting);
    battle_say("Go, {1}!", step_turn);
}

static void back_from_successor(void)
{
    battle_resume(succeed);
}

void battle_open_successor(void)
{
    party_pick_from(battle_reserve(battle.acting));
    screen_open(&party_pick_screen, back_from_successor);
}

/* ---- the bag ---- */

static void ball_result(void)
{
    battle_name(gStringVar1, FOE);
    if (shakes == 4)
        battle_say("Gotcha! {1} is caught!", step_caught);
    else
        battle_say(shakes > 1 ? "So close! {1} broke out." : "{1} broke out at once.", step_acted);
}

static void use_item(void)
{
    const Item *item = item_find(item_picked());
    BattlePokemon *own = &gBattleMons[battle.acting];
    if (!item->number) {
        step_choose();
        return;
    }
    if (item->use == CATCH && battle.trainer) {
        battle_say("Those belong to somebody!", step_choose);
        return;
    }
    bag_remove(item->number, 1);
    if (item->use == CATCH) {
        shakes = battle_ball_shakes(item->amount);
        battle_say("You throw a ball!", ball_result);
        return;
    }
    if (item->use == HEAL_HP)
        own->hp = own->hp + item->amount < own->max_hp ? own->hp + item->amount : own->max_hp;
    if (item->use == CURE && own->status & item->amount)
        own->status = 0;
    for (u32 i = 0; item->use == HEAL_PP && i < 4; ++i) {
        u8 most = move_find(own->moves[i])->pp;
        own->pp[i] = own->pp[i] + item->amount < most ? own->pp[i] + item->amount : most;
    }
    battle_store();
    battle_name(gStringVar1, battle.acting);
    battle_say("{1} feels better!", step_acted);
}

static void back_from_bag(void)
{
    battle_resume(use_item);
}

void battle_open_bag(void)
{
    screen_open(&item_pick_screen, back_from_bag);
}
