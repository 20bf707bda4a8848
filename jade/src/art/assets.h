/* Tables written by tools/generate.py. */
#ifndef ASSETS_H
#define ASSETS_H

#include "system/demands.h"
#include "system/emerald.h"

extern const Tileset world_tileset;
extern const u32 world_tiles[];
extern const u16 world_palettes[], world_metatiles[], world_attributes[];
extern const u16 world_tile_count, world_palette_count;

extern const MapLayout layout_Littleroot, layout_Route101, layout_Oldale, layout_Route103,
    layout_Route102, layout_Petalburg, layout_Home1F, layout_Home2F, layout_Neighbour1F,
    layout_Neighbour2F, layout_Route104, layout_Woods, layout_Rustboro, layout_RustboroGym, layout_Devon3F, layout_Cutter,
    layout_Briney, layout_Dewford, layout_DewfordGym, layout_Route109, layout_Granite, layout_Truck, layout_Lab, layout_House1, layout_Centre1F, layout_Mart;
#if FULL
extern const MapLayout layout_Route109Coast, layout_Slateport, layout_Route110, layout_Mauville, layout_Shipyard,
    layout_Museum1F, layout_Museum2F, layout_MauvilleGym, layout_BikeShop, layout_Route111, layout_Route112, layout_CableCar,
    layout_Chimney, layout_JaggedPass, layout_Lavaridge, layout_LavaridgeGym1F, layout_LavaridgeGymB1F, layout_LavaridgeCentre,
    layout_FieryPath, layout_Route113, layout_Fallarbor, layout_Route114, layout_MeteorFalls, layout_PetalburgGym,
    layout_Granite1F, layout_GraniteB1F, layout_GraniteB2F, layout_StevensRoom;
#endif

extern const u32 people_tiles[], tuft_tiles[], drop_tiles[];
extern const u16 people_palettes[], tuft_palette[], people_looks, people_palette_count;
extern const u8 people_palette_of[];
extern const u32 rock_tiles[]; /* of LOOK_ROCK, only in jade_full.gba: one picture */
extern const u8 rock_palette;
extern const u32 face_tiles[]; /* of the looks after LOOK_ROCK, only in jade_full.gba (full/people/faces.h) */
extern const u16 face_palettes[];
enum { LOOK_FRAMES = 7, FRAME_TILES = 8 };
enum { LOOK_PLAYER, LOOK_MOTHER, LOOK_RIVAL, LOOK_PROFESSOR, LOOK_BOY, LOOK_GIRL, LOOK_GUARD, LOOK_ELDER, LOOK_BALL, LOOK_BAG,
       LOOK_BUSH, LOOK_BOAT, LOOK_BARRIER, LOOK_BIRD, LOOK_SWITCH, LOOK_BLUE_BARRIER, LOOK_GIRL_PLAYER, LOOK_BEAST, LOOK_ROCK };
/* Faces of their own, only in jade_full.gba (full/people/faces.h) */
#if FULL
enum { LOOK_OHM = LOOK_ROCK + 1, LOOK_MARL, LOOK_SCORIA, LOOK_NURSE, LOOK_PETRA, LOOK_FIN, LOOK_BRINE, LOOK_WILL, LOOK_FATHER,
       LOOK_ASH, LOOK_KEEL, LOOK_BOULDER, FIRST_FACE = LOOK_OHM, FACES = LOOK_BOULDER + 1 - FIRST_FACE };
#else
enum { LOOK_NURSE = LOOK_MOTHER, LOOK_PETRA = LOOK_MOTHER, LOOK_FIN = LOOK_RIVAL, LOOK_BOULDER = 0xFF };
#endif

extern const u32 title_tiles[], frame_tiles[], arrow_tile[], paper_tile[];
extern const u16 title_cells[], title_palette[], title_tile_count;

extern const u16 creature_numbers[], creature_palettes[]; /* numbers end with 0 */
extern const u32 creature_tiles[], creature_back_tiles[], backdrop_tiles[], hall_tiles[];
extern const u16 backdrop_cells[], backdrop_palette[], backdrop_tile_count;
extern const u16 hall_cells[], hall_palette[], hall_tile_count;
enum { CREATURE_TILES = 64 };

extern const u8 font_widths[256], font_rows[], font_codes[128];
extern const u16 text_palette[16];
enum { GLYPH_ROWS = 10 };

#endif
