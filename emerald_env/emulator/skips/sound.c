/* Passes the overflows of timers that only count, or feed the sound's FIFOs, many at once.
 *
 * Emerald's software mixer lets timer 0 overflow each 1254 cycles, 224 times a frame: each time the two FIFOs give a
 * sample to a loudspeaker that nobody hears, and each sixteenth time transfers fill them again. While the processor
 * sleeps nothing looks at what that leaves behind before another event, so that lines.c goes there at once. Times are
 * cycles from now, but for those of transfers, which are the clock's.
 */
#include "../game.h"

#include <mgba/internal/gba/dma.h>
#include <mgba/internal/gba/io.h>

enum { FIFO_FULL_ENOUGH = 4 }; /* words; with fewer a FIFO asks for a transfer, which has as many */
/* Two transfers to FIFOs take less, 8 words of at most 2 + 20 cycles, and so end before the line after this one's end. */
enum { LONGEST_FILL = VIDEO_HBLANK_LENGTH, LONGEST_WAIT = 20 };

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

static inline bool asks(const struct GBAAudioFIFO *channel) {
    int words = channel->fifoWrite - channel->fifoRead;
    return words + (words < 0 ? GBA_AUDIO_FIFO_SIZE : 0) < FIFO_FULL_ENOUGH;
}

static bool has_transfer(const struct GBA *gba, const struct GBAAudioFIFO *channel) {
    return channel->dmaSource > 0
           && GBADMARegisterGetTiming(gba->memory.dma[channel->dmaSource].reg) == GBA_DMA_TIMING_CUSTOM;
}

/* The overflows until the one at which a FIFO asks for a transfer; -1: it never does. */
static int until_transfer(struct GBA *gba, int fifo) {
    const struct GBAAudioFIFO *channel = fifo_of(gba, fifo);
    if (!has_transfer(gba, channel)) {
        return -1;
    }
    if (asks(channel) || channel->fifoWrite >= GBA_AUDIO_FIFO_SIZE) {
        return 0;
    }
    int words = (channel->fifoWrite - channel->fifoRead) & (GBA_AUDIO_FIFO_SIZE - 1);
    return channel->internalRemaining + 4 * (words - FIFO_FULL_ENOUGH) + 1;
}

/* Whether the words that a transfer reads next, for a frame and more, lie in work or internal memory. */
static bool reads_memory(const struct GBADMA *dma) {
    uint32_t from = dma->nextSource, region = from >> BASE_OFFSET;
    return (region == REGION_WORKING_RAM || region == REGION_WORKING_IRAM) && (from + 0x2000) >> BASE_OFFSET == region
           && GBADMARegisterGetSrcControl(dma->reg) == GBA_DMA_INCREMENT;
}

/* Whether a FIFO's transfer does nothing but fill it, again and again. */
static bool only_fills(struct GBA *gba, int fifo) {
    const struct GBAAudioFIFO *channel = fifo_of(gba, fifo);
    const struct GBADMA *dma = &gba->memory.dma[channel->dmaSource > 0 ? channel->dmaSource : 0];
    uint32_t place = BASE_IO | (fifo ? REG_FIFO_B_LO : REG_FIFO_A_LO);
    return !has_transfer(gba, channel)
           || (GBADMARegisterIsEnable(dma->reg) && GBADMARegisterIsRepeat(dma->reg) && !GBADMARegisterIsDoIRQ(dma->reg)
               && GBADMARegisterGetWidth(dma->reg) && GBADMARegisterGetDestControl(dma->reg) == GBA_DMA_FIXED
               && dma->dest == place && dma->nextDest == place && reads_memory(dma)
               && channel->fifoWrite < GBA_AUDIO_FIFO_SIZE);
}

/* Whether transfers that a timer's FIFOs ask for can pass as well: no other timer feeds one, nothing else transfers. */
static bool transfers_pass(struct GBA *gba, int number) {
    for (int i = 0; i < 4; ++i) {
        if (GBADMARegisterIsEnable(gba->memory.dma[i].reg) && gba->memory.dma[i].nextCount) {
            return false;
        }
    }
    bool slow = gba->memory.waitstatesNonseq32[REGION_WORKING_RAM] > LONGEST_WAIT
                || gba->memory.waitstatesSeq32[REGION_WORKING_RAM] > LONGEST_WAIT;
    return !slow && !gba->audio.mixer && !feeds(gba, !number, 0) && !feeds(gba, !number, 1)
           && period_of(&gba->timers[number]) > LONGEST_FILL && only_fills(gba, 0) && only_fills(gba, 1);
}

int quiet_timers(const struct GBA *gba) {
    int quiet = 0;
    for (int i = 0; i < 4; ++i) {
        quiet |= is_quiet(gba, i) << i;
    }
    return quiet;
}

/* The first overflow that must not pass: one that asks for a transfer, or one whose transfer might end after `until`. */
static int64_t first_to_see(struct GBA *gba, int number, int64_t until) {
    const struct GBATimer *timer = &gba->timers[number];
    int64_t first = (int32_t) (timer->event.when - gba->timing.masterCycles), period = period_of(timer);
    if (transfers_pass(gba, number)) {
        int64_t before = until - LONGEST_FILL - first;
        return before <= 0 ? first : first + (before + period - 1) / period * period;
    }
    for (int fifo = 0; fifo < 2; ++fifo) {
        int overflows = feeds(gba, number, fifo) ? until_transfer(gba, fifo) : -1;
        if (overflows >= 0 && first + overflows * period < until) {
            until = first + overflows * period;
        }
    }
    return until;
}

int64_t until_fifo(struct GBA *gba, int timers, int64_t until) {
    for (int i = 0; i < 2; ++i) {
        if (timers >> i & 1 && (feeds(gba, i, 0) || feeds(gba, i, 1))) {
            int64_t first = first_to_see(gba, i, until);
            until = first < until ? first : until;
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
    return sample > time ? sample - time : SAMPLE_INTERVAL - (uint32_t) (time - sample) % SAMPLE_INTERVAL;
}

/* What writing a word to a FIFO's register does. */
static void take_word(struct GBA *gba, uint32_t place, uint32_t word) {
    struct GBAAudioFIFO *channel = fifo_of(gba, place == REG_FIFO_B_LO);
    channel->fifo[channel->fifoWrite] = word;
    channel->fifoWrite = (channel->fifoWrite + 1) % GBA_AUDIO_FIFO_SIZE;
    word = channel->fifo[channel->fifoWrite];
    gba->memory.io[place >> 1] = word;
    gba->memory.io[(place >> 1) + 1] = word >> 16;
}

/* The next step of a transfer to a FIFO, at this time: a word, or the end. _dmaEvent and GBADMAService of dma.c. */
static void transfer_word(struct GBA *gba, int number, uint32_t now) {
    struct GBAMemory *memory = &gba->memory;
    struct GBADMA *dma = &memory->dma[number];
    bool first = dma->nextCount == dma->count;
    dma->when = first ? now : dma->when;
    if (!(dma->nextCount & 0xFFFFF)) {
        dma->nextCount = 0;
        return;
    }
    int from = dma->nextSource >> BASE_OFFSET;
    dma->when += 2 + (first ? memory->waitstatesNonseq32[from] : memory->waitstatesSeq32[from]);
    uint32_t word = from == REGION_WORKING_RAM ? memory->wram[(dma->nextSource & (SIZE_WORKING_RAM - 1)) >> 2]
                                               : memory->iwram[(dma->nextSource & (SIZE_WORKING_IRAM - 1)) >> 2];
    gba->bus = memory->dmaTransferRegister = word;
    take_word(gba, dma->nextDest & OFFSET_MASK, word);
    dma->nextSource += 4;
    --dma->nextCount;
    struct GBADMA *other = &memory->dma[3 - number];
    if (GBADMARegisterIsEnable(other->reg) && other->nextCount && (int32_t) (other->when - dma->when) < 0) {
        other->when = dma->when;
    }
    if (!dma->nextCount) {
        dma->nextCount = 0x80000000;
        dma->when += 2;
    }
}

/* The transfers that FIFOs ask for at a time: bits 1 and 2. */
static void fill(struct GBA *gba, int asking, uint32_t now) {
    struct GBADMA *one = &gba->memory.dma[1], *two = &gba->memory.dma[2];
    for (int i = 1; i <= 2; ++i) {
        if (asking >> i & 1) {
            gba->memory.dma[i].when = now;
            gba->memory.dma[i].nextCount = FIFO_FULL_ENOUGH;
        }
    }
    while ((one->nextCount && asking & 2) || (two->nextCount && asking & 4)) {
        bool second = !(asking & 2) || !one->nextCount
                      || (asking & 4 && two->nextCount && (int32_t) (two->when - one->when) < 0);
        now = second ? two->when : one->when;
        transfer_word(gba, 1 + second, now);
    }
    gba->dmaPC = gba->cpu->gprs[ARM_PC];
    gba->memory.activeDMA = -1;
}

/* The overflows of a timer from this time on, as many as `count`. */
static void overflows(struct GBA *gba, int number, int64_t time, int64_t count, int64_t sample) {
    struct GBAAudioFIFO *fed[2] = {feeds(gba, number, 0) ? fifo_of(gba, 0) : NULL,
                                   feeds(gba, number, 1) ? fifo_of(gba, 1) : NULL};
    bool transfers[2] = {fed[0] && has_transfer(gba, fed[0]), fed[1] && has_transfer(gba, fed[1])};
    int32_t period = period_of(&gba->timers[number]);
    for (; (fed[0] || fed[1]) && count; --count, time += period) {
        int32_t sampling = until_sampling(sample, time);
        int asking = 0;
        for (int i = 0; i < 2; ++i) {
            if (fed[i]) {
                asking |= transfers[i] && asks(fed[i]) ? 1 << fed[i]->dmaSource : 0;
                give_sample(&gba->audio, fed[i], sampling);
            }
        }
        if (asking) {
            fill(gba, asking, gba->timing.masterCycles + time);
        }
    }
}

void pass_timers(struct GBA *gba, int timers, int64_t end, int64_t sample) {
    for (int i = 0; i < 4; ++i) {
        struct GBATimer *timer = &gba->timers[i];
        int64_t first = (int32_t) (timer->event.when - gba->timing.masterCycles);
        if (!(timers >> i & 1) || first >= end) {
            continue;
        }
        int64_t period = period_of(timer), count = (end - first + period - 1) / period;
        overflows(gba, i, first, count, sample);
        gba->memory.io[(REG_TM0CNT_LO + 4 * i) >> 1] = timer->reload;
        timer->lastEvent = timer->event.when + (count - 1) * period;
        move_event(&gba->timing, &timer->event, count * period);
    }
}
