/* One running Game Boy Advance. Everything Python calls in libmgba goes through these functions. */
typedef struct game game;

/* Opens the ROM behind a file descriptor (which stays the caller's) and powers it on. NULL: libmgba refused it. */
game *game_open(int rom_fd, uint32_t idle_loop);
void game_close(game *g);
void game_reset(game *g); /* the cartridge's clock continues, as its battery does */

/* Runs `frames` frames with `keys` held for the first `hold` of them and draws the last one if `draw`. */
void game_run(game *g, uint32_t keys, int hold, int frames, bool draw);

/* Whether lines in which nothing can happen pass all at once (lines.c), as they do at first. Returns what holds now. */
bool game_batch_lines(game *g, bool batch);

/* Whether the core of static/core runs the game, as it does at first if mGBA was compiled in. Returns what holds now. */
bool game_core(game *g, bool on);
/* The instructions that have run since game_core(g, false). */
uint64_t game_instructions(const game *g);
/* Whether that core counts what it executes from now on; what was counted is forgotten when that ends. */
bool game_profile(game *g, bool on);
/* Two numbers for each half-word of a region: how often its instruction ran, and how often not behind the one before. */
const uint32_t *game_profile_counts(const game *g, bool thumb, int region, size_t *size);
/* A region's `struct place` of static/core, when its code last ran. */
const uint32_t *game_profile_place(const game *g, int region, size_t *size);
/* Lets that core use translated code (static/translate), NULL: no longer. Returns whether it does. */
bool game_translate(game *g, const void *translation);

/* Writes the picture as grey, averaged over squares of `factor` x `factor` pixels, to (160/factor, 240/factor) bytes. */
void game_grey(const game *g, int factor, uint8_t *out);
/* One step of an agent: game_run, drawing, then game_grey. */
void game_step(game *g, uint32_t keys, int hold, int frames, int factor, uint8_t *out);
const uint32_t *game_pixels(const game *g);
/* Sets the fourth byte of each pixel, in which libmgba leaves marks of its own, to 255. */
void game_opaque(game *g);
/* Writes each `every`-th pixel of each `every`-th line: five bits each of red (the lowest), green and blue. */
void game_colours(const game *g, int every, uint16_t *out);

/* The cartridge's clock, in seconds since 1970. A state has in it when the clock began. */
int64_t game_clock(const game *g);
void game_set_clock(game *g, int64_t seconds);

size_t game_state_size(game *g);
bool game_save_state(game *g, void *state);
bool game_load_state(game *g, const void *state);
size_t game_read_save(game *g, void *save, size_t size);
bool game_write_save(game *g, const void *save, size_t size);

/* Brings `copy`, stretches of memory one behind the other, up to date. Bit i is set where stretch i has changed. */
uint64_t memory_refresh(uint8_t *copy, const uint8_t *const *stretches, const uint32_t *sizes, int count);

/* Calls back before the instruction at one of `addresses` runs, which stay the caller's; 0 of them cost nothing. */
typedef void (*hook_called)(void *context, uint32_t address);
void game_set_hooks(game *g, const uint32_t *addresses, int count, hook_called called, void *context);
/* r0 to r14, the next instruction's address (15), the status register (16, which cannot be set). */
uint32_t game_register(const game *g, int number);
void game_set_register(game *g, int number, uint32_t value);

/* Whether sound is mixed from now on, at `rate` samples a second. It takes time, and changes nothing that a game sees. */
void game_set_sound(game *g, bool on, double rate);
/* Takes the sound that was mixed since the last call: up to `most` pairs of left and right. Returns how many. */
int game_read_sound(game *g, int16_t *samples, int most);

/* Adds a cheat of one or several lines, applied after each frame. Returns 0, or why not; `added` removes it. */
enum { CHEAT_UNKNOWN = 1, CHEAT_PATCHES_ROM = 2 };
int game_add_cheat(game *g, const char *code, void **added);
void game_remove_cheat(game *g, void *added);

/* The input-output registers as the game last wrote them. */
uint8_t *game_io(game *g);
const uint8_t *game_bios(game *g, size_t *size);
uint8_t *game_ewram(game *g);
uint8_t *game_iwram(game *g);
uint8_t *game_vram(game *g);
uint8_t *game_palette(game *g);
uint8_t *game_oam(game *g);
const uint8_t *game_rom(game *g, size_t *size);
uint32_t game_crc32(game *g);
uint32_t game_frame(game *g);
const char *mgba_version(void);
/* Whether passing lines at once was proved right for this version of libmgba. */
bool mgba_proved(void);
/* Whether mGBA was compiled into the shim (static/build_mgba.py), not linked as a library. */
bool mgba_static(void);
