/* Runs the processor from one event that could be noticed to the next: in place of mGBA's ARMRunLoop. */
#include "game.h"

#include "core.h"

#include <mgba/internal/arm/isa-arm.h>
#include <mgba/internal/arm/isa-inlines.h>
#include <mgba/internal/arm/isa-thumb.h>
#include <mgba/internal/gba/overrides.h>

#include <stdlib.h>

enum { ANYWHERE = 1 << 25, LONGEST_WAIT = (WAITS - 2) / 16 - 1 }; /* for 16 registers at once */

/* Back to the loop, from between two instructions. */
void core_leave(STATE) {
    q->pc = pc;
    q->left = left;
    q->nz = nz;
    (void) op;
}

/* What GBAMemoryStall of memory.c would find, for every wait. */
static void fill_stalls(struct core *q) {
    if (q->stall_seq == q->seq16 && q->stall_non == q->non16) {
        return;
    }
    q->stall_seq = q->seq16;
    q->stall_non = q->non16;
    for (int wait = 0; wait < WAITS; ++wait) {
        for (int before = 0; before < AHEAD; ++before) {
            int stall = q->seq16 + 1, loads = 1;
            for (; stall < wait && loads < 8 - before; ++loads) {
                stall += q->seq16;
            }
            int taken = stall > wait ? stall : wait;
            q->stall[before][wait].cycles = taken - (q->non16 - q->seq16 + 1) - (stall - 1);
            q->stall[before][wait].ahead = 2 * (loads + before - 1);
        }
    }
}

static void take_memory(struct core *q, const struct GBAMemory *memory) {
    q->iwram = (uint8_t *) memory->iwram;
    q->wram = (uint8_t *) memory->wram;
    q->rom = (const uint8_t *) memory->rom;
    q->rom_size = memory->romSize;
    q->wram_wait16 = memory->waitstatesNonseq16[REGION_WORKING_RAM];
    q->wram_wait32 = memory->waitstatesNonseq32[REGION_WORKING_RAM];
    for (int high = 0; high < 2; ++high) {
        q->rom_wait16[high] = memory->waitstatesNonseq16[REGION_CART0 + high];
        q->rom_wait32[high] = memory->waitstatesNonseq32[REGION_CART0 + high];
    }
}

/* Whether the core can run from here: the instructions that have been fetched are those in memory. */
static bool enter(struct core *q, struct ARMCore *cpu, const struct GBA *gba) {
    const struct GBAMemory *memory = &gba->memory;
    int wait = memory->waitstatesSeq32[REGION_WORKING_RAM];
    if (memory->activeRegion < 0 || gba->idleOptimization != IDLE_LOOP_REMOVE || wait > LONGEST_WAIT
        || wait != memory->waitstatesNonseq32[REGION_WORKING_RAM]) {
        return false;
    }
    bool thumb = cpu->executionMode == MODE_THUMB;
    uint32_t next = cpu->gprs[PC];
    q->code = (const uint8_t *) cpu->memory.activeRegion;
    q->mask = cpu->memory.activeMask;
    q->pc = next - (thumb ? 2 : 4);
    if (thumb ? fetch16(q, q->pc) != cpu->prefetch[0] || fetch16(q, next) != cpu->prefetch[1]
              : fetch32(q, q->pc) != cpu->prefetch[0] || fetch32(q, next) != cpu->prefetch[1]) {
        return false;
    }
    take_memory(q, memory);
    q->region = memory->activeRegion;
    q->end = q->region < REGION_CART0 ? ANYWHERE : memory->romSize;
    q->idle_loop = q->region == REGION_BIOS ? IDLE_LOOP_NONE : gba->idleLoop;
    q->seq16 = cpu->memory.activeSeqCycles16;
    q->non16 = cpu->memory.activeNonseqCycles16;
    q->seq32 = cpu->memory.activeSeqCycles32;
    q->non32 = cpu->memory.activeNonseqCycles32;
    q->stalls = q->region >= REGION_CART0 && memory->prefetch;
    if (q->stalls) {
        fill_stalls(q);
    }
    q->prefetched = memory->lastPrefetchedPc;
    q->jumped = gba->lastJump;
    q->shifter = cpu->shifterCarryOut;
    memcpy(q->r, cpu->gprs, sizeof q->r);
    bool n = cpu->cpsr.n, z = cpu->cpsr.z;
    q->nz = z ? n ? INT64_MIN : 0 : n ? -1 : 1;
    q->c = cpu->cpsr.c;
    q->v = cpu->cpsr.v ? -1 : 0;
    return true;
}

static void leave(struct core *q, struct ARMCore *cpu, struct GBA *gba) {
    bool thumb = cpu->executionMode == MODE_THUMB;
    uint32_t next = q->pc + (thumb ? 2 : 4);
    memcpy(cpu->gprs, q->r, sizeof q->r);
    cpu->gprs[PC] = next;
    cpu->prefetch[0] = thumb ? fetch16(q, q->pc) : fetch32(q, q->pc);
    cpu->prefetch[1] = thumb ? fetch16(q, next) : fetch32(q, next);
    cpu->cpsr.n = q->nz < 0;
    cpu->cpsr.z = !(uint32_t) q->nz;
    cpu->cpsr.c = q->c;
    cpu->cpsr.v = q->v < 0;
    cpu->shifterCarryOut = q->shifter;
    gba->lastJump = q->jumped;
    gba->memory.lastPrefetchedPc = q->prefetched;
}

/* Runs until these cycles, or an instruction that the core cannot do. */
static void run_core(struct core *q, struct ARMCore *cpu, struct GBA *gba, int32_t until) {
    q->left = until - cpu->cycles - 1;
    instruction *run = cpu->executionMode == MODE_THUMB ? core_run_thumb : core_run_arm;
    run(q, q->pc, q->left, q->nz, 0);
    cpu->cycles = until - 1 - q->left;
    leave(q, cpu, gba);
}

void ARMRunLoop(struct ARMCore *cpu) {
    struct GBA *gba = (struct GBA *) cpu->master;
    game *g = game_of(gba);
    if (!g->fast) {
        while (cpu->cycles < cpu->nextEvent) {
            ARMRun(cpu);
            ++g->instructions;
        }
    }
    while (cpu->cycles < cpu->nextEvent) {
        int32_t until = until_noticed(g);
        if (enter(g->fast, cpu, gba)) {
            run_core(g->fast, cpu, gba, until);
            if (cpu->cycles >= cpu->nextEvent) {
                break;
            }
        }
        ARMRun(cpu);
    }
    cpu->irqh.processEvents(cpu);
}

bool game_core(game *g, bool on) {
    static bool filled;
    if (!filled) {
        core_fill_arm_table();
        core_fill_thumb_table();
        filled = true;
    }
    if (on && !g->fast) {
        g->fast = calloc(1, sizeof *g->fast);
    } else if (!on) {
        free(g->fast);
        g->fast = NULL;
    }
    return g->fast;
}
