/* Counts what a game executes, for translation: core/README.md. */
#include "game.h"

#include "core.h"

#include <stdlib.h>

/* Three numbers a half-word of memory: how often its instruction ran, how often not behind the one before it, and how
 * often it went to other memory than the core's. */
struct profile {
    uint32_t *counts[2][REGIONS]; /* of ARM, of Thumb */
    uint32_t size[REGIONS];       /* half-words */
    struct place place[REGIONS];
};

void profile_count(struct profile *profile, const struct core *q, uint32_t pc, bool thumb, bool apart, bool reached) {
    uint32_t region = q->place.region, at = (pc & q->mask) >> 1;
    if (region >= REGIONS || at >= profile->size[region]) {
        return;
    }
    uint32_t *counts = profile->counts[thumb][region] + 3 * at;
    if (counts[0] < UINT32_MAX) {
        counts[0] += 1;
        counts[1] += apart;
        counts[2] += reached;
    }
    profile->place[region] = q->place;
}

bool game_profile(game *g, bool on) {
    if (on && g->fast && !g->profile) {
        g->profile = calloc(1, sizeof *g->profile);
        const uint32_t bytes[REGIONS] = {[IN_BIOS] = SIZE_BIOS, [IN_WRAM] = WRAM_BYTES, [IN_IWRAM] = IWRAM_BYTES,
                                         [IN_ROM] = g->gba->memory.romSize};
        for (int region = 0; region < REGIONS; ++region) {
            uint32_t size = g->profile->size[region] = bytes[region] / 2;
            for (int thumb = 0; thumb < 2 && size; ++thumb) { /* pages that nobody touches take no memory */
                g->profile->counts[thumb][region] = calloc(size, 3 * sizeof(uint32_t));
            }
        }
    } else if (!on && g->profile) {
        for (int i = 0; i < 2 * REGIONS; ++i) {
            free(g->profile->counts[i & 1][i >> 1]);
        }
        free(g->profile);
        g->profile = NULL;
    }
    return g->profile;
}

const uint32_t *game_profile_counts(const game *g, bool thumb, int region, size_t *size) {
    *size = g->profile->size[region];
    return g->profile->counts[thumb][region];
}

const uint32_t *game_profile_place(const game *g, int region, size_t *size) {
    *size = sizeof(struct place) / sizeof(uint32_t);
    return (const uint32_t *) &g->profile->place[region];
}
