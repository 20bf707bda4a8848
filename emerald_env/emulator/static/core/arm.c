/* ARM instructions that calculate or jump, and how all are decoded. */
#include "arm.h"

instruction *arm_table[0x1000];

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
INLINE void calculate(STATE, enum alu what, bool sets, enum shift how) {
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
        calculate(PASS, WHAT, SETS, HOW);       \
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

/* multiplications */
ARM(mul) {
    int d = rec->n; /* the manual's d and n are where others have n and d */
    uint32_t m = M, s = S;
    int32_t cycles = multiply_wait(s, true);
    q->r[d] = m * s;
    if (OP & 1 << 20) {
        SET_NZ(q->r[d]);
        q->c = q->shifter & 1;
    }
    NEXT_WAIT(cycles);
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
    NEXT_WAIT(cycles);
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
    NEXT_WAIT(cycles);
}
#define MULTIPLY_LONG(NAME, SIGN, ADDS)         \
    ARM(NAME) {                                 \
        multiply_long(PASS, SIGN, ADDS);        \
    }
MULTIPLY_LONG(umull, false, false)
MULTIPLY_LONG(umlal, false, true)
MULTIPLY_LONG(smull, true, false)
MULTIPLY_LONG(smlal, true, true)

/* jumps */
ARM(b) {
    int32_t by = rec->value;
    SLOW_UNLESS(pc + by != q->place.idle_loop);
    if (rec->s) {
        q->r[LR] = pc + 4;
    }
    pc += by; /* decoding has seen that it stays */
    rec += by / 2;
    LAND(0);
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
    ARM(NAME) {                                     \
        if (CONDITION) {                            \
            q->r[PC] = FETCHING;                    \
            return rec[1].run(PASS);                \
        }                                           \
        NEXT(0);                                    \
    }
AFTER(if_eq, !(uint32_t) nz)
AFTER(if_ne, (uint32_t) nz)
AFTER(if_cs, q->c)
AFTER(if_cc, !q->c)
AFTER(if_mi, nz < 0)
AFTER(if_pl, nz >= 0)
AFTER(if_vs, q->v)
AFTER(if_vc, !q->v)
AFTER(if_hi, q->c && (uint32_t) nz)
AFTER(if_ls, !q->c || !(uint32_t) nz)
AFTER(if_ge, (nz < 0) == q->v)
AFTER(if_lt, (nz < 0) != q->v)
AFTER(if_gt, (uint32_t) nz && (nz < 0) == q->v)
AFTER(if_le, !(uint32_t) nz || (nz < 0) != q->v)
AFTER(always, true)
AFTER(never, false)
static instruction *const conditions[] = {if_eq, if_ne, if_cs, if_cc, if_mi, if_pl, if_vs, if_vc,
                                          if_hi, if_ls, if_ge, if_lt, if_gt, if_le, always, never};

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

static bool is_calculation(uint32_t op) {
    return op >> 26 == 0 && (op >> 25 & 1 || (op & 0x90) != 0x90) && (op >> 23 & 3) + (op >> 20 & 1) != 2;
}

static enum shift shift_of(uint32_t op) {
    if (op & 1 << 25) {
        return CONSTANT;
    }
    return op & 0x10 ? LSL_R + (op >> 5 & 3) : op & 0xFE0 ? op >> 5 & 3 : PLAIN;
}

static int32_t value_of(uint32_t op) {
    switch (op >> 25 & 7) {
    case 0:
        return (op >> 4 & 0xF0) | (op & 15);
    case 1:
        return rotated(op & 0xFF, op >> 7 & 30);
    case 5:
        return 8 + ((int32_t) (op << 8) >> 6);
    default:
        return op & 0xFFF;
    }
}

static int s_of(uint32_t op) {
    switch (op >> 25 & 7) {
    case 0:
        return op & 0x10 ? op >> 8 & 15 : op >> 7 & 31;
    case 1:
        return op >> 7 & 30;
    case 5:
        return op >> 24 & 1;
    default:
        return op >> 7 & 31;
    }
}

/* Whether one of the registers that it uses is the program counter. */
static bool reads_pc(uint32_t op) {
    bool d = (op >> 12 & 15) == PC, n = (op >> 16 & 15) == PC, m = (op & 15) == PC, s = (op >> 8 & 15) == PC;
    switch (op >> 25) {
    case 0:
        return n || d || m || (op & 0x10 && s);
    case 1:
        return n;
    case 2:
        return n || d;
    case 3:
        return n || d || m;
    case 4:
        return op & 1 << PC;
    default:
        return false;
    }
}

/* Loads of the program counter and bases that move it; so do multiplications. */
static bool moves_pc(uint32_t op) {
    bool d = (op >> 12 & 15) == PC, n = (op >> 16 & 15) == PC, is_load = op >> 20 & 1;
    bool single = op >> 26 == 1 || (op >> 25 == 0 && (op & 0x90) == 0x90 && (op & 0x60)), kept = !(op >> 24 & 1) || op >> 21 & 1;
    bool product = op >> 24 == 0 && (op & 0xF0) == 0x90;
    return single ? (is_load && d) || (kept && n) : product && (n || (d && op >> 21 & 7));
}

static instruction *action_of(uint32_t op) {
    op &= 0x0FFFFFFF;
    if (moves_pc(op)) {
        return core_leave;
    }
    if (!is_calculation(op)) {
        return arm_table[(op >> 16 & 0xFF0) | (op >> 4 & 15)];
    }
    bool sets = op >> 20 & 1, tests = (op >> 23 & 3) == 2;
    if ((op >> 12 & 15) == PC && (sets || !tests)) {
        return sets ? core_leave : to_pc[shift_of(op)];
    }
    return alu_table[op >> 20 & 31][shift_of(op)];
}

void core_stall_arm(STATE, int32_t wait) {
    NEXT_APART(stalled(q, &q->place, &q->prefetched, FETCHING, wait));
}

void core_decode_arm(STATE) {
    uint32_t op = fetch32(q, pc);
    instruction *action = action_of(op);
    if (action == b) {
        uint32_t target = (pc & q->mask) + value_of(op);
        if (target > q->mask || (pc + value_of(op)) >> 24 != q->place.region) {
            action = core_leave;
        } else {
            ready(rec + value_of(op) / 2, core_decode_arm);
        }
    }
    if (in_ram(q->place.region)) {
        decoded_watch(q, pc);
    }
    ready(rec + 2, (pc & q->mask) + 4 > q->mask ? core_leave : core_decode_arm);
    rec->value = value_of(op);
    rec->d = op >> 12 & 15;
    rec->n = op >> 16 & 15;
    rec->m = op & 15;
    rec->s = s_of(op & 0x0FFFFFFF);
    rec[1].run = action;
    rec[1].value = op;
    set_run(rec, op >> 28 == 14 && !reads_pc(op & 0x0FFFFFFF) ? action : conditions[op >> 28]);
    return run_of(rec)(PASS);
}

void core_fill_arm_table(void) {
    static instruction *const products[] = {mul, mla, core_leave, core_leave, umull, umlal, smull, smlal};
    for (int i = 0; i < 0x1000; ++i) {
        arm_table[i] = i >> 9 == 5 ? b : core_leave;
    }
    core_fill_arm_memory();
    for (int row = 0; row < 0x10; ++row) {
        arm_table[row << 4 | 9] = products[row >> 1];
    }
    arm_table[0x121] = bx;
}

void core_run_arm(STATE) {
    rec = arm_record_at(q, pc);
    CONTINUE;
}
