/* Thumb instructions. */
#include "core.h"

instruction *thumb_table[0x400];

#define FETCHING (pc + 4)
#define CONTINUE                                \
    do {                                        \
        if (!LIKELY_TO(left >= 0)) {            \
            return core_leave(PASS);            \
        }                                       \
        op = fetch16(q, pc);                    \
        return thumb_table[op >> 6](PASS);      \
    } while (0)
/* To the instruction behind this one, which took so many cycles beyond its fetch. */
#define GO_ON(CYCLES)                         \
    do {                                      \
        left -= (CYCLES); /* which may need pc */ \
        pc += 2;                              \
        CONTINUE;                             \
    } while (0)
#define NEXT(CYCLES) GO_ON(1 + q->place.seq16 + (CYCLES))
/* Behind a load, a store or a multiplication, the next fetch is not sequential. */
#define NEXT_APART(CYCLES) GO_ON(1 + q->place.non16 + (CYCLES))
#define JUMP(TARGET, CYCLES)                              \
    do {                                                  \
        q->jumped = pc = (TARGET);                        \
        q->prefetched = 0;                                \
        left -= 3 + 2 * q->place.seq16 + q->place.non16 + (CYCLES);   \
        LEAVE_TO_TRANSLATED                               \
        CONTINUE;                                         \
    } while (0)

#define LOW(AT) q->r[op >> (AT) & 7]

#define SET_NZ(D) nz = (int32_t) (D)
#define SET_ADD(M, N, D) (SET_NZ(D), q->c = carry_of_sum(M, N, D), q->v = ~((M) ^ (N)) & ((M) ^ (D)))
#define SET_SUB(M, N, D) (SET_NZ(D), q->c = (uint32_t) (M) >= (uint32_t) (N), q->v = ((M) ^ (N)) & ((M) ^ (D)))

#define NOWHERE __attribute__((unused)) int32_t nowhere
#define THUMB(NAME) static void NAME(STATE)

THUMB(slow) {
    core_leave(PASS);
}

/* shifts by a constant */
THUMB(lsl_constant) {
    int by = op >> 6 & 31;
    uint32_t m = LOW(3);
    q->c = by ? m >> (32 - by) & 1 : q->c;
    SET_NZ(LOW(0) = m << by);
    NEXT(0);
}

THUMB(lsr_constant) {
    int by = (op >> 6 & 31) ? (op >> 6 & 31) : 32;
    uint64_t m = (uint32_t) LOW(3);
    q->c = m >> (by - 1) & 1;
    SET_NZ(LOW(0) = m >> by);
    NEXT(0);
}

THUMB(asr_constant) {
    int by = (op >> 6 & 31) ? (op >> 6 & 31) : 32;
    int64_t m = LOW(3);
    q->c = m >> (by - 1) & 1;
    SET_NZ(LOW(0) = m >> by);
    NEXT(0);
}

#define ADDITION(NAME, D, M, N)             \
    THUMB(NAME) {                           \
        int32_t m = (M), n = (N);           \
        int32_t d = (uint32_t) m + n;       \
        D = d;                              \
        SET_ADD(m, n, d);                   \
        NEXT(0);                            \
    }
#define SUBTRACTION(NAME, D, M, N)          \
    THUMB(NAME) {                           \
        int32_t m = (M), n = (N);           \
        int32_t d = (uint32_t) m - n;       \
        D = d;                              \
        SET_SUB(m, n, d);                   \
        NEXT(0);                            \
    }
ADDITION(add_register, LOW(0), LOW(3), LOW(6))
ADDITION(add_small, LOW(0), LOW(3), op >> 6 & 7)
ADDITION(add_byte, LOW(8), LOW(8), op & 0xFF)
SUBTRACTION(sub_register, LOW(0), LOW(3), LOW(6))
SUBTRACTION(sub_small, LOW(0), LOW(3), op >> 6 & 7)
SUBTRACTION(sub_byte, LOW(8), LOW(8), op & 0xFF)
SUBTRACTION(cmp_byte, NOWHERE, LOW(8), op & 0xFF)
SUBTRACTION(cmp_low, NOWHERE, LOW(0), LOW(3))
SUBTRACTION(neg, LOW(0), 0, LOW(3))
ADDITION(cmn, NOWHERE, LOW(0), LOW(3))

#define LOGIC(NAME, D, VALUE)               \
    THUMB(NAME) {                           \
        int32_t d = (VALUE);                \
        D = d;                              \
        SET_NZ(d);                          \
        NEXT(0);                            \
    }
LOGIC(mov_byte, LOW(8), op & 0xFF)
LOGIC(and, LOW(0), LOW(0) & LOW(3))
LOGIC(eor, LOW(0), LOW(0) ^ LOW(3))
LOGIC(tst, NOWHERE, LOW(0) & LOW(3))
LOGIC(orr, LOW(0), LOW(0) | LOW(3))
LOGIC(bic, LOW(0), LOW(0) & ~LOW(3))
LOGIC(mvn, LOW(0), ~LOW(3))

THUMB(adc) {
    uint32_t m = LOW(0), n = LOW(3), d = m + n + q->c;
    LOW(0) = d;
    SET_ADD(m, n, d);
    NEXT(0);
}

THUMB(sbc) {
    uint32_t m = LOW(0), n = LOW(3), d = m - n - !q->c;
    LOW(0) = d;
    SET_NZ(d);
    q->c = (uint64_t) m >= (uint64_t) n + !q->c;
    q->v = (m ^ n) & (m ^ d);
    NEXT(0);
}

/* shifts by a register: 0 leaves the carry, 33 and more leave nothing */
THUMB(lsl_register) {
    int by = LOW(3) & 0xFF;
    uint64_t m = (uint32_t) LOW(0);
    q->c = by == 0 ? q->c : by > 32 ? 0 : m >> (32 - by) & 1;
    SET_NZ(LOW(0) = by > 31 ? 0 : m << by);
    NEXT(1);
}

THUMB(lsr_register) {
    int by = LOW(3) & 0xFF;
    uint64_t m = (uint32_t) LOW(0);
    q->c = by == 0 ? q->c : by > 32 ? 0 : m >> (by - 1) & 1;
    SET_NZ(LOW(0) = by > 31 ? 0 : m >> by);
    NEXT(1);
}

THUMB(asr_register) {
    int by = LOW(3) & 0xFF;
    int64_t m = LOW(0);
    by = by > 32 ? 32 : by;
    q->c = by ? m >> (by - 1) & 1 : q->c;
    SET_NZ(LOW(0) = m >> by);
    NEXT(1);
}

THUMB(ror_register) {
    int by = LOW(3) & 0xFF;
    uint32_t m = LOW(0);
    q->c = by ? m >> ((by - 1) & 31) & 1 : q->c;
    SET_NZ(LOW(0) = rotated(m, by & 31));
    NEXT(1);
}

THUMB(mul) {
    int32_t wait = multiply_wait(LOW(0), true);
    SET_NZ(LOW(0) = (uint32_t) LOW(0) * (uint32_t) LOW(3));
    NEXT_APART(stalled(q, &q->place, &q->prefetched, FETCHING, wait));
}

/* all sixteen registers */
#define HIGH(AT) (op >> (AT) & 15)
#define HIGH_D ((op & 7) | (op >> 4 & 8))
#define VALUE(NUMBER) ((NUMBER) == PC ? FETCHING : (uint32_t) q->r[NUMBER])

THUMB(add_high) {
    int d = HIGH_D;
    uint32_t value = VALUE(d) + VALUE(HIGH(3));
    if (d == PC) {
        SLOW_UNLESS(stays(&q->place, value & ~1u));
        JUMP(value & ~1u, 0);
    }
    q->r[d] = value;
    NEXT(0);
}

THUMB(cmp_high) {
    uint32_t m = VALUE(HIGH_D), n = VALUE(HIGH(3)), d = m - n;
    SET_SUB(m, n, d);
    NEXT(0);
}

THUMB(mov_high) {
    int d = HIGH_D;
    uint32_t value = VALUE(HIGH(3));
    if (d == PC) {
        SLOW_UNLESS(stays(&q->place, value & ~1u));
        JUMP(value & ~1u, 0);
    }
    q->r[d] = value;
    NEXT(0);
}

THUMB(bx) {
    uint32_t value = VALUE(HIGH(3));
    SLOW_UNLESS(stays(&q->place, value & ~1u));
    if (value & 1) {
        JUMP(value & ~1u, 0);
    }
    SWITCH(value, false, 1 + q->place.seq16 + 2 + q->place.non32 + q->place.seq32);
}

/* loads and stores */
#define LOAD(NAME, ADDRESS, SIZE, D, RESULT)                              \
    THUMB(NAME) {                                                         \
        uint32_t address = (ADDRESS);                                     \
        struct loaded got = load(q, &q->place, &q->prefetched, FETCHING, address, SIZE);             \
        if (!LIKELY_TO(got.cycles != NO_CYCLES)) {                        \
            got = core_load(q, address, SIZE, FETCHING, left);            \
            SLOW_UNLESS(got.cycles != NO_CYCLES);                         \
        }                                                                 \
        D = (RESULT);                                                     \
        NEXT_APART(got.cycles);                                           \
    }
#define STORE(NAME, ADDRESS, SIZE, D)                                     \
    THUMB(NAME) {                                                         \
        uint32_t address = (ADDRESS);                                     \
        uint8_t *to = writable(q, pc, address, SIZE, SIZE);               \
        if (!LIKELY_TO(to)) {                                             \
            int32_t cycles = core_store(q, address, D, SIZE, FETCHING, left); \
            SLOW_UNLESS(cycles != NO_CYCLES);                             \
            NEXT_APART(cycles);                                           \
        }                                                                 \
        NEXT_APART(store(q, &q->place, &q->prefetched, FETCHING, address, to, D, SIZE));             \
    }
#define SUM ((uint32_t) LOW(3) + LOW(6))
#define OFFSET(SIZE) ((uint32_t) LOW(3) + (op >> 6 & 31) * (SIZE))
#define ON_STACK ((uint32_t) q->r[SP] + (op & 0xFF) * 4)

LOAD(ldr_literal, (FETCHING & ~3u) + (op & 0xFF) * 4, 4, LOW(8), got.value)
LOAD(ldr_sum, SUM, 4, LOW(0), got.value)
LOAD(ldrh_sum, SUM, 2, LOW(0), got.value)
LOAD(ldrb_sum, SUM, 1, LOW(0), got.value)
LOAD(ldrsh_sum, SUM, 2, LOW(0), (int16_t) got.value)
LOAD(ldrsb_sum, SUM, 1, LOW(0), (int8_t) got.value)
LOAD(ldr_offset, OFFSET(4), 4, LOW(0), got.value)
LOAD(ldrh_offset, OFFSET(2), 2, LOW(0), got.value)
LOAD(ldrb_offset, OFFSET(1), 1, LOW(0), got.value)
LOAD(ldr_stack, ON_STACK, 4, LOW(8), got.value)
STORE(str_sum, SUM, 4, LOW(0))
STORE(strh_sum, SUM, 2, LOW(0))
STORE(strb_sum, SUM, 1, LOW(0))
STORE(str_offset, OFFSET(4), 4, LOW(0))
STORE(strh_offset, OFFSET(2), 2, LOW(0))
STORE(strb_offset, OFFSET(1), 1, LOW(0))
STORE(str_stack, ON_STACK, 4, LOW(8))

THUMB(address_of_literal) {
    LOW(8) = (FETCHING & ~3u) + (op & 0xFF) * 4;
    NEXT(0);
}

THUMB(address_on_stack) {
    LOW(8) = ON_STACK;
    NEXT(0);
}

THUMB(add_stack) {
    q->r[SP] += op & 0x80 ? -(int) ((op & 0x7F) << 2) : (int) ((op & 0x7F) << 2);
    NEXT(0);
}

/* several registers */
THUMB(push) {
    uint32_t list = (op & 0xFF) | (op & 0x100) << 6;
    int count = __builtin_popcount(list);
    uint32_t base = q->r[SP], first = base - 4 * count;
    uint8_t *to = several(q, first, count);
    SLOW_UNLESS(to && base >> 24 == first >> 24 && writable(q, pc, first, 4, 64));
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, false);
    for (; list; list &= list - 1, to += 4) {
        memcpy(to, &q->r[__builtin_ctz(list)], 4);
    }
    q->r[SP] = first;
    NEXT_APART(cycles);
}

THUMB(pop) {
    uint32_t list = op & 0xFF, base = q->r[SP];
    int count = __builtin_popcount(list) + (op >> 8 & 1);
    const uint8_t *from = several(q, base, count);
    SLOW_UNLESS(from);
    uint32_t target = 0;
    if (op & 0x100) {
        memcpy(&target, from + 4 * count - 4, 4);
        target &= ~1u;
        SLOW_UNLESS(stays(&q->place, target));
    }
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, true);
    for (; list; list &= list - 1, from += 4) {
        memcpy(&q->r[__builtin_ctz(list)], from, 4);
    }
    q->r[SP] = base + 4 * count;
    if (op & 0x100) {
        JUMP(target, cycles + q->place.non16 - q->place.seq16);
    }
    NEXT_APART(cycles);
}

THUMB(stmia) {
    uint32_t list = op & 0xFF, base = LOW(8);
    int count = __builtin_popcount(list);
    uint8_t *to = several(q, base, count);
    SLOW_UNLESS(to && writable(q, pc, base, 4, 64));
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, false);
    for (; list; list &= list - 1, to += 4) {
        memcpy(to, &q->r[__builtin_ctz(list)], 4);
    }
    LOW(8) = base + 4 * count;
    NEXT_APART(cycles);
}

THUMB(ldmia) {
    uint32_t list = op & 0xFF, base = LOW(8);
    int count = __builtin_popcount(list);
    const uint8_t *from = several(q, base, count);
    SLOW_UNLESS(from);
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, true);
    LOW(8) = base + 4 * count;
    for (; list; list &= list - 1, from += 4) {
        memcpy(&q->r[__builtin_ctz(list)], from, 4);
    }
    NEXT_APART(cycles);
}

/* branches */
#define BRANCH(NAME, CONDITION)                                           \
    THUMB(NAME) {                                                         \
        if (CONDITION) {                                                  \
            uint32_t target = FETCHING + 2 * (int8_t) op;                 \
            SLOW_UNLESS(stays(&q->place, target));                                \
            JUMP(target, 0);                                              \
        }                                                                 \
        NEXT(0);                                                          \
    }
BRANCH(beq, !(uint32_t) nz)
BRANCH(bne, (uint32_t) nz)
BRANCH(bcs, q->c)
BRANCH(bcc, !q->c)
BRANCH(bmi, nz < 0)
BRANCH(bpl, nz >= 0)
BRANCH(bvs, q->v < 0)
BRANCH(bvc, q->v >= 0)
BRANCH(bhi, q->c && (uint32_t) nz)
BRANCH(bls, !q->c || !(uint32_t) nz)
BRANCH(bge, (nz < 0) == (q->v < 0))
BRANCH(blt, (nz < 0) != (q->v < 0))
BRANCH(bgt, (uint32_t) nz && (nz < 0) == (q->v < 0))
BRANCH(ble, !(uint32_t) nz || (nz < 0) != (q->v < 0))

THUMB(b) {
    uint32_t target = FETCHING + ((int32_t) (op << 21) >> 20);
    SLOW_UNLESS(stays(&q->place, target));
    JUMP(target, 0);
}

THUMB(bl_first) {
    q->r[LR] = FETCHING + ((int32_t) (op << 21) >> 9);
    NEXT(0);
}

THUMB(bl_second) {
    uint32_t target = (q->r[LR] + ((op & 0x7FF) << 1)) & ~1u;
    SLOW_UNLESS(stays(&q->place, target));
    q->r[LR] = pc + 3;
    JUMP(target, 0);
}

static void fill(int first, int last, instruction *what) {
    for (int i = first; i <= last; ++i) {
        thumb_table[i] = what;
    }
}

void core_fill_thumb_table(void) {
    static instruction *const eights[] = {
        lsl_constant, lsr_constant, asr_constant, NULL, mov_byte, cmp_byte, add_byte, sub_byte, NULL, ldr_literal, NULL,
        NULL, str_offset, ldr_offset, strb_offset, ldrb_offset, strh_offset, ldrh_offset, str_stack, ldr_stack,
        address_of_literal, address_on_stack, NULL, NULL, stmia, ldmia, NULL, NULL, b, NULL, bl_first, bl_second};
    static instruction *const alu[] = {and, eor, lsl_register, lsr_register, asr_register, adc, sbc, ror_register,
                                       tst, neg, cmp_low, cmn, orr, mul, bic, mvn};
    static instruction *const sums[] = {str_sum, strh_sum, strb_sum, ldrsb_sum, ldr_sum, ldrh_sum, ldrb_sum, ldrsh_sum};
    static instruction *const adds[] = {add_register, sub_register, add_small, sub_small};
    static instruction *const branches[] = {beq, bne, bcs, bcc, bmi, bpl, bvs, bvc, bhi, bls, bge, blt, bgt, ble};
    for (int i = 0; i < 32; ++i) {
        fill(32 * i, 32 * i + 31, eights[i] ? eights[i] : slow);
    }
    for (int i = 0; i < 16; ++i) {
        thumb_table[0x100 + i] = alu[i];
    }
    for (int i = 0; i < 8; ++i) {
        fill(0x140 + 8 * i, 0x147 + 8 * i, sums[i]);
    }
    for (int i = 0; i < 4; ++i) {
        fill(0x60 + 8 * i, 0x67 + 8 * i, adds[i]);
    }
    for (int i = 0; i < 14; ++i) {
        fill(0x340 + 4 * i, 0x343 + 4 * i, branches[i]);
    }
    fill(0x110, 0x113, add_high);
    fill(0x114, 0x117, cmp_high);
    fill(0x118, 0x11B, mov_high);
    fill(0x11C, 0x11D, bx);
    fill(0x2C0, 0x2C3, add_stack);
    fill(0x2D0, 0x2D7, push);
    fill(0x2F0, 0x2F7, pop);
}

void core_run_thumb(STATE) {
    op = fetch16(q, pc);
    thumb_table[op >> 6](PASS);
}
