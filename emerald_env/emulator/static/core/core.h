/* What an instruction of the interpreter needs, and how one leads to the next. See README.md. */
#pragma once
#include "state.h"

struct profile;

/* The state of the processor in an instruction. `pc` is its own address; `left` are the cycles until something may
 * happen, negative from then on; `op` is the instruction; `nz` is negative where N is set, and its low half is 0 where Z is. With more of it a compiler runs out of
 * registers that a function need not save. */
#define STATE struct core *q, uint32_t pc, int32_t left, int64_t nz, uint32_t op
#define PASS q, pc, left, nz, op
typedef void instruction(STATE);

extern instruction *thumb_table[0x400], *arm_table[0x1000];
instruction core_leave, core_run_arm, core_run_thumb;
/* In video memory, and where reading input and output changes nothing; NO_CYCLES elsewhere, and when an event is due. */
struct loaded core_load(struct core *q, uint32_t address, int size, uint32_t fetching, int32_t left);
int32_t core_store(struct core *q, uint32_t address, uint32_t value, int size, uint32_t fetching, int32_t left);
void core_fill_arm_table(void);
void core_fill_thumb_table(void);
/* Counts the instruction at `pc`; `apart`: it does not follow the one before. */
void profile_count(struct profile *profile, const struct core *q, uint32_t pc, bool thumb, bool apart, bool reached);

INLINE uint32_t fetch16(const struct core *q, uint32_t pc) {
    uint16_t code;
    memcpy(&code, q->code + (pc & q->mask), sizeof code);
    return code;
}

INLINE uint32_t fetch32(const struct core *q, uint32_t pc) {
    uint32_t code;
    memcpy(&code, q->code + (pc & q->mask), sizeof code);
    return code;
}

/* Where to write, or NULL where the core cannot: elsewhere, or on instructions that have been fetched already. */
INLINE uint8_t *writable(const struct core *q, uint32_t pc, uint32_t address, uint32_t align, uint32_t size) {
    uint8_t *to = ram_at(q, address, align);
    uint32_t ahead = ((uint32_t) (to - q->code) - pc + (size - 1)) & q->mask;
    return LIKELY_TO(to && ahead >= 12 + size - 1) ? to : NULL;
}

#define SLOW_UNLESS(CONDITION)      \
    if (!LIKELY_TO(CONDITION)) {    \
        return core_leave(PASS);    \
    }
/* To the other instruction set, by way of the loop. */
#define SWITCH(TARGET, THUMB, CYCLES)   \
    do {                                \
        q->jumped = pc = (TARGET);      \
        q->prefetched = 0;              \
        left -= (CYCLES);               \
        switch_to(q, THUMB);            \
        return core_leave(PASS);        \
    } while (0)
/* After a jump: goes back to the loop where translated code may go on. */
#define LEAVE_TO_TRANSLATED                                                \
    if (!LIKELY_TO(!q->pages) && left >= 0 && group_at(q->pages, pc)) {    \
        q->again = true;                                                   \
        return core_leave(PASS);                                           \
    }
