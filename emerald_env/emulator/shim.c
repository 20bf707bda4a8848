/* What Python calls most; with parts/ and skips/ the only C of ours that knows libmgba. */
#include "game.h"

#include <mgba-util/vfs.h>
#include <mgba/core/log.h>
#include <mgba/core/version.h>
#include <mgba/gba/core.h>
#include <mgba/internal/gba/overrides.h>
#include <mgba/internal/gba/savedata.h>
#include <mgba/internal/gba/serialize.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { FLASH_SIZE = 0x20000 };
/* mGBA leaves the high bits of miscFlags alone; without haltPending a reloaded game is a few cycles off. */
static const uint32_t HALT_PENDING = 0x80000000;
/* 2024-01-01 00:00:00: where a game's clock starts unless it is set, so that runs repeat; FIRST_DATE in Python. */
static const int64_t CLOCK_START = 1704067200;

#ifdef __AVX2__ /* see MODERN in static/build_mgba.py */
/* An instruction that the processor lacks would end the program without a word. */
__attribute__((constructor)) static void check_processor(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
        fputs("the emulator was compiled for a newer processor: build it again on this machine, make fast\n", stderr);
        _exit(1);
    }
}
#endif

static void discard_log(struct mLogger *logger, int category, enum mLogLevel level, const char *format, va_list args) {
    (void) logger, (void) category, (void) level, (void) format, (void) args;
}

static struct mLogger quiet = {.log = discard_log};

static int64_t seconds_on(const game *g) {
    return (int64_t) g->gba->video.frameCounter * VIDEO_TOTAL_LENGTH / GBA_ARM7TDMI_FREQUENCY;
}

int64_t game_clock(const game *g) {
    return g->clock_start + seconds_on(g);
}

void game_set_clock(game *g, int64_t seconds) {
    g->clock_start = seconds - seconds_on(g);
}

/* What the cartridge holds of a date: two decimal digits, as mGBA's _rtcBCD makes them. */
static uint8_t two_digits(unsigned number) {
    return number / 10 % 10 << 4 | number % 10;
}

/* mGBA has just shown a time through localtime(), which depends on the machine's zone and lacks the hours that a zone
 * skips; here it is shown anew, before the game's next instruction. */
static void show_clock(struct mTiming *timing, void *context, uint32_t cycles_late) {
    (void) timing, (void) cycles_late;
    struct GBARTC *rtc = context;
    time_t shown = (uint64_t) rtc->lastLatch - (uint64_t) rtc->offset; /* a stranger's state may have any offset */
    struct tm date;
    if (!gmtime_r(&shown, &date)) {
        return;
    }
    unsigned year = (unsigned) date.tm_year - 100, month = date.tm_mon + 1;
    unsigned hour = RTCControlIsHour24(rtc->control) ? date.tm_hour : date.tm_hour % 12;
    unsigned fields[] = {year, month, date.tm_mday, date.tm_wday, hour, date.tm_min, date.tm_sec};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; ++i) {
        rtc->time[i] = two_digits(fields[i]);
    }
}

/* The clock runs with the game's frames. */
static time_t clock_now(struct mRTCSource *source) {
    game *g = (game *) ((char *) source - offsetof(game, clock));
    mTimingDeschedule(&g->gba->timing, &g->clock_shown);
    mTimingSchedule(&g->gba->timing, &g->clock_shown, 0);
    return game_clock(g);
}

/* Keeps the cadence of mGBA's sampling event (what the game's memory could notice) and mixes nothing. */
void skip_sample(struct mTiming *timing, void *context, uint32_t cycles_late) {
    struct GBAAudio *audio = context;
    /* unsigned: a stranger's state may put it where a signed sum would overflow */
    audio->lastSample = (uint32_t) audio->lastSample + SAMPLE_INTERVAL;
    audio->sampleIndex = 0;
    mTimingSchedule(timing, &audio->sampleEvent, SAMPLE_INTERVAL - cycles_late);
}

static void power_on(game *g) {
    uint32_t idle_loop = g->gba->idleLoop;
    lines_return(g);
    g->core->reset(g->core);
    lines_take(g);
    if (idle_loop != IDLE_LOOP_NONE) {
        g->gba->idleLoop = idle_loop;
    }
    g->gba->haltPending = false;
    /* Left to guess, mGBA takes a flash memory for half of one until the game switches its bank. */
    if (g->gba->memory.savedata.type == SAVEDATA_AUTODETECT) {
        GBASavedataForceType(&g->gba->memory.savedata, SAVEDATA_FLASH1M);
    }
}

static bool load(game *g, int rom_fd) {
    int fd = dup(rom_fd);
    struct VFile *rom = fd < 0 ? NULL : VFileFromFD(fd);
    if (!rom) {
        return false;
    }
    if (!g->core->loadROM(g->core, rom)) {
        rom->close(rom);
        return false;
    }
    if (!g->gba->memory.romSize) { /* mGBA took it for a program that is sent over a cable */
        return false;
    }
    uint8_t *blank = malloc(FLASH_SIZE);
    if (!blank) {
        return false;
    }
    memset(blank, 0xFF, FLASH_SIZE);
    struct VFile *save = VFileMemChunk(blank, FLASH_SIZE);
    free(blank);
    return save && g->core->loadSave(g->core, save);
}

game *game_open(int rom_fd, uint32_t idle_loop) {
    mLogSetDefaultLogger(&quiet);
    game *g = calloc(1, sizeof *g);
    struct mCore *core = g ? GBACoreCreate() : NULL;
    if (!core || !core->init(core)) {
        free(core);
        free(g);
        return NULL;
    }
    g->core = core;
    g->gba = core->board;
    mCoreInitConfig(core, NULL);
    core->opts.useBios = false;
    core->opts.skipBios = true;
    core->setVideoBuffer(core, g->pixels, WIDTH);
    if (!load(g, rom_fd)) {
        game_close(g);
        return NULL;
    }
    if (idle_loop) {
        g->gba->idleLoop = idle_loop;
    }
    g->clock.unixTime = clock_now;
    g->clock_start = CLOCK_START;
    g->clock_shown = (struct mTimingEvent) {.name = "clock", .callback = show_clock, .context = &g->gba->memory.hw.rtc};
    g->gba->rtcSource = &g->clock;
    g->sample = g->gba->audio.sampleEvent.callback;
    g->gba->audio.sampleEvent.callback = skip_sample;
    game_core(g, true);
    power_on(g);
    lines_init(g);
    return g;
}

void game_close(game *g) {
    if (g) {
        game_core(g, false);
        mCoreConfigDeinit(&g->core->config);
        g->core->deinit(g->core);
        free(g);
    }
}

void game_reset(game *g) {
    int64_t now = game_clock(g);
    power_on(g);
    game_set_clock(g, now);
}

static void run_one(game *g) {
    if (g->hook_count) {
        run_hooked_frame(g);
    } else {
        g->core->runFrame(g->core);
    }
}

static void run_frame(game *g) {
    struct mTiming *timing = &g->gba->timing;
    g->frame_begin = mTimingCurrentTime(timing);
#ifdef USE_DEBUGGERS
    run_one(g);
#else
    /* only mGBA with its debugger counts these, and saves them in states */
    uint32_t before = timing->masterCycles;
    run_one(g);
    timing->globalCycles += timing->masterCycles - before;
#endif
}

void game_run(game *g, uint32_t keys, int hold, int frames, bool draw) {
    if (g->in_hook) { /* the frame that called it is not over */
        return;
    }
    struct mCore *core = g->core;
    core->setKeys(core, hold > 0 ? keys : 0);
    for (int i = 0; i < frames; ++i) {
        if (i == hold) {
            core->setKeys(core, 0);
        }
        g->gba->video.frameskipCounter = draw && i == frames - 1 ? 0 : 1;
        run_frame(g);
    }
}

/* Adds the luma of one row of pixels, 0 to 65280 each. Sixteen bits, so that compilers use vectors. */
static void add_luma(const color_t *row, uint32_t *sums) {
    uint16_t luma[WIDTH];
    for (int x = 0; x < WIDTH; ++x) {
        uint16_t red = row[x] & 0xFF, green = row[x] >> 8 & 0xFF, blue = row[x] >> 16 & 0xFF;
        luma[x] = 77 * red + 150 * green + 29 * blue;
    }
    for (int x = 0; x < WIDTH; ++x) {
        sums[x] += luma[x];
    }
}

static void grey_by(const game *g, int factor, uint8_t *out) {
    const uint32_t weight = 256 * factor * factor; /* the weights sum to 256 */
    for (int top = 0; top < HEIGHT; top += factor) {
        uint32_t sums[WIDTH] = {0};
        for (int y = top; y < top + factor; ++y) {
            add_luma(&g->pixels[y * WIDTH], sums);
        }
        for (int left = 0; left < WIDTH; left += factor) {
            uint32_t sum = 0;
            for (int x = left; x < left + factor; ++x) {
                sum += sums[x];
            }
            *out++ = sum / weight;
        }
    }
}

#ifdef __SSE2__
/* The lumas of four pixels, each with the one below it: sums of two, 0 to 2 * 65280. The fourth byte weighs nothing. */
static inline __m128i luma_of_pairs(const color_t *upper, const color_t *lower) {
    const __m128i bytes = _mm_set1_epi32(0x00FF00FF);
    __m128i p = _mm_loadu_si128((const __m128i *) upper), q = _mm_loadu_si128((const __m128i *) lower);
    __m128i red_blue = _mm_add_epi16(_mm_and_si128(p, bytes), _mm_and_si128(q, bytes));
    __m128i green = _mm_add_epi16(_mm_srli_epi16(p, 8), _mm_srli_epi16(q, 8));
    return _mm_add_epi32(_mm_madd_epi16(red_blue, _mm_set1_epi32(29 << 16 | 77)),
                         _mm_madd_epi16(green, _mm_set1_epi32(150)));
}

/* Means of four squares from eight such pairs: four pixels, whose weights sum to 256. */
static inline __m128i add_neighbours(__m128i left, __m128i right) {
    __m128 l = _mm_castsi128_ps(left), r = _mm_castsi128_ps(right);
    __m128i even = _mm_castps_si128(_mm_shuffle_ps(l, r, _MM_SHUFFLE(2, 0, 2, 0)));
    __m128i odd = _mm_castps_si128(_mm_shuffle_ps(l, r, _MM_SHUFFLE(3, 1, 3, 1)));
    return _mm_srli_epi32(_mm_add_epi32(even, odd), 10);
}

/* What grey_by does for the default factor, in a quarter of the time; compilers do not find it themselves. */
static void grey_by_two(const game *g, uint8_t *out) {
    for (int y = 0; y < HEIGHT; y += 2) {
        const color_t *upper = &g->pixels[y * WIDTH], *lower = upper + WIDTH;
        for (int x = 0; x < WIDTH; x += 16, out += 8) {
            __m128i pairs[4];
            for (int k = 0; k < 4; ++k) {
                pairs[k] = luma_of_pairs(upper + x + 4 * k, lower + x + 4 * k);
            }
            __m128i words = _mm_packs_epi32(add_neighbours(pairs[0], pairs[1]), add_neighbours(pairs[2], pairs[3]));
            _mm_storel_epi64((__m128i *) out, _mm_packus_epi16(words, words));
        }
    }
}
#else
static void grey_by_two(const game *g, uint8_t *out) {
    grey_by(g, 2, out);
}
#endif

void game_grey(const game *g, int factor, uint8_t *out) {
    if (factor == 2) {
        grey_by_two(g, out);
    } else {
        grey_by(g, factor, out);
    }
}

void game_step(game *g, uint32_t keys, int hold, int frames, int factor, uint8_t *out) {
    game_run(g, keys, hold, frames, true);
    game_grey(g, factor, out);
}

const uint32_t *game_pixels(const game *g) {
    return g->pixels;
}

void game_opaque(game *g) {
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
        g->pixels[i] |= 0xFF000000;
    }
}

static inline void colours(const game *g, int every, uint16_t *out) {
    for (int y = 0; y < HEIGHT; y += every) {
        for (int x = 0; x < WIDTH; x += every) {
            color_t pixel = g->pixels[y * WIDTH + x];
            *out++ = (pixel >> 3 & 31) | (pixel >> 6 & 31 << 5) | (pixel >> 9 & 31 << 10);
        }
    }
}

#ifdef __SSE2__
/* The colours of four pixels, neighbours or each second one. None reaches 1 << 15, at which packing would clip it. */
static inline __m128i four_colours(const color_t *at, bool half) {
    __m128i p = _mm_loadu_si128((const __m128i *) at);
    if (half) {
        __m128 next = _mm_loadu_ps((const float *) (at + 4));
        p = _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(p), next, _MM_SHUFFLE(2, 0, 2, 0)));
    }
    /* one multiplication moves blue beside red; all colours are still three bits too high */
    __m128i red_blue = _mm_madd_epi16(_mm_and_si128(p, _mm_set1_epi32(31 << 19 | 31 << 3)), _mm_set1_epi32(1 << 26 | 1));
    __m128i green = _mm_srli_epi32(_mm_and_si128(p, _mm_set1_epi32(31 << 11)), 3);
    return _mm_srli_epi32(_mm_or_si128(red_blue, green), 3);
}

/* What colours does for 1 and 2, in half the time; compilers do not find it themselves. */
static inline void quick_colours(const game *g, bool half, uint16_t *out) {
    const int every = half ? 2 : 1;
    for (int y = 0; y < HEIGHT; y += every) {
        for (int x = 0; x < WIDTH; x += 8 * every, out += 8) {
            const color_t *at = &g->pixels[y * WIDTH + x];
            __m128i eight = _mm_packs_epi32(four_colours(at, half), four_colours(at + 4 * every, half));
            _mm_storeu_si128((__m128i *) out, eight);
        }
    }
}
#else
static inline void quick_colours(const game *g, bool half, uint16_t *out) {
    colours(g, half ? 2 : 1, out);
}
#endif

void game_colours(const game *g, int every, uint16_t *out) {
    if (every == 1) { /* a constant, so that the compiler can use vectors */
        quick_colours(g, false, out);
    } else if (every == 2) {
        quick_colours(g, true, out);
    } else {
        colours(g, every, out);
    }
}

size_t game_state_size(game *g) {
    return g->core->stateSize(g->core);
}

bool game_save_state(game *g, void *state) {
    lines_return(g);
    bool saved = g->core->saveState(g->core, state);
    lines_take(g);
    if (!saved) {
        return false;
    }
    struct GBASerializedState *written = state;
    if (g->gba->haltPending) {
        written->miscFlags |= HALT_PENDING;
    }
    /* mGBA leaves these words alone, too; 0 is the usual start */
    written->reserved[0] = g->clock_start == CLOCK_START ? 0 : (uint32_t) g->clock_start;
    return true;
}

bool game_load_state(game *g, const void *state) {
    lines_return(g);
    bool loaded = g->core->loadState(g->core, state);
    lines_take(g);
    if (!loaded) {
        return false;
    }
    const struct GBASerializedState *saved = state;
    g->gba->haltPending = saved->miscFlags & HALT_PENDING;
    g->clock_start = saved->reserved[0] ? (int64_t) saved->reserved[0] : CLOCK_START;
    g->gba->earlyExit = false;
    return true;
}

size_t game_read_save(game *g, void *save, size_t size) {
    void *copy = NULL;
    size_t have = g->core->savedataClone(g->core, &copy);
    if (copy) {
        memcpy(save, copy, have < size ? have : size);
        free(copy);
    }
    return have < size ? have : size;
}

bool game_write_save(game *g, const void *save, size_t size) {
    struct VFile *file = VFileMemChunk(save, size);
    if (!file) {
        return false;
    }
    bool done = GBASavedataLoad(&g->gba->memory.savedata, file);
    file->close(file);
    return done;
}

uint64_t memory_refresh(uint8_t *copy, const uint8_t *const *stretches, const uint32_t *sizes, int count) {
    uint64_t changed = 0;
    for (int i = 0; i < count; copy += sizes[i++]) {
        if (memcmp(copy, stretches[i], sizes[i])) {
            memcpy(copy, stretches[i], sizes[i]);
            changed |= UINT64_C(1) << i;
        }
    }
    return changed;
}

uint8_t *game_io(game *g) {
    return (uint8_t *) g->gba->memory.io;
}

const uint8_t *game_bios(game *g, size_t *size) {
    *size = SIZE_BIOS;
    return (const uint8_t *) g->gba->memory.bios;
}

uint8_t *game_ewram(game *g) {
    return (uint8_t *) g->gba->memory.wram;
}

uint8_t *game_iwram(game *g) {
    return (uint8_t *) g->gba->memory.iwram;
}

uint8_t *game_vram(game *g) {
    return (uint8_t *) g->gba->video.vram;
}

uint8_t *game_palette(game *g) {
    return (uint8_t *) g->gba->video.palette;
}

uint8_t *game_oam(game *g) {
    return (uint8_t *) g->gba->video.oam.raw;
}

const uint8_t *game_rom(game *g, size_t *size) {
    *size = g->gba->memory.romSize;
    return (const uint8_t *) g->gba->memory.rom;
}

uint32_t game_crc32(game *g) {
    return g->gba->romCrc32;
}

#ifndef MGBA_STATIC
bool game_core(game *g, bool on) {
    (void) g, (void) on;
    return false;
}

bool game_profile(game *g, bool on) {
    return game_core(g, on);
}

const uint32_t *game_profile_counts(const game *g, bool thumb, int region, size_t *size) {
    (void) g, (void) thumb, (void) region;
    *size = 0;
    return NULL;
}

const uint32_t *game_profile_place(const game *g, int region, size_t *size) {
    return game_profile_counts(g, false, region, size);
}

bool game_translate(game *g, const void *translation) {
    return game_core(g, translation);
}
#endif

uint64_t game_instructions(const game *g) {
    return g->instructions;
}

uint32_t game_frame(game *g) {
    return g->core->frameCounter(g->core);
}

const char *mgba_version(void) {
    return projectVersion;
}

bool mgba_static(void) {
#ifdef MGBA_STATIC
    return true;
#else
    return false;
#endif
}
