/* Prints digests of all that a game can read back, while it plays with mGBA's sound mixing or without.
 *
 * usage: memory_digest ROM KEYS IDLE_LOOP EVERY SOUND
 * KEYS has one u16 mask a frame; a line is printed after each EVERY frames. Nothing is drawn.
 */
#include "../../emerald_env/emulator/skips/lines.c"
#include "../../emerald_env/emulator/shim.c"
#include "../../emerald_env/emulator/skips/sound.c"

/* There are no hooks here. */
void run_hooked_frame(game *g) {
    (void) g;
    abort();
}

#include <fcntl.h>
#include <stdio.h>

static uint64_t digest = 14695981039346656037u;

/* FNV-1a, eight bytes at a time */
static void add(const void *memory, size_t size) {
    const uint64_t *words = memory;
    for (size_t i = 0; i < size / sizeof *words; ++i) {
        digest = (digest ^ words[i]) * 1099511628211u;
    }
}

int main(int argc, char **argv) {
    FILE *keys = argc == 6 ? fopen(argv[2], "rb") : NULL;
    game *g = keys ? game_open(open(argv[1], O_RDONLY), strtoul(argv[3], NULL, 0)) : NULL;
    if (!g) {
        return 1;
    }
    const int every = atoi(argv[4]);
    if (atoi(argv[5])) {
        game_batch_lines(g, false);
        /* a second core, never touched, still has mGBA's own callback */
        struct mCore *other = GBACoreCreate();
        other->init(other);
        g->gba->audio.sampleEvent.callback = ((struct GBA *) other->board)->audio.sampleEvent.callback;
    }
    uint16_t mask;
    for (int frame = 1; fread(&mask, sizeof mask, 1, keys) == 1; ++frame) {
        game_run(g, mask, 1, 1, false);
        if (frame % every == 0) {
            add(game_ewram(g), SIZE_WORKING_RAM);
            add(game_iwram(g), SIZE_WORKING_IRAM);
            add(game_vram(g), SIZE_VRAM);
            add(game_palette(g), SIZE_PALETTE_RAM);
            add(game_oam(g), SIZE_OAM);
            add(g->gba->cpu->gprs, sizeof g->gba->cpu->gprs);
            add(g->gba->memory.io, SIZE_IO);
            printf("%016llx\n", (unsigned long long) digest);
        }
    }
    return 0;
}
