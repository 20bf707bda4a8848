/* The bike: chosen in the bag, outside; a door ends the ride. */
#ifndef BIKE_H
#define BIKE_H

#include "system/types.h"

const char *bike_use(void); /* gets on or off; what to say about it */

#endif
