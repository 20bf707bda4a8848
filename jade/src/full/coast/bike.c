#include "full/coast/bike.h"
#include "field/player.h"
#include "system/emerald.h"

const char *bike_use(void)
{
    if (gMapHeader.type == TYPE_INDOOR)
        return "Not in here.";
    bool on = gPlayerAvatar.flags & AVATAR_BIKE;
    gPlayerAvatar.flags = on ? AVATAR_ON_FOOT : AVATAR_BIKE;
    return on ? "You get off the bike." : "You get on the bike.";
}
