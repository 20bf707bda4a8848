#include "full/items/box_move.h"
#include "save/storage.h"

enum { HAS_SPECIES = 2 };

static BoxPokemon *moving;

void box_move_begin(u8 box, u32 nth)
{
    moving = storage_place(box, nth);
}

void box_move_stop(void)
{
    moving = 0;
}

bool box_moving(void)
{
    return moving != 0;
}

const char *box_move_to(u8 box)
{
    BoxPokemon *places = gPokemonStoragePtr->boxes[box];
    for (u32 i = 0; i < BOX_PLACES; ++i) {
        if (places[i].flags & HAS_SPECIES)
            continue;
        places[i] = *moving;
        memset(moving, 0, sizeof *moving);
        moving = 0;
        return "It is in this box now.";
    }
    return "This box is full.";
}
