/* Thumb instructions. Of a decoded one `d`, `n` and `m` are registers, as the processor's manual names them, and `value` is
 * its constant: how far to jump or to move from `pc`, or which registers. */
#include "core.h"

static instruction *table[0x400];

#define WIDTH 2
#define COSTS q->thumb_costs
#define DECODE core_decode_thumb
#define NEAR(REGION) ((uint32_t) (REGION) << 24)
/* Behind an access that waits, while the cartridge's prefetch buffer fills; else by a function of its own, which leaves
 * this one more of the machine's registers. */
static NEVER_INLINE void wait_without_buffer(STATE, int32_t wait) {
    NEXT_APART(wait);
}
#define NEXT_WAIT(CYCLES)                                                                  \
    do {                                                                                   \
        int32_t waits = (CYCLES);                                                          \
        if (!LIKELY_TO(q->place.stalls)) {                                                 \
            return wait_without_buffer(PASS, waits);                                       \
        }                                                                                  \
        NEXT_APART(stalled(q, &q->place, &q->prefetched, FETCHING, waits));                \
    } while (0)

#define D q->r[rec->d]
#define N q->r[rec->n]
#define M q->r[rec->m]
#define SET_NZ(VALUE) nz = (int32_t) (VALUE)
#define SET_ADD(M1, M2) add(M1, M2, &q->c, &q->v)
#define SET_SUB(M1, M2) subtract(M1, M2, &q->c, &q->v)
#define THUMB(NAME) INSTRUCTION(NAME)

/* shifts by a constant; by no places at all is an instruction of its own, or 32 */
THUMB(lsl_constant) {
    uint64_t m = (uint64_t) (uint32_t) N << rec->value;
    q->c = m >> 32 & 1;
    SET_NZ(D = m);
    NEXT(0);
}

THUMB(lsl_0) {
    SET_NZ(D = N);
    NEXT(0);
}

THUMB(lsr_constant) {
    uint64_t m = (uint32_t) N;
    q->c = m >> (rec->value - 1) & 1;
    SET_NZ(D = m >> rec->value);
    NEXT(0);
}

THUMB(asr_constant) {
    int64_t m = N;
    q->c = m >> (rec->value - 1) & 1;
    SET_NZ(D = m >> rec->value);
    NEXT(0);
}

#define ADDITION(NAME, TO, FIRST, SECOND)       \
    THUMB(NAME) {                               \
        SET_NZ(TO SET_ADD(FIRST, SECOND));      \
        NEXT(0);                                \
    }
#define SUBTRACTION(NAME, TO, FIRST, SECOND)    \
    THUMB(NAME) {                               \
        SET_NZ(TO SET_SUB(FIRST, SECOND));      \
        NEXT(0);                                \
    }
ADDITION(add_register, D =, N, M)
ADDITION(add_small, D =, N, rec->value)
ADDITION(add_byte, D =, D, rec->value)
SUBTRACTION(sub_register, D =, N, M)
SUBTRACTION(sub_small, D =, N, rec->value)
SUBTRACTION(sub_byte, D =, D, rec->value)
SUBTRACTION(cmp_byte, , D, rec->value)
SUBTRACTION(cmp_low, , D, N)
SUBTRACTION(neg, D =, 0, N)
ADDITION(cmn, , D, N)

#define LOGIC(NAME, TO, VALUE)              \
    THUMB(NAME) {                           \
        SET_NZ(TO (VALUE));                 \
        NEXT(0);                            \
    }
LOGIC(mov_byte, D =, rec->value)
LOGIC(and, D =, D & N)
LOGIC(eor, D =, D ^ N)
LOGIC(tst, , D & N)
LOGIC(orr, D =, D | N)
LOGIC(bic, D =, D & ~N)
LOGIC(mvn, D =, ~N)
LOGIC(adc, D =, add_with_carry(D, N, &q->c, &q->v))
LOGIC(sbc, D =, subtract_with_carry(D, N, &q->c, &q->v))

/* shifts by a register: 0 leaves the carry, 33 and more leave nothing */
THUMB(lsl_register) {
    int by = N & 0xFF;
    uint64_t m = (uint32_t) D;
    q->c = by == 0 ? q->c : by > 32 ? 0 : m >> (32 - by) & 1;
    SET_NZ(D = by > 31 ? 0 : m << by);
    NEXT(1);
}

THUMB(lsr_register) {
    int by = N & 0xFF;
    uint64_t m = (uint32_t) D;
    q->c = by == 0 ? q->c : by > 32 ? 0 : m >> (by - 1) & 1;
    SET_NZ(D = by > 31 ? 0 : m >> by);
    NEXT(1);
}

THUMB(asr_register) {
    int by = N & 0xFF;
    int64_t m = D;
    by = by > 32 ? 32 : by;
    q->c = by ? m >> (by - 1) & 1 : q->c;
    SET_NZ(D = m >> by);
    NEXT(1);
}

THUMB(ror_register) {
    int by = N & 0xFF;
    uint32_t m = D;
    q->c = by ? m >> ((by - 1) & 31) & 1 : q->c;
    SET_NZ(D = rotated(m, by & 31));
    NEXT(1);
}

THUMB(mul) {
    int32_t wait = multiply_wait(D, true);
    SET_NZ(D = (uint32_t) D * (uint32_t) N);
    NEXT_WAIT(wait);
}

/* all sixteen registers; with the program counter they are instructions of their own */
THUMB(add_high) {
    D = (uint32_t) D + N;
    NEXT(0);
}

THUMB(cmp_high) {
    SET_NZ(SET_SUB(D, N));
    NEXT(0);
}

THUMB(mov_high) {
    D = N;
    NEXT(0);
}

#define EITHER(NUMBER) ((NUMBER) == PC ? FETCHING : (uint32_t) q->r[NUMBER])

INLINE void set_high(STATE, uint32_t value) {
    if (rec->d == PC) {
        SLOW_UNLESS(stays(&q->place, value & ~1u));
        JUMP(value & ~1u, 0);
    }
    D = value;
    NEXT(0);
}

THUMB(add_pc) {
    set_high(PASS, EITHER(rec->d) + EITHER(rec->n));
}

THUMB(cmp_pc) {
    SET_NZ(SET_SUB(EITHER(rec->d), EITHER(rec->n)));
    NEXT(0);
}

THUMB(mov_pc) {
    set_high(PASS, EITHER(rec->n));
}

THUMB(bx) {
    uint32_t value = EITHER(rec->n);
    SLOW_UNLESS(stays(&q->place, value & ~1u));
    if (value & 1) {
        JUMP(value & ~1u, 0);
    }
    SWITCH(value, false, 1 + q->place.seq16 + 2 + q->place.non32 + q->place.seq32);
}

/* loads and stores; those elsewhere call mGBA, in functions of their own, which save registers */
#define ELSEWHERE(SIZE, TYPE)                                                        \
    static NEVER_INLINE void load_elsewhere_##TYPE(STATE, uint32_t address) {        \
        struct loaded got = core_load(q, address, SIZE, FETCHING, left);             \
        SLOW_UNLESS(got.cycles != NO_CYCLES);                                        \
        D = (TYPE) got.value;                                                        \
        NEXT_APART(got.cycles);                                                      \
    }                                                                                \
    static NEVER_INLINE void store_elsewhere_##TYPE(STATE, uint32_t address) {       \
        int32_t cycles = core_store(q, address, D, SIZE, FETCHING, left);            \
        SLOW_UNLESS(cycles != NO_CYCLES);                                            \
        NEXT_APART(cycles);                                                          \
    }
EACH_TYPE(ELSEWHERE)

#define LOAD(NAME, ADDRESS, SIZE, TYPE)                  \
    THUMB(NAME) {                                        \
        uint32_t address = (ADDRESS);                    \
        LOAD_FROM(SIZE, TYPE, D = (TYPE) got;);          \
    }
#define STORE(NAME, ADDRESS, SIZE, TYPE)                 \
    THUMB(NAME) {                                        \
        uint32_t address = (ADDRESS), value = D;         \
        STORE_TO(SIZE, TYPE, );                          \
    }
#define SUM ((uint32_t) N + M)
#define OFFSET ((uint32_t) N + rec->value)
#define ON_STACK ((uint32_t) q->r[SP] + rec->value)
#define LITERAL ((FETCHING & ~3u) + rec->value)

LOAD(ldr_literal, LITERAL, 4, uint32_t)
LOAD(ldr_sum, SUM, 4, uint32_t)
LOAD(ldrh_sum, SUM, 2, uint16_t)
LOAD(ldrb_sum, SUM, 1, uint8_t)
LOAD(ldrsh_sum, SUM, 2, int16_t)
LOAD(ldrsb_sum, SUM, 1, int8_t)
LOAD(ldr_offset, OFFSET, 4, uint32_t)
LOAD(ldrh_offset, OFFSET, 2, uint16_t)
LOAD(ldrb_offset, OFFSET, 1, uint8_t)
LOAD(ldr_stack, ON_STACK, 4, uint32_t)
STORE(str_sum, SUM, 4, uint32_t)
STORE(strh_sum, SUM, 2, uint16_t)
STORE(strb_sum, SUM, 1, uint8_t)
STORE(str_offset, OFFSET, 4, uint32_t)
STORE(strh_offset, OFFSET, 2, uint16_t)
STORE(strb_offset, OFFSET, 1, uint8_t)
STORE(str_stack, ON_STACK, 4, uint32_t)

/* A literal in the cartridge, `value` itself. */
THUMB(ldr_constant) {
    D = rec->value;
    NEXT_APART(2 + q->place.rom_wait32[pc >> 24 & 1]);
}

THUMB(address_of_literal) {
    D = LITERAL;
    NEXT(0);
}

THUMB(address_on_stack) {
    D = ON_STACK;
    NEXT(0);
}

THUMB(add_stack) {
    q->r[SP] += rec->value;
    NEXT(0);
}

/* several registers, `m` of them */
INLINE void store_several(STATE, uint32_t base, uint32_t first, int32_t *moved, int32_t after) {
    uint8_t *to = writable_several(q, first, rec->m);
    SLOW_UNLESS(to && base >> 24 == first >> 24);
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, rec->m, false);
    put_several(q, rec->value, to);
    *moved = after;
    NEXT_APART(cycles);
}

THUMB(push) {
    uint32_t base = q->r[SP], first = base - 4 * rec->m;
    store_several(PASS, base, first, &q->r[SP], first);
}

THUMB(stmia) {
    uint32_t base = D;
    store_several(PASS, base, base, &D, base + 4 * rec->m);
}

THUMB(pop) {
    uint32_t base = q->r[SP];
    const uint8_t *from = several(q, base, rec->m);
    SLOW_UNLESS(from);
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, rec->m, true);
    take_several(q, rec->value, from);
    q->r[SP] = base + 4 * rec->m;
    NEXT_APART(cycles);
}

/* The last of the registers is the program counter. */
THUMB(pop_pc) {
    uint32_t base = q->r[SP], target;
    const uint8_t *from = several(q, base, rec->m);
    SLOW_UNLESS(from);
    memcpy(&target, from + 4 * rec->m - 4, 4);
    target &= ~1u;
    SLOW_UNLESS(stays(&q->place, target));
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, rec->m, true);
    take_several(q, rec->value, from);
    q->r[SP] = base + 4 * rec->m;
    JUMP(target, cycles + q->place.non16 - q->place.seq16);
}

THUMB(ldmia) {
    uint32_t base = D;
    const uint8_t *from = several(q, base, rec->m);
    SLOW_UNLESS(from);
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, rec->m, true);
    D = base + 4 * rec->m;
    take_several(q, rec->value, from);
    NEXT_APART(cycles);
}

EACH_CONDITION(BRANCH)
BRANCH(, true)

THUMB(bl_first) {
    q->r[LR] = pc + rec->value;
    NEXT(0);
}

THUMB(bl_second) {
    uint32_t target = (q->r[LR] + rec->value) & ~1u;
    SLOW_UNLESS(stays(&q->place, target));
    q->r[LR] = pc + 3;
    JUMP(target, 0);
}

#include "thumb_decode.h"
