/* The yardstick of the benchmark: the emulator in a plain C loop, with nothing around it.
 *
 * A step runs `frames` frames, holds the keys for `hold` of them and draws the last one. Compiled by
 * layers.py and loaded into the process that it is compared with, so that both take turns.
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

/* NULL: the ROM cannot be opened. `sound` leaves mGBA's mixing on. */
game *plain_open(const char *rom, uint32_t idle_loop, bool sound) {
    int file = open(rom, O_RDONLY);
    game *g = file < 0 ? NULL : game_open(file, idle_loop);
    if (file >= 0) {
        close(file);
    }
    if (g) {
        game_batch_lines(g, false);
    }
    if (g && sound) {
        /* a second core, never touched, still has mGBA's own callback */
        struct mCore *other = GBACoreCreate();
        other->init(other);
        g->gba->audio.sampleEvent.callback = ((struct GBA *) other->board)->audio.sampleEvent.callback;
    }
    return g;
}

/* Returns the seconds of processor time that all steps took. */
double plain_run(game *g, const uint16_t *keys, int steps, int frames, int hold) {
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int step = 0; step < steps; ++step) {
        g->core->setKeys(g->core, keys[step]);
        for (int i = 0; i < frames; ++i) {
            if (i == hold) {
                g->core->setKeys(g->core, 0);
            }
            g->gba->video.frameskipCounter = i < frames - 1;
            g->core->runFrame(g->core);
        }
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    return end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9;
}
