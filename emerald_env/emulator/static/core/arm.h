/* What both files of ARM instructions share. Of a decoded one `d`, `n`, `m` and `s` are registers, as the processor's
 * manual names them, or `s` is how far to shift, and `value` is its constant. */
#pragma once
#include "core.h"

#define FETCHING (pc + 8)
#define OP ((uint32_t) rec[1].value)
#define REG(NUMBER) ((uint32_t) q->r[NUMBER]) /* what reads the program counter finds FETCHING in r[PC] */
#define N REG(rec->n)
#define M REG(rec->m)
#define S REG(rec->s)

#define GO_ON(CYCLES)                             \
    do {                                          \
        left -= (CYCLES); /* which may need pc */ \
        pc += 4;                                  \
        rec += 2;                                 \
        CONTINUE;                                 \
    } while (0)
#define NEXT(CYCLES) GO_ON(q->arm_costs.next + (CYCLES))
/* Behind a load, a store or a multiplication, the next fetch is not sequential. */
#define NEXT_APART(CYCLES) GO_ON(q->arm_costs.apart + (CYCLES))
/* Behind an access that waits. ARM code in the cartridge is rare. */
#define NEXT_WAIT(CYCLES)                                   \
    do {                                                    \
        int32_t waits = (CYCLES);                            \
        if (!LIKELY_TO(!q->place.stalls)) {                 \
            return core_stall_arm(PASS, waits);             \
        }                                                   \
        NEXT_APART(waits);                                  \
    } while (0)
#define LAND(CYCLES)                              \
    do {                                          \
        q->jumped = pc;                           \
        q->prefetched = 0;                        \
        left -= q->arm_costs.jump + (CYCLES);     \
        LEAVE_TO_TRANSLATED                       \
        CONTINUE;                                 \
    } while (0)
#define JUMP(TARGET, CYCLES)                      \
    do {                                          \
        pc = (TARGET);                            \
        rec = arm_record_at(q, pc);               \
        LAND(CYCLES);                             \
    } while (0)
#define ARM(NAME) static void NAME(STATE)
#define SET_NZ(D) nz = (int32_t) (D)

void core_stall_arm(STATE, int32_t wait); /* while the cartridge's prefetch buffer fills */
extern instruction *arm_table[0x1000]; /* by bits 20 to 27 and 4 to 7 */
void core_fill_arm_memory(void);

INLINE struct record *arm_record_at(const struct core *q, uint32_t pc) {
    return ready(q->records + (pc & q->mask) / 2, core_decode_arm);
}

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
