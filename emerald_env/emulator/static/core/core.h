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

/* Two instructions that are often behind one another, and the one that does both; the last is zeros. */
struct pair {
    instruction *first, *second, *both;
};
/* Makes a pair of the instruction at `pc` and the one behind it, and of the one before it and it, where there is such. */
void decoded_pair(const struct core *q, const struct pair *pairs, uint32_t pc, struct record *rec, uint32_t width);

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

/* That of the code so many bytes behind it. */
INLINE struct record *further(struct record *rec, int32_t bytes) {
    return (struct record *) ((char *) rec + (ptrdiff_t) bytes * (ptrdiff_t) (sizeof *rec / 2));
}

/* A record that may be run next has something to run. */
INLINE struct record *ready(struct record *rec, instruction *decode) {
    if (!LIKELY_TO(run_of(rec))) {
        set_run(rec, decode);
    }
    return rec;
}

/* Where to write words, or NULL where the core cannot: elsewhere, or near code that may have been fetched or decoded. */
INLINE uint8_t *writable_several(const struct core *q, uint32_t first, int count) {
    uint8_t *to = several(q, first, count);
    bool internal = first >> 24 == IN_IWRAM;
    uint32_t at = first & ((internal ? IWRAM_BYTES : WRAM_BYTES) - 1);
    const uint8_t *lines = q->code_lines[!internal];
    return to && !lines[at >> LINE_BITS] && !lines[(at + 4 * count - 4) >> LINE_BITS] ? to : NULL;
}

INLINE void take_several(struct core *q, uint32_t list, const uint8_t *from) {
    for (; list; list &= list - 1, from += 4) {
        memcpy(&q->r[__builtin_ctz(list)], from, 4);
    }
}

INLINE void put_several(const struct core *q, uint32_t list, uint8_t *to) {
    for (; list; list &= list - 1, to += 4) {
        memcpy(to, &q->r[__builtin_ctz(list)], 4);
    }
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

/* The region of an address that is a multiple of SIZE, in its highest byte; else something that is none. */
#define PLACE_OF(ADDRESS, SIZE) ((ADDRESS) & (0xFF000000u | ((SIZE) - 1)))
#define IS_IN_ROM(ADDRESS, SIZE)                                                 \
    (PLACE_OF((ADDRESS) & ~(1u << 24), SIZE) == (uint32_t) IN_ROM << 24          \
     && ((ADDRESS) & (ROM_BYTES - 1)) < q->place.rom_size)
#define WRAM_WAIT(SIZE) ((SIZE) == 4 ? q->place.wram_wait32 : q->place.wram_wait16)
/* Loads from `address`: TAKE makes use of `got`, then comes the next instruction. Each kind of memory is a branch, which
 * processors foresee, and no look-up, for which they would wait. */
#define LOAD_FROM(SIZE, TYPE, TAKE)                                                                         \
    if (PLACE_OF(address, SIZE) == NEAR(IN_IWRAM)) {                                                        \
        TYPE got = value_at(q->iwram, address, IWRAM_BYTES - 1, SIZE);                                      \
        TAKE                                                                                                \
        NEXT_WAIT(2);                                                                                       \
    } else if (PLACE_OF(address, SIZE) == NEAR(IN_WRAM)) {                                                  \
        TYPE got = value_at(q->wram, address, WRAM_BYTES - 1, SIZE);                                        \
        TAKE                                                                                                \
        NEXT_WAIT(2 + WRAM_WAIT(SIZE));                                                                     \
    } else if (IS_IN_ROM(address, SIZE)) {                                                                  \
        TYPE got = value_at(q->rom, address, ROM_BYTES - 1, SIZE);                                          \
        int high = address >> 24 & 1;                                                                       \
        TAKE                                                                                                \
        NEXT_APART(2 + ((SIZE) == 4 ? q->place.rom_wait32[high] : q->place.rom_wait16[high]));              \
    }                                                                                                       \
    return load_elsewhere_##TYPE(PASS, address)
/* Stores `value` at `address`, does TAKE, then comes the next instruction. */
#define STORE_TO(SIZE, TYPE, TAKE)                                                          \
    if (PLACE_OF(address, 1) == NEAR(IN_IWRAM)) {                                           \
        uint32_t at = address & (IWRAM_BYTES - 1) & -(SIZE);                                \
        if (LIKELY_TO(!q->code_lines[0][at >> LINE_BITS])) {                                \
            memcpy(q->iwram + at, &value, SIZE);                                            \
            TAKE                                                                            \
            NEXT_WAIT(1);                                                                   \
        }                                                                                   \
    } else if (PLACE_OF(address, 1) == NEAR(IN_WRAM)) {                                     \
        uint32_t at = address & (WRAM_BYTES - 1) & -(SIZE);                                 \
        if (LIKELY_TO(!q->code_lines[1][at >> LINE_BITS])) {                                \
            memcpy(q->wram + at, &value, SIZE);                                             \
            TAKE                                                                            \
            NEXT_WAIT(1 + WRAM_WAIT(SIZE));                                                 \
        }                                                                                   \
    }                                                                                       \
    return store_elsewhere_##TYPE(PASS, address)

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
/* The instruction behind, where that is known: in a pair. */
static instruction *const then = NULL;
#define INSTRUCTION(NAME)                                   \
    INLINE void NAME##_then(STATE, instruction *then);      \
    static void NAME(STATE) {                               \
        NAME##_then(PASS, NULL);                            \
    }                                                       \
    INLINE void NAME##_then(STATE, instruction *then)

/* What ARM and Thumb have in common: each defines WIDTH, the bytes of an instruction, COSTS and DECODE. */
#define FETCHING (pc + 2 * WIDTH)
/* To the instruction behind this one. */
#define GO_ON(CYCLES)                             \
    do {                                          \
        left -= (CYCLES); /* which may need pc */ \
        pc += WIDTH;                              \
        rec = further(rec, WIDTH);                \
        SLOW_UNLESS(left >= 0);                   \
        return (then ? then : run_of(rec))(PASS); \
    } while (0)
/* So many cycles beyond its fetch; behind a load, a store or a multiplication, the next fetch is not sequential. */
#define NEXT(CYCLES) GO_ON(COSTS.next + (CYCLES))
#define NEXT_APART(CYCLES) GO_ON(COSTS.apart + (CYCLES))
#define LAND(CYCLES)                              \
    do {                                          \
        q->jumped = pc;                           \
        q->prefetched = 0;                        \
        left -= COSTS.jump + (CYCLES);            \
        LEAVE_TO_TRANSLATED                       \
        CONTINUE;                                 \
    } while (0)
#define JUMP(TARGET, CYCLES)                                          \
    do {                                                              \
        pc = (TARGET);                                                \
        rec = ready(further(q->records, pc & q->mask), DECODE);       \
        LAND(CYCLES);                                                 \
    } while (0)
/* A jump by a constant: decoding has seen that it stays. */
#define JUMP_BY(BYTES)                                      \
    do {                                                    \
        int32_t by = (BYTES);                               \
        SLOW_UNLESS(pc + by != q->place.idle_loop);         \
        pc += by;                                           \
        rec = further(rec, by);                             \
        LAND(0);                                            \
    } while (0)
/* By their number. */
#define EACH_CONDITION(WHAT)                      \
    WHAT(eq, !(uint32_t) nz)                      \
    WHAT(ne, (uint32_t) nz)                       \
    WHAT(cs, q->c)                                \
    WHAT(cc, !q->c)                               \
    WHAT(mi, nz < 0)                              \
    WHAT(pl, nz >= 0)                             \
    WHAT(vs, q->v)                                \
    WHAT(vc, !q->v)                               \
    WHAT(hi, q->c && (uint32_t) nz)               \
    WHAT(ls, !q->c || !(uint32_t) nz)             \
    WHAT(ge, (nz < 0) == q->v)                    \
    WHAT(lt, (nz < 0) != q->v)                    \
    WHAT(gt, (uint32_t) nz && (nz < 0) == q->v)   \
    WHAT(le, !(uint32_t) nz || (nz < 0) != q->v)
#define BRANCH(NAME, CONDITION)         \
    INSTRUCTION(b##NAME) {              \
        if (CONDITION) {                \
            JUMP_BY(rec->value);        \
        }                               \
        NEXT(0);                        \
    }
#define BRANCH_OF(NAME, CONDITION) b##NAME,
/* Two instructions, of which one jumps straight to the other: a processor foresees what always leads to the same place. */
#define PAIR(FIRST, SECOND)                     \
    static void FIRST##_##SECOND(STATE) {       \
        FIRST##_then(PASS, SECOND);             \
    }
#define PAIR_ENTRY(FIRST, SECOND) {FIRST, SECOND, FIRST##_##SECOND},
#define WITH_SECONDS(WHAT, FIRST) EACH_SECOND(WHAT, FIRST)
#define WITH_BRANCHES(WHAT, FIRST)                                                                              \
    WHAT(FIRST, beq) WHAT(FIRST, bne) WHAT(FIRST, bcs) WHAT(FIRST, bcc) WHAT(FIRST, bmi) WHAT(FIRST, bpl)       \
    WHAT(FIRST, bvs) WHAT(FIRST, bvc) WHAT(FIRST, bhi) WHAT(FIRST, bls) WHAT(FIRST, bge) WHAT(FIRST, blt)       \
    WHAT(FIRST, bgt) WHAT(FIRST, ble)
/* What loads and stores make of a word; those elsewhere are functions of their own. */
#define EACH_TYPE(WHAT) WHAT(4, uint32_t) WHAT(2, uint16_t) WHAT(1, uint8_t) WHAT(2, int16_t) WHAT(1, int8_t)
/* After a jump: goes back to the loop where translated code may go on. */
#define LEAVE_TO_TRANSLATED                                                \
    if (!LIKELY_TO(!q->pages) && left >= 0 && group_at(q->pages, pc)) {    \
        q->again = true;                                                   \
        return core_leave(PASS);                                           \
    }
