/* The first town: home, the neighbours, the laboratory. */
#include "creatures/pokemon.h"
#include "save/save.h"
#include "system/demands.h"
#include "field/ground/map.h"
#include "world/world.h"

/* ---- the moving truck ---- */

static const Command truck_box[] = {SAY("A box: \"{P}'s things. Fragile!\""), END};
static const WarpEvent truck_warps[] = {WARP(4, 2, 0, 9, 3)};
static const BgEvent truck_signs[] = {SIGN(0, 1, truck_box), SIGN(1, 1, truck_box), SIGN(0, 3, truck_box)};
static const MapEvents truck_events = {0, 1, 0, 3, 0, truck_warps, 0, truck_signs};
static const MapScripts truck_scripts = {0, 0};
const MapHeader map_truck = {
    &layout_Truck, &truck_events, &truck_scripts, 0, 0, 237, SECTION_TRUCK, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- the town ---- */

/* Whoever just moved in wakes up in the new room after a defeat, until there was a centre. */
static void step_off_truck(void)
{
    if (var_get(VAR_LITTLEROOT_INTRO_STATE))
        return;
    var_set(VAR_LITTLEROOT_INTRO_STATE, 1 + gSaveBlock2Ptr->gender);
    gSaveBlock1Ptr->last_heal = (WarpData) {1, 1, -1, 0, 4, 2};
}

static const Command town_arrive_open[] = {PLACE(1, 9, 2), END};
static const Command town_arrive[] = {
    SET_FLAG(FLAG_VISITED_LITTLEROOT_TOWN),
    CALL(step_off_truck),
    IF_VAR_BELOW(VAR_LITTLEROOT_RIVAL_STATE, 3, (const Command[]) {END}),
    GOTO(town_arrive_open),
};
static const Command gate_closed[] = {
    SAY("The woods to the north are wild. Say hello to your neighbours in the blue house first!"),
    END,
};
static const Command gate_boy[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_RIVAL_STATE, 3, gate_closed),
    SAY("The path to the north is open. Take care in the tall grass."),
    END,
};
static const Command town_girl[] = {SAY("If you go up to a door and push, it opens. Doors are like that."), END};
static const Command town_elder[] = {
    SAY("The professor spends more time on Route 101 than in the green laboratory."),
    END,
};
static const Command shoes[] = {
    SAY("MOM: There you are, {P}! You are off on a journey, then?"
        "\nTake these running shoes. Hold B to run!"),
    SET_FLAG(FLAG_SYS_B_DASH),
    SET_FLAG(FLAG_RECEIVED_RUNNING_SHOES),
    WALK(4, "R"),
    HIDE(4),
    END,
};
static const Command home_sign[] = {SAY("The house of {P}. The paint is still wet."), END};
static const Command neighbour_sign[] = {SAY("The neighbours: come in, we never lock."), END};

static const ObjectTemplate town_people[] = {
    PERSON(1, LOOK_BOY, 10, 3, DOWN, STANDS, 0, gate_boy),
    PERSON(2, LOOK_GIRL, 8, 11, 0, LOOKS_AROUND, 0, town_girl),
    PERSON(3, LOOK_ELDER, 14, 16, 0, LOOKS_AROUND, 0, town_elder),
    PERSON(4, LOOK_MOTHER, 9, 17, LEFT, STANDS, FLAG_HIDE_LITTLEROOT_TOWN_MOM_OUTSIDE, shoes),
};
static const WarpEvent town_warps[] = {WARP(4, 8, 1, 0, 0), WARP(15, 8, 1, 2, 0), WARP(7, 16, 1, 4, 0), WARP(4, 11, 25, 40, 0)};
static const BgEvent town_signs[] = {SIGN(6, 9, home_sign), SIGN(14, 9, neighbour_sign)};
static const MapEvents town_events = {4, 4, 0, 2, town_people, town_warps, 0, town_signs};
static const MapConnection town_sides[] = {CONNECTION(SIDE_NORTH, 0, 0, 16)};
static const MapConnections town_connections = {1, town_sides};
static const MapScripts town_scripts = {town_arrive, 0};
const MapHeader map_littleroot = {
    &layout_Littleroot, &town_events, &town_scripts, &town_connections,
    0, 10, SECTION_LITTLEROOT, 0, 0, TYPE_TOWN, 0, 4, 0,
};

/* ---- home ---- */

static const Command home_arrive_free[] = {PLACE(1, 10, 3), END};
static const Command home_arrive[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 4, (const Command[]) {END}),
    GOTO(home_arrive_free),
};
static const Command home_welcome[] = {
    SET_VAR(VAR_LITTLEROOT_INTRO_STATE, 3),
    SAY("MOM: Here you are, {P}! Come over to me."),
    END,
};
static const Command home_nothing[] = {END};
static const Command tv_report[] = {
    SAY("MOM: Quick, {P}, look at the TV! They show your father!"),
    SAY("TV: ... and that was the report from Petalburg!\nDad was on for two seconds."),
    SET_VAR(VAR_LITTLEROOT_INTRO_STATE, 7),
    CLEAR_FLAG(FLAG_HIDE_LITTLEROOT_TOWN_MAYS_HOUSE_RIVAL_BEDROOM),
    END,
};
static const Command home_enter_later[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 6, home_nothing),
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 7, tv_report),
    END,
};
static const Command home_enter[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 3, home_welcome),
    GOTO(home_enter_later),
};
static const Command mom_left[] = {WALK(1, "L"), FACE(1, DOWN), END};
static const Command mom_upstairs[] = {
    SAY("MOM: Your room is upstairs. The clock on the wall has stopped: go and set it!"),
    SET_VAR(VAR_LITTLEROOT_INTRO_STATE, 4),
    IF_FACING(LEFT, mom_left),
    WALK(1, "R"),
    FACE(1, DOWN),
    END,
};
static const Command mom_clock[] = {SAY("MOM: Set the clock in your room, will you? Up the stairs."), END};
static const Command mom_later[] = {SAY("MOM: Say hello to the neighbours in the blue house. And come home safely!"), END};
static const Command mom[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 4, mom_upstairs),
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 6, mom_clock),
    GOTO(mom_later),
};
static const Command tv_off[] = {SAY("The TV shows a film about four boys on a railway track."), END};
static const Command stay_inside[] = {
    SAY("MOM: Don't run away yet, {P}!"),
    WALK(WHO_PLAYER, "U"),
    END,
};
static const Command home_mat[] = {IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 7, stay_inside), END};

static const ObjectTemplate home_people[] = {PERSON(1, LOOK_MOTHER, 9, 3, DOWN, STANDS, 0, mom)};
static const WarpEvent home_warps[] = {WARP(4, 8, 0, 9, 0), WARP(9, 2, 1, 1, 0)};
static const CoordEvent home_triggers[] = {TRIGGER(4, 8, 0, 0, home_mat)};
static const BgEvent home_signs[] = {SIGN(0, 2, tv_off)};
static const MapEvents home_events = {1, 2, 1, 1, home_people, home_warps, home_triggers, home_signs};
static const MapScripts home_scripts = {home_arrive, home_enter};
const MapHeader map_home_1f = {
    &layout_Home1F, &home_events, &home_scripts, 0, 0, 54, SECTION_LITTLEROOT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command clock_early[] = {SAY("The clock has stopped."), END};
static const Command clock_set[] = {SAY("The clock ticks. It is time to go."), END};
static const Command clock_start[] = {
    SAY("You wind up the clock and set it. Tick, tock!"),
    SET_FLAG(FLAG_SET_WALL_CLOCK),
    SET_VAR(VAR_LITTLEROOT_INTRO_STATE, 6),
    SAY("There is a noise from downstairs..."),
    END,
};
static const Command clock_asks[5];
static const Command clock_again[] = {SAY("You turn the hands a little further."), GOTO(&clock_asks[1]), END};
static const Command clock_asks[5] = {
    SAY("You wind up the clock and turn its hands."),
    ASK_NO("Is this the correct time?"),
    IF_NO(clock_again),
    GOTO(clock_start),
    END,
};
static const Command clock[] = {
    IF_FLAG(FLAG_SET_WALL_CLOCK, clock_set),
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 4, clock_early),
    IF_DEMAND(DEMAND_CLOCK, clock_asks),
    GOTO(clock_start),
};
static const Command computer[] = {SAY("Nobody has written to you yet."), END};
static const WarpEvent room_warps[] = {WARP(7, 2, 1, 0, 1)};
static const BgEvent room_signs[] = {SIGN(3, 1, clock), SIGN(0, 2, computer)};
static const MapEvents room_events = {0, 1, 0, 2, 0, room_warps, 0, room_signs};
static const MapScripts no_scripts = {0, 0};
const MapHeader map_home_2f = {
    &layout_Home2F, &room_events, &no_scripts, 0, 0, 55, SECTION_LITTLEROOT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- the neighbours ---- */

static const Command neighbour_arrive_free[] = {PLACE(1, 0, 3), END};
static const Command neighbour_arrive[] = {IF_FLAG(FLAG_MET_RIVAL_MOM, neighbour_arrive_free), END};
static const Command neighbour_early[] = {SAY("Have you been home yet? Your mother is waiting for you."), END};
static const Command neighbour_welcome[] = {
    SAY("Oh, you are {P} from next door! Kim is upstairs. Go and say hello!"),
    SET_FLAG(FLAG_MET_RIVAL_MOM),
    WALK(1, "L"),
    FACE(1, DOWN),
    END,
};
static const Command neighbour_nothing[] = {END};
static const Command neighbour_enter_later[] = {
    IF_FLAG(FLAG_MET_RIVAL_MOM, neighbour_nothing),
    GOTO(neighbour_welcome),
};
static const Command neighbour_enter[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 7, neighbour_nothing),
    GOTO(neighbour_enter_later),
};
static const Command neighbour[] = {
    IF_VAR_BELOW(VAR_LITTLEROOT_INTRO_STATE, 7, neighbour_early),
    SAY("Kim is upstairs. You will be good friends!"),
    END,
};
static const ObjectTemplate neighbour_people[] = {PERSON(1, LOOK_MOTHER, 1, 3, DOWN, STANDS, 0, neighbour)};
static const WarpEvent neighbour_warps[] = {WARP(6, 8, 0, 9, 1), WARP(1, 2, 1, 3, 0)};
static const MapEvents neighbour_events = {1, 2, 0, 0, neighbour_people, neighbour_warps, 0, 0};
static const MapScripts neighbour_scripts = {neighbour_arrive, neighbour_enter};
const MapHeader map_neighbour_1f = {
    &layout_Neighbour1F, &neighbour_events, &neighbour_scripts, 0,
    0, 56, SECTION_LITTLEROOT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

static const Command rival_again[] = {SAY("KIM: I will be out on Route 103. Look for me there!"), END};
static const Command rival_first[] = {
    SAY("KIM: Hey! You must be {P}. I am Kim. The professor told me about you."
        "\nHe went north to Route 101. I heard something howl there..."),
    SET_VAR(VAR_LITTLEROOT_RIVAL_STATE, 3),
    END,
};
static const Command rival_home[] = {IF_VAR_BELOW(VAR_LITTLEROOT_RIVAL_STATE, 3, rival_first), GOTO(rival_again)};
static const ObjectTemplate bedroom_people[] = {
    PERSON(1, LOOK_RIVAL, 4, 3, 0, LOOKS_AROUND, FLAG_HIDE_LITTLEROOT_TOWN_MAYS_HOUSE_RIVAL_BEDROOM, rival_home),
};
static const WarpEvent bedroom_warps[] = {WARP(1, 2, 1, 2, 1)};
static const MapEvents bedroom_events = {1, 1, 0, 0, bedroom_people, bedroom_warps, 0, 0};
const MapHeader map_neighbour_2f = {
    &layout_Neighbour2F, &bedroom_events, &no_scripts, 0, 0, 57, SECTION_LITTLEROOT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};

/* ---- the laboratory ---- */

static const Command lab_send[] = {
    SAY("PROF: Thank you again, {P}! It likes you: keep it, and take good care of it."
        "\nKim is on Route 103, north of Oldale. Show Kim what you can do!"),
    SET_VAR(VAR_BIRCH_LAB_STATE, 3),
    END,
};
static const Command lab_nothing[] = {END};
static const Command lab_enter_rescued[] = {IF_VAR_BELOW(VAR_BIRCH_LAB_STATE, 3, lab_send), END};
static const Command lab_enter[] = {IF_VAR_BELOW(VAR_BIRCH_LAB_STATE, 2, lab_nothing), GOTO(lab_enter_rescued)};
static const Command lab_waiting[] = {SAY("PROF: Kim is on Route 103. Through Oldale and north!"), END};
static const Command lab_done[] = {SAY("PROF: The world is large. Go and see Petalburg in the west!"), END};
static const Command lab_pokedex[] = {
    SAY("PROF: You have beaten Kim? Then this is for you: a Pokedex, and five balls to catch what you meet!"),
    SET_FLAG(FLAG_SYS_POKEDEX_GET),
    SET_FLAG(FLAG_ADVENTURE_STARTED),
    SET_VAR(VAR_BIRCH_LAB_STATE, 5),
    GIVE_ITEM(ITEM_POKE_BALL, 5),
    CLEAR_FLAG(FLAG_HIDE_LITTLEROOT_TOWN_MOM_OUTSIDE),
    SAY("PROF: I believe your mother is at the door."),
    END,
};
static const Command professor[] = {
    IF_NOT_FLAG(FLAG_DEFEATED_RIVAL_ROUTE103, lab_waiting),
    IF_NOT_FLAG(FLAG_SYS_POKEDEX_GET, lab_pokedex),
    GOTO(lab_done),
};
static const Command aide_before[] = {SAY("The professor is out in the field. He always is."), END};
static const Command aide[] = {
    IF_NOT_FLAG(FLAG_RESCUED_BIRCH, aide_before),
    SAY("You saved the professor! He wants to see you."),
    END,
};
static const Command machine[] = {SAY("Lights blink. Better not to touch anything."), END};
static const ObjectTemplate lab_people[] = {
    PERSON(1, LOOK_PROFESSOR, 6, 4, DOWN, STANDS, FLAG_HIDE_LITTLEROOT_TOWN_BIRCHS_LAB_BIRCH, professor),
    PERSON(2, LOOK_BOY, 2, 10, 0, LOOKS_AROUND, 0, aide),
};
static const WarpEvent lab_warps[] = {WARP(6, 12, 0, 9, 2)};
static const BgEvent lab_signs[] = {SIGN(1, 3, machine), SIGN(10, 2, machine)};
static const MapEvents lab_events = {2, 1, 0, 2, lab_people, lab_warps, 0, lab_signs};
static const MapScripts lab_scripts = {0, lab_enter};
const MapHeader map_lab = {
    &layout_Lab, &lab_events, &lab_scripts, 0, 0, 58, SECTION_LITTLEROOT, 0, 0, TYPE_INDOOR, 0, 0, 0,
};
