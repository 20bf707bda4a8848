/* The processor between two instructions, memory and waits: what the interpreter and translated code share. It names
 * nothing of mGBA's, since translated code is compiled where mGBA's headers may be absent. See README.md. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PC = 15, LR = 14, SP = 13, WAITS = 128, AHEAD = 8, NO_CYCLES = INT32_MIN };
/* the highest byte of an address */
enum { IN_BIOS = 0, IN_WRAM = 2, IN_IWRAM = 3, IN_ROM = 8, IN_ROM_HIGH = 9, REGIONS = 16 };
enum { WRAM_BYTES = 0x40000, IWRAM_BYTES = 0x8000, ROM_BYTES = 0x2000000 };

/* What holds while the code stays in its region. Translated code was made for one such place, and compares it. */
struct place {
    uint32_t region, end;               /* jumps inside these are simple */
    int32_t seq16, non16, seq32, non32; /* what fetching from the code's region waits */
    int32_t wram_wait16, wram_wait32, rom_wait16[2], rom_wait32[2];
    uint32_t rom_size, idle_loop;
    uint32_t stalls; /* whether the cartridge's prefetch buffer is on, and the code there */
};

struct core;
struct pages;
struct record;
/* What instructions cost that do nothing else: one behind another, one whose fetch is not sequential, a jump. */
struct costs {
    int32_t next, apart, jump;
};
struct loaded {
    uint32_t value;
    int32_t cycles; /* NO_CYCLES: the core cannot do it */
};
/* Runs what it has of the code at q->pc. */
enum why { MUST_INTERPRET, WENT_ELSEWHERE };
typedef enum why group(struct core *q);

struct core {
    int32_t r[16]; /* r[PC] is not kept: see `pc` of each instruction */
    const uint8_t *code;
    uint32_t mask;
    uint8_t *iwram, *wram;
    const uint8_t *rom;
    struct place place;
    uint32_t jumped;
    uint32_t prefetched; /* the cartridge's prefetch buffer has been filled up to here */
    int32_t shifter;     /* the last carry of the barrel shifter */
    /* between instructions */
    uint32_t pc;
    int32_t left;
    int64_t nz;
    uint8_t c, v; /* 0 or 1 */
    /* what a wait costs while the buffer fills, and how far that gets: by the wait, and by the bytes in it */
    struct stall {
        int8_t cycles;
        uint8_t ahead;
    } stall[WAITS][2 * AHEAD];
    int32_t stall_seq, stall_non;
    const struct translation *translation; /* NULL: none */
    const struct pages *pages;             /* that of the code's region; NULL: nothing there is translated */
    const struct pages *pages_of[2];       /* of ARM and Thumb at this place */
    bool thumb;                            /* which of them comes next */
    bool again;                            /* that has changed, or the interpreter came to a page of translated code */
    /* what mGBA does without leaving: loads and stores in other memory */
    struct loaded (*load)(struct core *, uint32_t address, int size, uint32_t fetching, int32_t left);
    int32_t (*store)(struct core *, uint32_t address, uint32_t value, int size, uint32_t fetching, int32_t left);
    bool reached;  /* one of them has been called */
    int32_t until; /* the cycles at which `left` is -1 */
    void *cpu;
    struct costs arm_costs, thumb_costs;
    uint32_t arm_near[2]; /* work and internal memory, where ARM code accesses it without the buffer; else no such place */
    /* decoded instructions of ARM and Thumb at this place, of which comes next, and where all are: records.c */
    struct record *records_of[2], *records;
    struct decoded *decoded;
    /* the lines of internal and work memory that stores must leave to mGBA: code of the region that runs */
    const uint8_t *code_lines[2];
};

/* Which group has the code of each page of a region, 0: none. */
enum { PAGE_BITS = 8 };
struct pages {
    const uint16_t *group;
    uint32_t count;
    struct place place;
};
struct translation {
    uint32_t size; /* of struct core */
    group *const *groups;
    const struct pages *pages[2][REGIONS]; /* of ARM, of Thumb; NULL: none */
};

#define LIKELY_TO(CONDITION) __builtin_expect(!!(CONDITION), 1)
#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t group_at(const struct pages *pages, uint32_t pc) {
    uint32_t page = (pc & 0xFFFFFF) >> PAGE_BITS;
    return page < pages->count ? pages->group[page] : 0;
}

/* As _ARMSetMode of mGBA does. */
INLINE void switch_to(struct core *q, bool thumb) {
    q->thumb = thumb;
    q->mask = thumb ? q->mask | 2 : q->mask & ~2u;
    q->again = true;
}

INLINE uint32_t rotated(uint32_t value, int bits) {
    return value >> (bits & 31) | value << (-bits & 31);
}

INLINE uint32_t carry_of_sum(uint32_t m, uint32_t n, uint32_t d) {
    return (m >> 31) + (n >> 31) > d >> 31;
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
INLINE bool stays(const struct place *place, uint32_t address) {
    return address >> 24 == place->region && (address & 0x01FFFFFF) < place->end && address != place->idle_loop;
}

/* The cycles of an access that waits, while the cartridge's prefetch buffer fills. `fetching` is the processor's PC. */
INLINE int32_t stalled(const struct core *q, const struct place *place, uint32_t *prefetched, uint32_t fetching,
                       int32_t wait) {
    if (!place->stalls) {
        return wait;
    }
    uint32_t ahead = *prefetched - fetching;
    const struct stall *found = &q->stall[wait][ahead < 2 * AHEAD ? ahead : 0];
    *prefetched = fetching + found->ahead;
    return found->cycles;
}

INLINE uint32_t value_at(const uint8_t *memory, uint32_t address, uint32_t mask, int size) {
    uint32_t value = 0;
    memcpy(&value, memory + (address & mask), size);
    return value;
}

/* Each kind of memory is a branch, which processors foresee, and no look-up, for which they would wait. */
INLINE struct loaded load(const struct core *q, const struct place *place, uint32_t *prefetched, uint32_t fetching,
                          uint32_t address, int size) {
    if (!LIKELY_TO(!(address & (size - 1)))) {
        return (struct loaded) {0, NO_CYCLES};
    }
    switch (address >> 24) {
    case IN_IWRAM:
        return (struct loaded) {value_at(q->iwram, address, IWRAM_BYTES - 1, size),
                                stalled(q, place, prefetched, fetching, 2)};
    case IN_WRAM:
        return (struct loaded) {
            value_at(q->wram, address, WRAM_BYTES - 1, size),
            stalled(q, place, prefetched, fetching, 2 + (size == 4 ? place->wram_wait32 : place->wram_wait16))};
    case IN_ROM:
    case IN_ROM_HIGH:
        if (LIKELY_TO((address & (ROM_BYTES - 1)) < place->rom_size)) {
            int high = address >> 24 & 1;
            return (struct loaded) {value_at(q->rom, address, ROM_BYTES - 1, size),
                                    2 + (size == 4 ? place->rom_wait32[high] : place->rom_wait16[high])};
        }
    }
    return (struct loaded) {0, NO_CYCLES};
}

/* Where to write, or NULL where the core cannot. */
INLINE uint8_t *ram_at(const struct core *q, uint32_t address, uint32_t align) {
    switch (address >> 24) {
    case IN_IWRAM:
        return q->iwram + (address & (IWRAM_BYTES - 1) & -align);
    case IN_WRAM:
        return q->wram + (address & (WRAM_BYTES - 1) & -align);
    default:
        return NULL;
    }
}

/* The cycles of a store to a writable place. */
INLINE int32_t store(const struct core *q, const struct place *place, uint32_t *prefetched, uint32_t fetching,
                     uint32_t address, uint8_t *to, uint32_t value, int size) {
    memcpy(to, &value, size);
    int32_t wait = address >> 24 == IN_IWRAM ? 0 : size == 4 ? place->wram_wait32 : place->wram_wait16;
    return stalled(q, place, prefetched, fetching, 1 + wait);
}

/* Where several registers lie in memory, or NULL where the core cannot access them all at once. */
INLINE uint8_t *several(const struct core *q, uint32_t first, int count) {
    uint32_t at = first & (WRAM_BYTES - 1) & ~3u;
    if (LIKELY_TO(first >> 24 == IN_IWRAM)) {
        at &= IWRAM_BYTES - 1;
        return at + 4 * count <= IWRAM_BYTES ? q->iwram + at : NULL;
    }
    return first >> 24 == IN_WRAM && at + 4 * count <= WRAM_BYTES ? q->wram + at : NULL;
}

INLINE int32_t cycles_of_several(const struct core *q, const struct place *place, uint32_t *prefetched,
                                 uint32_t fetching, uint32_t base, int count, bool is_load) {
    int32_t wait = base >> 24 == IN_IWRAM ? 0 : place->wram_wait32;
    return stalled(q, place, prefetched, fetching, count * (1 + wait) + is_load);
}

/* The cycles that a multiplication waits for its second factor, one a byte; `sign`: whether leading ones count as zeros do. */
INLINE int32_t multiply_wait(int32_t factor, bool sign) {
    uint32_t bits = sign ? factor ^ factor >> 31 : factor;
    return 4 - (__builtin_clz(bits | 1) >> 3);
}
