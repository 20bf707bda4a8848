/* Emerald's structures at Emerald's addresses, as far as Jade uses them (facts: symbols.csv,
 * struct_layouts.json). The numbers that stand for its functions are labels for whoever reads the
 * memory; Jade never calls them. */
#ifndef EMERALD_H
#define EMERALD_H

#include "system/types.h"

typedef struct { s16 x, y; } Coords;

typedef struct { s8 group, number, warp; u8 pad; s16 x, y; } WarpData;

typedef struct { u16 item, quantity; } ItemSlot;

typedef struct {
    u32 personality, ot_id;
    u8 nickname[10], language, flags;
    u8 ot_name[7], markings;
    u16 checksum, unknown;
    u8 secure[48];
} BoxPokemon;

typedef struct {
    BoxPokemon box;
    u32 status;
    u8 level, mail;
    u16 hp, max_hp, attack, defense, speed, sp_attack, sp_defense;
} Pokemon;

/* Templates of people and things; the ROM's tables have the same form. */
typedef struct {
    u8 local_id, graphics, kind, pad;
    s16 x, y;
    u8 elevation, movement;
    u16 range, trainer_type, trainer_range;
    const void *script;
    u16 flag, pad2;
} ObjectTemplate;

typedef struct {
    u8 flags[4];
    u8 sprite, graphics, movement_type, trainer_type, local_id, map_number, map_group, elevations;
    Coords initial, current, previous;
    u8 facing; /* low nibble: facing; high nibble: movement direction */
    u8 range, effect_sprite, warp_arrow, movement_action, trainer_range, behaviour, previous_behaviour;
    u8 previous_direction, sequence, copyable, pad;
} ObjectEvent;

enum { OBJECT_ACTIVE = 1, OBJECT_MOVING = 2, OBJECT_HELD = 0x40, OBJECT_HELD_DONE = 0x80 }; /* flags[0] */
enum { OBJECT_FROZEN = 1, OBJECT_CAMERA = 0x80 };                                             /* flags[1] */
enum { OBJECT_PLAYER = 1 };                                                                   /* flags[2] */

typedef struct {
    Coords pos;
    WarpData location, continue_warp, dynamic_warp, last_heal, escape_warp;
    u16 saved_music;
    u8 weather, weather_stage, flash_level, pad31;
    u16 map_layout_id;
    u16 map_view[256];
    u8 party_count, pad235[3];
    Pokemon party[6];
    u32 money;
    u16 coins, registered_item;
    ItemSlot pc_items[50];
    ItemSlot items[30], key_items[30], balls[16], machines[64], berries[46];
    u8 pokeblocks[320];
    u8 seen1[52];
    u8 pad9bc[52 + 64];
    ObjectEvent objects[16];
    ObjectTemplate templates[64];
    u8 flags[300];
    u16 vars[256];
    u32 stats[64];
    u8 later[0x3B24 - 0x169C];
    u8 seen2[52];
    u8 rest[0x3D88 - 0x3B58];
} SaveBlock1;

typedef struct {
    u8 name[8], gender, warp_flags, trainer_id[4];
    u16 hours;
    u8 minutes, seconds, vblanks, button_mode;
    u16 options, pad16;
    u8 dex_order, dex_mode, national_magic, dex_unknown;
    u32 dex_personalities[3];
    u8 owned[52], seen[52];
    u8 pad90[0xAC - 0x90];
    u32 key;
    u8 rest[0xF2C - 0xB0];
} SaveBlock2;

typedef struct {
    u32 callback1, callback2, saved_callback, interrupts[4];
    volatile u16 intr_check;
    u16 pad;
    u32 vblank_counter1;
    volatile u32 vblank_counter2;
    u16 held_raw, new_raw, held, new_keys, repeated, repeat_counter, watched_pressed, watched_mask;
    u16 oam[512];
    u8 state, flags; /* flags bit 1: in battle */
} Main;

typedef struct {
    u8 stack_depth, mode, comparison, pad;
    u32 native;
    const void *script;
    u8 rest[0x74 - 0x0C];
} ScriptContext;

typedef struct {
    u8 current_box, pad[3];
    BoxPokemon boxes[14][30];
    u8 names[14][9], wallpapers[14];
} PokemonStorage;

typedef struct {
    u16 species, attack, defense, speed, sp_attack, sp_defense, moves[4];
    u32 ivs;
    u8 stages[8], ability, types[2], unknown, pp[4];
    u16 hp;
    u8 level, friendship;
    u16 max_hp, item;
    u8 nickname[11], pp_bonuses, ot_name[8];
    u32 experience, personality, status, status2, ot_id;
} BattlePokemon;

typedef struct { u32 function; u8 active, previous, next, priority; s16 data[16]; } Task;

typedef struct { u32 multi1; u8 delay, y_target, blend, active, multi2, mode, finishing, delta; } PaletteFade;

typedef struct {
    u8 flags, transition_flags, running_state, tile_transition, sprite, object, prevent_step, gender;
    u8 rest[0x24 - 8];
} PlayerAvatar;

typedef struct { s16 x, y; u8 elevation, warp, map_number, map_group; } WarpEvent;
typedef struct { s16 x, y; u8 elevation, pad; u16 var, value, pad2; const void *script; } CoordEvent;
typedef struct { u16 x, y; u8 elevation, kind, pad[2]; const void *script; } BgEvent;

typedef struct {
    u8 object_count, warp_count, coord_count, bg_count;
    const ObjectTemplate *objects;
    const WarpEvent *warps;
    const CoordEvent *coords;
    const BgEvent *bgs;
} MapEvents;

typedef struct { u8 direction, pad[3]; s32 offset; u8 map_group, map_number, pad2[2]; } MapConnection;
typedef struct { s32 count; const MapConnection *list; } MapConnections;

typedef struct {
    u8 compressed, secondary;
    const u32 *tiles;
    const u16 *palettes, *metatiles, *attributes;
    const void *callback;
} Tileset;

typedef struct {
    s32 width, height;
    const u16 *border, *grid;
    const Tileset *primary, *secondary;
} MapLayout;

typedef struct {
    const MapLayout *layout;
    const MapEvents *events;
    const void *scripts;
    const MapConnections *connections;
    u16 music, layout_id;
    u8 section, cave, weather, type;
    u16 pad;
    u8 flags, battle_type;
} MapHeader;

typedef struct { s32 width, height; u16 *map; } BackupLayout;

typedef struct {
    u8 left, top;
    s8 cursor, least, most;
    u8 window, font, option_width, option_height, columns, rows, muted;
} Menu;

enum { BAG_POCKETS = 5 };

typedef struct {
    u32 exit;
    u8 location, pocket;
    u16 arrow, cursor[BAG_POCKETS], scroll[BAG_POCKETS]; /* the row on the page, and the page's first entry */
} BagPosition;

typedef struct {
    u32 exit, task;
    u8 kind;
    s8 slot, slot2;
    u8 action;
    u16 item;
    s16 data, learning;
} PartyMenu;

enum { PARTY_FIELD, PARTY_BATTLE };                       /* kind */
enum { PARTY_CHOOSE, PARTY_SEND_OUT, PARTY_USE_ITEM = 3 }; /* action */

typedef struct {
    const u8 *current;
    u8 window, font, x, y, current_x, current_y, spacing[2], colours[2], pad[2];
    u32 callback;
    u8 fields[7], active, state, speed, delay, scroll, min_spacing, japanese, pad2[2];
} TextPrinter;

_Static_assert(sizeof(ObjectEvent) == 0x24 && sizeof(ObjectTemplate) == 0x18, "objects");
_Static_assert(sizeof(SaveBlock1) == 0x3D88 && offsetof(SaveBlock1, flags) == 0x1270, "SaveBlock1");
_Static_assert(offsetof(SaveBlock1, money) == 0x490 && offsetof(SaveBlock1, berries) == 0x790, "SaveBlock1");
_Static_assert(offsetof(SaveBlock1, seen1) == 0x988 && offsetof(SaveBlock1, seen2) == 0x3B24, "SaveBlock1");
_Static_assert(offsetof(SaveBlock1, vars) == 0x139C && offsetof(SaveBlock1, stats) == 0x159C, "SaveBlock1");
_Static_assert(sizeof(SaveBlock2) == 0xF2C && offsetof(SaveBlock2, key) == 0xAC, "SaveBlock2");
_Static_assert(offsetof(SaveBlock2, owned) == 0x28 && offsetof(SaveBlock2, seen) == 0x5C, "SaveBlock2");
_Static_assert(sizeof(Pokemon) == 100 && sizeof(MapHeader) == 0x1C && sizeof(ScriptContext) == 0x74, "sizes");
_Static_assert(offsetof(Main, oam) == 0x38 && offsetof(Main, state) == 0x438, "Main");
_Static_assert(sizeof(PaletteFade) == 12 && sizeof(TextPrinter) == 0x24 && offsetof(TextPrinter, active) == 0x1B, "text");
_Static_assert(sizeof(Menu) == 12 && sizeof(BagPosition) == 28 && sizeof(PartyMenu) == 20, "menus");
_Static_assert(sizeof(PokemonStorage) == 0x83D0 && sizeof(Task) == 0x28, "storage, tasks");
_Static_assert(sizeof(BattlePokemon) == 0x58 && offsetof(BattlePokemon, experience) == 0x44, "battle");
_Static_assert(sizeof(CoordEvent) == 16 && sizeof(BgEvent) == 12 && sizeof(MapConnection) == 12, "events");

#define AT(type, address) (*(type *) (address))

#define gMain AT(Main, 0x030022C0)
#define gRngValue AT(u32, 0x03005D80)
#define gSaveBlock1Ptr AT(SaveBlock1 *, 0x03005D8C)
#define gSaveBlock2Ptr AT(SaveBlock2 *, 0x03005D90)
#define gPokemonStoragePtr AT(PokemonStorage *, 0x03005D94)
#define gBackupMapLayout AT(BackupLayout, 0x03005DC0)
#define gSaveCounter AT(u32, 0x03006200)
#define gLastWrittenSector AT(u16, 0x030061F0)
#define gSaveFileStatus AT(u16, 0x03006210)
#define gMenuCallback AT(u32, 0x03005DF4)
#define sStartMenuCursorPos AT(u8, 0x0203760E)
#define sMenu AT(Menu, 0x0203CD90)
#define gBagPosition AT(BagPosition, 0x0203CE58)
#define gPartyMenu AT(PartyMenu, 0x0203CEC8)
#define gActionSelectionCursor (&AT(u8, 0x020244AC)) /* by battler */
#define gMoveToLearn AT(u16, 0x020244E2)
#define gActiveBattler AT(u8, 0x02024064)
#define gBattlerControllerFuncs (&AT(u32, 0x03005D60))
#define gMoveSelectionCursor (&AT(u8, 0x020244B0))
#define gSpecialVar_Result AT(u16, 0x020375F0)
#define gTasks (&AT(Task, 0x03005E00))
#define TASK_COUNT 16
#define sPlayTimeCounterState AT(u8, 0x03000E08)
#define sGlobalScriptContextStatus AT(u8, 0x03000E38)
#define sGlobalScriptContext AT(ScriptContext, 0x03000E40)
#define sLockFieldControls AT(u8, 0x03000F2C)
#define gSaveblock1 AT(u8, 0x02025A00)
#define gSaveblock2 AT(u8, 0x02024A54)
#define gPokemonStorage AT(u8, 0x02029808)
#define sTextPrinters (&AT(TextPrinter, 0x020201B0))
#define gStringVar1 (&AT(u8, 0x02021CC4))
#define gStringVar4 (&AT(u8, 0x02021FC4))
#define GSTRINGVAR4_SIZE 1000
#define gPlayerPartyCount AT(u8, 0x020244E9)
#define gPlayerParty (&AT(Pokemon, 0x020244EC))
#define gEnemyPartyCount AT(u8, 0x020244EA)
#define gEnemyParty (&AT(Pokemon, 0x02024744))
#define gBattleTypeFlags AT(u32, 0x02022FEC)
#define gBattlersCount AT(u8, 0x0202406C)
#define gBattlerPartyIndexes (&AT(u16, 0x0202406E))
#define gBattlerPositions (&AT(u8, 0x02024076))
#define gBattleMons (&AT(BattlePokemon, 0x02024084))
#define gBattleOutcome AT(u8, 0x0202433A)
#define gBattleMainFunc AT(u32, 0x03005D04)
#define gTrainerBattleOpponent_A AT(u16, 0x02038BCA)
#define gStringVar2 (&AT(u8, 0x02021DC4))
#define gStringVar3 (&AT(u8, 0x02021EC4))
#define gLastUsedWarp AT(WarpData, 0x020322DC)
#define sWarpDestination AT(WarpData, 0x020322E4)
#define sBackupMapData (&AT(u16, 0x02032318))
#define BACKUP_MAP_CELLS 10240
#define gMapHeader AT(MapHeader, 0x02037318)
#define gObjectEvents (&AT(ObjectEvent, 0x02037350))
#define OBJECT_COUNT 16
#define gPlayerAvatar AT(PlayerAvatar, 0x02037590)
#define sFieldMessageBoxMode AT(u8, 0x020375BC)
#define gSpecialVar_Facing AT(u16, 0x020375F4)
#define gSpecialVar_LastTalked AT(u16, 0x020375F2)
#define gPaletteFade AT(PaletteFade, 0x02037FD4)

enum {
    LABEL_NONE = 0,
    LABEL_CB1_OVERWORLD = 0x08085E05,
    LABEL_CB2_COPYRIGHT = 0x0816CEAD, /* CB2_InitCopyrightScreenAfterBootup */
    LABEL_CB2_INIT_TITLE = 0x080AA7A5,
    LABEL_CB2_TITLE = 0x080AAB2D, /* MainCB2 of the title screen */
    LABEL_CB2_MAIN_MENU = 0x0802F6B1,
    LABEL_CB2_NEW_GAME = 0x08085EF9,
    LABEL_CB2_LOAD_MAP = 0x08085FCD,
    LABEL_CB2_LOAD_MAP2 = 0x08085FFD,
    LABEL_CB2_OVERWORLD = 0x08085E5D,
    LABEL_TASK_WEATHER = 0x080AB1B1,
    LABEL_TASK_PER_STEP = 0x0809D88D,
    LABEL_TASK_MUDDY_SLOPE = 0x0809E639,
    LABEL_TASK_TIME = 0x0809D909,
    LABEL_TASK_WARP = 0x080AFA0D, /* Task_WarpAndLoadMap */
    LABEL_TASK_EXIT_DOOR = 0x080AF439,
    LABEL_TASK_EXIT_NON_DOOR = 0x080AF611,
    LABEL_TASK_START_MENU = 0x0809FA35,
    LABEL_TASK_YES_NO = 0x080E215D,
    LABEL_TASK_MULTICHOICE = 0x080E2059,
    LABEL_TASK_PARTY_CHOICE = 0x081B3731, /* Task_HandleSelectionMenuInput */
    LABEL_TASK_TOSS = 0x081AD045,         /* Task_ChooseHowManyToToss */
    LABEL_TASK_OPTIONS = 0x080BA86D,      /* Task_OptionMenuProcessInput */
    LABEL_START_MENU_INPUT = 0x0809FAC5, /* HandleStartMenuInput */
    LABEL_CB2_CONTINUE = 0x08086231,
    LABEL_CB2_RETURN_TO_FIELD = 0x080860C9,
    LABEL_CB2_RETURN_WITH_MENU = 0x08086195,
    LABEL_CB2_RETURN_TO_SCRIPT = 0x080861B1,
    LABEL_CB1_BATTLE = 0x08039EF1,
    LABEL_CB2_INIT_BATTLE = 0x08036761,
    LABEL_CB2_START_BATTLE = 0x08036FAD,
    LABEL_CB2_BATTLE = 0x08038421,
    LABEL_CB2_END_WILD = 0x080B0AF9,
    LABEL_CB2_END_TRAINER = 0x080B1919,
    LABEL_INPUT_ACTION = 0x08057589, /* HandleInputChooseAction, -Move, -Target: in gBattlerControllerFuncs */
    LABEL_INPUT_MOVE = 0x08057BFD,
    LABEL_INPUT_TARGET = 0x08057825,
    LABEL_CHOOSE_ACTION = 0x0803BE75, /* HandleTurnActionSelectionState */
    LABEL_CB2_CHOOSE_STARTER = 0x081341E1,
    LABEL_CB2_START_FIRST_BATTLE = 0x080B11A9,
    LABEL_CB2_END_FIRST_BATTLE = 0x080B1205,
    LABEL_CB2_NAMING = 0x080E4F59,
    LABEL_CB2_POKENAV = 0x081C7401,
    LABEL_CB2_EVOLUTION = 0x0813E3A5,
    LABEL_CB2_POKEDEX = 0x080BB775,
    LABEL_CB2_PARTY = 0x081B01B1,
    LABEL_CB2_BAG = 0x081AAD5D,
    LABEL_CB2_CARD = 0x080C2711,
    LABEL_CB2_OPTIONS = 0x080BA4B1, /* MainCB2 of the option menu */
    LABEL_CB2_BUY = 0x080DFD65,
    LABEL_CB2_STORAGE = 0x080C7D55,
    LABEL_CB2_WHITE_OUT = 0x08085F59,
    LABEL_TASK_BATTLE_START = 0x080B05F1,
    LABEL_IS_MESSAGE_HIDDEN = 0x0809833D, /* IsFieldMessageBoxHidden */
    LABEL_WAIT_FOR_BUTTON = 0x0809AC99,   /* WaitForAorBPress */
};

enum { MAIN_IN_BATTLE = 2 }; /* Main.flags */
enum { TYPE_INDOOR = 8 }; /* MapHeader.type */
enum { WEATHER_RAIN = 3 }; /* MapHeader.weather */
enum { BORDER = 7 }; /* tiles around a map in the grid; object coordinates count from there */
enum { DOWN = 1, UP = 2, LEFT = 3, RIGHT = 4 };
enum { CELL_METATILE = 0x3FF, CELL_COLLISION = 0xC00 };
enum {
    MB_NORMAL = 0x00, MB_TALL_GRASS = 0x02, MB_CAVE = 0x08, MB_OCEAN_WATER = 0x15, MB_JUMP_SOUTH = 0x3B,
    MB_JUMP_EAST = 0x38, MB_JUMP_WEST = 0x39, MB_JUMP_NORTH = 0x3A,
    MB_LADDER = 0x61, MB_SOUTH_ARROW_WARP = 0x65, MB_ANIMATED_DOOR = 0x69,
    MB_LAVARIDGE_GYM_B1F_WARP = 0x29, MB_LAVARIDGE_GYM_1F_WARP = 0x68,
};

#endif
