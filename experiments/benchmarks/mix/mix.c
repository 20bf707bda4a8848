/* A frame's work as Emerald's processor has it, for the benchmark: sprites by callbacks, a script's bytecode, sorting by
 * place, a checksum, and a software mixer in ARM code in internal memory. mix_rom.py puts it before Jade's wait loop. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef signed char s8;
typedef short s16;

enum { SPRITES = 44, VOICES = 5, SAMPLES = 224, SCRIPT = 96, BLOCK = 2600, ARM_BYTES = 512 };

typedef struct Sprite Sprite;
struct Sprite {
    void (*callback)(Sprite *);
    s16 x, y, dx, dy, data[8];
    u16 tile, frame, delay;
    u8 shown, priority;
};

typedef struct {
    const s8 *from;
    u32 at, step, length; /* at and step: 9 bits of fraction */
    int left, right;
} Voice;

typedef struct {
    u32 ready, seed, checksum, frames;
    Sprite sprites[SPRITES];
    u8 order[SPRITES];
    u8 script[SCRIPT];
    u32 variables[8];
    u8 block[BLOCK];
} Work;

#define WORK ((Work *) 0x0203E000)
#define VOICE ((Voice *) 0x03000400)
#define MIXED ((s8 *) 0x03000800)
#define OAM_COPY ((u16 *) 0x03001000)
#define IN_IWRAM(NAME) ((__typeof__(&NAME)) 0x03000000)
extern const u8 arm_code[];

static inline u32 divide(u32 by, u32 what) {
    register u32 r0 asm("r0") = what;
    register u32 r1 asm("r1") = by;
    asm volatile("swi 0x06" : "+r"(r0), "+r"(r1) : : "r2", "r3", "memory");
    return r0;
}

static inline void cpu_set(const void *from, void *to, u32 control) {
    register const void *r0 asm("r0") = from;
    register void *r1 asm("r1") = to;
    register u32 r2 asm("r2") = control;
    asm volatile("swi 0x0B" : "+r"(r0), "+r"(r1), "+r"(r2) : : "r3", "memory");
}

static u32 random_number(void) {
    WORK->seed = WORK->seed * 1103515245 + 24691;
    return WORK->seed >> 16;
}

static void walk(Sprite *sprite) {
    sprite->x += sprite->dx;
    sprite->y += sprite->dy;
    if (sprite->x < 0 || sprite->x > 240) {
        sprite->dx = -sprite->dx;
    }
    if (sprite->y < 0 || sprite->y > 160) {
        sprite->dy = -sprite->dy;
    }
    if (++sprite->delay >= 8) {
        sprite->delay = 0;
        sprite->frame = (sprite->frame + 1) & 3;
        sprite->tile = sprite->frame * 16 + (sprite->priority << 10);
    }
}

static void swing(Sprite *sprite) {
    static const s8 wave[16] = {0, 3, 6, 8, 9, 8, 6, 3, 0, -3, -6, -8, -9, -8, -6, -3};
    sprite->data[0] = (sprite->data[0] + 1) & 15;
    sprite->x = sprite->data[1] + wave[sprite->data[0]];
    sprite->y = sprite->data[2] + wave[(sprite->data[0] + 4) & 15];
}

static void blink(Sprite *sprite) {
    int turn;
    if ((random_number() & 31) == 0) {
        sprite->shown ^= 1;
    }
    for (turn = 3; turn < 8; ++turn) {
        sprite->data[turn] += (sprite->data[turn - 1] * sprite->data[2]) >> 4;
    }
}

static void (*const callbacks[3])(Sprite *) = {walk, swing, blink};

static void prepare(void) {
    int i;
    WORK->seed = 7;
    cpu_set(arm_code, (void *) 0x03000000, ARM_BYTES / 4 | 1 << 26);
    for (i = 0; i < SPRITES; ++i) {
        Sprite *sprite = &WORK->sprites[i];
        sprite->callback = callbacks[i % 3];
        sprite->x = sprite->data[1] = random_number() % 240;
        sprite->y = sprite->data[2] = random_number() % 160;
        sprite->dx = (random_number() & 3) - 1;
        sprite->dy = (random_number() & 3) - 2;
        sprite->shown = 1;
        sprite->priority = i & 3;
        WORK->order[i] = i;
    }
    for (i = 0; i < SCRIPT; ++i) {
        WORK->script[i] = random_number();
    }
    for (i = 0; i < VOICES; ++i) {
        VOICE[i] = (Voice) {(const s8 *) 0x08001000 + 4096 * i, 0, 300 + 97 * i, 3000 << 9, 40 + 9 * i, 70 - 8 * i};
    }
    WORK->ready = 0x4D495821;
}

static u32 divisor(void) {
    return (WORK->variables[1] & 255) + 1;
}

static void run_script(void) {
    u32 *v = WORK->variables;
    const u8 *at = WORK->script, *end = at + SCRIPT;
    while (at < end) {
        u8 op = *at++;
        u32 *to = &v[op >> 3 & 7], from = v[op >> 5];
        switch (op & 7) {
        case 0: *to = from + at[-1]; break;
        case 1: *to += from; break;
        case 2: *to -= from >> 1; break;
        case 3: *to ^= from << 3; break;
        case 4: if (from & 1) ++at; break;
        case 5: *to = from * 13 + 5; break;
        case 6: if (*to < from) *to = from; break;
        case 7: *to = (op & 0xC0) == 0x40 ? divide(divisor(), from) : from & 0xFFFF; break;
        }
    }
}

static void sort_and_copy(void) {
    u16 *out = OAM_COPY;
    u32 none = 0x00A0;
    int i;
    for (i = 1; i < SPRITES; ++i) {
        u8 one = WORK->order[i];
        int key = WORK->sprites[one].y + (WORK->sprites[one].priority << 8), j = i;
        while (j > 0) {
            const Sprite *other = &WORK->sprites[WORK->order[j - 1]];
            if (other->y + (other->priority << 8) <= key) {
                break;
            }
            WORK->order[j] = WORK->order[j - 1];
            --j;
        }
        WORK->order[j] = one;
    }
    cpu_set(&none, OAM_COPY, 256 | 1 << 24 | 1 << 26);
    for (i = 0; i < SPRITES; ++i) {
        const Sprite *sprite = &WORK->sprites[WORK->order[i]];
        if (sprite->shown) {
            out[0] = sprite->y & 255;
            out[1] = sprite->x & 511;
            out[2] = sprite->tile;
            out += 4;
        }
    }
}

static void add_up(void) {
    const u32 *at = (const u32 *) WORK->block, *end = at + BLOCK / 4;
    u32 sum = 0;
    while (at < end) {
        sum += *at++;
    }
    WORK->checksum = (u16) (sum + (sum >> 16));
    WORK->block[WORK->frames % BLOCK] += WORK->checksum;
}

__attribute__((target("arm"), section(".iwram"))) void mix(Voice *voices, s8 *out) {
    for (int i = 0; i < SAMPLES; ++i) {
        int left = 0, right = 0;
        for (Voice *voice = voices; voice < voices + VOICES; ++voice) {
            int sample = voice->from[voice->at >> 9];
            left += sample * voice->left;
            right += sample * voice->right;
            voice->at += voice->step;
            if (voice->at >= voice->length) {
                voice->at -= voice->length;
            }
        }
        out[i] = left >> 8;
        out[i + SAMPLES] = right >> 8;
    }
}

void work(void) {
    int i;
    if (WORK->ready != 0x4D495821) {
        prepare();
    }
    ++WORK->frames;
    for (i = 0; i < 3 * SPRITES; ++i) {
        Sprite *sprite = &WORK->sprites[i % SPRITES];
        sprite->callback(sprite);
    }
    for (i = 0; i < 5; ++i) {
        run_script();
    }
    sort_and_copy();
    add_up();
    IN_IWRAM(mix)(VOICE, MIXED);
}
