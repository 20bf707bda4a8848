/* The game's own tables: the world, its creatures, its words. */
#ifndef DATA_H
#define DATA_H

#include "creatures/species.h"
#include "system/emerald.h"

enum Effect { HIT, HIT_DRAIN, HIT_RECOIL, STAT_OWN, STAT_FOE, INFLICT, /* HIT with a stage too: see Move */
              HIT_TIRING }; /* the stage is that of who strikes: only in jade_full.gba */

typedef struct {
    u16 number;
    const char *name;
    u8 power, type, accuracy, pp, priority, effect;
    u8 stat;   /* of the stage that changes, or 0 */
    s8 change;
    u8 critical; /* more often */
    u8 status, chance; /* what it may do to whoever is hit, in percent */
} Move;

enum Use { NO_USE, HEAL_HP, HEAL_PP, CATCH, LEVEL_UP, TEACH, CURE, RIDE, REPEL };

typedef struct {
    u16 number;
    const char *name;
    u16 price;
    u8 use;
    u16 amount; /* points, levels, tenths of a ball, the move that is taught, or the statuses that it cures */
    const char *about;
} Item;

enum { MOVE_CUT = 15, MOVE_STRENGTH = 70, MOVE_FLASH = 148, MOVE_ROCK_SMASH = 249 }; /* of the field, too */

extern const u16 initial_flags[];      /* set when a game begins; ends with 0 */
extern const Move move_table[];        /* ends with move 0 */
extern const u8 type_effects[TYPES][TYPES]; /* in tenths; rows attack, columns defend */
extern const u16 cut_learners[], rock_smash_learners[]; /* species; end with 0 */
extern const u16 flash_learners[], strength_learners[]; /* only in jade_full.gba */
extern const Species species_table[];  /* ends with species 0 */
extern const char intro_text[];
extern const WarpData new_game_place;

/* The last entry of each table stands for whatever is not in it. */
const Species *species_find(u16 number);
const Move *move_find(u16 number);
const Item *item_find(u16 number);
/* Where the world demands lessons: who can learn a machine's move, and which are never forgotten. */
bool species_learns(u16 species, u16 move);
bool move_kept(u16 move);
const char *type_name(u8 type);
u32 type_effect(u8 attack, u8 defense); /* in tenths: 0, 5, 10 or 20 */

#endif
