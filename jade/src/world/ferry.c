/* Emerald's flags and variables, trip by trip (facts: briney_loop.json). VAR_BRINEY_LOCATION says where the
 * sailor was when one last came into a centre: 1 his house, 2 Dewford, 3 Route 109; 0 while one is at sea. VAR_BOARD_BRINEY_BOAT_STATE: 1 he goes aboard
 * on Route 104, 2 the player is back from a trip. */
#include "world/ferry.h"
#include "field/ground/object.h"
#include "save/save.h"
#include "world/world.h"

static const Command nothing[] = {END};
static const Command stay[] = {SAY("SAILOR: Tell me when you have changed your mind."), END};

static u16 place_before; /* VAR_BRINEY_LOCATION before the trip */

static void depart(void)
{
    place_before = var_get(VAR_BRINEY_LOCATION);
    var_set(VAR_BRINEY_LOCATION, 0);
}

static void land(void)
{
    var_set(VAR_BRINEY_LOCATION, place_before);
}

void ferry_note_place(void)
{
    static const u16 boats[] = {FLAG_HIDE_ROUTE_104_MR_BRINEY_BOAT, FLAG_HIDE_MR_BRINEY_BOAT_DEWFORD_TOWN,
                                FLAG_HIDE_ROUTE_109_MR_BRINEY_BOAT};
    if (!flag_get(FLAG_RECEIVED_POKENAV))
        return;
    for (u32 i = 0; i < ARRAY_COUNT(boats); ++i) {
        if (!flag_get(boats[i])) {
            var_set(VAR_BRINEY_LOCATION, i + 1);
            return;
        }
    }
}

static void look_aboard(void)
{
    gSpecialVar_Result = gObjectEvents[PLAYER].behaviour == MB_OCEAN_WATER;
}

/* ---- from the house to Dewford: first out of the door, then to the boat ---- */

const Command ferry_from_house[] = {
    ASK("SAILOR: Ahoy! Shall I take you to Dewford?"),
    IF_NO(stay),
    SAY("SAILOR: Anchors up! Peeko, keep your beak shut."),
    CALL(depart),
    SET_VAR(VAR_BOARD_BRINEY_BOAT_STATE, 1),
    CLEAR_FLAG(FLAG_HIDE_ROUTE_104_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_BRINEYS_HOUSE_PEEKO),
    TRAVEL(0, 19, 15, 66),
};
static const Command board[] = {
    WALK(ROUTE_104_FERRYMAN, "LLLLLL"),
    HIDE(ROUTE_104_FERRYMAN),
    WALK(WHO_PLAYER, "LLLLLLL"),
    HIDE(ROUTE_104_BOAT),
    WALK(WHO_PLAYER, "LLDDDDDDDD"),
    SET_VAR(VAR_BOARD_BRINEY_BOAT_STATE, 0),
    TRAVEL(0, 11, 18, 19),
};

/* ---- from Dewford: back to the house, or on to Route 109 ---- */

/* From the four sides of the sailor to the boat, and out to sea. */
#define OUT_TO_SEA(name, sea, right, down, up, left, after) \
    static const Command name##_down[] = {WALK(WHO_PLAYER, down), GOTO(after)}; \
    static const Command name##_up[] = {WALK(WHO_PLAYER, up), GOTO(after)}; \
    static const Command name##_left[] = {WALK(WHO_PLAYER, left), GOTO(after)}; \
    static const Command name[] = { \
        SAY(sea), HIDE(FERRYMAN), HIDE(FERRYBOAT), CALL(depart), \
        IF_FACING(DOWN, name##_down), IF_FACING(UP, name##_up), IF_FACING(LEFT, name##_left), \
        WALK(WHO_PLAYER, right), GOTO(after), \
    }

static const Command dewford_to_house[] = {
    WALK(WHO_PLAYER, "RRRRR"),
    TRAVEL(0, 19, 6, 74),
};
static const Command dewford_to_route_109[] = {
    WALK(WHO_PLAYER, "RRRRR"),
    TRAVEL(0, 24, 26, 19),
};
OUT_TO_SEA(leave_for_house, "SAILOR: Home it is. Hop in!", "DDD", "DDDLD", "DLD", "LDDLD", dewford_to_house);
OUT_TO_SEA(leave_for_route_109, "SAILOR: To the far beach. Hop in!", "DDD", "DDDLD", "DLD", "LDDLD",
           dewford_to_route_109);
static const Command ask_route_109[] = {
    ASK("SAILOR: To the far beach, then?"),
    IF_NO(stay),
    GOTO(leave_for_route_109),
};
const Command ferry_from_dewford[] = {
    ASK("SAILOR: Back to Route 104?"),
    IF_NO(ask_route_109),
    GOTO(leave_for_house),
};

/* ---- from Route 109 to Dewford ---- */

static const Command route_109_to_dewford[] = {
    WALK(WHO_PLAYER, "RRRRRR"),
    TRAVEL(0, 11, 18, 19),
};
OUT_TO_SEA(leave_route_109, "SAILOR: Back to the island. Hop in!", "DDDD", "DDDDLD", "DDLD", "LDDDLD",
           route_109_to_dewford);
const Command ferry_from_route_109[] = {
    ASK("SAILOR: Back to Dewford?"),
    IF_NO(stay),
    GOTO(leave_route_109),
};

/* ---- arriving ---- */

static const Command land_in_dewford[] = {
    WALK(WHO_PLAYER, "LLLLLLU"),
    SHOW(FERRYBOAT),
    WALK(WHO_PLAYER, "UU"),
    SHOW(FERRYMAN),
    CALL(land),
    END,
};
static const Command land_on_route_109[] = {
    WALK(WHO_PLAYER, "LLLLLLU"),
    SHOW(FERRYBOAT),
    WALK(WHO_PLAYER, "UUU"),
    SHOW(FERRYMAN),
    CALL(land),
    END,
};
static const Command land_on_route_104[] = {
    WALK(WHO_PLAYER, "UUUUUUUURR"),
    SHOW(ROUTE_104_BOAT),
    WALK(WHO_PLAYER, "RRRRRRR"),
    CLEAR_FLAG(FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY),
    CLEAR_FLAG(FLAG_HIDE_BRINEYS_HOUSE_PEEKO),
    CALL(land),
    SET_VAR(VAR_BOARD_BRINEY_BOAT_STATE, 2),
    TRAVEL(17, 0, 5, 7),
};
static const Command idle_on_route_104[] = {
    IF_VAR_BELOW(VAR_BOARD_BRINEY_BOAT_STATE, 1, nothing),
    GOTO(board),
};
const Command ferry_at_route_104[] = {CALL(look_aboard), IF_NO(idle_on_route_104), GOTO(land_on_route_104)};
const Command ferry_at_dewford[] = {CALL(look_aboard), IF_NO(nothing), GOTO(land_in_dewford)};
const Command ferry_at_route_109[] = {CALL(look_aboard), IF_NO(nothing), GOTO(land_on_route_109)};
const Command ferry_at_house[] = {
    IF_VAR_BELOW(VAR_BOARD_BRINEY_BOAT_STATE, 2, nothing),
    SET_VAR(VAR_BOARD_BRINEY_BOAT_STATE, 0),
    END,
};

/* ---- after a defeat ---- */

static const Command wait_in_house[] = {
    SET_FLAG(FLAG_HIDE_MR_BRINEY_BOAT_DEWFORD_TOWN),
    SET_FLAG(FLAG_HIDE_MR_BRINEY_DEWFORD_TOWN),
    SET_FLAG(FLAG_HIDE_ROUTE_109_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_ROUTE_109_MR_BRINEY_BOAT),
    CLEAR_FLAG(FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY),
    CLEAR_FLAG(FLAG_HIDE_BRINEYS_HOUSE_PEEKO),
    CLEAR_FLAG(FLAG_HIDE_ROUTE_104_MR_BRINEY_BOAT),
    END,
};
static const Command wait_in_dewford[] = {
    SET_FLAG(FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_BRINEYS_HOUSE_PEEKO),
    SET_FLAG(FLAG_HIDE_ROUTE_104_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_ROUTE_104_MR_BRINEY_BOAT),
    SET_FLAG(FLAG_HIDE_ROUTE_109_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_ROUTE_109_MR_BRINEY_BOAT),
    CLEAR_FLAG(FLAG_HIDE_MR_BRINEY_BOAT_DEWFORD_TOWN),
    CLEAR_FLAG(FLAG_HIDE_MR_BRINEY_DEWFORD_TOWN),
    END,
};
static const Command wait_on_route_109[] = {
    SET_FLAG(FLAG_HIDE_BRINEYS_HOUSE_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_BRINEYS_HOUSE_PEEKO),
    SET_FLAG(FLAG_HIDE_MR_BRINEY_BOAT_DEWFORD_TOWN),
    SET_FLAG(FLAG_HIDE_MR_BRINEY_DEWFORD_TOWN),
    SET_FLAG(FLAG_HIDE_ROUTE_104_MR_BRINEY),
    SET_FLAG(FLAG_HIDE_ROUTE_104_MR_BRINEY_BOAT),
    CLEAR_FLAG(FLAG_HIDE_ROUTE_109_MR_BRINEY),
    CLEAR_FLAG(FLAG_HIDE_ROUTE_109_MR_BRINEY_BOAT),
    END,
};
const Command ferry_after_defeat[] = {
    IF_VAR_BELOW(VAR_BRINEY_LOCATION, 1, nothing),
    IF_VAR_BELOW(VAR_BRINEY_LOCATION, 2, wait_in_house),
    IF_VAR_BELOW(VAR_BRINEY_LOCATION, 3, wait_in_dewford),
    GOTO(wait_on_route_109),
};
