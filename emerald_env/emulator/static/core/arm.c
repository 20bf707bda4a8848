/* ARM instructions. */
#include "core.h"

instruction *arm_table[0x1000];

#define FETCHING (pc + 8)
#define FIELD(AT) (op >> (AT) & 15)
#define VALUE(NUMBER) ((uint32_t) q->r[NUMBER]) /* next() has put FETCHING into r[PC] */

#define GO_ON(CYCLES)                         \
    do {                                      \
        left -= (CYCLES); /* which may need pc */ \
        pc += 4;                              \
        return next(PASS);                             \
    } while (0)
#define NEXT(CYCLES) GO_ON(1 + q->place.seq32 + (CYCLES))
/* Behind a load, a store or a multiplication, the next fetch is not sequential. */
#define NEXT_APART(CYCLES) GO_ON(1 + q->place.non32 + (CYCLES))
#define JUMP(TARGET, CYCLES)                              \
    do {                                                  \
        q->jumped = pc = (TARGET);                        \
        q->prefetched = 0;                                \
        left -= 3 + 2 * q->place.seq32 + q->place.non32 + (CYCLES);   \
        LEAVE_TO_TRANSLATED                               \
        return next(PASS);                                \
    } while (0)
#define ARM(NAME) static void NAME(STATE)
#define SET_NZ(D) nz = (int32_t) (D)

/* The next instruction whose condition holds, if there is time. */
INLINE void next(STATE) {
    for (;;) {
        if (!LIKELY_TO(left >= 0)) {
            return core_leave(PASS);
        }
        op = fetch32(q, pc);
        if (LIKELY_TO(op >> 28 == 14) || holds(op >> 28, nz, q->c, q->v)) {
            q->r[PC] = FETCHING;
            return arm_table[(op >> 16 & 0xFF0) | (op >> 4 & 15)](PASS);
        }
        pc += 4;
        left -= 1 + q->place.seq32;
    }
}

ARM(slow) {
    core_leave(PASS);
}

/* The second operand: shifted by a constant, by a register, or a constant. */
enum shift { LSL, LSR, ASR, ROR, LSL_R, LSR_R, ASR_R, ROR_R, CONSTANT };
struct operand {
    uint32_t value, carry;
};

INLINE struct operand shifted_by_constant(enum shift how, int32_t m, int by, uint32_t c) {
    uint32_t u = m;
    switch (how) {
    case LSL:
        return (struct operand) {u << by, by ? u >> (32 - by) & 1 : c};
    case LSR:
        return (struct operand) {by ? u >> by : 0, u >> ((by - 1) & 31) & 1};
    case ASR:
        return (struct operand) {m >> (by ? by : 31), m >> ((by - 1) & 31) & 1};
    default:
        return by ? (struct operand) {rotated(u, by), u >> (by - 1) & 1} : (struct operand) {c << 31 | u >> 1, u & 1};
    }
}

INLINE struct operand shifted_by_register(enum shift how, int32_t m, int by, uint32_t c) {
    uint64_t u = (uint32_t) m;
    if (!by) {
        return (struct operand) {m, c};
    }
    switch (how) {
    case LSL_R:
        return (struct operand) {by > 31 ? 0 : u << by, by > 32 ? 0 : u >> (32 - by) & 1};
    case LSR_R:
        return (struct operand) {by > 31 ? 0 : u >> by, by > 32 ? 0 : u >> (by - 1) & 1};
    case ASR_R:
        by = by > 32 ? 32 : by;
        return (struct operand) {(int64_t) m >> by, (int64_t) m >> (by - 1) & 1};
    default:
        return (struct operand) {rotated(u, by & 31), u >> ((by - 1) & 31) & 1};
    }
}

INLINE struct operand operand(const struct core *q, uint32_t pc, uint32_t op, enum shift how, uint32_t c) {
    int m = op & 15;
    if (how == CONSTANT) {
        int by = op >> 7 & 30;
        uint32_t value = rotated(op & 0xFF, by);
        return (struct operand) {value, by ? value >> 31 : c};
    }
    if (how < LSL_R) {
        return shifted_by_constant(how, VALUE(m), op >> 7 & 31, c);
    }
    uint32_t value = VALUE(m) + (m == PC ? 4 : 0);
    return shifted_by_register(how, value, VALUE(FIELD(8)) & 0xFF, c);
}

enum alu { AND, EOR, SUB, RSB, ADD, ADC, SBC, RSC, TST, TEQ, CMP, CMN, ORR, MOV, BIC, MVN };

INLINE uint32_t result_of(enum alu what, uint32_t n, uint32_t m, uint32_t c) {
    switch (what) {
    case AND:
    case TST:
        return n & m;
    case EOR:
    case TEQ:
        return n ^ m;
    case SUB:
    case CMP:
        return n - m;
    case RSB:
        return m - n;
    case ADD:
    case CMN:
        return n + m;
    case ADC:
        return n + m + c;
    case SBC:
        return n - m - !c;
    case RSC:
        return m - n - !c;
    case ORR:
        return n | m;
    case MOV:
        return m;
    case BIC:
        return n & ~m;
    default:
        return ~m;
    }
}

/* An instruction of the arithmetic unit, with or without setting the flags. */
INLINE void calculate(STATE, enum alu what, bool sets, enum shift how) {
    int d = FIELD(12), extra = how >= LSL_R && how < CONSTANT;
    bool tests = what >= TST && what <= CMN;
    SLOW_UNLESS(!sets || d != PC);
    struct operand second = operand(q, pc, op, how, q->c);
    uint32_t n = VALUE(FIELD(16)) + (extra && FIELD(16) == PC ? 4 : 0), m = second.value;
    uint32_t result = result_of(what, n, m, q->c);
    if (!tests && !LIKELY_TO(d != PC)) {
        SLOW_UNLESS(stays(&q->place, result & ~1u));
        q->shifter = second.carry;
        JUMP(result & ~1u, extra);
    }
    q->shifter = second.carry;
    if (!tests) {
        q->r[d] = result;
    }
    if (sets) {
        SET_NZ(result);
        uint32_t one = what == RSB || what == RSC ? m : n, other = what == RSB || what == RSC ? n : m;
        if (what == ADD || what == ADC || what == CMN) {
            q->c = (n >> 31) + (m >> 31) > result >> 31;
            q->v = ~(n ^ m) & (n ^ result);
        } else if (what == SUB || what == RSB || what == CMP) {
            q->c = one >= other;
            q->v = (one ^ other) & (one ^ result);
        } else if (what == SBC || what == RSC) {
            q->c = (uint64_t) one >= (uint64_t) other + !q->c;
            q->v = (one ^ other) & (one ^ result);
        } else {
            q->c = second.carry;
        }
    }
    NEXT(extra);
}

#define ALU(NAME, WHAT, SETS, HOW)              \
    ARM(NAME) {                                 \
        calculate(PASS, WHAT, SETS, HOW);       \
    }
#define ALU_OF(WHAT, S, SETS)                       \
    ALU(WHAT##S##_lsl, WHAT, SETS, LSL)             \
    ALU(WHAT##S##_lsr, WHAT, SETS, LSR)             \
    ALU(WHAT##S##_asr, WHAT, SETS, ASR)             \
    ALU(WHAT##S##_ror, WHAT, SETS, ROR)             \
    ALU(WHAT##S##_lsl_r, WHAT, SETS, LSL_R)         \
    ALU(WHAT##S##_lsr_r, WHAT, SETS, LSR_R)         \
    ALU(WHAT##S##_asr_r, WHAT, SETS, ASR_R)         \
    ALU(WHAT##S##_ror_r, WHAT, SETS, ROR_R)         \
    ALU(WHAT##S##_constant, WHAT, SETS, CONSTANT)
#define NAMES(WHAT, S)                                                                                      \
    {                                                                                                       \
        WHAT##S##_lsl, WHAT##S##_lsr, WHAT##S##_asr, WHAT##S##_ror, WHAT##S##_lsl_r, WHAT##S##_lsr_r,       \
            WHAT##S##_asr_r, WHAT##S##_ror_r, WHAT##S##_constant                                            \
    }
#define NONE {slow, slow, slow, slow, slow, slow, slow, slow, slow}
#define BOTH(WHAT) ALU_OF(WHAT, , false) ALU_OF(WHAT, S, true)
BOTH(AND)
BOTH(EOR)
BOTH(SUB)
BOTH(RSB)
BOTH(ADD)
BOTH(ADC)
BOTH(SBC)
BOTH(RSC)
ALU_OF(TST, S, true)
ALU_OF(TEQ, S, true)
ALU_OF(CMP, S, true)
ALU_OF(CMN, S, true)
BOTH(ORR)
BOTH(MOV)
BOTH(BIC)
BOTH(MVN)

/* by operation and whether it sets the flags, then by shift */
static instruction *const alu_table[32][9] = {
    NAMES(AND, ), NAMES(AND, S), NAMES(EOR, ), NAMES(EOR, S), NAMES(SUB, ), NAMES(SUB, S), NAMES(RSB, ), NAMES(RSB, S),
    NAMES(ADD, ), NAMES(ADD, S), NAMES(ADC, ), NAMES(ADC, S), NAMES(SBC, ), NAMES(SBC, S), NAMES(RSC, ), NAMES(RSC, S),
    NONE,         NAMES(TST, S), NONE,         NAMES(TEQ, S), NONE,         NAMES(CMP, S), NONE,         NAMES(CMN, S),
    NAMES(ORR, ), NAMES(ORR, S), NAMES(MOV, ), NAMES(MOV, S), NAMES(BIC, ), NAMES(BIC, S), NAMES(MVN, ), NAMES(MVN, S),
};

/* multiplications */
ARM(mul) {
    int d = FIELD(16);
    SLOW_UNLESS(d != PC);
    uint32_t m = VALUE(op & 15), s = VALUE(FIELD(8));
    int32_t cycles = stalled(q, &q->place, &q->prefetched, FETCHING, multiply_wait(s, true));
    q->r[d] = m * s;
    if (op & 1 << 20) {
        SET_NZ(q->r[d]);
        q->c = q->shifter & 1;
    }
    NEXT_APART(cycles);
}

ARM(mla) {
    int d = FIELD(16), n = FIELD(12);
    SLOW_UNLESS(d != PC && n != PC);
    uint32_t m = VALUE(op & 15), s = VALUE(FIELD(8));
    int32_t cycles = stalled(q, &q->place, &q->prefetched, FETCHING, 1 + multiply_wait(s, true));
    q->r[d] = m * s + (uint32_t) q->r[n];
    if (op & 1 << 20) {
        SET_NZ(q->r[d]);
        q->c = q->shifter & 1;
    }
    NEXT_APART(cycles);
}

INLINE void multiply_long(STATE, bool sign, bool adds) {
    int high = FIELD(16), low = FIELD(12);
    SLOW_UNLESS(high != PC && low != PC);
    uint32_t m = VALUE(op & 15), s = VALUE(FIELD(8));
    int32_t cycles = stalled(q, &q->place, &q->prefetched, FETCHING, 1 + adds + multiply_wait(s, sign));
    uint64_t product = sign ? (uint64_t) ((int64_t) (int32_t) m * (int32_t) s) : (uint64_t) m * s;
    uint32_t high_before = q->r[high];
    product += adds ? (uint32_t) q->r[low] : 0;
    q->r[low] = product;
    q->r[high] = (product >> 32) + (adds ? high_before : 0);
    if (op & 1 << 20) {
        int32_t top = (product >> 32) + (adds ? high_before : 0);
        nz = top < 0 ? (int64_t) ((uint64_t) (uint32_t) top << 32 | 1) : (uint32_t) (top | q->r[low]) ? 1 : 0;
    }
    NEXT_APART(cycles);
}
ARM(umull) {
    multiply_long(PASS, false, false);
}
ARM(umlal) {
    multiply_long(PASS, false, true);
}
ARM(smull) {
    multiply_long(PASS, true, false);
}
ARM(smlal) {
    multiply_long(PASS, true, true);
}

/* loads and stores: the offset goes up or down, before or after, and may stay in the base */
#define UP (op & 1 << 23)
#define BEFORE (op & 1 << 24)
enum way { DOWN_AFTER, UP_AFTER, DOWN_BEFORE, DOWN_KEPT, UP_BEFORE, UP_KEPT, WAYS };

INLINE uint32_t moved(enum way way, uint32_t base, uint32_t offset) {
    return way == UP_AFTER || way == UP_BEFORE || way == UP_KEPT ? base + offset : base - offset;
}

INLINE bool is_before(enum way way) {
    return way >= DOWN_BEFORE;
}

INLINE bool is_kept(enum way way) {
    return way != DOWN_BEFORE && way != UP_BEFORE;
}

INLINE void load_one(STATE, enum way way, uint32_t offset, int size, bool sign) {
    int n = FIELD(16), d = FIELD(12);
    uint32_t base = VALUE(n), after = moved(way, base, offset);
    SLOW_UNLESS(d != PC && !(is_kept(way) && n == PC));
    struct loaded got = load(q, &q->place, &q->prefetched, FETCHING, is_before(way) ? after : base, size);
    if (!LIKELY_TO(got.cycles != NO_CYCLES)) {
        got = core_load(q, is_before(way) ? after : base, size, FETCHING, left);
        SLOW_UNLESS(got.cycles != NO_CYCLES);
    }
    if (is_kept(way)) {
        q->r[n] = after;
    }
    q->r[d] = !sign ? (int32_t) got.value : size == 1 ? (int8_t) got.value : (int16_t) got.value;
    NEXT_APART(got.cycles);
}

INLINE void store_one(STATE, enum way way, uint32_t offset, int size) {
    int n = FIELD(16), d = FIELD(12);
    uint32_t base = VALUE(n), after = moved(way, base, offset), address = is_before(way) ? after : base;
    uint32_t value = VALUE(d) + (d == PC ? 4 : 0);
    SLOW_UNLESS(!(is_kept(way) && n == PC));
    uint8_t *to = writable(q, pc, address, size, size);
    int32_t cycles;
    if (LIKELY_TO(to)) {
        cycles = store(q, &q->place, &q->prefetched, FETCHING, address, to, value, size);
    } else {
        cycles = core_store(q, address, value, size, FETCHING, left);
        SLOW_UNLESS(cycles != NO_CYCLES);
    }
    if (is_kept(way)) {
        q->r[n] = after;
    }
    NEXT_APART(cycles);
}

#define SHIFTED shifted_by_constant(op >> 5 & 3, VALUE(op & 15), op >> 7 & 31, q->c).value
#define SPLIT ((op >> 4 & 0xF0) | (op & 15))
#define LOAD(NAME, WAY, OFFSET, SIZE, SIGN)                \
    ARM(NAME##_##WAY) {                                    \
        load_one(PASS, WAY, OFFSET, SIZE, SIGN);           \
    }
#define STORE(NAME, WAY, OFFSET, SIZE, SIGN)               \
    ARM(NAME##_##WAY) {                                    \
        store_one(PASS, WAY, OFFSET, SIZE);                \
    }
#define EACH_WAY(WHAT, NAME, OFFSET, SIZE, SIGN)           \
    WHAT(NAME, DOWN_AFTER, OFFSET, SIZE, SIGN)             \
    WHAT(NAME, UP_AFTER, OFFSET, SIZE, SIGN)               \
    WHAT(NAME, DOWN_BEFORE, OFFSET, SIZE, SIGN)            \
    WHAT(NAME, DOWN_KEPT, OFFSET, SIZE, SIGN)              \
    WHAT(NAME, UP_BEFORE, OFFSET, SIZE, SIGN)              \
    WHAT(NAME, UP_KEPT, OFFSET, SIZE, SIGN)                \
    static instruction *const NAME[WAYS] = {NAME##_DOWN_AFTER, NAME##_UP_AFTER,  NAME##_DOWN_BEFORE, \
                                            NAME##_DOWN_KEPT,  NAME##_UP_BEFORE, NAME##_UP_KEPT};
EACH_WAY(LOAD, ldr_constant, op & 0xFFF, 4, false)
EACH_WAY(LOAD, ldr_register, SHIFTED, 4, false)
EACH_WAY(LOAD, ldrb_constant, op & 0xFFF, 1, false)
EACH_WAY(LOAD, ldrb_register, SHIFTED, 1, false)
EACH_WAY(LOAD, ldrh_constant, SPLIT, 2, false)
EACH_WAY(LOAD, ldrh_register, VALUE(op & 15), 2, false)
EACH_WAY(LOAD, ldrsb_constant, SPLIT, 1, true)
EACH_WAY(LOAD, ldrsb_register, VALUE(op & 15), 1, true)
EACH_WAY(LOAD, ldrsh_constant, SPLIT, 2, true)
EACH_WAY(LOAD, ldrsh_register, VALUE(op & 15), 2, true)
EACH_WAY(STORE, str_constant, op & 0xFFF, 4, false)
EACH_WAY(STORE, str_register, SHIFTED, 4, false)
EACH_WAY(STORE, strb_constant, op & 0xFFF, 1, false)
EACH_WAY(STORE, strb_register, SHIFTED, 1, false)
EACH_WAY(STORE, strh_constant, SPLIT, 2, false)
EACH_WAY(STORE, strh_register, VALUE(op & 15), 2, false)

/* several registers: upwards or downwards, the base's own place left out or not */
#define FIRST(BASE, COUNT) ((UP ? (BASE) : (BASE) - 4 * (COUNT) + 4) + (BEFORE ? UP ? 4 : -4 : 0))

ARM(ldm) {
    int n = FIELD(16), list = op & 0xFFFF, count = __builtin_popcount(list);
    uint32_t base = q->r[n], first = FIRST(base, count), after = UP ? base + 4 * count : base - 4 * count;
    const uint8_t *from = several(q, first, count);
    SLOW_UNLESS(n != PC && from && base >> 24 == first >> 24);
    uint32_t target = 0;
    if (list & 1 << PC) {
        memcpy(&target, from + 4 * count - 4, 4);
        target &= ~1u;
        SLOW_UNLESS(stays(&q->place, target));
    }
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, true);
    for (int rest = list & 0x7FFF; rest; rest &= rest - 1, from += 4) {
        memcpy(&q->r[__builtin_ctz(rest)], from, 4);
    }
    if (op & 1 << 21 && !(list >> n & 1)) {
        q->r[n] = after;
    }
    if (list & 1 << PC) {
        JUMP(target, cycles + q->place.non32 - q->place.seq32);
    }
    NEXT_APART(cycles);
}

ARM(stm) {
    int n = FIELD(16), list = op & 0xFFFF, count = __builtin_popcount(list);
    uint32_t base = q->r[n], first = FIRST(base, count), after = UP ? base + 4 * count : base - 4 * count;
    uint8_t *to = several(q, first, count);
    SLOW_UNLESS(n != PC && to && base >> 24 == first >> 24 && writable(q, pc, first, 4, 64));
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, false);
    for (int rest = list; rest; rest &= rest - 1, to += 4) {
        int i = __builtin_ctz(rest);
        uint32_t value = VALUE(i) + (i == PC ? 4 : 0);
        memcpy(to, &value, 4);
    }
    if (op & 1 << 21) {
        q->r[n] = after;
    }
    NEXT_APART(cycles);
}

/* branches */
ARM(b) {
    uint32_t target = FETCHING + ((int32_t) (op << 8) >> 6);
    SLOW_UNLESS(stays(&q->place, target));
    if (op & 1 << 24) {
        q->r[LR] = pc + 4;
    }
    JUMP(target, 0);
}

ARM(bx) {
    uint32_t value = VALUE(op & 15);
    SLOW_UNLESS(stays(&q->place, value & ~1u));
    if (!(value & 1)) {
        JUMP(value, 0);
    }
    SWITCH(value & ~1u, true, 1 + q->place.seq32 + 2 + q->place.non16 + q->place.seq16);
}

static void fill_alu(void) {
    for (int what = 0; what < 32; ++what) {
        for (int low = 0; low < 16; ++low) {
            int kind = low & 1 ? 4 + (low >> 1 & 3) : low >> 1 & 3;
            if ((low & 9) != 9) {
                arm_table[what << 4 | low] = alu_table[what][kind];
            }
            arm_table[0x200 | what << 4 | low] = alu_table[what][8];
        }
    }
}

/* Rows have bits 20 to 27 of an instruction, columns bits 4 to 7. */
static enum way way_of(int row) {
    bool up = row & 8, kept = row & 2;
    return !(row & 0x10) ? up ? UP_AFTER : DOWN_AFTER : up ? kept ? UP_KEPT : UP_BEFORE : kept ? DOWN_KEPT : DOWN_BEFORE;
}

static void fill_halves(void) {
    for (int row = 0; row < 0x20; ++row) {
        enum way way = way_of(row);
        bool is_load = row & 1, constant = row & 4;
        arm_table[row << 4 | 0xB] = is_load ? constant ? ldrh_constant[way] : ldrh_register[way]
                                    : constant ? strh_constant[way] : strh_register[way];
        if (is_load) {
            arm_table[row << 4 | 0xD] = constant ? ldrsb_constant[way] : ldrsb_register[way];
            arm_table[row << 4 | 0xF] = constant ? ldrsh_constant[way] : ldrsh_register[way];
        }
    }
    static instruction *const products[] = {mul, mla, NULL, NULL, umull, umlal, smull, smlal};
    for (int row = 0; row < 0x10; ++row) {
        arm_table[row << 4 | 9] = products[row >> 1] ? products[row >> 1] : slow;
    }
    arm_table[0x121] = bx;
}

static void fill_words(void) {
    static instruction *const *const by_constant[] = {str_constant, ldr_constant, strb_constant, ldrb_constant};
    static instruction *const *const by_register[] = {str_register, ldr_register, strb_register, ldrb_register};
    for (int row = 0; row < 0x20; ++row) {
        bool as_user = !(row & 0x10) && row & 2;
        int which = (row & 1) | (row >> 1 & 2);
        for (int low = 0; low < 16 && !as_user; ++low) {
            arm_table[(0x40 | row) << 4 | low] = by_constant[which][way_of(row)];
            if (!(low & 1)) {
                arm_table[(0x60 | row) << 4 | low] = by_register[which][way_of(row)];
            }
        }
        for (int low = 0; low < 16 && !(row & 4); ++low) {
            arm_table[(0x80 | row) << 4 | low] = row & 1 ? ldm : stm;
        }
    }
}

void core_fill_arm_table(void) {
    for (int i = 0; i < 0x1000; ++i) {
        arm_table[i] = i >> 9 == 5 ? b : slow;
    }
    fill_alu();
    fill_halves();
    fill_words();
}

void core_run_arm(STATE) {
    next(PASS);
}
