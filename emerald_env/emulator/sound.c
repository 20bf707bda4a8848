/* Passes the overflows of timers that only count, or feed the sound's FIFOs, many at once.
 *
 * Emerald's software mixer lets timer 0 overflow each 1254 cycles, 224 times a frame: each time the two FIFOs give a
 * sample to a loudspeaker that nobody hears. While the processor sleeps nothing looks at what an overflow leaves behind
 * until a FIFO asks for a transfer, so that lines.c goes there at once. Times are cycles from now.
 */
#include "game.h"

#include <mgba/internal/gba/dma.h>
#include <mgba/internal/gba/io.h>

enum { FIFO_FULL_ENOUGH = 4 }; /* words; with fewer a FIFO asks for a transfer */

static inline struct GBAAudioFIFO *fifo_of(struct GBA *gba, int fifo) {
    return fifo ? &gba->audio.chB : &gba->audio.chA;
}

static bool feeds(const struct GBA *gba, int timer, int fifo) {
    const struct GBAAudio *audio = &gba->audio;
    if (!audio->enable || timer > 1) {
        return false;
    }
    return fifo ? (audio->chBLeft || audio->chBRight) && audio->chBTimer == timer
                : (audio->chALeft || audio->chARight) && audio->chATimer == timer;
}

static inline int32_t period_of(const struct GBATimer *timer) {
    return (0x10000 - timer->reload) << GBATimerFlagsGetPrescaleBits(timer->flags);
}

/* Whether a timer interrupts nothing, counts no other one on, and stands as its last overflow left it. */
static bool is_quiet(const struct GBA *gba, int number) {
    const struct GBATimer *timer = &gba->timers[number];
    if (!GBATimerFlagsIsEnable(timer->flags) || GBATimerFlagsIsCountUp(timer->flags)
        || GBATimerFlagsIsDoIrq(timer->flags)
        || (number < 3 && GBATimerFlagsIsCountUp(gba->timers[number + 1].flags))) {
        return false;
    }
    int bits = GBATimerFlagsGetPrescaleBits(timer->flags);
    uint32_t counted = timer->event.when - timer->lastEvent;
    return !(timer->event.when & ((1 << bits) - 1)) && (int32_t) (timer->event.when - gba->timing.masterCycles) >= 0
           && (counted >> bits) + gba->memory.io[(REG_TM0CNT_LO + 4 * number) >> 1] == 0x10000;
}

/* The overflows until the one at which a FIFO asks for a transfer; -1: it never does. */
static int until_transfer(struct GBA *gba, int fifo) {
    const struct GBAAudioFIFO *channel = fifo_of(gba, fifo);
    if (channel->dmaSource <= 0
        || GBADMARegisterGetTiming(gba->memory.dma[channel->dmaSource].reg) != GBA_DMA_TIMING_CUSTOM) {
        return -1;
    }
    int words = channel->fifoWrite - channel->fifoRead;
    words += words < 0 ? GBA_AUDIO_FIFO_SIZE : 0;
    if (words < FIFO_FULL_ENOUGH || channel->fifoWrite >= GBA_AUDIO_FIFO_SIZE) {
        return 0;
    }
    return channel->internalRemaining + 4 * (words - FIFO_FULL_ENOUGH) + 1;
}

int quiet_timers(const struct GBA *gba) {
    int quiet = 0;
    for (int i = 0; i < 4; ++i) {
        quiet |= is_quiet(gba, i) << i;
    }
    return quiet;
}

int64_t until_fifo(struct GBA *gba, int timers, int64_t until) {
    for (int i = 0; i < 2; ++i) {
        const struct GBATimer *timer = &gba->timers[i];
        for (int fifo = 0; fifo < 2 && timers >> i & 1; ++fifo) {
            int overflows = feeds(gba, i, fifo) ? until_transfer(gba, fifo) : -1;
            if (overflows >= 0) {
                int64_t first = (int32_t) (timer->event.when - gba->timing.masterCycles);
                int64_t asks = first + (int64_t) overflows * period_of(timer);
                until = asks < until ? asks : until;
            }
        }
    }
    return until;
}

/* One overflow, so many cycles before the next sampling event: GBAAudioSampleFIFO of audio.c, without a transfer. */
static void give_sample(const struct GBAAudio *audio, struct GBAAudioFIFO *channel, int32_t sampling) {
    if (!channel->internalRemaining && channel->fifoWrite != channel->fifoRead) {
        channel->internalSample = channel->fifo[channel->fifoRead];
        channel->internalRemaining = 4;
        channel->fifoRead = (channel->fifoRead + 1) % GBA_AUDIO_FIFO_SIZE;
    }
    int resolution = GBARegisterSOUNDBIASGetResolution(audio->soundbias);
    int count = 2 << resolution, shift = 9 - resolution;
    int from = count - ((sampling - 1 + (1 << shift)) >> shift);
    for (int i = from < 0 ? 0 : from; i < count; ++i) {
        channel->samples[i] = channel->internalSample;
    }
    if (channel->internalRemaining) {
        channel->internalSample >>= 8;
        --channel->internalRemaining;
    }
}

/* The cycles from `time` until the sampling event after it; the next one is at `sample`. */
static int32_t until_sampling(int64_t sample, int64_t time) {
    if (sample > time) {
        return sample - time;
    }
    return SAMPLE_INTERVAL - (time - sample) % SAMPLE_INTERVAL;
}

void pass_timers(struct GBA *gba, int timers, int64_t end, int64_t sample) {
    for (int i = 0; i < 4; ++i) {
        struct GBATimer *timer = &gba->timers[i];
        int64_t first = (int32_t) (timer->event.when - gba->timing.masterCycles);
        if (!(timers >> i & 1) || first >= end) {
            continue;
        }
        int64_t period = period_of(timer), overflows = (end - first + period - 1) / period;
        for (int fifo = 0; fifo < 2; ++fifo) {
            for (int64_t k = 0; feeds(gba, i, fifo) && k < overflows; ++k) {
                give_sample(&gba->audio, fifo_of(gba, fifo), until_sampling(sample, first + k * period));
            }
        }
        gba->memory.io[(REG_TM0CNT_LO + 4 * i) >> 1] = timer->reload;
        timer->lastEvent = timer->event.when + (overflows - 1) * period;
        move_event(&gba->timing, &timer->event, overflows * period);
    }
}
