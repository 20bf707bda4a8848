#include "field/ground/map.h"
#include "data/data.h"
#include "save/save.h"

/* Emerald's numbers of the sides of a connection. */
enum { SOUTH = 1, NORTH = 2, WEST = 3, EAST = 4 };

const MapHeader *map_find(s8 group, s8 number)
{
    const MapEntry *entry = map_directory;
    while (entry->header && (entry->group != group || entry->number != number))
        ++entry;
    return entry->header;
}

static void grid_size(const MapLayout *layout)
{
    gBackupMapLayout.width = layout->width + 2 * BORDER + 1;
    gBackupMapLayout.height = layout->height + 2 * BORDER;
    gBackupMapLayout.map = sBackupMapData;
}

/* The border's 2x2 cells repeat: two rows are made, the others are copies. */
static void fill_border(const MapLayout *layout)
{
    s32 width = gBackupMapLayout.width;
    for (s32 y = 0; y < 2; ++y)
        for (s32 x = 0; x < width; ++x)
            sBackupMapData[y * width + x] = layout->border[((y + 1) & 1) * 2 + ((x + 1) & 1)];
    for (s32 y = 2; y < gBackupMapLayout.height; y += 2)
        copy16(sBackupMapData + y * width, sBackupMapData, 2 * width);
}

/* Copies a layout so that its upper left corner comes to (left, top) of the grid. */
static void paste(const MapLayout *layout, s32 left, s32 top)
{
    s32 from_x = left < 0 ? -left : 0, from_y = top < 0 ? -top : 0;
    s32 to_x = gBackupMapLayout.width - left, to_y = gBackupMapLayout.height - top;
    if (to_x > layout->width)
        to_x = layout->width;
    if (to_y > layout->height)
        to_y = layout->height;
    for (s32 y = from_y; y < to_y && from_x < to_x; ++y)
        copy16(sBackupMapData + (top + y) * gBackupMapLayout.width + left + from_x,
               layout->grid + y * layout->width + from_x, to_x - from_x);
}

/* The neighbour's upper left corner in this map's coordinates. */
static Coords corner_of(const MapConnection *connection, const MapLayout *neighbour)
{
    const MapLayout *own = gMapHeader.layout;
    switch (connection->direction) {
    case SOUTH: return (Coords) {connection->offset, own->height};
    case NORTH: return (Coords) {connection->offset, -neighbour->height};
    case WEST: return (Coords) {-neighbour->width, connection->offset};
    default: return (Coords) {own->width, connection->offset};
    }
}

static void fill_grid(void)
{
    const MapConnections *connections = gMapHeader.connections;
    grid_size(gMapHeader.layout);
    fill_border(gMapHeader.layout);
    for (s32 i = 0; connections && i < connections->count; ++i) {
        const MapConnection *connection = &connections->list[i];
        const MapLayout *layout = map_find(connection->map_group, connection->map_number)->layout;
        Coords corner = corner_of(connection, layout);
        paste(layout, corner.x + BORDER, corner.y + BORDER);
    }
    paste(gMapHeader.layout, BORDER, BORDER);
}

void map_load(s8 group, s8 number)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    gMapHeader = *map_find(group, number);
    block->map_layout_id = gMapHeader.layout_id;
    block->weather = gMapHeader.weather;
    fill_grid();
    fill16((u16 *) block->templates, 0, sizeof block->templates / 2);
    memcpy(block->templates, gMapHeader.events->objects, gMapHeader.events->object_count * sizeof(ObjectTemplate));
    if (map_scripts()->arrive)
        script_run_silently(map_scripts()->arrive);
}

u16 map_cell(s32 x, s32 y)
{
    x += BORDER;
    y += BORDER;
    if (x < 0 || y < 0 || x >= gBackupMapLayout.width || y >= gBackupMapLayout.height)
        return gMapHeader.layout->border[(y & 1) * 2 + (x & 1)];
    return sBackupMapData[y * gBackupMapLayout.width + x];
}

u8 map_behaviour(s32 x, s32 y)
{
    return gMapHeader.layout->primary->attributes[map_cell(x, y) & CELL_METATILE];
}

bool map_inside(s32 x, s32 y)
{
    return x >= 0 && y >= 0 && x < gMapHeader.layout->width && y < gMapHeader.layout->height;
}

const WarpEvent *map_warp_at(s32 x, s32 y)
{
    for (u32 i = 0; i < gMapHeader.events->warp_count; ++i)
        if (gMapHeader.events->warps[i].x == x && gMapHeader.events->warps[i].y == y)
            return &gMapHeader.events->warps[i];
    return 0;
}

const CoordEvent *map_trigger_at(s32 x, s32 y)
{
    for (u32 i = 0; i < gMapHeader.events->coord_count; ++i) {
        const CoordEvent *event = &gMapHeader.events->coords[i];
        if (event->x == x && event->y == y && (!event->var || var_get(event->var) == event->value))
            return event;
    }
    return 0;
}

const BgEvent *map_sign_at(s32 x, s32 y)
{
    for (u32 i = 0; i < gMapHeader.events->bg_count; ++i)
        if (gMapHeader.events->bgs[i].x == x && gMapHeader.events->bgs[i].y == y)
            return &gMapHeader.events->bgs[i];
    return 0;
}

const MapScripts *map_scripts(void)
{
    return gMapHeader.scripts;
}

const MapConnection *map_neighbour(s32 x, s32 y, Coords *shift)
{
    const MapConnections *connections = gMapHeader.connections;
    for (s32 i = 0; connections && i < connections->count; ++i) {
        const MapConnection *connection = &connections->list[i];
        const MapLayout *layout = map_find(connection->map_group, connection->map_number)->layout;
        Coords corner = corner_of(connection, layout);
        s32 nx = x - corner.x, ny = y - corner.y;
        if (nx >= 0 && ny >= 0 && nx < layout->width && ny < layout->height) {
            *shift = (Coords) {-corner.x, -corner.y};
            return connection;
        }
    }
    return 0;
}
