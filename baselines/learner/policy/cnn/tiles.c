/* A picture's tiles as numbers in bfloat16, in one pass over the memory. */
#include <stdint.h>
#include <string.h>

#include "tiles.h"

/* bfloat16 is the upper half of a float; the eight bits of a byte fit into it. */
static void widen(const uint8_t *restrict bytes, uint16_t *restrict numbers, int count) {
  for (int i = 0; i < count; i++) {
    union { float number; uint32_t bits; } wide = {.number = bytes[i]};
    numbers[i] = (uint16_t)(wide.bits >> 16);
  }
}

static uint16_t *write_line(const uint8_t *line, uint16_t *numbers, int count) {
  if (line == NULL)
    memset(numbers, 0, count * sizeof *numbers);
  else if (count == 16) /* the usual: 8 pixels of 2 channels; a fixed length is twice as fast */
    widen(line, numbers, 16);
  else
    widen(line, numbers, count);
  return numbers + count;
}

void tiles_write(const uint8_t *pixels, uint16_t *numbers, int pictures, int height, int width,
                 int channels, int tile, int above) {
  int rows = (height + 2 * above) / tile, columns = width / tile, line = tile * channels;
  for (; pictures > 0; pictures--, pixels += (size_t)height * width * channels)
    for (int top = -above; top < rows * tile - above; top += tile)
      for (int left = 0; left < columns * tile; left += tile)
        for (int y = top; y < top + tile; y++) {
          const uint8_t *found = pixels + ((size_t)y * width + left) * channels;
          numbers = write_line(y < 0 || y >= height ? NULL : found, numbers, line);
        }
}
