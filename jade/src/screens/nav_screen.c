/* The PokeNav: a map of the region as far as Jade has it; what was never visited is grey. */
#include "save/save.h"
#include "screens/screens.h"
#include "system/demands.h"
#include "system/emerald.h"

enum { ALWAYS = 0, DOT = 10, ROAD = 4, SECTION_DEWFORD = 2, SECTION_ROUTE_109 = 24 };

typedef struct { u8 section; u16 visited; u8 x, y; const char *name; bool below; } Place; /* where its name is */

/* In the order of the way: each has a road to the one before. */
static const Place places[] = {
    {0, 0x86F, 146, 104, "Littleroot", false}, {16, ALWAYS, 146, 86, 0, false}, {1, 0x870, 146, 68, "Oldale", false},
    {18, ALWAYS, 146, 46, 0, false}, {1, 0x870, 146, 68, 0, false}, {17, ALWAYS, 116, 68, 0, false}, {7, 0x876, 90, 68, "Petalburg", true},
    {19, ALWAYS, 52, 68, 0, false}, {59, ALWAYS, 52, 52, 0, false}, {10, 0x879, 52, 34, "Rustboro", false},
};
static const Place islands[] = {{SECTION_DEWFORD, 0x871, 78, 116, "Dewford", false}, {SECTION_ROUTE_109, ALWAYS, 132, 124, 0, false}};
#if FULL
static const Place coast[] = {
    {SECTION_ROUTE_109, ALWAYS, 132, 124, 0, false}, {8, 0x877, 156, 124, "Slateport", true}, {25, ALWAYS, 200, 124, 0, false},
    {25, ALWAYS, 200, 84, 0, false}, {9, 0x878, 200, 44, "Mauville", true},
    {26, ALWAYS, 200, 28, 0, false}, {27, ALWAYS, 188, 28, 0, false}, {74, ALWAYS, 182, 28, 0, false}, {28, ALWAYS, 176, 28, 0, false},
    {4, 0x873, 170, 28, 0, false}, {29, ALWAYS, 164, 28, 0, false}, {63, ALWAYS, 158, 28, 0, false}, {56, ALWAYS, 152, 28, 0, false},
    {76, ALWAYS, 142, 28, 0, false}, {3, 0x872, 128, 28, "Lavaridge", true},
};
#endif

static bool visited(const Place *place)
{
    return place->visited == ALWAYS || flag_get(place->visited);
}

static void draw_road(const Place *from, const Place *to)
{
    u32 left = from->x < to->x ? from->x : to->x, top = from->y < to->y ? from->y : to->y;
    u32 width = from->x + to->x - 2 * left, height = from->y + to->y - 2 * top;
    window_fill(&page, left - ROAD / 2, top - ROAD / 2, width + ROAD, height + ROAD, COLOUR_LIGHT);
}

static void draw_place(const Place *place)
{
    u32 left = place->x - DOT / 2, top = place->y - DOT / 2;
    bool here = gMapHeader.section == place->section;
    if (place->name || here)
        window_fill(&page, left, top, DOT, DOT, here ? COLOUR_RED : visited(place) ? COLOUR_FRAME : COLOUR_SHADOW);
    if (place->name)
        window_text(&page, place->below ? left - DOT : left + DOT + 3, place->below ? top + DOT + 2 : top - 1,
                    visited(place) ? place->name : "?");
}

static void draw(void)
{
    page_open("POKENAV");
    for (u32 i = 1; i < ARRAY_COUNT(places); ++i)
        draw_road(&places[i - 1], &places[i]);
#if FULL
    for (u32 i = 1; i < ARRAY_COUNT(coast); ++i)
        draw_road(&coast[i - 1], &coast[i]);
#endif
    for (u32 i = 0; i < ARRAY_COUNT(places); ++i)
        draw_place(&places[i]);
    for (u32 i = 0; i < ARRAY_COUNT(islands); ++i)
        draw_place(&islands[i]);
#if FULL
    for (u32 i = 0; i < ARRAY_COUNT(coast); ++i)
        draw_place(&coast[i]);
#endif
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 128, 3, "red: you are here");
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

static bool update(void)
{
    return gMain.new_keys & (KEY_A | KEY_B);
}

const Screen nav_screen = {LABEL_CB2_POKENAV, draw, update, false};
