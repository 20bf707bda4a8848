/* Writes (pictures, rows, columns, tile, tile * channels) bfloat16 numbers, those of pixels
   outside of the picture as 0, from (pictures, height, width, channels) pixels. */
void tiles_write(const uint8_t *pixels, uint16_t *numbers, int pictures, int height, int width,
                 int channels, int tile, int above);
