/* What the files of C share, and nobody else sees. flags.h comes first: the layouts of mGBA's structures depend on it. */
#pragma once
#include <mgba/flags.h>

#include <mgba/core/core.h>
#include <mgba/core/interface.h>
#include <mgba/core/timing.h>
#include <mgba/internal/gba/gba.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim.h"

enum { WIDTH = 240, HEIGHT = 160 };
/* Cycles between two of mGBA's sampling events: SAMPLE_INTERVAL of its audio.c. */
enum { SAMPLE_INTERVAL = GBA_ARM7TDMI_FREQUENCY / 0x4000 };

typedef void event_callback(struct mTiming *, void *, uint32_t);

struct game {
    struct mCore *core;
    struct GBA *gba;
    struct mRTCSource clock;
    int64_t clock_start; /* seconds since 1970: what the clock said when the game was switched on */
    struct mTimingEvent clock_shown; /* runs when the game has asked for the time */
    /* lines.c */
    bool batch_lines;
    event_callback *start_hblank; /* libmgba's own, for the end of a line */
    event_callback *line_event;   /* libmgba's own, in whose place run_line() stands */
    uint32_t frame_begin;         /* when this run of a frame began, in cycles */
    struct core *fast;     /* static/core; NULL: mGBA's own interpreter runs the game */
    uint64_t instructions; /* that this one has run */
    struct profile *profile; /* static/core; NULL: nothing is counted */
    /* hooks.c */
    const uint32_t *hooks; /* the caller's */
    int hook_count;
    hook_called hook_called;
    void *hook_context;
    bool in_hook;
    event_callback *sample; /* libmgba's own, which mixes sound */
    color_t pixels[WIDTH * HEIGHT];
};

/* The game that owns a GBA: the one whose clock it has. */
static inline game *game_of(struct GBA *gba) {
    return (game *) ((char *) gba->rtcSource - offsetof(game, clock));
}

void skip_sample(struct mTiming *timing, void *context, uint32_t cycles_late);
/* sound.c: the timers, a bit each, whose overflows can pass unseen; the first moment before `until` at which a FIFO that
 * they feed asks for a transfer; passing all their overflows before `end`, the next sampling event being at `sample`. */
int quiet_timers(const struct GBA *gba);
int64_t until_fifo(struct GBA *gba, int timers, int64_t until);
void pass_timers(struct GBA *gba, int timers, int64_t end, int64_t sample);

static inline void move_event(struct mTiming *timing, struct mTimingEvent *event, uint32_t cycles) {
    mTimingDeschedule(timing, event);
    mTimingScheduleAbsolute(timing, event, event->when + cycles);
}

void run_hooked_frame(game *g);
int32_t until_noticed(const game *g);
uint32_t line_registers(const game *g, int32_t cycles);
void lines_init(game *g);
void lines_take(game *g);
void lines_return(game *g);
