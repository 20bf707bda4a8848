/* ARM instructions that load and store: a part of arm.c. */

/* loads and stores: the offset goes up or down, before or after, and may stay in the base */
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

/* Bits 20 to 27 of an instruction. */
static enum way way_of(int row) {
    bool up = row & 8, kept = row & 2;
    return !(row & 0x10) ? up ? UP_AFTER : DOWN_AFTER : up ? kept ? UP_KEPT : UP_BEFORE : kept ? DOWN_KEPT : DOWN_BEFORE;
}

/* What an instruction of one register leaves in its base. */
static void move_base(struct core *q, const struct record *rec) {
    bool is_word = OP >> 26 & 1, constant = is_word ? !(OP >> 25 & 1) : OP >> 22 & 1;
    enum way way = way_of(OP >> 20 & 0xFF);
    if (is_kept(way)) {
        uint32_t shifted = is_word ? shifted_by_constant(OP >> 5 & 3, M, OP >> 7 & 31, q->c).value : M;
        q->r[rec->n] = moved(way, N, constant ? (uint32_t) rec->value : shifted);
    }
}

/* Elsewhere, and from the cartridge's code while the prefetch buffer is on: functions of their own, which save registers. */
#define ELSEWHERE(SIZE, TYPE)                                                                       \
    static NEVER_INLINE void load_elsewhere_##TYPE(STATE, uint32_t address) {                       \
        struct loaded got = load(q, &q->place, &q->prefetched, FETCHING, address, SIZE);            \
        if (got.cycles == NO_CYCLES) {                                                              \
            got = core_load(q, address, SIZE, FETCHING, left);                                      \
            SLOW_UNLESS(got.cycles != NO_CYCLES);                                                   \
        }                                                                                           \
        move_base(q, rec);                                                                          \
        q->r[rec->d] = (TYPE) got.value;                                                            \
        NEXT_APART(got.cycles);                                                                     \
    }                                                                                               \
    static NEVER_INLINE void store_elsewhere_##TYPE(STATE, uint32_t address) {                      \
        uint32_t value = REG(rec->d);                                                               \
        uint8_t *to = q->place.stalls ? ram_at(q, address, SIZE) : NULL;                            \
        int32_t cycles = to ? store(q, &q->place, &q->prefetched, FETCHING, address, to, value, SIZE) \
                            : core_store(q, address, value, SIZE, FETCHING, left);                  \
        SLOW_UNLESS(cycles != NO_CYCLES);                                                           \
        move_base(q, rec);                                                                          \
        NEXT_APART(cycles);                                                                         \
    }
EACH_TYPE(ELSEWHERE)

#define LOAD(NAME, WAY, OFFSET, SIZE, TYPE)                                                           \
    ARM(NAME##_##WAY) {                                                                               \
        uint32_t base = N, after = moved(WAY, base, OFFSET), address = is_before(WAY) ? after : base; \
        LOAD_FROM(SIZE, TYPE, { if (is_kept(WAY)) { q->r[rec->n] = after; } q->r[rec->d] = got; });   \
    }
#define STORE(NAME, WAY, OFFSET, SIZE, TYPE)                                                          \
    ARM(NAME##_##WAY) {                                                                               \
        uint32_t base = N, after = moved(WAY, base, OFFSET), address = is_before(WAY) ? after : base; \
        uint32_t value = REG(rec->d);                                                                 \
        STORE_TO(SIZE, TYPE, { if (is_kept(WAY)) { q->r[rec->n] = after; } });                        \
    }
#define SHIFTED (LIKELY_TO(!(OP & 3 << 5)) ? M << rec->s : shifted_by_constant(OP >> 5 & 3, M, rec->s, q->c).value)
#define EACH_WAY(WHAT, NAME, OFFSET, SIZE, TYPE)           \
    WHAT(NAME, DOWN_AFTER, OFFSET, SIZE, TYPE)             \
    WHAT(NAME, UP_AFTER, OFFSET, SIZE, TYPE)               \
    WHAT(NAME, DOWN_BEFORE, OFFSET, SIZE, TYPE)            \
    WHAT(NAME, DOWN_KEPT, OFFSET, SIZE, TYPE)              \
    WHAT(NAME, UP_BEFORE, OFFSET, SIZE, TYPE)              \
    WHAT(NAME, UP_KEPT, OFFSET, SIZE, TYPE)                \
    static instruction *const NAME[WAYS] = {NAME##_DOWN_AFTER, NAME##_UP_AFTER,  NAME##_DOWN_BEFORE, \
                                            NAME##_DOWN_KEPT,  NAME##_UP_BEFORE, NAME##_UP_KEPT};
EACH_WAY(LOAD, ldr_constant, (uint32_t) rec->value, 4, uint32_t)
EACH_WAY(LOAD, ldr_register, SHIFTED, 4, uint32_t)
EACH_WAY(LOAD, ldrb_constant, (uint32_t) rec->value, 1, uint8_t)
EACH_WAY(LOAD, ldrb_register, SHIFTED, 1, uint8_t)
EACH_WAY(LOAD, ldrh_constant, (uint32_t) rec->value, 2, uint16_t)
EACH_WAY(LOAD, ldrh_register, M, 2, uint16_t)
EACH_WAY(LOAD, ldrsb_constant, (uint32_t) rec->value, 1, int8_t)
EACH_WAY(LOAD, ldrsb_register, M, 1, int8_t)
EACH_WAY(LOAD, ldrsh_constant, (uint32_t) rec->value, 2, int16_t)
EACH_WAY(LOAD, ldrsh_register, M, 2, int16_t)
EACH_WAY(STORE, str_constant, (uint32_t) rec->value, 4, uint32_t)
EACH_WAY(STORE, str_register, SHIFTED, 4, uint32_t)
EACH_WAY(STORE, strb_constant, (uint32_t) rec->value, 1, uint8_t)
EACH_WAY(STORE, strb_register, SHIFTED, 1, uint8_t)
EACH_WAY(STORE, strh_constant, (uint32_t) rec->value, 2, uint16_t)
EACH_WAY(STORE, strh_register, M, 2, uint16_t)

/* several registers, `s` of them, from `value` behind the base on; it moves by `m` */
#define MOVED (N + (int8_t) rec->m)

INLINE void load_several(STATE, uint32_t list, bool jumps) {
    uint32_t base = N, first = base + rec->value, target = 0;
    const uint8_t *from = several(q, first, rec->s);
    SLOW_UNLESS(from && base >> 24 == first >> 24);
    if (jumps) {
        memcpy(&target, from + 4 * rec->s - 4, 4);
        target &= ~1u;
        SLOW_UNLESS(stays(&q->place, target));
    }
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, rec->s, true);
    q->r[rec->n] = MOVED; /* unless it is loaded, too */
    take_several(q, list, from);
    if (jumps) {
        JUMP(target, cycles + q->place.non32 - q->place.seq32);
    }
    NEXT_APART(cycles);
}

ARM(ldm) {
    load_several(PASS, OP & 0xFFFF, false);
}

ARM(ldm_pc) {
    load_several(PASS, OP & 0x7FFF, true);
}

ARM(stm) {
    uint32_t base = N, first = base + rec->value;
    uint8_t *to = writable_several(q, first, rec->s);
    SLOW_UNLESS(to && base >> 24 == first >> 24);
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, rec->s, false);
    put_several(q, OP & 0xFFFF, to);
    q->r[rec->n] = MOVED;
    NEXT_APART(cycles);
}

ARM(stm_pc) {
    q->r[PC] = FETCHING + 4;
    return stm(PASS);
}

static instruction *several_of(uint32_t op) {
    bool is_load = op >> 20 & 1, with_pc = op & 1 << PC, as_user = op & 1 << 22;
    if (as_user || (op >> 16 & 15) == PC || !(op & 0xFFFF)) {
        return core_leave;
    }
    return is_load ? with_pc ? ldm_pc : ldm : with_pc ? stm_pc : stm;
}

static void fill_halves(void) {
    for (int row = 0; row < 0x20; ++row) {
        enum way way = way_of(row);
        bool is_load = row & 1, constant = row & 4;
        table[row << 4 | 0xB] = is_load ? constant ? ldrh_constant[way] : ldrh_register[way]
                                    : constant ? strh_constant[way] : strh_register[way];
        if (is_load) {
            table[row << 4 | 0xD] = constant ? ldrsb_constant[way] : ldrsb_register[way];
            table[row << 4 | 0xF] = constant ? ldrsh_constant[way] : ldrsh_register[way];
        }
    }
}

static void fill_words(void) {
    static instruction *const *const by_constant[] = {str_constant, ldr_constant, strb_constant, ldrb_constant};
    static instruction *const *const by_register[] = {str_register, ldr_register, strb_register, ldrb_register};
    for (int row = 0; row < 0x20; ++row) {
        bool as_user = !(row & 0x10) && row & 2;
        int which = (row & 1) | (row >> 1 & 2);
        for (int low = 0; low < 16 && !as_user; ++low) {
            table[(0x40 | row) << 4 | low] = by_constant[which][way_of(row)];
            if (!(low & 1)) {
                table[(0x60 | row) << 4 | low] = by_register[which][way_of(row)];
            }
        }
    }
}

static void fill_memory(void) {
    fill_halves();
    fill_words();
}
