/* The PokeNav: a map of the region as far as Jade has it; what was never visited is grey. */
#include "emerald.h"
#include "save.h"
#include "screens.h"

enum { ALWAYS = 0, DOT = 10, ROAD = 4, SECTION_DEWFORD = 2, SECTION_ROUTE_109 = 24 };

typedef struct { u8 section; u16 visited; u8 x, y; const char *name; } Place;

/* In the order of the way: each has a road to the one before. */
static const Place places[] = {
    {0, 0x86F, 176, 104, "Littleroot"}, {16, ALWAYS, 176, 86, 0}, {1, 0x870, 176, 68, "Oldale"},
    {18, ALWAYS, 176, 46, 0}, {1, 0x870, 176, 68, 0}, {17, ALWAYS, 136, 68, 0}, {7, 0x876, 98, 68, "Petalburg"},
    {19, ALWAYS, 58, 68, 0}, {59, ALWAYS, 58, 52, 0}, {10, 0x879, 58, 34, "Rustboro"},
};
static const Place islands[] = {{SECTION_DEWFORD, 0x871, 78, 116, "Dewford"}, {SECTION_ROUTE_109, ALWAYS, 140, 122, 0}};

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
        window_text(&page, left + DOT + 3, top - 1, visited(place) ? place->name : "?");
}

static void draw(void)
{
    page_open("POKENAV");
    for (u32 i = 1; i < ARRAY_COUNT(places); ++i)
        draw_road(&places[i - 1], &places[i]);
    for (u32 i = 0; i < ARRAY_COUNT(places); ++i)
        draw_place(&places[i]);
    for (u32 i = 0; i < ARRAY_COUNT(islands); ++i)
        draw_place(&islands[i]);
    text_colours(COLOUR_PAPER, COLOUR_LINE);
    window_text(&page, 128, 3, "red: you are here");
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

static bool update(void)
{
    return gMain.new_keys & (KEY_A | KEY_B);
}

const Screen nav_screen = {LABEL_CB2_POKENAV, draw, update, false};
