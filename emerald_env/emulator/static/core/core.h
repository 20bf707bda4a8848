/* What an instruction needs, and how one leads to the next. See README.md. */
#pragma once
#include <mgba/flags.h>

#include <mgba/internal/arm/arm.h>
#include <mgba/internal/gba/gba.h>
#include <mgba/internal/gba/memory.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PC = 15, LR = 14, SP = 13, WAITS = 128, AHEAD = 8, NO_CYCLES = INT32_MIN };

struct core {
    int32_t r[16]; /* r[PC] is not kept: see `pc` of each instruction */
    const uint8_t *code;
    uint32_t mask;
    uint8_t *iwram, *wram;
    const uint8_t *rom;
    uint32_t rom_size;
    int32_t wram_wait16, wram_wait32, rom_wait16[2], rom_wait32[2];
    int32_t seq16, non16, seq32, non32; /* what fetching from the code's region waits */
    uint32_t region, end;               /* jumps inside these are simple */
    uint32_t idle_loop, jumped;
    uint32_t prefetched; /* the cartridge's prefetch buffer has been filled up to here */
    bool stalls;         /* whether that buffer is on, and the code in the cartridge */
    int32_t shifter;     /* the last carry of the barrel shifter */
    /* between instructions */
    uint32_t pc;
    int32_t left;
    int64_t nz;
    uint32_t c; /* 0 or 1 */
    int32_t v;  /* its sign */
    /* what a wait costs while the buffer fills, and how far that gets: by the half-words in it, and by the wait */
    struct {
        int8_t cycles;
        uint8_t ahead;
    } stall[AHEAD][WAITS];
    int32_t stall_seq, stall_non;
};

/* The state of the processor in an instruction. `pc` is its own address; `left` are the cycles until something may
 * happen, negative from then on; `op` is the instruction; `nz` is negative where N is set, and its low half is 0 where Z is. With more of it a compiler runs out of
 * registers that a function need not save. */
#define STATE struct core *q, uint32_t pc, int32_t left, int64_t nz, uint32_t op
#define PASS q, pc, left, nz, op
typedef void instruction(STATE);

#define LIKELY_TO(CONDITION) __builtin_expect(!!(CONDITION), 1)
#define INLINE static inline __attribute__((always_inline))

extern instruction *thumb_table[0x400], *arm_table[0x1000];
instruction core_leave, core_run_arm, core_run_thumb;
void core_fill_arm_table(void);
void core_fill_thumb_table(void);

INLINE uint32_t fetch16(const struct core *q, uint32_t pc) {
    uint16_t code;
    memcpy(&code, q->code + (pc & q->mask), sizeof code);
    return code;
}

INLINE uint32_t fetch32(const struct core *q, uint32_t pc) {
    uint32_t code;
    memcpy(&code, q->code + (pc & q->mask), sizeof code);
    return code;
}

INLINE uint32_t rotated(uint32_t value, int bits) {
    return value >> (bits & 31) | value << (-bits & 31);
}

/* Bit `flags` of entry `condition` says whether an instruction runs; flags are N, Z, C, V from the highest bit. */
INLINE bool holds(int condition, int64_t nz, uint32_t c, int32_t v) {
    bool n = nz < 0, z = !(uint32_t) nz;
    switch (condition >> 1) {
    case 0:
        return z ^ (condition & 1);
    case 1:
        return c ^ (condition & 1);
    case 2:
        return n ^ (condition & 1);
    case 3:
        return (v < 0) ^ (condition & 1);
    case 4:
        return (c && !z) ^ (condition & 1);
    case 5:
        return (n == (v < 0)) ^ (condition & 1);
    case 6:
        return (!z && n == (v < 0)) ^ (condition & 1);
    default:
        return !(condition & 1);
    }
}

/* Whether a jump there changes neither the region nor meets the game's wait loop. */
INLINE bool stays(const struct core *q, uint32_t address) {
    return address >> 24 == q->region && (address & 0x01FFFFFF) < q->end && address != q->idle_loop;
}

/* The cycles of an access that waits, while the cartridge's prefetch buffer fills. `fetching` is the processor's PC. */
INLINE int32_t stalled(struct core *q, uint32_t fetching, int32_t wait) {
    if (!q->stalls) {
        return wait;
    }
    uint32_t ahead = q->prefetched - fetching;
    ahead = ahead < 2 * AHEAD ? ahead >> 1 : 0;
    q->prefetched = fetching + q->stall[ahead][wait].ahead;
    return q->stall[ahead][wait].cycles;
}

struct loaded {
    uint32_t value;
    int32_t cycles; /* NO_CYCLES: the core cannot do it */
};

INLINE uint32_t value_at(const uint8_t *memory, uint32_t address, uint32_t mask, int size) {
    uint32_t value = 0;
    memcpy(&value, memory + (address & mask), size);
    return value;
}

/* Each kind of memory is a branch, which processors foresee, and no look-up, for which they would wait. */
INLINE struct loaded load(struct core *q, uint32_t fetching, uint32_t address, int size) {
    if (!LIKELY_TO(!(address & (size - 1)))) {
        return (struct loaded) {0, NO_CYCLES};
    }
    switch (address >> 24) {
    case REGION_WORKING_IRAM:
        return (struct loaded) {value_at(q->iwram, address, SIZE_WORKING_IRAM - 1, size), stalled(q, fetching, 2)};
    case REGION_WORKING_RAM:
        return (struct loaded) {value_at(q->wram, address, SIZE_WORKING_RAM - 1, size),
                                stalled(q, fetching, 2 + (size == 4 ? q->wram_wait32 : q->wram_wait16))};
    case REGION_CART0:
    case REGION_CART0_EX:
        if (LIKELY_TO((address & (SIZE_CART0 - 1)) < q->rom_size)) {
            int high = address >> 24 & 1;
            return (struct loaded) {value_at(q->rom, address, SIZE_CART0 - 1, size),
                                    2 + (size == 4 ? q->rom_wait32[high] : q->rom_wait16[high])};
        }
    }
    return (struct loaded) {0, NO_CYCLES};
}

/* Where to write, or NULL where the core cannot: elsewhere, or on instructions that have been fetched already. */
INLINE uint8_t *writable(const struct core *q, uint32_t pc, uint32_t address, uint32_t align, uint32_t size) {
    uint8_t *to;
    switch (address >> 24) {
    case REGION_WORKING_IRAM:
        to = q->iwram + (address & (SIZE_WORKING_IRAM - 1) & -align);
        break;
    case REGION_WORKING_RAM:
        to = q->wram + (address & (SIZE_WORKING_RAM - 1) & -align);
        break;
    default:
        return NULL;
    }
    uint32_t ahead = ((uint32_t) (to - q->code) - pc + (size - 1)) & q->mask;
    return LIKELY_TO(ahead >= 12 + size - 1) ? to : NULL;
}

/* The cycles of a store to a writable place. */
INLINE int32_t store(struct core *q, uint32_t fetching, uint32_t address, uint8_t *to, uint32_t value, int size) {
    memcpy(to, &value, size);
    int32_t wait = address >> 24 == REGION_WORKING_IRAM ? 0 : size == 4 ? q->wram_wait32 : q->wram_wait16;
    return stalled(q, fetching, 1 + wait);
}

/* Where several registers lie in memory, or NULL where the core cannot access them all at once. */
INLINE uint8_t *several(const struct core *q, uint32_t first, int count) {
    bool internal = first >> 24 == REGION_WORKING_IRAM;
    uint32_t size = internal ? SIZE_WORKING_IRAM : SIZE_WORKING_RAM, at = first & (size - 1) & ~3u;
    if (!count || (!internal && first >> 24 != REGION_WORKING_RAM) || at + 4 * count > size) {
        return NULL;
    }
    return (internal ? q->iwram : q->wram) + at;
}

INLINE int32_t cycles_of_several(struct core *q, uint32_t fetching, uint32_t base, int count, bool is_load) {
    int32_t wait = base >> 24 == REGION_WORKING_IRAM ? 0 : q->wram_wait32;
    return stalled(q, fetching, count * (1 + wait) + is_load);
}

/* The cycles that a multiplication waits for its second factor; `sign`: whether leading ones count as zeros do. */
INLINE int32_t multiply_wait(int32_t factor, bool sign) {
    uint32_t bits = sign ? factor ^ factor >> 31 : factor;
    return 1 + (bits > 0xFF) + (bits > 0xFFFF) + (bits > 0xFFFFFF);
}

#define SLOW_UNLESS(CONDITION)      \
    if (!LIKELY_TO(CONDITION)) {    \
        return core_leave(PASS);    \
    }
