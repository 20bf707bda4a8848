/* Cheats, which mGBA reads and applies. */
#include "../game.h"

#include <mgba/core/cheats.h>
#include <mgba/internal/gba/cheats.h>
#include <mgba/internal/gba/memory.h>

#include <stdlib.h>
#include <string.h>

enum { LONGEST_CODE = 4096 };

/* Adds the lines of a text to a set. False: one of them is no code. */
static bool add_lines(struct mCheatSet *set, const char *code) {
    char lines[LONGEST_CODE];
    strncpy(lines, code, sizeof lines - 1);
    lines[sizeof lines - 1] = '\0';
    for (char *rest = lines, *line; (line = strtok_r(rest, "\n", &rest));) {
        if (!mCheatAddLine(set, line, GBA_CHEAT_AUTODETECT)) {
            return false;
        }
    }
    return true;
}

static bool patches_rom(struct mCheatSet *set) {
    for (size_t i = 0; i < mCheatListSize(&set->list); ++i) {
        uint32_t address = mCheatListGetPointer(&set->list, i)->address;
        if (address >= BASE_CART0 && address < BASE_CART_SRAM) {
            return true;
        }
    }
    return mCheatPatchListSize(&set->romPatches);
}

int game_add_cheat(game *g, const char *code, void **added) {
    struct mCheatDevice *device = g->core->cheatDevice(g->core);
    struct mCheatSet *set = device->createSet(device, NULL);
    struct GBACheatSet *gba_set = (struct GBACheatSet *) set;
    int wrong = !add_lines(set, code) ? CHEAT_UNKNOWN : patches_rom(set) ? CHEAT_PATCHES_ROM : 0;
    if (!wrong && !mCheatListSize(&set->list) && !gba_set->hook) {
        wrong = CHEAT_UNKNOWN;
    }
    if (wrong) {
        mCheatSetDeinit(set);
        return wrong;
    }
    /* a master code's hook patches the ROM, too; without one mGBA applies the codes at the end of each frame */
    free(gba_set->hook);
    gba_set->hook = NULL;
    set->enabled = true;
    mCheatAddSet(device, set);
    *added = set;
    return 0;
}

void game_remove_cheat(game *g, void *added) {
    mCheatRemoveSet(g->core->cheatDevice(g->core), added);
    mCheatSetDeinit(added);
}
