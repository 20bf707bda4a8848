/* Passes the lines of a picture in which nothing can happen all at once.
 *
 * libmgba runs two events for each of the 228 lines of a frame, a sampling event for sound every 1024 cycles, and one of
 * the sound's sequencer every 32768. While the processor is halted nobody sees what such an event leaves behind before
 * the next event that does something: an interrupt, a transfer, a timer, the vertical blank. run_line() takes the place
 * of the lines' callback; when a line has begun and the processor sleeps, it goes to the last line before that event.
 * Memory, registers and the order of events are then what libmgba itself would have reached, to the bit;
 * tests/emulator/test_emulator_lines.py compares them.
 */
#include "../game.h"

#include <mgba/core/version.h>
#include <mgba/internal/gba/dma.h>
#include <mgba/internal/gba/io.h>
#include <mgba/internal/gba/video.h>

#include <string.h>

enum { LAST_LINE = VIDEO_VERTICAL_TOTAL_PIXELS - 1 };
/* mGBA's runFrame gives up waiting for the vertical blank a line later than it can come. Only a state with impossible
 * times gets there; the last events before that are run by themselves, so that the clock stops at the same one. */
enum { FRAME_LIMIT = VIDEO_TOTAL_LENGTH - VIDEO_HORIZONTAL_LENGTH };
/* The same for a processor that runs: it stops at each event from here on, behind the vertical blank and before that. */
enum { RUN_LIMIT = VIDEO_TOTAL_LENGTH + VIDEO_HBLANK_LENGTH };

/* The versions whose video.c, audio.c, timing.c and gba.c were read and compared, frame by frame. */
static const char *const PROVED[] = {"0.10.1", "0.10.2", "0.10.3", "0.10.4", "0.10.5"};

bool mgba_proved(void) {
    for (size_t i = 0; i < sizeof PROVED / sizeof *PROVED; ++i) {
        if (!strcmp(PROVED[i], projectVersion)) {
            return true;
        }
    }
    return false;
}

static inline int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline int64_t ceil_div(int64_t cycles, int64_t by) {
    return cycles > 0 ? (cycles + by - 1) / by : 0;
}

/* Whether the end of a line does more than set a flag: interrupts and transfers at the horizontal blank. */
static bool lines_are_busy(const struct GBA *gba) {
    if (GBARegisterDISPSTATIsHblankIRQ(gba->memory.io[REG_DISPSTAT >> 1])) {
        return true;
    }
    for (int i = 0; i < 4; ++i) {
        GBADMARegister reg = gba->memory.dma[i].reg;
        int timing = GBADMARegisterGetTiming(reg);
        if (GBADMARegisterIsEnable(reg)
            && (timing == GBA_DMA_TIMING_HBLANK || (i == 3 && timing == GBA_DMA_TIMING_CUSTOM))) {
            return true;
        }
    }
    return false;
}

/* The lines after this one until the one before libmgba has something to do at its beginning. */
static int quiet_lines(const struct GBA *gba) {
    int line = gba->video.vcount;
    int next = line < HEIGHT ? HEIGHT : line < LAST_LINE ? LAST_LINE : LAST_LINE + 1;
    GBARegisterDISPSTAT status = gba->memory.io[REG_DISPSTAT >> 1];
    int setting = GBARegisterDISPSTATGetVcountSetting(status);
    if (GBARegisterDISPSTATIsVcounterIRQ(status) && setting > line && setting < next) {
        next = setting;
    }
    return next - 1 - line;
}

static bool is_timer(const struct GBA *gba, const struct mTimingEvent *event, int timers) {
    for (int i = 0; timers >> i; ++i) {
        if (event == &gba->timers[i].event) {
            return timers >> i & 1;
        }
    }
    return false;
}

static bool any_timer_runs(const struct GBA *gba) {
    const struct GBATimer *timers = gba->timers;
    return GBATimerFlagsIsEnable(timers[0].flags | timers[1].flags | timers[2].flags | timers[3].flags);
}

/* Cycles from now until the first event that is none of a line, the sound and these timers, or until the limit above.
 * `sequence`: the event of the sound's sequencer, if that passes too. */
static int64_t until_other_event(const game *g, const struct mTimingEvent *sample, const struct mTimingEvent *sequence,
                                 int timers) {
    const struct GBA *gba = g->gba;
    int64_t until = (int32_t) (g->frame_begin + FRAME_LIMIT - gba->timing.masterCycles);
    for (const struct mTimingEvent *event = gba->timing.root; event; event = event->next) {
        if (event == &gba->video.event || event == sample) {
            continue;
        }
        int32_t when = event->when - gba->timing.masterCycles;
        if ((event != sequence || when < 0) && !is_timer(gba, event, timers)) {
            return smaller(until, when);
        }
    }
    return until;
}

/* Cycles from the clock's time until something that a running processor could notice without looking for it: neither
 * the sound's cadence nor a line in which nothing happens. What looks for it, and writes there, lets these pass before. */
int32_t until_noticed(const game *g) {
    const struct GBA *gba = g->gba;
    const struct mTiming *timing = &gba->timing;
    if (timing->reroot) { /* the events are put aside, right after a state was loaded */
        return gba->cpu->nextEvent;
    }
    bool quiet = g->batch_lines && !lines_are_busy(gba);
    int64_t until = (int32_t) (g->frame_begin + RUN_LIMIT - timing->masterCycles);
    for (const struct mTimingEvent *event = timing->root; event; event = event->next) {
        int64_t when = (int32_t) (event->when - timing->masterCycles);
        if (when >= until) {
            break;
        }
        int lines = event == &gba->video.event && quiet ? quiet_lines(gba) : -1;
        if (lines >= 0) {
            when += lines * VIDEO_HORIZONTAL_LENGTH + (g->line_event == g->start_hblank ? VIDEO_HBLANK_LENGTH : 0);
        }
        if (event->callback != skip_sample || !g->batch_lines) {
            until = smaller(until, when);
        }
    }
    return smaller(until, INT32_MAX);
}

/* DISPSTAT and, in the high half, VCOUNT, as they are so many cycles from the clock's time, before until_noticed(). */
uint32_t line_registers(const game *g, int32_t cycles) {
    const struct GBA *gba = g->gba;
    GBARegisterDISPSTAT status = gba->memory.io[REG_DISPSTAT >> 1];
    uint32_t line = gba->memory.io[REG_VCOUNT >> 1];
    int32_t since = cycles - (int32_t) (gba->video.event.when - gba->timing.masterCycles);
    if (since >= 0) { /* lines have ended or begun that were let wait */
        int32_t begun = since + (g->line_event == g->start_hblank ? VIDEO_HDRAW_LENGTH : VIDEO_HORIZONTAL_LENGTH);
        int lines = begun / VIDEO_HORIZONTAL_LENGTH;
        status = GBARegisterDISPSTATTestFillInHblank(status, begun % VIDEO_HORIZONTAL_LENGTH >= VIDEO_HDRAW_LENGTH);
        line += lines;
        if (lines) {
            status = GBARegisterDISPSTATTestFillVcounter(status, line == GBARegisterDISPSTATGetVcountSetting(status));
        }
    }
    return (line << 16) | status;
}

/* What `lines` ends and beginnings of lines leave behind. */
static void pass(struct GBAVideo *video, int lines) {
    if (video->frameskipCounter <= 0) {
        for (int y = video->vcount; y < video->vcount + lines && y < HEIGHT; ++y) {
            video->renderer->drawScanline(video->renderer, y);
        }
    }
    video->vcount += lines;
    video->shouldStall = video->vcount < HEIGHT;
    uint16_t *io = video->p->memory.io;
    GBARegisterDISPSTAT status = io[REG_DISPSTAT >> 1];
    bool match = video->vcount == GBARegisterDISPSTATGetVcountSetting(status);
    io[REG_DISPSTAT >> 1] = GBARegisterDISPSTATTestFillVcounter(status, match);
    io[REG_VCOUNT >> 1] = video->vcount;
}

/* The sampling events before `until`, cycles from now. */
static void pass_samples(struct GBAAudio *audio, struct mTiming *timing, int64_t until) {
    struct mTimingEvent *sample = &audio->sampleEvent;
    int64_t samples = ceil_div(until - (int32_t) (sample->when - timing->masterCycles), SAMPLE_INTERVAL);
    if (samples) {
        audio->lastSample = (uint32_t) audio->lastSample + samples * SAMPLE_INTERVAL;
        audio->sampleIndex = 0;
        move_event(timing, sample, samples * SAMPLE_INTERVAL);
    }
}

/* The sequencer's events before `until`: libmgba's own, each at its time and behind the samples before it. */
static void pass_sequence(struct GBAAudio *audio, struct mTiming *timing, bool samples, int64_t until) {
    struct mTimingEvent *event = &audio->psg.frameEvent;
    uint32_t now = timing->masterCycles;
    for (int32_t when; (when = event->when - now) < until;) {
        if (samples) {
            pass_samples(audio, timing, when);
        }
        mTimingDeschedule(timing, event);
        timing->masterCycles = event->when;
        event->callback(timing, event->context, 0);
        timing->masterCycles = now;
    }
}

/* A line has just begun; its end is the next event of the video. Those that were let wait pass up to now, which is all that
 * a processor that runs could see; while timers give samples to the sound, its sequencer's events are run by themselves. */
static void pass_quiet_lines(game *g, bool asleep) {
    struct GBA *gba = g->gba;
    struct mTiming *timing = &gba->timing;
    struct mTimingEvent *sample = gba->audio.sampleEvent.callback == skip_sample ? &gba->audio.sampleEvent : NULL;
    if (lines_are_busy(gba)) {
        return;
    }
    int timers = asleep && any_timer_runs(gba) ? quiet_timers(gba) : 0;
    bool sequence = asleep && !timers;
    int64_t until = until_other_event(g, sample, sequence ? &gba->audio.psg.frameEvent : NULL, timers);
    if (timers) {
        until = until_fifo(gba, timers, until);
    }
    until = asleep ? until : smaller(until, 1);
    int64_t line_end = (int32_t) (gba->video.event.when - timing->masterCycles);
    int64_t lines = ceil_div(until - line_end - VIDEO_HBLANK_LENGTH, VIDEO_HORIZONTAL_LENGTH);
    lines = smaller(lines, quiet_lines(gba));
    if (lines <= 0) {
        return;
    }
    pass(&gba->video, lines);
    move_event(timing, &gba->video.event, lines * VIDEO_HORIZONTAL_LENGTH);
    until = smaller(until, line_end + lines * VIDEO_HORIZONTAL_LENGTH);
    if (timers) {
        pass_timers(gba, timers, until, (int32_t) (gba->audio.sampleEvent.when - timing->masterCycles));
    } else if (sequence) {
        pass_sequence(&gba->audio, timing, sample, until);
    }
    if (sample) {
        pass_samples(&gba->audio, timing, until);
    }
}

static void run_line(struct mTiming *timing, void *context, uint32_t cycles_late) {
    struct GBAVideo *video = context;
    game *g = game_of(video->p);
    g->line_event(timing, video, cycles_late);
    g->line_event = video->event.callback;
    video->event.callback = run_line;
    /* at the vertical blank runFrame returns, and whoever called it looks */
    bool asleep = video->p->cpu->halted, waited = g->fast && cycles_late >= VIDEO_HORIZONTAL_LENGTH;
    if (g->line_event == g->start_hblank && (asleep || waited) && !video->p->earlyExit) {
        pass_quiet_lines(g, asleep);
    }
}

/* Right after a reset, which always schedules the end of a line. */
void lines_init(game *g) {
    g->start_hblank = g->gba->video.event.callback;
    g->batch_lines = mgba_proved();
    lines_take(g);
}

/* libmgba compares its callbacks with the event's and sets them anew, so it gets them back to save, load and reset. */
void lines_take(game *g) {
    if (g->batch_lines) {
        g->line_event = g->gba->video.event.callback;
        g->gba->video.event.callback = run_line;
    }
}

void lines_return(game *g) {
    if (g->gba->video.event.callback == run_line) {
        g->gba->video.event.callback = g->line_event;
    }
}

bool game_batch_lines(game *g, bool batch) {
    lines_return(g);
    g->batch_lines = batch && mgba_proved();
    lines_take(g);
    return g->batch_lines;
}
