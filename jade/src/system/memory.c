/* What the C library would give us. */
#include "system/types.h"

void *memcpy(void *to, const void *from, size_t size)
{
    u8 *out = to;
    const u8 *in = from;
    if ((((u32) out | (u32) in | size) & 3) == 0) {
        for (; size; size -= 4, out += 4, in += 4)
            *(u32 *) out = *(const u32 *) in;
        return to;
    }
    while (size--)
        *out++ = *in++;
    return to;
}

void *memset(void *to, int value, size_t size)
{
    u8 *out = to;
    while (size--)
        *out++ = value;
    return to;
}

int memcmp(const void *a, const void *b, size_t size)
{
    const u8 *x = a, *y = b;
    for (; size; --size, ++x, ++y)
        if (*x != *y)
            return *x - *y;
    return 0;
}

/* GBATEK, "GBA DMA Transfers": channel 3, half-words, at once. */
#define DMA3_SOURCE (*(volatile u32 *) 0x040000D4)
#define DMA3_TARGET (*(volatile u32 *) 0x040000D8)
#define DMA3_CONTROL (*(volatile u32 *) 0x040000DC)
enum { DMA_ENABLE = 1u << 31, DMA_WORDS = 1 << 26, DMA_SOURCE_FIXED = 2 << 23, DMA_BACKWARDS = 1 << 23 | 1 << 21 };

static void transfer(u32 from, u32 to, u32 control)
{
    DMA3_SOURCE = from;
    DMA3_TARGET = to;
    DMA3_CONTROL = control | DMA_ENABLE;
    while (DMA3_CONTROL & DMA_ENABLE)
        ;
}

void copy16(volatile u16 *to, const void *from, u32 count)
{
    if (count)
        transfer((u32) from, (u32) to, count);
}

void fill16(volatile u16 *to, u16 value, u32 count)
{
    static volatile u16 source;
    source = value;
    if (count)
        transfer((u32) &source, (u32) to, count | DMA_SOURCE_FIXED);
}

void move32(void *to, const void *from, u32 count)
{
    u32 last = 4 * (count - 1);
    if (to < from)
        transfer((u32) from, (u32) to, count | DMA_WORDS);
    else if (to > from)
        transfer((u32) from + last, (u32) to + last, count | DMA_WORDS | DMA_BACKWARDS);
}
