/* Runs the processor from one event that could be noticed to the next: in place of mGBA's ARMRunLoop. */
#include "game.h"

#include "core.h"

#include <mgba/internal/arm/isa-arm.h>
#include <mgba/internal/arm/isa-inlines.h>
#include <mgba/internal/arm/isa-thumb.h>
#include <mgba/internal/gba/io.h>
#include <mgba/internal/gba/overrides.h>

#include <stdlib.h>

enum { ANYWHERE = 1 << 25, LONGEST_WAIT = (WAITS - 2) / 16 - 1 }; /* for 16 registers at once */
_Static_assert(IN_WRAM == REGION_WORKING_RAM && IN_IWRAM == REGION_WORKING_IRAM && IN_ROM == REGION_CART0, "regions");
_Static_assert(WRAM_BYTES == SIZE_WORKING_RAM && IWRAM_BYTES == SIZE_WORKING_IRAM && ROM_BYTES == SIZE_CART0, "sizes");

/* Back to the loop, from between two instructions. */
void core_leave(STATE) {
    q->pc = pc;
    q->left = left;
    q->nz = nz;
    (void) rec;
}

/* What GBAMemoryStall of memory.c would find, for every wait. */
static void fill_stalls(struct core *q) {
    int seq = q->place.seq16, non = q->place.non16;
    if (q->stall_seq == seq && q->stall_non == non) {
        return;
    }
    q->stall_seq = seq;
    q->stall_non = non;
    for (int wait = 0; wait < WAITS; ++wait) {
        for (int bytes = 0; bytes < 2 * AHEAD; ++bytes) {
            int stall = seq + 1, loads = 1, before = bytes / 2;
            for (; stall < wait && loads < AHEAD - before; ++loads) {
                stall += seq;
            }
            int taken = stall > wait ? stall : wait;
            q->stall[wait][bytes].cycles = taken - (non - seq + 1) - (stall - 1);
            q->stall[wait][bytes].ahead = 2 * (loads + before - 1);
        }
    }
}

static struct place place_now(const struct ARMCore *cpu, const struct GBA *gba) {
    const struct GBAMemory *memory = &gba->memory;
    uint32_t region = memory->activeRegion;
    return (struct place) {
        .region = region,
        .end = region < IN_ROM ? ANYWHERE : memory->romSize,
        .seq16 = cpu->memory.activeSeqCycles16,
        .non16 = cpu->memory.activeNonseqCycles16,
        .seq32 = cpu->memory.activeSeqCycles32,
        .non32 = cpu->memory.activeNonseqCycles32,
        .wram_wait16 = memory->waitstatesNonseq16[IN_WRAM],
        .wram_wait32 = memory->waitstatesNonseq32[IN_WRAM],
        .rom_wait16 = {memory->waitstatesNonseq16[IN_ROM], memory->waitstatesNonseq16[IN_ROM_HIGH]},
        .rom_wait32 = {memory->waitstatesNonseq32[IN_ROM], memory->waitstatesNonseq32[IN_ROM_HIGH]},
        .rom_size = memory->romSize,
        .idle_loop = region == IN_BIOS ? IDLE_LOOP_NONE : gba->idleLoop,
        .stalls = region >= IN_ROM && memory->prefetch,
    };
}

/* What is translated of the code's region, if that was for this place. */
static const struct pages *find_pages(const struct core *q, bool thumb) {
    if (!q->translation || q->place.region >= REGIONS) {
        return NULL;
    }
    const struct pages *pages = q->translation->pages[thumb][q->place.region];
    return pages && !memcmp(&pages->place, &q->place, sizeof q->place) ? pages : NULL;
}

/* memcmp without its call, which takes longer than this. */
static bool is_same(const struct place *one, const struct place *other) {
    uint32_t differs = 0, a[sizeof *one / sizeof differs], b[sizeof a / sizeof *a];
    memcpy(a, one, sizeof a);
    memcpy(b, other, sizeof b);
    for (size_t i = 0; i < sizeof a / sizeof *a; ++i) {
        differs |= a[i] ^ b[i];
    }
    return !differs;
}

static void take_place(struct core *q, const struct ARMCore *cpu, const struct GBA *gba) {
    struct place place = place_now(cpu, gba);
    if (is_same(&q->place, &place)) {
        return;
    }
    q->place = place;
    q->iwram = (uint8_t *) gba->memory.iwram;
    q->wram = (uint8_t *) gba->memory.wram;
    q->rom = (const uint8_t *) gba->memory.rom;
    q->arm_costs = (struct costs) {1 + place.seq32, 1 + place.non32, 3 + 2 * place.seq32 + place.non32};
    q->thumb_costs = (struct costs) {1 + place.seq16, 1 + place.non16, 3 + 2 * place.seq16 + place.non16};
    for (int i = 0; i < 2; ++i) {
        q->arm_near[i] = place.stalls ? ~0u : (uint32_t) (IN_WRAM + i) << 24;
    }
    q->pages_of[0] = find_pages(q, false);
    q->pages_of[1] = find_pages(q, true);
    if (place.stalls) {
        fill_stalls(q);
    }
}

/* Whether the core can run from here: the instructions that have been fetched are those in memory. */
static bool enter(struct core *q, struct ARMCore *cpu, const struct GBA *gba) {
    const struct GBAMemory *memory = &gba->memory;
    int wait = memory->waitstatesSeq32[IN_WRAM];
    if (memory->activeRegion < 0 || gba->idleOptimization != IDLE_LOOP_REMOVE || wait > LONGEST_WAIT
        || wait != memory->waitstatesNonseq32[IN_WRAM]) {
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
    if (!decoded_take(q, gba)) {
        return false;
    }
    take_place(q, cpu, gba);
    q->pages = q->pages_of[thumb];
    q->thumb = thumb;
    q->prefetched = memory->lastPrefetchedPc;
    q->jumped = gba->lastJump;
    q->shifter = cpu->shifterCarryOut;
    memcpy(q->r, cpu->gprs, sizeof q->r);
    bool n = cpu->cpsr.n, z = cpu->cpsr.z;
    q->nz = z ? n ? INT64_MIN : 0 : n ? -1 : 1;
    q->c = cpu->cpsr.c;
    q->v = cpu->cpsr.v;
    return true;
}

/* Lets mGBA see the time and the place of an instruction; false: an event has to come first. */
static bool is_shown(struct core *q, struct ARMCore *cpu, uint32_t fetching, int32_t left) {
    cpu->cycles = q->until - 1 - left;
    if (cpu->cycles >= cpu->nextEvent) {
        return false;
    }
    cpu->gprs[PC] = fetching;
    ((struct GBA *) cpu->master)->memory.lastPrefetchedPc = q->prefetched;
    q->reached = true;
    return true;
}

static bool can_read(uint32_t address) {
    switch (address >> 24) {
    case REGION_IO:
        switch (address & 0xFFFFFE) {
        case REG_DISPCNT:
        case REG_DISPSTAT:
        case REG_VCOUNT:
        case REG_KEYINPUT:
        case REG_IE:
        case REG_IF:
        case REG_WAITCNT:
        case REG_IME:
            return true;
        default:
            return false;
        }
    case REGION_PALETTE_RAM:
    case REGION_VRAM:
    case REGION_OAM:
        return true;
    default:
        return false;
    }
}

/* The registers of the picture's line are known though its events have been let wait. */
static struct loaded load_line(struct core *q, uint32_t address, int size, uint32_t fetching, int32_t left) {
    struct GBA *gba = ((struct ARMCore *) q->cpu)->master;
    uint32_t both = line_registers(game_of(gba), q->until - 1 - left) >> 8 * (address & 3);
    gba->haltPending = false; /* as GBAIORead does */
    q->reached = true;
    return (struct loaded) {size == 4 ? both : both & ((1u << 8 * size) - 1),
                            stalled(q, &q->place, &q->prefetched, fetching, 2)};
}

struct loaded core_load(struct core *q, uint32_t address, int size, uint32_t fetching, int32_t left) {
    struct ARMCore *cpu = q->cpu;
    if ((address & ~3u) == (BASE_IO | REG_DISPSTAT) && !(address & (size - 1))) {
        return load_line(q, address, size, fetching, left);
    }
    bool halves = size == 4 && address >> 24 == REGION_IO; /* two registers */
    if (address & (size - 1) || !can_read(address) || (halves && !can_read(address + 2))
        || !is_shown(q, cpu, fetching, left)) {
        return (struct loaded) {0, NO_CYCLES};
    }
    int wait = 0;
    uint32_t value = size == 4   ? cpu->memory.load32(cpu, address, &wait)
                     : size == 2 ? cpu->memory.load16(cpu, address, &wait)
                                 : cpu->memory.load8(cpu, address, &wait);
    q->prefetched = ((struct GBA *) cpu->master)->memory.lastPrefetchedPc;
    return (struct loaded) {value, wait};
}

int32_t core_store(struct core *q, uint32_t address, uint32_t value, int size, uint32_t fetching, int32_t left) {
    struct ARMCore *cpu = q->cpu;
    uint32_t region = address >> 24;
    if (region < REGION_PALETTE_RAM || region > REGION_OAM || region == q->place.region
        || !is_shown(q, cpu, fetching, left)) {
        return NO_CYCLES;
    }
    int wait = 0;
    if (size == 4) {
        cpu->memory.store32(cpu, address, value, &wait);
    } else if (size == 2) {
        cpu->memory.store16(cpu, address, value, &wait);
    } else {
        cpu->memory.store8(cpu, address, value, &wait);
    }
    q->prefetched = ((struct GBA *) cpu->master)->memory.lastPrefetchedPc;
    return wait;
}

static void leave(struct core *q, struct ARMCore *cpu, struct GBA *gba) {
    bool thumb = q->thumb;
    if (thumb != (cpu->executionMode == MODE_THUMB)) {
        cpu->executionMode = thumb ? MODE_THUMB : MODE_ARM;
        cpu->cpsr.t = thumb;
        cpu->memory.activeMask = q->mask;
    }
    uint32_t next = q->pc + (thumb ? 2 : 4);
    memcpy(cpu->gprs, q->r, sizeof q->r);
    cpu->gprs[PC] = next;
    cpu->prefetch[0] = thumb ? fetch16(q, q->pc) : fetch32(q, q->pc);
    cpu->prefetch[1] = thumb ? fetch16(q, next) : fetch32(q, next);
    cpu->cpsr.n = q->nz < 0;
    cpu->cpsr.z = !(uint32_t) q->nz;
    cpu->cpsr.c = q->c;
    cpu->cpsr.v = q->v;
    cpu->shifterCarryOut = q->shifter & 1;
    gba->lastJump = q->jumped;
    gba->memory.lastPrefetchedPc = q->prefetched;
}

static void interpret(struct core *q, int32_t left) {
    q->records = q->records_of[q->thumb];
    if (in_ram(q->place.region)) {
        decoded_refresh(q);
    }
    (q->thumb ? core_run_thumb : core_run_arm)(q, q->pc, left, q->nz, NULL);
}

/* Runs translated code while there is some here; returns whether the interpreter has to go on. */
static bool run_groups(struct core *q) {
    uint32_t number = q->pages ? group_at(q->pages, q->pc) : 0, before = 0;
    while (number && number != before) {
        enum why why = q->translation->groups[number](q);
        if (q->left < 0) {
            return false;
        }
        if (why == MUST_INTERPRET) {
            return true;
        }
        q->pages = q->pages_of[q->thumb];
        before = number;
        number = q->pages ? group_at(q->pages, q->pc) : 0;
    }
    return true;
}

/* Runs until these cycles, or an instruction that the core cannot do. */
static void run_core(struct core *q, struct ARMCore *cpu, struct GBA *gba, int32_t until) {
    q->left = until - cpu->cycles - 1;
    q->until = until;
    do {
        q->again = false;
        q->pages = q->pages_of[q->thumb];
        if (run_groups(q)) {
            q->again = false;
            interpret(q, q->left);
        }
    } while (q->again && q->left >= 0);
    cpu->cycles = until - 1 - q->left;
    leave(q, cpu, gba);
}

/* Runs like run_core, an instruction at a time, and counts each; `apart`: mGBA itself ran the one before. */
static void run_counting(game *g, struct ARMCore *cpu, int32_t until) {
    struct core *q = g->fast;
    int32_t left = until - cpu->cycles - 1;
    bool apart = true;
    q->pages = NULL;
    while (left >= 0) {
        uint32_t pc = q->pc;
        bool thumb = q->thumb;
        q->reached = false;
        q->left = 0;
        q->until = until - left;
        interpret(q, 0);
        profile_count(g->profile, q, pc, thumb, apart, q->reached);
        if (q->left >= 0) { /* mGBA itself has to run it */
            break;
        }
        left += q->left;
        apart = q->thumb != thumb || q->pc != pc + (thumb ? 2 : 4);
    }
    cpu->cycles = until - 1 - left;
    leave(q, cpu, g->gba);
}

/* Lets mGBA run an instruction, and the next few of the BIOS: its way in and out of a call changes modes all the time. */
static void run_slow(struct ARMCore *cpu, const struct GBA *gba) {
    int few = 32;
    do {
        ARMRun(cpu);
    } while (gba->memory.activeRegion == IN_BIOS && --few && cpu->cycles < cpu->nextEvent);
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
            if (g->profile) {
                run_counting(g, cpu, until);
            } else {
                run_core(g->fast, cpu, gba, until);
            }
            if (cpu->cycles >= cpu->nextEvent) {
                break;
            }
        }
        run_slow(cpu, gba);
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
        struct decoded *decoded = g->fast ? decoded_new() : NULL;
        if (!decoded) {
            free(g->fast);
            g->fast = NULL;
            return false;
        }
        g->fast->place.region = REGIONS; /* none yet */
        g->fast->load = core_load;
        g->fast->store = core_store;
        g->fast->cpu = g->gba->cpu;
        g->fast->decoded = decoded;
    } else if (!on) {
        game_profile(g, false);
        if (g->fast) {
            decoded_free(g->fast->decoded);
        }
        free(g->fast);
        g->fast = NULL;
    }
    return g->fast;
}

bool game_translate(game *g, const void *translation) {
    const struct translation *found = translation;
    if (!g->fast || (found && found->size != sizeof *g->fast)) {
        return false;
    }
    g->fast->translation = found;
    g->fast->place.region = REGIONS;
    return true;
}
