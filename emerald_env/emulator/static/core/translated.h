/* What translated code is written in. The names of its variables are those of the interpreter. See README.md. */
#pragma once
#include "state.h"

/* The rest of a group's function: its registers, then these. `paid` are cycles of the instructions before. */
#define VARIABLES                                                                          \
    uint32_t pc = q->pc, c = q->c, prefetched = q->prefetched, jumped = q->jumped, none;   \
    int32_t left = q->left, v = -q->v, shifter = q->shifter;                                \
    int64_t nz = q->nz;                                                                    \
    enum why why = WENT_ELSEWHERE;                                                         \
    (void) none;
#define WRITE_VARIABLES                                                                    \
    q->pc = pc, q->c = c, q->prefetched = prefetched, q->jumped = jumped;                  \
    q->left = left, q->v = v < 0, q->shifter = shifter;                                        \
    q->nz = nz;                                                                            \
    return why;

/* Back to the interpreter, before the instruction that is `here`. */
#define LEAVE(HERE, PAID)     \
    {                         \
        pc = (HERE);          \
        left -= (PAID);       \
        goto leave;           \
    }
#define LEAVE_UNLESS(CONDITION, HERE, PAID)  \
    if (!LIKELY_TO(CONDITION)) {             \
        LEAVE(HERE, PAID)                    \
    }
/* Jumps leave the buffer empty. */
#define JUMPED(TARGET, CYCLES)      \
    jumped = pc = (TARGET);         \
    prefetched = 0;                 \
    left -= (CYCLES);

/* To the other instruction set. */
#define SWITCHED(THUMB)        \
    {                          \
        switch_to(q, THUMB);   \
        goto elsewhere;        \
    }

#define SET_NZ(D) nz = (int32_t) (D)
#define MOVE(D, VALUE)           \
    {                            \
        uint32_t d = (VALUE);    \
        D = d;                   \
        SET_NZ(d);               \
    }
#define ADD(D, M, N)                                  \
    {                                                 \
        uint32_t m = (M), n = (N), d = m + n;         \
        D = d;                                        \
        SET_NZ(d);                                    \
        c = carry_of_sum(m, n, d);                    \
        v = ~(m ^ n) & (m ^ d);                       \
    }
#define ADD_CARRY(D, M, N)                            \
    {                                                 \
        uint32_t m = (M), n = (N), d = m + n + c;     \
        D = d;                                        \
        SET_NZ(d);                                    \
        c = carry_of_sum(m, n, d);                    \
        v = ~(m ^ n) & (m ^ d);                       \
    }
#define SUB(D, M, N)                                  \
    {                                                 \
        uint32_t m = (M), n = (N), d = m - n;         \
        D = d;                                        \
        SET_NZ(d);                                    \
        c = m >= n;                                   \
        v = (m ^ n) & (m ^ d);                        \
    }
#define SUB_CARRY(D, M, N)                            \
    {                                                 \
        uint32_t m = (M), n = (N), d = m - n - !c;    \
        D = d;                                        \
        SET_NZ(d);                                    \
        c = (uint64_t) m >= (uint64_t) n + !c;        \
        v = (m ^ n) & (m ^ d);                        \
    }

/* shifts by a register: 0 leaves the carry, 33 and more leave nothing */
struct shifted {
    uint32_t value, carry;
};
INLINE struct shifted lsl(uint32_t m, uint32_t by, uint32_t c) {
    uint64_t u = m;
    return (struct shifted) {by > 31 ? 0 : u << by, by == 0 ? c : by > 32 ? 0 : u >> (32 - by) & 1};
}
INLINE struct shifted lsr(uint32_t m, uint32_t by, uint32_t c) {
    uint64_t u = m;
    return (struct shifted) {by > 31 ? 0 : u >> by, by == 0 ? c : by > 32 ? 0 : u >> (by - 1) & 1};
}
INLINE struct shifted asr(uint32_t m, uint32_t by, uint32_t c) {
    int64_t u = (int32_t) m;
    by = by > 32 ? 32 : by;
    return (struct shifted) {u >> by, by ? u >> (by - 1) & 1 : c};
}
INLINE struct shifted ror(uint32_t m, uint32_t by, uint32_t c) {
    return (struct shifted) {rotated(m, by & 31), by ? m >> ((by - 1) & 31) & 1 : c};
}
#define SHIFT(D, HOW, M, BY)                          \
    {                                                 \
        struct shifted s = HOW(M, (BY) & 0xFF, c);    \
        D = s.value;                                  \
        SET_NZ(s.value);                              \
        c = s.carry;                                  \
    }

#define MULTIPLY_WAITS(FETCHING, FACTOR, SIGN, MORE) \
    left -= stalled(q, place, &prefetched, FETCHING, (MORE) + multiply_wait(FACTOR, SIGN));

/* memory; RESULT is made of `got.value` */
#define LOAD(D, RESULT, ADDRESS, SIZE, FETCHING, HERE, PAID)                                \
    {                                                                                       \
        struct loaded got = load(q, place, &prefetched, FETCHING, ADDRESS, SIZE);           \
        LEAVE_UNLESS(got.cycles != NO_CYCLES, HERE, PAID)                                   \
        left -= got.cycles;                                                                 \
        D = (RESULT);                                                                       \
    }
/* The same of what was seen to go to other memory. */
#define LOAD_ANYWHERE(D, RESULT, ADDRESS, SIZE, FETCHING, HERE, PAID)                       \
    {                                                                                       \
        uint32_t address = (ADDRESS);                                                       \
        struct loaded got = load(q, place, &prefetched, FETCHING, address, SIZE);           \
        if (got.cycles == NO_CYCLES) {                                                      \
            q->prefetched = prefetched;                                                     \
            got = q->load(q, address, SIZE, FETCHING, left - (PAID));                       \
            LEAVE_UNLESS(got.cycles != NO_CYCLES, HERE, PAID)                               \
            prefetched = q->prefetched;                                                     \
        }                                                                                   \
        left -= got.cycles;                                                                 \
        D = (RESULT);                                                                       \
    }
#define STORE_ANYWHERE(VALUE, ADDRESS, SIZE, FETCHING, HERE, PAID)                          \
    {                                                                                       \
        uint32_t address = (ADDRESS), stored = (VALUE);                                     \
        uint8_t *to = ram_at(q, address, SIZE);                                             \
        if (to) {                                                                           \
            LEAVE_UNLESS(!IS_OWN(to, SIZE), HERE, PAID)                                     \
            left -= store(q, place, &prefetched, FETCHING, address, to, stored, SIZE);      \
        } else {                                                                            \
            q->prefetched = prefetched;                                                     \
            int32_t cycles = q->store(q, address, stored, SIZE, FETCHING, left - (PAID));   \
            LEAVE_UNLESS(cycles != NO_CYCLES, HERE, PAID)                                   \
            prefetched = q->prefetched;                                                     \
            left -= cycles;                                                                 \
        }                                                                                   \
    }
/* Code in RAM leaves before it changes what its group was made of, or what follows. */
#define IS_OWN(TO, SIZE) (OWN_BYTES && (uintptr_t) ((TO) + (SIZE) - 1 - own) < OWN_BYTES + (SIZE) - 1)
#define STORE(VALUE, ADDRESS, SIZE, FETCHING, HERE, PAID)                                   \
    {                                                                                       \
        uint32_t address = (ADDRESS);                                                       \
        uint8_t *to = ram_at(q, address, SIZE);                                             \
        LEAVE_UNLESS(to && !IS_OWN(to, SIZE), HERE, PAID)                                   \
        left -= store(q, place, &prefetched, FETCHING, address, to, VALUE, SIZE);           \
    }
/* Opens a block: `at` is where COUNT registers are from FIRST on. */
#define SEVERAL(BASE, FIRST, COUNT, IS_LOAD, FETCHING, HERE, PAID)                          \
    uint32_t base = (BASE), first = (FIRST);                                                \
    uint8_t *at = several(q, first, COUNT);                                                 \
    LEAVE_UNLESS(at && base >> 24 == first >> 24 && !(!(IS_LOAD) && IS_OWN(at, 4 * (COUNT))), HERE, PAID)
#define SEVERAL_WAIT(COUNT, IS_LOAD, FETCHING) \
    left -= cycles_of_several(q, place, &prefetched, FETCHING, base, COUNT, IS_LOAD);
INLINE uint32_t word_at(const uint8_t *at) {
    uint32_t word;
    memcpy(&word, at, 4);
    return word;
}
INLINE void put_word(uint8_t *at, uint32_t word) {
    memcpy(at, &word, 4);
}
