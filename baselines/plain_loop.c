/* The yardstick of benchmark.py: the emulator in a plain C loop, with nothing around it.
 *
 * usage: plain_loop ROM STATE KEYS IDLE_LOOP FRAMES HOLD SOUND
 * KEYS has one u16 mask a step; a step runs FRAMES frames, holds the keys for HOLD, draws the last one.
 * Prints the seconds of processor time that all steps took. SOUND 1 leaves mGBA's mixing on.
 */
#include "../emerald_env/emulator/shim.c"

#include <fcntl.h>
#include <stdio.h>

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    void *data = malloc(*size);
    if (!data || fread(data, 1, *size, file) != *size) {
        exit(1);
    }
    fclose(file);
    return data;
}

int main(int argc, char **argv) {
    if (argc != 8) {
        return 1;
    }
    size_t size;
    game *g = game_open(open(argv[1], O_RDONLY), strtoul(argv[4], NULL, 0));
    void *state = read_file(argv[2], &size);
    if (!g || !game_load_state(g, state)) {
        return 1;
    }
    uint16_t *keys = read_file(argv[3], &size);
    const size_t steps = size / sizeof *keys;
    const int frames = atoi(argv[5]), hold = atoi(argv[6]);
    if (atoi(argv[7])) {
        /* a second core, never touched, still has mGBA's own callback */
        struct mCore *other = GBACoreCreate();
        other->init(other);
        g->gba->audio.sampleEvent.callback = ((struct GBA *) other->board)->audio.sampleEvent.callback;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (size_t step = 0; step < steps; ++step) {
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
    printf("%.9f\n", end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9);
    return 0;
}
