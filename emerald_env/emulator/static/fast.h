/* What mGBA's processor does most often, in line: memory that has no side effects, branches inside a region, and the
 * next instruction. Everything else is mGBA's own. build_mgba.py puts these in the place of calls through pointers.
 *
 * Cycles are returned, not added through a pointer: a function whose variable has its address taken cannot end in a jump.
 */
#pragma once

#include <mgba/internal/arm/arm.h>
#include <mgba/internal/arm/isa-arm.h>
#include <mgba/internal/arm/isa-inlines.h>
#include <mgba/internal/arm/isa-thumb.h>
#include <mgba/internal/gba/gba.h>

#include <string.h>

#define FAST static inline __attribute__((always_inline))
#define SLOW static __attribute__((noinline, cold))

struct loaded {
    uint32_t value;
    int32_t cycles;
};

FAST struct GBA *gba_of(struct ARMCore *cpu) {
    return (struct GBA *) cpu->master;
}

/* The cycles of an access with `wait` while the cartridge's prefetch buffer fills: GBAMemoryStall of memory.c. */
FAST int32_t fast_stall(struct ARMCore *cpu, int32_t wait) {
    struct GBAMemory *memory = &gba_of(cpu)->memory;
    if (memory->activeRegion < REGION_CART0 || !memory->prefetch) {
        return wait;
    }
    uint32_t ahead = memory->lastPrefetchedPc - cpu->gprs[ARM_PC];
    int32_t before = ahead < 16 ? ahead >> 1 : 0;
    int32_t seq = cpu->memory.activeSeqCycles16;
    int32_t stall = seq + 1, loads = 1;
    for (; stall < wait && loads < 8 - before; ++loads) {
        stall += seq;
    }
    memory->lastPrefetchedPc = cpu->gprs[ARM_PC] + WORD_SIZE_THUMB * (loads + before - 1);
    wait = stall > wait ? stall : wait;
    return wait - (cpu->memory.activeNonseqCycles16 - seq + 1) - (stall - 1);
}

#define SLOW_LOAD(BITS)                                                                  \
    SLOW struct loaded slow_load##BITS(struct ARMCore *cpu, uint32_t address) {          \
        int cycles = 0;                                                                  \
        uint32_t value = cpu->memory.load##BITS(cpu, address, &cycles);                  \
        return (struct loaded) {value, cycles};                                          \
    }
SLOW_LOAD(8)
SLOW_LOAD(16)
SLOW_LOAD(32)

#define SLOW_STORE(BITS)                                                                 \
    SLOW int32_t slow_store##BITS(struct ARMCore *cpu, uint32_t address, uint32_t value) { \
        int cycles = 0;                                                                  \
        cpu->memory.store##BITS(cpu, address, value, &cycles);                           \
        return cycles;                                                                   \
    }
SLOW_STORE(8)
SLOW_STORE(16)
SLOW_STORE(32)

/* Work memory, internal memory and the cartridge, as far as the ROM goes; NULL elsewhere. */
FAST const uint8_t *readable(const struct GBA *gba, uint32_t address, uint32_t align) {
    switch (address >> BASE_OFFSET) {
    case REGION_WORKING_RAM:
        return (const uint8_t *) gba->memory.wram + (address & (SIZE_WORKING_RAM - align));
    case REGION_WORKING_IRAM:
        return (const uint8_t *) gba->memory.iwram + (address & (SIZE_WORKING_IRAM - align));
    case REGION_CART0:
    case REGION_CART0_EX:
        if ((address & (SIZE_CART0 - 1)) < gba->memory.romSize) {
            return (const uint8_t *) gba->memory.rom + (address & (SIZE_CART0 - align));
        }
    }
    return NULL;
}

FAST uint8_t *writable(const struct GBA *gba, uint32_t address, uint32_t align) {
    switch (address >> BASE_OFFSET) {
    case REGION_WORKING_RAM:
        return (uint8_t *) gba->memory.wram + (address & (SIZE_WORKING_RAM - align));
    case REGION_WORKING_IRAM:
        return (uint8_t *) gba->memory.iwram + (address & (SIZE_WORKING_IRAM - align));
    }
    return NULL;
}

FAST uint32_t rotated(uint32_t value, int bits) {
    return value >> bits | value << (-bits & 31);
}

/* A load takes two cycles, a store one, and what the region waits; internal memory's waits are zero in the tables. */
FAST int32_t cycles_of(struct ARMCore *cpu, uint32_t address, int32_t cycles) {
    return address < BASE_CART0 ? fast_stall(cpu, cycles) : cycles;
}

FAST struct loaded fast_load8(struct ARMCore *cpu, uint32_t address) {
    struct GBA *gba = gba_of(cpu);
    const uint8_t *place = readable(gba, address, 1);
    if (UNLIKELY(!place)) {
        return slow_load8(cpu, address);
    }
    int32_t cycles = 2 + gba->memory.waitstatesNonseq16[address >> BASE_OFFSET];
    return (struct loaded) {*place, cycles_of(cpu, address, cycles)};
}

FAST struct loaded fast_load16(struct ARMCore *cpu, uint32_t address) {
    struct GBA *gba = gba_of(cpu);
    const uint8_t *place = readable(gba, address, 2);
    if (UNLIKELY(!place)) {
        return slow_load16(cpu, address);
    }
    uint16_t value;
    memcpy(&value, place, sizeof value);
    int32_t cycles = 2 + gba->memory.waitstatesNonseq16[address >> BASE_OFFSET];
    return (struct loaded) {rotated(value, (address & 1) << 3), cycles_of(cpu, address, cycles)};
}

FAST struct loaded fast_load32(struct ARMCore *cpu, uint32_t address) {
    struct GBA *gba = gba_of(cpu);
    const uint8_t *place = readable(gba, address, 4);
    if (UNLIKELY(!place)) {
        return slow_load32(cpu, address);
    }
    uint32_t value;
    memcpy(&value, place, sizeof value);
    int32_t cycles = 2 + gba->memory.waitstatesNonseq32[address >> BASE_OFFSET];
    return (struct loaded) {rotated(value, (address & 3) << 3), cycles_of(cpu, address, cycles)};
}

FAST int32_t fast_store8(struct ARMCore *cpu, uint32_t address, uint8_t value) {
    struct GBA *gba = gba_of(cpu);
    uint8_t *place = writable(gba, address, 1);
    if (UNLIKELY(!place)) {
        return slow_store8(cpu, address, value);
    }
    *place = value;
    return fast_stall(cpu, 1 + gba->memory.waitstatesNonseq16[address >> BASE_OFFSET]);
}

FAST int32_t fast_store16(struct ARMCore *cpu, uint32_t address, uint16_t value) {
    struct GBA *gba = gba_of(cpu);
    uint8_t *place = writable(gba, address, 2);
    if (UNLIKELY(!place)) {
        return slow_store16(cpu, address, value);
    }
    memcpy(place, &value, sizeof value);
    return fast_stall(cpu, 1 + gba->memory.waitstatesNonseq16[address >> BASE_OFFSET]);
}

FAST int32_t fast_store32(struct ARMCore *cpu, uint32_t address, uint32_t value) {
    struct GBA *gba = gba_of(cpu);
    uint8_t *place = writable(gba, address, 4);
    if (UNLIKELY(!place)) {
        return slow_store32(cpu, address, value);
    }
    memcpy(place, &value, sizeof value);
    return fast_stall(cpu, 1 + gba->memory.waitstatesNonseq32[address >> BASE_OFFSET]);
}

/* Loads and stores of several registers at once: in work and internal memory ours, elsewhere mGBA's. */
SLOW struct loaded slow_multiple(struct ARMCore *cpu, bool load, uint32_t address, int mask, enum LSMDirection way) {
    int cycles = 0;
    uint32_t end = load ? cpu->memory.loadMultiple(cpu, address, mask, way, &cycles)
                        : cpu->memory.storeMultiple(cpu, address, mask, way, &cycles);
    return (struct loaded) {end, cycles};
}

static __attribute__((noinline)) struct loaded multiple(struct ARMCore *cpu, bool load, uint32_t base, int mask,
                                                        enum LSMDirection way) {
    struct GBA *gba = gba_of(cpu);
    const char *seq = gba->memory.waitstatesSeq32;
    int count = __builtin_popcount(mask), region = base >> BASE_OFFSET;
    uint32_t first = base - (way & LSM_D ? 4 * count - 4 : 0) + (way & LSM_B ? way & LSM_D ? -4 : 4 : 0);
    uint32_t last = first + 4 * count - 4;
    if (!mask || (region != REGION_WORKING_RAM && region != REGION_WORKING_IRAM)
        || first >> BASE_OFFSET != (uint32_t) region || last >> BASE_OFFSET != (uint32_t) region) {
        return slow_multiple(cpu, load, base, mask, way);
    }
    uint32_t address = first & ~3;
    for (int left = mask; left; left &= left - 1, address += 4) {
        int i = __builtin_ctz(left);
        uint8_t *place = writable(gba, address, 4);
        if (load) {
            memcpy(&cpu->gprs[i], place, 4);
        } else {
            int32_t value = cpu->gprs[i] + (i == ARM_PC ? WORD_SIZE_ARM : 0);
            memcpy(place, &value, 4);
        }
    }
    int32_t cycles = seq[region] - gba->memory.waitstatesNonseq32[region] + count * (1 + seq[region]) + load;
    uint32_t end = way & LSM_D ? base - 4 * count : base + 4 * count;
    return (struct loaded) {end, fast_stall(cpu, cycles)};
}

/* Where the processor goes on: mGBA's setActiveRegion for jumps inside a region that are no wait loop. */
FAST void jump(struct ARMCore *cpu, uint32_t address) {
    struct GBA *gba = gba_of(cpu);
    struct GBAMemory *memory = &gba->memory;
    if (UNLIKELY(gba->idleOptimization > IDLE_LOOP_REMOVE || address == gba->idleLoop
                 || (int) (address >> BASE_OFFSET) != memory->activeRegion
                 || (address >= BASE_CART0 && (address & (SIZE_CART0 - 1)) >= memory->romSize))) {
        cpu->memory.setActiveRegion(cpu, address);
        return;
    }
    gba->lastJump = address;
    memory->lastPrefetchedPc = 0;
    if (cpu->cpsr.t) {
        cpu->memory.activeMask |= WORD_SIZE_THUMB;
    } else {
        cpu->memory.activeMask &= -WORD_SIZE_ARM;
    }
}

FAST int32_t fast_write_pc_arm(struct ARMCore *cpu) {
    uint32_t pc = cpu->gprs[ARM_PC] & -WORD_SIZE_THUMB;
    jump(cpu, pc);
    LOAD_32(cpu->prefetch[0], pc & cpu->memory.activeMask, cpu->memory.activeRegion);
    LOAD_32(cpu->prefetch[1], (pc + WORD_SIZE_ARM) & cpu->memory.activeMask, cpu->memory.activeRegion);
    cpu->gprs[ARM_PC] = pc + WORD_SIZE_ARM;
    return 2 + cpu->memory.activeNonseqCycles32 + cpu->memory.activeSeqCycles32;
}

FAST int32_t fast_write_pc_thumb(struct ARMCore *cpu) {
    uint32_t pc = cpu->gprs[ARM_PC] & -WORD_SIZE_THUMB;
    jump(cpu, pc);
    LOAD_16(cpu->prefetch[0], pc & cpu->memory.activeMask, cpu->memory.activeRegion);
    LOAD_16(cpu->prefetch[1], (pc + WORD_SIZE_THUMB) & cpu->memory.activeMask, cpu->memory.activeRegion);
    cpu->gprs[ARM_PC] = pc + WORD_SIZE_THUMB;
    return 2 + cpu->memory.activeNonseqCycles16 + cpu->memory.activeSeqCycles16;
}

#define ARMWritePC fast_write_pc_arm
#define ThumbWritePC fast_write_pc_thumb

/* As mGBA's functions are called: the last argument is the variable that the cycles are added to, here by its name. */
#define TAKE(LOADED, CYCLES)                 \
    ({                                       \
        struct loaded taken = (LOADED);      \
        CYCLES += taken.cycles;              \
        taken.value;                         \
    })
#define FAST_load8(CPU, ADDRESS, CYCLES) TAKE(fast_load8(CPU, ADDRESS), CYCLES)
#define FAST_load16(CPU, ADDRESS, CYCLES) TAKE(fast_load16(CPU, ADDRESS), CYCLES)
#define FAST_load32(CPU, ADDRESS, CYCLES) TAKE(fast_load32(CPU, ADDRESS), CYCLES)
#define FAST_store8(CPU, ADDRESS, VALUE, CYCLES) (CYCLES += fast_store8(CPU, ADDRESS, VALUE))
#define FAST_store16(CPU, ADDRESS, VALUE, CYCLES) (CYCLES += fast_store16(CPU, ADDRESS, VALUE))
#define FAST_store32(CPU, ADDRESS, VALUE, CYCLES) (CYCLES += fast_store32(CPU, ADDRESS, VALUE))
#define FAST_loadMultiple(CPU, ADDRESS, MASK, DIRECTION, CYCLES) \
    TAKE(multiple(CPU, true, ADDRESS, MASK, DIRECTION), CYCLES)
#define FAST_storeMultiple(CPU, ADDRESS, MASK, DIRECTION, CYCLES) \
    TAKE(multiple(CPU, false, ADDRESS, MASK, DIRECTION), CYCLES)

/* Runs the next instruction as the last act of this one. A change between ARM and Thumb makes an event due, so that
 * ARMRunLoop chooses the other kind. */
#define FAST_NEXT_THUMB(CPU)                                                                               \
    if (LIKELY((CPU)->cycles < (CPU)->nextEvent)) {                                                        \
        uint32_t next = (CPU)->prefetch[0];                                                                \
        (CPU)->prefetch[0] = (CPU)->prefetch[1];                                                           \
        (CPU)->gprs[ARM_PC] += WORD_SIZE_THUMB;                                                            \
        LOAD_16((CPU)->prefetch[1], (CPU)->gprs[ARM_PC] & (CPU)->memory.activeMask, (CPU)->memory.activeRegion); \
        _thumbTable[next >> 6](CPU, next);                                                                 \
    }

/* Bit `flags` of entry `condition` says whether an instruction runs; flags are N, Z, C, V from the highest bit. */
static const uint16_t RUNS[16] = {0xF0F0, 0x0F0F, 0xCCCC, 0x3333, 0xFF00, 0x00FF, 0xAAAA, 0x5555,
                                  0x0C0C, 0xF3F3, 0xAA55, 0x55AA, 0x0A05, 0xF5FA, 0xFFFF, 0x0000};

#define FAST_NEXT_ARM(CPU)                                                                                 \
    while (LIKELY((CPU)->cycles < (CPU)->nextEvent)) {                                                     \
        uint32_t next = (CPU)->prefetch[0];                                                                \
        (CPU)->prefetch[0] = (CPU)->prefetch[1];                                                           \
        (CPU)->gprs[ARM_PC] += WORD_SIZE_ARM;                                                              \
        LOAD_32((CPU)->prefetch[1], (CPU)->gprs[ARM_PC] & (CPU)->memory.activeMask, (CPU)->memory.activeRegion); \
        if (LIKELY(next >> 28 == 0xE || RUNS[next >> 28] >> ((CPU)->cpsr.flags >> 4) & 1)) {                \
            _armTable[(next >> 16 & 0xFF0) | (next >> 4 & 0x00F)](CPU, next);                              \
            return;                                                                                        \
        }                                                                                                  \
        (CPU)->cycles += 1 + (CPU)->memory.activeSeqCycles32;                                              \
    }
