/* Shortest walks over a map from one cell to all others. */

#include <stdint.h>
#include "walks.h"

enum { WALL, GROUND, END, HOP_DOWN, HOP_UP, HOP_LEFT, HOP_RIGHT }; /* as in shortest_walks.py */
enum { NEVER = 0xFFFF, DIRECTIONS = 4 };

static const int DX[DIRECTIONS] = {0, 0, -1, 1}, DY[DIRECTIONS] = {1, -1, 0, 0}; /* down, up, left, right */

/* Returns the cell that a step from (x, y) ends on, or -1. */
static int land(const uint8_t *cells, int width, int height, int x, int y, int direction)
{
    for (int hops = 0; hops < 2; hops++) {
        x += DX[direction];
        y += DY[direction];
        if (x < 0 || y < 0 || x >= width || y >= height)
            return -1;
        int cell = cells[y * width + x];
        if (cell == GROUND || (cell == END && !hops))
            return y * width + x;
        if (cell != HOP_DOWN + direction)
            return -1;
    }
    return -1;
}

/* steps: to each cell, NEVER if there is no walk; first: a bit for each direction in which a shortest one begins.
   `queue` has room for all cells. */
void walks_fill(
    const uint8_t *cells, int width, int height, int start, uint16_t *steps, uint8_t *first, int32_t *queue)
{
    for (int i = 0; i < width * height; i++) {
        steps[i] = NEVER;
        first[i] = 0;
    }
    int head = 0, tail = 0;
    steps[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        int at = queue[head++];
        if (at != start && cells[at] == END)
            continue;
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            int next = land(cells, width, height, at % width, at / width, direction);
            if (next < 0 || steps[next] <= steps[at])
                continue;
            if (steps[next] == NEVER) {
                steps[next] = steps[at] + 1;
                queue[tail++] = next;
            }
            if (steps[next] == steps[at] + 1)
                first[next] |= at == start ? 1 << direction : first[at];
        }
    }
}
