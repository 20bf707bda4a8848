/* Where decoded instructions are kept: a game's own for code in RAM, those of the cartridge for all games of the process
 * that have the same one, so that several games in turn find them in the processor's caches. */
#include "core.h"

#include <mgba/internal/gba/gba.h>

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SPARE = 8 }; /* records behind the last instruction, which may be run into */
enum { LINE = 1 << LINE_BITS, AHEAD_BYTES = 12 /* from an instruction on that has been fetched */ };

/* Of ARM and Thumb. Memory that nobody touches takes no place. */
struct set {
    struct record *of[2];
    size_t bytes;
};

/* Code in RAM. A line of it that was decoded has its flag set, and a copy, which is compared before code there runs. */
struct ram {
    struct set set;
    uint8_t *flags, *copy;
    uint16_t *lines; /* that have the flag */
    int count;
};

struct cartridge {
    struct cartridge *next;
    uint64_t hash;
    uint32_t size, users;
    struct set set;
};

struct decoded {
    struct set bios;
    struct ram ram[2]; /* internal and work memory */
    struct cartridge *cartridge;
    const void *rom; /* what it was made for */
};

static const uint8_t no_lines[WRAM_BYTES / LINE];
static struct cartridge *cartridges;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reserve(size_t bytes) {
    void *found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return found == MAP_FAILED ? NULL : found;
}

/* For so many bytes of code. */
static struct set new_set(size_t size) {
    size_t bytes = (size / 2 + SPARE) * sizeof(struct record);
    return (struct set) {{reserve(bytes), reserve(bytes)}, bytes};
}

static void free_set(struct set *set) {
    for (int i = 0; i < 2; ++i) {
        if (set->of[i]) {
            munmap(set->of[i], set->bytes);
        }
    }
}

static uint64_t hash_of(const uint8_t *code, uint32_t size) {
    uint64_t hash = size, word;
    for (; size >= sizeof word; size -= sizeof word, code += sizeof word) {
        memcpy(&word, code, sizeof word);
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    for (; size; --size) {
        hash = (hash ^ *code++) * 0x9E3779B97F4A7C15u;
    }
    return hash;
}

static struct cartridge *take_cartridge(const struct GBAMemory *memory) {
    uint64_t hash = hash_of((const uint8_t *) memory->rom, memory->romSize);
    pthread_mutex_lock(&lock);
    struct cartridge *found = cartridges;
    while (found && (found->hash != hash || found->size != memory->romSize)) {
        found = found->next;
    }
    if (!found && (found = calloc(1, sizeof *found))) {
        *found = (struct cartridge) {cartridges, hash, memory->romSize, 0, new_set((size_t) memory->romMask + 1)};
        cartridges = found;
    }
    if (found) {
        found->users += 1;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static void give_cartridge(struct cartridge *cartridge) {
    if (!cartridge) {
        return;
    }
    pthread_mutex_lock(&lock);
    if (!--cartridge->users) {
        struct cartridge **at = &cartridges;
        while (*at != cartridge) {
            at = &(*at)->next;
        }
        *at = cartridge->next;
        free_set(&cartridge->set);
        free(cartridge);
    }
    pthread_mutex_unlock(&lock);
}

static struct ram new_ram(size_t size) {
    size_t lines = size / LINE;
    return (struct ram) {new_set(size), calloc(lines, 1), calloc(size, 1), calloc(lines, sizeof(uint16_t)), 0};
}

static void free_ram(struct ram *ram) {
    free_set(&ram->set);
    free(ram->flags);
    free(ram->copy);
    free(ram->lines);
}

static bool is_whole(const struct ram *ram) {
    return ram->set.of[0] && ram->set.of[1] && ram->flags && ram->copy && ram->lines;
}

struct decoded *decoded_new(void) {
    struct decoded *made = calloc(1, sizeof *made);
    if (!made) {
        return NULL;
    }
    *made = (struct decoded) {.bios = new_set(SIZE_BIOS), .ram = {new_ram(IWRAM_BYTES), new_ram(WRAM_BYTES)}};
    if (!made->bios.of[0] || !made->bios.of[1] || !is_whole(&made->ram[0]) || !is_whole(&made->ram[1])) {
        decoded_free(made);
        return NULL;
    }
    return made;
}

void decoded_free(struct decoded *decoded) {
    if (decoded) {
        free_set(&decoded->bios);
        free_ram(&decoded->ram[0]);
        free_ram(&decoded->ram[1]);
        give_cartridge(decoded->cartridge);
        free(decoded);
    }
}

/* A cartridge that changes while it is played is none of ours. */
static struct set *of_cartridge(struct decoded *decoded, const struct GBA *gba) {
    const struct GBAMemory *memory = &gba->memory;
    if (memory->matrix.size || gba->cpu->memory.activeRegion != memory->rom) {
        return NULL;
    }
    if (decoded->rom != memory->rom) {
        give_cartridge(decoded->cartridge);
        decoded->cartridge = take_cartridge(memory);
        decoded->rom = memory->rom;
    }
    return decoded->cartridge ? &decoded->cartridge->set : NULL;
}

static struct set *find_set(struct decoded *decoded, const struct GBA *gba) {
    switch (gba->memory.activeRegion) {
    case IN_BIOS:
        return &decoded->bios;
    case IN_IWRAM:
        return &decoded->ram[0].set;
    case IN_WRAM:
        return &decoded->ram[1].set;
    case IN_ROM:
    case IN_ROM_HIGH:
        return of_cartridge(decoded, gba);
    default:
        return NULL;
    }
}

bool decoded_take(struct core *q, const struct GBA *gba) {
    const struct set *set = find_set(q->decoded, gba);
    if (!set || !set->of[0] || !set->of[1]) {
        return false;
    }
    q->records_of[0] = set->of[0];
    q->records_of[1] = set->of[1];
    q->code_lines[0] = gba->memory.activeRegion == IN_IWRAM ? q->decoded->ram[0].flags : no_lines;
    q->code_lines[1] = gba->memory.activeRegion == IN_WRAM ? q->decoded->ram[1].flags : no_lines;
    return true;
}

static struct ram *ram_of(struct core *q) {
    return &q->decoded->ram[q->place.region == IN_WRAM];
}

static void copy_line(const struct core *q, struct ram *ram, uint32_t line) {
    memcpy(ram->copy + line * LINE, q->code + line * LINE, LINE);
}

static void watch_line(const struct core *q, struct ram *ram, uint32_t line) {
    if (!ram->flags[line]) {
        ram->flags[line] = 1;
        ram->lines[ram->count++] = line;
        copy_line(q, ram, line);
    }
}

void decoded_watch(struct core *q, uint32_t pc) {
    struct ram *ram = ram_of(q);
    watch_line(q, ram, (pc & q->mask) >> LINE_BITS);
    watch_line(q, ram, ((pc + AHEAD_BYTES - 1) & q->mask) >> LINE_BITS);
}

static void forget_line(struct ram *ram, uint32_t line) {
    for (uint32_t at = line * LINE / 2; at < (line + 1) * LINE / 2; ++at) {
        if (ram->set.of[0][at].run) {
            ram->set.of[0][at].run = core_decode_arm;
        }
        if (ram->set.of[1][at].run) {
            ram->set.of[1][at].run = core_decode_thumb;
        }
    }
}

void decoded_refresh(struct core *q) {
    struct ram *ram = ram_of(q);
    for (int i = 0; i < ram->count; ++i) {
        uint32_t line = ram->lines[i];
        if (memcmp(ram->copy + line * LINE, q->code + line * LINE, LINE)) {
            forget_line(ram, line);
            copy_line(q, ram, line);
        }
    }
}

static bool is_decoded(struct record *rec) {
    instruction *run = run_of(rec);
    return run && run != core_decode_arm && run != core_decode_thumb;
}

/* Whether the instruction at this address may be a pair's second: in RAM only within a line, which is forgotten as a whole. */
static bool can_pair(const struct core *q, uint32_t at, uint32_t width) {
    return at >= width && at <= q->mask && !(in_ram(q->place.region) && (at ^ (at - width)) >> LINE_BITS);
}

static void pair_up(const struct pair *pairs, struct record *rec, instruction *second) {
    instruction *first = run_of(rec);
    for (; pairs->both; ++pairs) {
        if (pairs->first == first && pairs->second == second) {
            set_run(rec, pairs->both);
        }
    }
}

static instruction *alone(const struct pair *pairs, instruction *run) {
    for (; pairs->both; ++pairs) {
        if (pairs->both == run) {
            return pairs->first;
        }
    }
    return run;
}

void decoded_pair(const struct core *q, const struct pair *pairs, uint32_t pc, struct record *rec, uint32_t width) {
    uint32_t at = pc & q->mask;
    struct record *before = further(rec, -(int32_t) width), *behind = further(rec, width);
    if (can_pair(q, at, width) && is_decoded(before)) {
        pair_up(pairs, before, run_of(rec));
    }
    if (can_pair(q, at + width, width) && is_decoded(behind)) {
        pair_up(pairs, rec, alone(pairs, run_of(behind)));
    }
}
