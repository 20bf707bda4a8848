/* The game in the cartridge's flash memory: two slots of fourteen sectors, as Emerald writes them. */
#ifndef FLASH_H
#define FLASH_H

#include "system/types.h"

bool flash_load(void);       /* the newest complete game into the blocks; false where there is none */
void flash_save_start(void); /* into the older slot */
bool flash_save_step(void);  /* one frame's share of the work; true when all is written */

#endif
