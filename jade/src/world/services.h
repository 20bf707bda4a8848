/* What every town offers: a bed, a shop, a computer, and things that lie about. */
#ifndef SERVICES_H
#define SERVICES_H

#include "events/command.h"
#include "field/ground/map.h"

extern const Command nurse[], computer[];
extern const MapScripts centre_scripts; /* coming in decides where one wakes up after a defeat, and where the sailor waits then */
void offer_oldale(void), offer_rustboro(void);

/* A ball that lies about: `who` is its local id. */
#define FOUND(name, who, item, text) static const Command name[] = {HIDE(who), GIVE_ITEM(item, 1), SAY(text), END}
/* Something hidden that shows itself once. */
#define HIDDEN(name, flag, item, text) \
    static const Command name[] = {IF_FLAG(flag, nothing_here), GIVE_ITEM(item, 1), SET_FLAG(flag), SAY(text), END}
extern const Command nothing_here[];

#endif
