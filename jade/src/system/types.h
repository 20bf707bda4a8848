/* Types of fixed size, and where the console keeps its registers. */
#ifndef TYPES_H
#define TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* GBATEK, "GBA I/O Map" */
#define REG16(offset) (*(volatile u16 *) (0x04000000 + (offset)))
#define REG_DISPCNT REG16(0x000)
#define REG_DISPSTAT REG16(0x004)
#define REG_BGCNT(n) REG16(0x008 + 2 * (n))
#define REG_BGHOFS(n) REG16(0x010 + 4 * (n))
#define REG_BGVOFS(n) REG16(0x012 + 4 * (n))
#define REG_MOSAIC REG16(0x04C)
#define REG_BLDCNT REG16(0x050)
#define REG_BLDY REG16(0x054)
#define REG_KEYINPUT REG16(0x130)
#define REG_IE REG16(0x200)
#define REG_WAITCNT REG16(0x204)
#define REG_IME REG16(0x208)

#define BG_PALETTE ((u16 *) 0x05000000)
#define OBJ_PALETTE ((u16 *) 0x05000200)
#define VRAM ((u16 *) 0x06000000)
#define OBJ_TILES ((u32 *) 0x06010000)
#define OAM ((u16 *) 0x07000000)

enum { BG_MOSAIC = 1 << 6 };
enum { KEY_A = 1, KEY_B = 2, KEY_SELECT = 4, KEY_START = 8, KEY_RIGHT = 16, KEY_LEFT = 32, KEY_UP = 64, KEY_DOWN = 128,
       KEY_R = 256, KEY_L = 512 };

/* memory.c: the compiler may call these by itself */
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
int memcmp(const void *a, const void *b, size_t size);
/* By half-words, as the video memory wants it; fewer than 65,536. */
void copy16(volatile u16 *to, const void *from, u32 count);
/* By words, onto a place that may overlap the old one. */
void move32(void *to, const void *from, u32 count);
void fill16(volatile u16 *to, u16 value, u32 count);

#endif
