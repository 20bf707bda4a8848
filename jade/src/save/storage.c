#include "save/storage.h"
#include "text/text.h"

enum { NAME_SIZE = 9, HAS_SPECIES = 2 };

void storage_reset(void)
{
    PokemonStorage *storage = gPokemonStoragePtr;
    memset(storage, 0, sizeof *storage);
    for (u32 i = 0; i < BOXES; ++i) {
        text_encode(storage->names[i], "BOX", NAME_SIZE);
        text_number(storage->names[i] + 3, i + 1);
        storage->wallpapers[i] = i & 3;
    }
}

bool storage_put(const BoxPokemon *box)
{
    PokemonStorage *storage = gPokemonStoragePtr;
    for (u32 i = 0; i < BOXES * BOX_PLACES; ++i) {
        u32 number = (storage->current_box * BOX_PLACES + i) % (BOXES * BOX_PLACES);
        BoxPokemon *place = &storage->boxes[0][0] + number;
        if (!(place->flags & HAS_SPECIES)) {
            *place = *box;
            return true;
        }
    }
    return false;
}

u32 storage_count(u32 box)
{
    u32 count = 0;
    for (u32 i = 0; i < BOX_PLACES; ++i)
        count += gPokemonStoragePtr->boxes[box][i].flags & HAS_SPECIES ? 1 : 0;
    return count;
}

BoxPokemon *storage_place(u32 box, u32 nth)
{
    for (u32 i = 0; i < BOX_PLACES; ++i) {
        BoxPokemon *place = &gPokemonStoragePtr->boxes[box][i];
        if (place->flags & HAS_SPECIES && nth-- == 0)
            return place;
    }
    return 0;
}
