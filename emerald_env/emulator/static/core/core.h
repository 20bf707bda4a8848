/* What an instruction of the interpreter needs, and how one leads to the next. See README.md. */
#pragma once
#include "state.h"

struct profile;

/* The state of the processor in an instruction. `pc` is its own address; `left` are the cycles until something may
 * happen, negative from then on; `rec` is the decoded instruction; `nz` is negative where N is set, and its low half is 0
 * where Z is. With more of it a compiler runs out of registers that a function need not save. */
#define STATE struct core *q, uint32_t pc, int32_t left, int64_t nz, struct record *rec
#define PASS q, pc, left, nz, rec
typedef void instruction(STATE);

/* A decoded instruction; what the fields are is said where it is decoded. Those of ARM code take a second record, with the
 * instruction itself in `value`. Zeros: never decoded, and never run. */
struct record {
    instruction *run;
    int32_t value;
    uint8_t d, n, m, s;
};

/* `core_leave` is also all that is done of an instruction that is slow. */
instruction core_leave, core_run_arm, core_run_thumb, core_decode_arm, core_decode_thumb;
/* In video memory, and where reading input and output changes nothing; NO_CYCLES elsewhere, and when an event is due. */
struct loaded core_load(struct core *q, uint32_t address, int size, uint32_t fetching, int32_t left);
int32_t core_store(struct core *q, uint32_t address, uint32_t value, int size, uint32_t fetching, int32_t left);
void core_fill_arm_table(void);
void core_fill_thumb_table(void);
/* Counts the instruction at `pc`; `apart`: it does not follow the one before. */
void profile_count(struct profile *profile, const struct core *q, uint32_t pc, bool thumb, bool apart, bool reached);

/* Where decoded instructions are: records.c. */
enum { LINE_BITS = 6 };
struct GBA;
struct decoded *decoded_new(void);
void decoded_free(struct decoded *decoded);
/* Where those of the code's region are; false: the core cannot run there. */
bool decoded_take(struct core *q, const struct GBA *gba);
/* Notes that there is code in RAM; forgets what has changed since. */
void decoded_watch(struct core *q, uint32_t pc);
void decoded_refresh(struct core *q);

#define NEVER_INLINE __attribute__((noinline))

INLINE bool in_ram(uint32_t region) {
    return region == IN_WRAM || region == IN_IWRAM;
}

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

/* Several games may share records: what `run` needs is written before it. */
INLINE instruction *run_of(struct record *rec) {
    return __atomic_load_n(&rec->run, __ATOMIC_ACQUIRE);
}

INLINE void set_run(struct record *rec, instruction *run) {
    __atomic_store_n(&rec->run, run, __ATOMIC_RELEASE);
}

/* A record that may be run next has something to run. */
INLINE struct record *ready(struct record *rec, instruction *decode) {
    if (!LIKELY_TO(run_of(rec))) {
        set_run(rec, decode);
    }
    return rec;
}

/* Where to write, or NULL where the core cannot: elsewhere, or near code that may have been fetched or decoded. */
INLINE uint8_t *writable(const struct core *q, uint32_t address, uint32_t align, uint32_t size) {
    uint32_t at;
    switch (address >> 24) {
    case IN_IWRAM:
        at = address & (IWRAM_BYTES - 1) & -align;
        return LIKELY_TO(!q->code_lines[0][at >> LINE_BITS]) ? q->iwram + at : NULL;
    case IN_WRAM:
        at = address & (WRAM_BYTES - 1) & -align;
        return LIKELY_TO(!q->code_lines[1][at >> LINE_BITS]) ? q->wram + at : NULL;
    default:
        return NULL;
    }
}

/* The same for `count` words that lie in one of these memories. */
INLINE bool writable_several(const struct core *q, uint32_t first, int count) {
    return writable(q, first, 4, 4) && writable(q, first + 4 * count - 4, 4, 4);
}

INLINE uint32_t add(uint32_t m, uint32_t n, uint8_t *c, uint8_t *v) {
    uint32_t d;
    int32_t same;
    *c = __builtin_add_overflow(m, n, &d);
    *v = __builtin_add_overflow((int32_t) m, (int32_t) n, &same);
    return d;
}

INLINE uint32_t subtract(uint32_t m, uint32_t n, uint8_t *c, uint8_t *v) {
    int32_t same;
    *c = m >= n;
    *v = __builtin_sub_overflow((int32_t) m, (int32_t) n, &same);
    return m - n;
}

INLINE uint32_t add_with_carry(uint32_t m, uint32_t n, uint8_t *c, uint8_t *v) {
    uint32_t d = m + n + *c;
    *c = carry_of_sum(m, n, d);
    *v = (~(m ^ n) & (m ^ d)) >> 31;
    return d;
}

INLINE uint32_t subtract_with_carry(uint32_t m, uint32_t n, uint8_t *c, uint8_t *v) {
    uint32_t d = m - n - !*c;
    *c = (uint64_t) m >= (uint64_t) n + !*c;
    *v = ((m ^ n) & (m ^ d)) >> 31;
    return d;
}

/* The address where it is a multiple of SIZE there, else something else. */
#define IS_IN(REGION, ADDRESS, SIZE) (((ADDRESS) & (0xFF000000u | ((SIZE) - 1))) == (uint32_t) (REGION) << 24)
#define IS_IN_ROM(ADDRESS, SIZE) \
    (IS_IN(IN_ROM, (ADDRESS) & ~(1u << 24), SIZE) && ((ADDRESS) & (ROM_BYTES - 1)) < q->place.rom_size)
/* Loads from `address`: TAKE makes use of `got`, then comes the next instruction. Each kind of memory is a branch, which
 * processors foresee, and no look-up, for which they would wait. */
#define LOAD_FROM(SIZE, TYPE, TAKE)                                                                         \
    if (IS_IN(IN_IWRAM, address, SIZE)) {                                                                   \
        TYPE got = value_at(q->iwram, address, IWRAM_BYTES - 1, SIZE);                                      \
        TAKE                                                                                                \
        NEXT_WAIT(2);                                                                                       \
    } else if (IS_IN(IN_WRAM, address, SIZE)) {                                                             \
        TYPE got = value_at(q->wram, address, WRAM_BYTES - 1, SIZE);                                        \
        TAKE                                                                                                \
        NEXT_WAIT(2 + ((SIZE) == 4 ? q->place.wram_wait32 : q->place.wram_wait16));                         \
    } else if (IS_IN_ROM(address, SIZE)) {                                                                  \
        TYPE got = value_at(q->rom, address, ROM_BYTES - 1, SIZE);                                          \
        int high = address >> 24 & 1;                                                                       \
        TAKE                                                                                                \
        NEXT_APART(2 + ((SIZE) == 4 ? q->place.rom_wait32[high] : q->place.rom_wait16[high]));              \
    }                                                                                                       \
    return load_elsewhere_##TYPE(PASS, address)

#define CONTINUE                        \
    do {                                \
        if (!LIKELY_TO(left >= 0)) {    \
            return core_leave(PASS);    \
        }                               \
        return run_of(rec)(PASS);       \
    } while (0)
#define SLOW_UNLESS(CONDITION)      \
    if (!LIKELY_TO(CONDITION)) {    \
        return core_leave(PASS);    \
    }
/* To the other instruction set, by way of the loop. */
#define SWITCH(TARGET, THUMB, CYCLES)   \
    do {                                \
        q->jumped = pc = (TARGET);      \
        q->prefetched = 0;              \
        left -= (CYCLES);               \
        switch_to(q, THUMB);            \
        return core_leave(PASS);        \
    } while (0)
/* After a jump: goes back to the loop where translated code may go on. */
#define LEAVE_TO_TRANSLATED                                                \
    if (!LIKELY_TO(!q->pages) && left >= 0 && group_at(q->pages, pc)) {    \
        q->again = true;                                                   \
        return core_leave(PASS);                                           \
    }
