/* Hooks on addresses of code, and the processor's registers. */
#include "../game.h"

#include <mgba/internal/arm/isa-inlines.h>

enum { PC = 15, CPSR = 16 };

static uint32_t next_address(const struct ARMCore *cpu) {
    return cpu->gprs[PC] - (cpu->executionMode == MODE_THUMB ? WORD_SIZE_THUMB : WORD_SIZE_ARM);
}

void game_set_hooks(game *g, const uint32_t *addresses, int count, hook_called called, void *context) {
    g->hooks = addresses;
    g->hook_count = count;
    g->hook_called = called;
    g->hook_context = context;
}

static void call_hooks(game *g) {
    uint32_t address = next_address(g->gba->cpu);
    for (int i = 0; i < g->hook_count; ++i) {
        if (g->hooks[i] == address) {
            g->in_hook = true;
            g->hook_called(g->hook_context, address);
            g->in_hook = false;
            return;
        }
    }
}

/* What mGBA's runFrame does, an instruction at a time: its debugger's breakpoints stop in the same place, but do not
 * leave a frame where runFrame does. */
void run_hooked_frame(game *g) {
    struct GBA *gba = g->gba;
    struct ARMCore *cpu = gba->cpu;
    uint32_t frame = gba->video.frameCounter;
    uint32_t start = mTimingCurrentTime(&gba->timing);
    while ((uint32_t) gba->video.frameCounter == frame
           && mTimingCurrentTime(&gba->timing) - start < VIDEO_TOTAL_LENGTH + VIDEO_HORIZONTAL_LENGTH) {
        while (cpu->cycles < cpu->nextEvent) {
            call_hooks(g);
            g->core->step(g->core);
        }
        cpu->irqh.processEvents(cpu);
    }
}

uint32_t game_register(const game *g, int number) {
    const struct ARMCore *cpu = g->gba->cpu;
    return number == CPSR ? (uint32_t) cpu->cpsr.packed : number == PC ? next_address(cpu) : (uint32_t) cpu->gprs[number];
}

void game_set_register(game *g, int number, uint32_t value) {
    struct ARMCore *cpu = g->gba->cpu;
    cpu->gprs[number] = value;
    if (number == PC) {
        cpu->cycles += cpu->executionMode == MODE_THUMB ? ThumbWritePC(cpu) : ARMWritePC(cpu);
    }
}
