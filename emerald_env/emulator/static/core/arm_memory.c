/* ARM instructions that load and store. */
#include "arm.h"

/* loads and stores: the offset goes up or down, before or after, and may stay in the base */
#define UP (OP & 1 << 23)
#define BEFORE (OP & 1 << 24)
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

/* Where the base is after an instruction of one register. */
static uint32_t base_after(const struct core *q, const struct record *rec) {
    bool is_word = OP >> 26 & 1, constant = is_word ? !(OP >> 25 & 1) : OP >> 22 & 1;
    uint32_t shifted = is_word ? shifted_by_constant(OP >> 5 & 3, M, OP >> 7 & 31, q->c).value : M;
    return moved(way_of(OP >> 20 & 0xFF), N, constant ? (uint32_t) rec->value : shifted);
}

/* Elsewhere mGBA is called, in functions of their own, which save registers. */
#define ELSEWHERE(SIZE, TYPE)                                                               \
    static NEVER_INLINE void load_elsewhere_##TYPE(STATE, uint32_t address) {               \
        struct loaded got = core_load(q, address, SIZE, FETCHING, left);                    \
        SLOW_UNLESS(got.cycles != NO_CYCLES);                                               \
        if (is_kept(way_of(OP >> 20 & 0xFF))) {                                             \
            q->r[rec->n] = base_after(q, rec);                                              \
        }                                                                                   \
        q->r[rec->d] = (TYPE) got.value;                                                    \
        NEXT_APART(got.cycles);                                                             \
    }                                                                                       \
    static NEVER_INLINE void store_elsewhere_##TYPE(STATE, uint32_t address) {              \
        uint32_t value = REG(rec->d) + (rec->d == PC ? 4 : 0);                              \
        int32_t cycles = core_store(q, address, value, SIZE, FETCHING, left);               \
        SLOW_UNLESS(cycles != NO_CYCLES);                                                   \
        if (is_kept(way_of(OP >> 20 & 0xFF))) {                                             \
            q->r[rec->n] = base_after(q, rec);                                              \
        }                                                                                   \
        NEXT_APART(cycles);                                                                 \
    }
ELSEWHERE(4, uint32_t)
ELSEWHERE(2, uint16_t)
ELSEWHERE(1, uint8_t)
ELSEWHERE(2, int16_t)
ELSEWHERE(1, int8_t)

#define LOAD(NAME, WAY, OFFSET, SIZE, TYPE)                                                           \
    ARM(NAME##_##WAY) {                                                                               \
        uint32_t base = N, after = moved(WAY, base, OFFSET), address = is_before(WAY) ? after : base; \
        LOAD_FROM(SIZE, TYPE, { if (is_kept(WAY)) { q->r[rec->n] = after; } q->r[rec->d] = got; });   \
    }
#define STORE(NAME, WAY, OFFSET, SIZE, TYPE)                                                          \
    ARM(NAME##_##WAY) {                                                                               \
        uint32_t base = N, after = moved(WAY, base, OFFSET), address = is_before(WAY) ? after : base; \
        uint32_t value = REG(rec->d) + (rec->d == PC ? 4 : 0);                                        \
        uint8_t *to = writable(q, address, SIZE, SIZE);                                           \
        if (!LIKELY_TO(to)) {                                                                         \
            return store_elsewhere_##TYPE(PASS, address);                                             \
        }                                                                                             \
        memcpy(to, &value, SIZE);                                                                     \
        if (is_kept(WAY)) {                                                                           \
            q->r[rec->n] = after;                                                                     \
        }                                                                                             \
        if (address >> 24 == IN_IWRAM) {                                                              \
            NEXT_WAIT(1);                                                                             \
        }                                                                                             \
        NEXT_WAIT(1 + ((SIZE) == 4 ? q->place.wram_wait32 : q->place.wram_wait16));                   \
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

/* several registers: upwards or downwards, the base's own place left out or not */
#define FIRST(BASE, COUNT) ((UP ? (BASE) : (BASE) - 4 * (COUNT) + 4) + (BEFORE ? UP ? 4 : -4 : 0))

ARM(ldm) {
    int n = rec->n, list = OP & 0xFFFF, count = __builtin_popcount(list);
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
    if (OP & 1 << 21 && !(list >> n & 1)) {
        q->r[n] = after;
    }
    if (list & 1 << PC) {
        JUMP(target, cycles + q->place.non32 - q->place.seq32);
    }
    NEXT_APART(cycles);
}

ARM(stm) {
    int n = rec->n, list = OP & 0xFFFF, count = __builtin_popcount(list);
    uint32_t base = q->r[n], first = FIRST(base, count), after = UP ? base + 4 * count : base - 4 * count;
    uint8_t *to = several(q, first, count);
    SLOW_UNLESS(n != PC && to && base >> 24 == first >> 24 && writable_several(q, first, count));
    int32_t cycles = cycles_of_several(q, &q->place, &q->prefetched, FETCHING, base, count, false);
    for (int rest = list; rest; rest &= rest - 1, to += 4) {
        int i = __builtin_ctz(rest);
        uint32_t value = REG(i) + (i == PC ? 4 : 0);
        memcpy(to, &value, 4);
    }
    if (OP & 1 << 21) {
        q->r[n] = after;
    }
    NEXT_APART(cycles);
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

void core_fill_arm_memory(void) {
    fill_halves();
    fill_words();
}
