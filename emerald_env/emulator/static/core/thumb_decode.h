/* How Thumb instructions are decoded: the end of thumb.c. */

/* pairs: what compilers write most */
#define EACH_SECOND(WHAT, FIRST)                                                                                     \
    WHAT(FIRST, lsl_constant) WHAT(FIRST, lsl_0) WHAT(FIRST, lsr_constant) WHAT(FIRST, add_high) WHAT(FIRST, and)    \
    WHAT(FIRST, mov_high) WHAT(FIRST, add_byte) WHAT(FIRST, add_register) WHAT(FIRST, ldr_offset)                    \
    WHAT(FIRST, ldrb_offset) WHAT(FIRST, ldr_sum) WHAT(FIRST, cmp_low) WHAT(FIRST, cmp_byte) WHAT(FIRST, cmp_high)
#define EACH_FIRST(WHAT, WITH)                                                                                       \
    WHAT(WITH, lsl_constant) WHAT(WITH, lsl_0) WHAT(WITH, lsr_constant) WHAT(WITH, add_high) WHAT(WITH, and)         \
    WHAT(WITH, mov_high) WHAT(WITH, add_byte) WHAT(WITH, add_register) WHAT(WITH, ldr_constant)                      \
    WHAT(WITH, ldr_offset) WHAT(WITH, ldrh_offset) WHAT(WITH, ldrb_offset) WHAT(WITH, ldr_sum) WHAT(WITH, strh_offset)
#define EACH_PAIR(WHAT)                                                                                              \
    EACH_FIRST(WITH_SECONDS, WHAT) WITH_BRANCHES(WHAT, cmp_low) WITH_BRANCHES(WHAT, cmp_byte)                        \
    WITH_BRANCHES(WHAT, cmp_high)
EACH_PAIR(PAIR)
static const struct pair pairs[] = {EACH_PAIR(PAIR_ENTRY) {NULL}};

static void fill(int first, int last, instruction *what) {
    for (int i = first; i <= last; ++i) {
        table[i] = what;
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
    static instruction *const branches[] = {EACH_CONDITION(BRANCH_OF)};
    for (int i = 0; i < 32; ++i) {
        fill(32 * i, 32 * i + 31, eights[i] ? eights[i] : core_leave);
    }
    for (int i = 0; i < 16; ++i) {
        table[0x100 + i] = alu[i];
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
    fill(0, 0, lsl_0);
    fill(0x110, 0x113, add_high);
    fill(0x114, 0x117, cmp_high);
    fill(0x118, 0x11B, mov_high);
    fill(0x11C, 0x11D, bx);
    fill(0x2C0, 0x2C3, add_stack);
    fill(0x2D0, 0x2D7, push);
    fill(0x2F0, 0x2F3, pop);
    fill(0x2F4, 0x2F7, pop_pc);
}

static int32_t shift_of(uint32_t op) {
    int by = op >> 6 & 31;
    return by || !(op >> 11) ? by : 32;
}

static int32_t value_of(uint32_t op) {
    switch (op >> 11) {
    case 0: case 1: case 2:
        return shift_of(op);
    case 3:
        return op >> 6 & 7;
    case 9: case 18: case 19: case 20: case 21:
        return (op & 0xFF) * 4;
    case 12: case 13:
        return (op >> 6 & 31) * 4;
    case 14: case 15:
        return op >> 6 & 31;
    case 16: case 17:
        return (op >> 6 & 31) * 2;
    case 22: /* push, and the stack's pointer */
        return op & 0x400 ? (op & 0xFF) | (op & 0x100) << 6 : op & 0x80 ? -(int32_t) (op & 0x7F) * 4 : (op & 0x7F) * 4;
    case 26: case 27:
        return 4 + 2 * (int8_t) op;
    case 28:
        return 4 + ((int32_t) (op << 21) >> 20);
    case 30:
        return 4 + ((int32_t) (op << 21) >> 9);
    case 31:
        return (op & 0x7FF) << 1;
    default:
        return op & 0xFF;
    }
}

static int count_of(uint32_t op) {
    bool stack = op >> 12 == 11;
    return __builtin_popcount(op & 0xFF) + (stack ? op >> 8 & 1 : 0);
}

/* The fields that an instruction has. */
static struct record fields_of(uint32_t op) {
    static const uint32_t middle = 0x033C02F0; /* whose register is in bits 8 to 10, by bits 11 to 15 */
    struct record found = {.run = table[op >> 6], .value = value_of(op), .n = op >> 3 & 7, .m = op >> 6 & 7};
    found.d = middle >> (op >> 11) & 1 ? op >> 8 & 7 : op & 7;
    if (op >> 10 == 0x11) { /* of all registers */
        bool with_pc = (op >> 3 & 15) == PC || (op & 0x87) == 0x87;
        found.d = (op & 7) | (op >> 4 & 8);
        found.n = op >> 3 & 15;
        instruction *const others[] = {add_pc, cmp_pc, mov_pc, found.run};
        found.run = with_pc ? others[op >> 8 & 3] : found.run;
    } else if (op >> 12 == 11 || op >> 12 == 12) {
        found.m = count_of(op);
        found.run = found.m || found.run == add_stack ? found.run : core_leave;
    }
    return found;
}

INLINE bool is_jump(uint32_t op) {
    return (op >> 12 == 13 && (op >> 8 & 15) < 14) || op >> 11 == 28;
}

/* What can be known beforehand: literals of the cartridge, and whether a jump stays. */
static void foresee(const struct core *q, uint32_t pc, uint32_t op, struct record *found) {
    const struct place *place = &q->place;
    uint32_t literal = (FETCHING & ~3u) + found->value, target = (pc & q->mask) + found->value;
    if (op >> 11 == 9 && place->region >= IN_ROM && literal >> 24 == pc >> 24
        && (literal & (ROM_BYTES - 1)) + 3 < place->rom_size) {
        found->run = ldr_constant;
        memcpy(&found->value, q->rom + (literal & (ROM_BYTES - 1)), 4);
    } else if (is_jump(op) && (target > q->mask || (pc + found->value) >> 24 != place->region)) {
        found->run = core_leave;
    }
}

void core_decode_thumb(STATE) {
    uint32_t op = fetch16(q, pc);
    struct record found = fields_of(op);
    foresee(q, pc, op, &found);
    if (is_jump(op) && found.run != core_leave) {
        ready(further(rec, found.value), core_decode_thumb);
    }
    if (in_ram(q->place.region)) {
        decoded_watch(q, pc);
    }
    ready(rec + 1, (pc & q->mask) + 2 > q->mask ? core_leave : core_decode_thumb);
    rec->value = found.value;
    rec->d = found.d;
    rec->n = found.n;
    rec->m = found.m;
    set_run(rec, found.run);
    decoded_pair(q, pairs, pc, rec, WIDTH);
    return found.run(PASS);
}

void core_run_thumb(STATE) {
    rec = ready(further(q->records, pc & q->mask), DECODE);
    CONTINUE;
}
