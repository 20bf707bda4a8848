/* ARM instructions. Of a decoded one `d`, `n`, `m` and `s` are registers, as the processor's manual names them, or `s` is
 * how far to shift, and `value` is its constant. */
#include "core.h"

#define WIDTH 4
#define COSTS q->arm_costs
#define DECODE core_decode_arm
#define OP ((uint32_t) rec[1].value)
#define REG(NUMBER) ((uint32_t) q->r[NUMBER]) /* what reads the program counter finds FETCHING in r[PC] */
#define N REG(rec->n)
#define M REG(rec->m)
#define S REG(rec->s)

/* The cartridge's ARM code, which is rare, accesses nothing near while the buffer is on. */
#define NEAR(REGION) q->arm_near[(REGION) - IN_WRAM]
#define NEXT_WAIT(CYCLES) NEXT_APART(CYCLES)
#define ARM(NAME) INSTRUCTION(NAME)
#define SET_NZ(D) nz = (int32_t) (D)

/* The second operand: a register, shifted by a constant or by a register, or a constant. */
enum shift { LSL, LSR, ASR, ROR, LSL_R, LSR_R, ASR_R, ROR_R, CONSTANT, PLAIN, SHIFTS };
struct operand {
    uint32_t value, carry; /* the lowest bit */
};

INLINE struct operand shifted_by_constant(enum shift how, int32_t m, int by, uint32_t c) {
    uint32_t u = m;
    switch (how) {
    case PLAIN:
        return (struct operand) {u, c};
    case LSL:
        return (struct operand) {u << by, by ? u >> (32 - by) : c};
    case LSR:
        return (struct operand) {by ? u >> by : 0, u >> ((by - 1) & 31)};
    case ASR:
        return (struct operand) {m >> (by ? by : 31), m >> ((by - 1) & 31)};
    default:
        return by ? (struct operand) {rotated(u, by), u >> (by - 1)} : (struct operand) {c << 31 | u >> 1, u};
    }
}

static instruction *table[0x1000]; /* by bits 20 to 27 and 4 to 7 */

INLINE struct operand shifted_by_register(enum shift how, int32_t m, int by, uint32_t c) {
    uint64_t u = (uint32_t) m;
    if (!by) {
        return (struct operand) {m, c};
    }
    switch (how) {
    case LSL_R:
        return (struct operand) {by > 31 ? 0 : u << by, by > 32 ? 0 : u >> (32 - by)};
    case LSR_R:
        return (struct operand) {by > 31 ? 0 : u >> by, by > 32 ? 0 : u >> (by - 1)};
    case ASR_R:
        by = by > 32 ? 32 : by;
        return (struct operand) {(int64_t) m >> by, (int64_t) m >> (by - 1)};
    default:
        return (struct operand) {rotated(u, by & 31), u >> ((by - 1) & 31)};
    }
}

INLINE struct operand operand(const struct core *q, const struct record *rec, enum shift how) {
    if (how == CONSTANT) {
        return (struct operand) {rec->value, rec->s ? (uint32_t) rec->value >> 31 : q->c};
    }
    if (how < LSL_R || how == PLAIN) {
        return shifted_by_constant(how, M, rec->s, q->c);
    }
    return shifted_by_register(how, M + (rec->m == PC ? 4 : 0), S & 0xFF, q->c);
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
INLINE void calculate(STATE, instruction *then, enum alu what, bool sets, enum shift how) {
    int extra = how >= LSL_R && how < CONSTANT;
    bool tests = what >= TST && what <= CMN;
    struct operand second = operand(q, rec, how);
    uint32_t n = N + (extra && rec->n == PC ? 4 : 0), m = second.value, result;
    q->shifter = second.carry;
    if (sets && (what == ADD || what == CMN)) {
        result = add(n, m, &q->c, &q->v);
    } else if (sets && (what == SUB || what == CMP)) {
        result = subtract(n, m, &q->c, &q->v);
    } else if (sets && what == RSB) {
        result = subtract(m, n, &q->c, &q->v);
    } else if (sets && what == ADC) {
        result = add_with_carry(n, m, &q->c, &q->v);
    } else if (sets && what == SBC) {
        result = subtract_with_carry(n, m, &q->c, &q->v);
    } else if (sets && what == RSC) {
        result = subtract_with_carry(m, n, &q->c, &q->v);
    } else {
        result = result_of(what, n, m, q->c);
        q->c = sets ? second.carry & 1 : q->c;
    }
    if (!tests) {
        q->r[rec->d] = result;
    }
    if (sets) {
        SET_NZ(result);
    }
    NEXT(extra);
}

/* The same where its result is the program counter. */
INLINE void calculate_pc(STATE, enum shift how) {
    int extra = how >= LSL_R && how < CONSTANT;
    struct operand second = operand(q, rec, how);
    uint32_t n = N + (extra && rec->n == PC ? 4 : 0);
    uint32_t result = result_of(OP >> 21 & 15, n, second.value, q->c) & ~1u;
    SLOW_UNLESS(stays(&q->place, result));
    q->shifter = second.carry;
    JUMP(result, extra);
}

#define ALU(NAME, WHAT, SETS, HOW)              \
    ARM(NAME) {                                 \
        calculate(PASS, then, WHAT, SETS, HOW); \
    }
#define ALU_OF(WHAT, T, SETS)                       \
    ALU(WHAT##T##_lsl, WHAT, SETS, LSL)             \
    ALU(WHAT##T##_lsr, WHAT, SETS, LSR)             \
    ALU(WHAT##T##_asr, WHAT, SETS, ASR)             \
    ALU(WHAT##T##_ror, WHAT, SETS, ROR)             \
    ALU(WHAT##T##_lsl_r, WHAT, SETS, LSL_R)         \
    ALU(WHAT##T##_lsr_r, WHAT, SETS, LSR_R)         \
    ALU(WHAT##T##_asr_r, WHAT, SETS, ASR_R)         \
    ALU(WHAT##T##_ror_r, WHAT, SETS, ROR_R)         \
    ALU(WHAT##T##_constant, WHAT, SETS, CONSTANT)   \
    ALU(WHAT##T##_plain, WHAT, SETS, PLAIN)
#define NAMES(WHAT, T)                                                                                      \
    {                                                                                                       \
        WHAT##T##_lsl, WHAT##T##_lsr, WHAT##T##_asr, WHAT##T##_ror, WHAT##T##_lsl_r, WHAT##T##_lsr_r,       \
            WHAT##T##_asr_r, WHAT##T##_ror_r, WHAT##T##_constant, WHAT##T##_plain                                           \
    }
#define NONE {NULL} /* no calculation */
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
static instruction *const alu_table[32][SHIFTS] = {
    NAMES(AND, ), NAMES(AND, S), NAMES(EOR, ), NAMES(EOR, S), NAMES(SUB, ), NAMES(SUB, S), NAMES(RSB, ), NAMES(RSB, S),
    NAMES(ADD, ), NAMES(ADD, S), NAMES(ADC, ), NAMES(ADC, S), NAMES(SBC, ), NAMES(SBC, S), NAMES(RSC, ), NAMES(RSC, S),
    NONE,         NAMES(TST, S), NONE,         NAMES(TEQ, S), NONE,         NAMES(CMP, S), NONE,         NAMES(CMN, S),
    NAMES(ORR, ), NAMES(ORR, S), NAMES(MOV, ), NAMES(MOV, S), NAMES(BIC, ), NAMES(BIC, S), NAMES(MVN, ), NAMES(MVN, S),
};

/* multiplications; those of the cartridge's code wait while the prefetch buffer fills */
static NEVER_INLINE void stall(STATE, int32_t wait) {
    NEXT_APART(stalled(q, &q->place, &q->prefetched, FETCHING, wait));
}
#define NEXT_PRODUCT(CYCLES)                    \
    if (!LIKELY_TO(!q->place.stalls)) {         \
        return stall(PASS, CYCLES);             \
    }                                           \
    NEXT_APART(CYCLES)

ARM(mul) {
    int d = rec->n; /* the manual's d and n are where others have n and d */
    uint32_t m = M, s = S;
    int32_t cycles = multiply_wait(s, true);
    q->r[d] = m * s;
    if (OP & 1 << 20) {
        SET_NZ(q->r[d]);
        q->c = q->shifter & 1;
    }
    NEXT_PRODUCT(cycles);
}

ARM(mla) {
    int d = rec->n, n = rec->d;
    uint32_t m = M, s = S;
    int32_t cycles = 1 + multiply_wait(s, true);
    q->r[d] = m * s + (uint32_t) q->r[n];
    if (OP & 1 << 20) {
        SET_NZ(q->r[d]);
        q->c = q->shifter & 1;
    }
    NEXT_PRODUCT(cycles);
}

INLINE void multiply_long(STATE, bool sign, bool adds) {
    int high = rec->n, low = rec->d;
    uint32_t m = M, s = S;
    int32_t cycles = 1 + adds + multiply_wait(s, sign);
    uint64_t product = sign ? (uint64_t) ((int64_t) (int32_t) m * (int32_t) s) : (uint64_t) m * s;
    uint32_t high_before = q->r[high];
    product += adds ? (uint32_t) q->r[low] : 0;
    q->r[low] = product;
    q->r[high] = (product >> 32) + (adds ? high_before : 0);
    if (OP & 1 << 20) {
        int32_t top = (product >> 32) + (adds ? high_before : 0);
        nz = top < 0 ? (int64_t) ((uint64_t) (uint32_t) top << 32 | 1) : (uint32_t) (top | q->r[low]) ? 1 : 0;
    }
    NEXT_PRODUCT(cycles);
}
#define MULTIPLY_LONG(NAME, SIGN, ADDS)         \
    ARM(NAME) {                                 \
        multiply_long(PASS, SIGN, ADDS);        \
    }
MULTIPLY_LONG(umull, false, false)
MULTIPLY_LONG(umlal, false, true)
MULTIPLY_LONG(smull, true, false)
MULTIPLY_LONG(smlal, true, true)

#include "arm_memory.h"

/* jumps */
EACH_CONDITION(BRANCH)
BRANCH(, true)
static instruction *const branches[] = {EACH_CONDITION(BRANCH_OF) b};

ARM(bl) {
    SLOW_UNLESS(pc + rec->value != q->place.idle_loop);
    q->r[LR] = pc + WIDTH;
    JUMP_BY(rec->value);
}

ARM(bx) {
    uint32_t value = M;
    SLOW_UNLESS(stays(&q->place, value & ~1u));
    if (!(value & 1)) {
        JUMP(value, 0);
    }
    SWITCH(value & ~1u, true, 1 + q->place.seq32 + 2 + q->place.non16 + q->place.seq16);
}

/* In front of those that have a condition or read the program counter. */
#define AFTER(NAME, CONDITION)                      \
    ARM(if_##NAME) {                                \
        if (CONDITION) {                            \
            q->r[PC] = FETCHING;                    \
            return rec[1].run(PASS);                \
        }                                           \
        NEXT(0);                                    \
    }
EACH_CONDITION(AFTER)
AFTER(any, true)
AFTER(none, false)
#define AFTER_OF(NAME, CONDITION) if_##NAME,
static instruction *const conditions[] = {EACH_CONDITION(AFTER_OF) if_any, if_none};

#define TO_PC(NAME, HOW)            \
    ARM(NAME) {                     \
        calculate_pc(PASS, HOW);    \
    }
TO_PC(pc_lsl, LSL)
TO_PC(pc_lsr, LSR)
TO_PC(pc_asr, ASR)
TO_PC(pc_ror, ROR)
TO_PC(pc_lsl_r, LSL_R)
TO_PC(pc_lsr_r, LSR_R)
TO_PC(pc_asr_r, ASR_R)
TO_PC(pc_ror_r, ROR_R)
TO_PC(pc_constant, CONSTANT)
TO_PC(pc_plain, PLAIN)
static instruction *const to_pc[SHIFTS] = {pc_lsl,   pc_lsr,   pc_asr,   pc_ror,      pc_lsl_r,
                                           pc_lsr_r, pc_asr_r, pc_ror_r, pc_constant, pc_plain};

#include "arm_decode.h"
