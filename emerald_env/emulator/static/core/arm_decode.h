/* How ARM instructions are decoded: the end of arm.c. */

/* pairs: what mixers of sound and compilers write most */
#define EACH_SECOND(WHAT, FIRST)                                                                                    \
    WHAT(FIRST, ldr_constant_UP_BEFORE) WHAT(FIRST, ldr_constant_DOWN_BEFORE) WHAT(FIRST, str_constant_UP_BEFORE)   \
    WHAT(FIRST, str_constant_DOWN_BEFORE) WHAT(FIRST, ldrsb_register_UP_BEFORE) WHAT(FIRST, MOV_plain)              \
    WHAT(FIRST, MOV_constant) WHAT(FIRST, MOV_lsr) WHAT(FIRST, MOV_asr) WHAT(FIRST, ADD_plain)                      \
    WHAT(FIRST, ADD_constant) WHAT(FIRST, SUB_constant) WHAT(FIRST, mla) WHAT(FIRST, mul) WHAT(FIRST, CMPS_plain)   \
    WHAT(FIRST, CMPS_constant) WHAT(FIRST, SUBS_constant) WHAT(FIRST, b)
#define EACH_FIRST(WHAT, WITH)                                                                                      \
    WHAT(WITH, ldr_constant_UP_BEFORE) WHAT(WITH, ldr_constant_DOWN_BEFORE) WHAT(WITH, str_constant_UP_BEFORE)      \
    WHAT(WITH, str_constant_DOWN_BEFORE) WHAT(WITH, ldrsb_register_UP_BEFORE) WHAT(WITH, MOV_plain)                 \
    WHAT(WITH, MOV_constant) WHAT(WITH, MOV_lsr) WHAT(WITH, MOV_asr) WHAT(WITH, ADD_plain) WHAT(WITH, ADD_constant) \
    WHAT(WITH, SUB_constant) WHAT(WITH, mla) WHAT(WITH, mul) WHAT(WITH, CMPS_plain) WHAT(WITH, CMPS_constant)
#define WITH_CONDITIONS(WHAT, FIRST)                                                                                \
    WHAT(FIRST, if_eq) WHAT(FIRST, if_ne) WHAT(FIRST, if_cs) WHAT(FIRST, if_cc) WHAT(FIRST, if_mi)                  \
    WHAT(FIRST, if_pl) WHAT(FIRST, if_hi) WHAT(FIRST, if_ls) WHAT(FIRST, if_ge) WHAT(FIRST, if_lt)                  \
    WHAT(FIRST, if_gt) WHAT(FIRST, if_le)
#define EACH_PAIR(WHAT)                                                                                             \
    EACH_FIRST(WITH_SECONDS, WHAT) WITH_BRANCHES(WHAT, CMPS_plain) WITH_BRANCHES(WHAT, CMPS_constant)               \
    WITH_BRANCHES(WHAT, SUBS_constant) WITH_BRANCHES(WHAT, MOV_plain) WITH_CONDITIONS(WHAT, CMPS_plain)             \
    WITH_CONDITIONS(WHAT, CMPS_constant) WITH_CONDITIONS(WHAT, str_constant_UP_BEFORE)                              \
    WITH_CONDITIONS(WHAT, str_constant_DOWN_BEFORE)
EACH_PAIR(PAIR)
static const struct pair pairs[] = {EACH_PAIR(PAIR_ENTRY) {NULL}};

static bool is_calculation(uint32_t op) {
    return op >> 26 == 0 && (op >> 25 & 1 || (op & 0x90) != 0x90) && (op >> 23 & 3) + (op >> 20 & 1) != 2;
}

static enum shift shift_of(uint32_t op) {
    if (op & 1 << 25) {
        return CONSTANT;
    }
    return op & 0x10 ? LSL_R + (op >> 5 & 3) : op & 0xFE0 ? op >> 5 & 3 : PLAIN;
}

/* From the base to the first of several registers: upwards or downwards, its own place left out or not. */
static int32_t first_of(uint32_t op) {
    bool up = op >> 23 & 1, before = op >> 24 & 1;
    return up ? 4 * before : 4 - 4 * before - 4 * __builtin_popcount(op & 0xFFFF);
}

static int32_t value_of(uint32_t op) {
    switch (op >> 25 & 7) {
    case 0:
        return (op >> 4 & 0xF0) | (op & 15);
    case 1:
        return rotated(op & 0xFF, op >> 7 & 30);
    case 4:
        return first_of(op);
    case 5:
        return 8 + ((int32_t) (op << 8) >> 6);
    default:
        return op & 0xFFF;
    }
}

/* A register, or by how much an access to several moves the base. */
static int8_t m_of(uint32_t op) {
    if ((op >> 25 & 7) != 4) {
        return op & 15;
    }
    int bytes = op & 1 << 21 ? 4 * __builtin_popcount(op & 0xFFFF) : 0;
    return op & 1 << 23 ? bytes : -bytes;
}

static int s_of(uint32_t op) {
    switch (op >> 25 & 7) {
    case 0:
        return op & 0x10 ? op >> 8 & 15 : op >> 7 & 31;
    case 1:
        return op >> 7 & 30;
    case 4:
        return __builtin_popcount(op & 0xFFFF);
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

/* Loads and stores of the program counter, and bases that move it; so do multiplications. */
static bool moves_pc(uint32_t op) {
    bool d = (op >> 12 & 15) == PC, n = (op >> 16 & 15) == PC;
    bool single = op >> 26 == 1 || (op >> 25 == 0 && (op & 0x90) == 0x90 && (op & 0x60)), kept = !(op >> 24 & 1) || op >> 21 & 1;
    bool product = op >> 24 == 0 && (op & 0xF0) == 0x90;
    return single ? d || (kept && n) : product && (n || (d && op >> 21 & 7));
}

static instruction *action_of(uint32_t op) {
    op &= 0x0FFFFFFF;
    if (moves_pc(op)) {
        return core_leave;
    }
    if (op >> 25 == 4) {
        return several_of(op);
    }
    if (!is_calculation(op)) {
        return table[(op >> 16 & 0xFF0) | (op >> 4 & 15)];
    }
    bool sets = op >> 20 & 1, tests = (op >> 23 & 3) == 2;
    if ((op >> 12 & 15) == PC && (sets || !tests)) {
        return sets ? core_leave : to_pc[shift_of(op)];
    }
    return alu_table[op >> 20 & 31][shift_of(op)];
}

void core_decode_arm(STATE) {
    uint32_t op = fetch32(q, pc);
    instruction *action = action_of(op);
    bool jumps = action == b || action == bl, whatever = op >> 28 == 14 && !reads_pc(op & 0x0FFFFFFF);
    if (jumps) {
        uint32_t target = (pc & q->mask) + value_of(op);
        if (target > q->mask || (pc + value_of(op)) >> 24 != q->place.region) {
            action = core_leave;
        } else {
            ready(further(rec, value_of(op)), core_decode_arm);
        }
    }
    if (in_ram(q->place.region)) {
        decoded_watch(q, pc);
    }
    ready(rec + 2, (pc & q->mask) + 4 > q->mask ? core_leave : core_decode_arm);
    rec->value = value_of(op);
    rec->d = op >> 12 & 15;
    rec->n = op >> 16 & 15;
    rec->m = m_of(op);
    rec->s = s_of(op & 0x0FFFFFFF);
    rec[1].run = action;
    rec[1].value = op;
    set_run(rec, action == b && op >> 28 < 15 ? branches[op >> 28] : whatever ? action : conditions[op >> 28]);
    decoded_pair(q, pairs, pc, rec, WIDTH);
    return run_of(rec)(PASS);
}

void core_fill_arm_table(void) {
    static instruction *const products[] = {mul, mla, core_leave, core_leave, umull, umlal, smull, smlal};
    for (int i = 0; i < 0x1000; ++i) {
        table[i] = i >> 9 == 5 ? i >> 8 & 1 ? bl : b : core_leave;
    }
    fill_memory();
    for (int row = 0; row < 0x10; ++row) {
        table[row << 4 | 9] = products[row >> 1];
    }
    table[0x121] = bx;
}

void core_run_arm(STATE) {
    rec = ready(further(q->records, pc & q->mask), DECODE);
    CONTINUE;
}
