void walks_fill(
    const uint8_t *cells, int width, int height, int start, uint16_t *steps, uint8_t *first, int32_t *queue);
