#include "text/text.h"
#include "art/assets.h"

enum { PAPER = COLOUR_PAPER, TEXT_PALETTE = 15 << 12 };
/* The frame's tiles; the upper left one makes the cell 0xF201 that marks an open message box. */
enum { FRAME_TILE = 0x200, BLANK_TILE = 0 };
enum { TOP_LEFT = 1, TOP, TOP_RIGHT, SIDE_LEFT, SIDE_RIGHT, BOTTOM_LEFT, BOTTOM, BOTTOM_RIGHT };

static u16 *const characters = VRAM + 0x4000;
static u16 *const cells = VRAM + 31 * 1024;
static u8 ink_colour, shadow_colour;

void text_init(void)
{
    fill16(characters, 0, 16);
    text_clear();
    copy16(characters + FRAME_TILE * 16, frame_tiles, 9 * 16);
    copy16(BG_PALETTE + 15 * 16, text_palette, 16);
}

void text_clear(void)
{
    fill16(cells, 0, 1024);
    text_colours(COLOUR_INK, COLOUR_SHADOW);
}

void text_colours(u8 ink, u8 shadow)
{
    ink_colour = ink;
    shadow_colour = shadow;
}

void text_encode(u8 *to, const char *from, u32 size)
{
    for (u32 i = 0; i < size; ++i)
        to[i] = *from ? font_codes[(u8) *from++] : CODE_END;
}

static const u8 *insertion(char name)
{
    switch (name) {
    case 'P': return gSaveBlock2Ptr->name;
    case '2': return gStringVar2;
    case '3': return gStringVar3;
    default: return gStringVar1;
    }
}

/* Copies the text with its insertions into gStringVar4, newlines as page breaks. */
static u32 expand(const char *from)
{
    u32 length = 0;
    while (*from && length < GSTRINGVAR4_SIZE - 16) {
        if (*from == '{') {
            for (const u8 *code = insertion(from[1]); *code != CODE_END; ++code)
                gStringVar4[length++] = *code;
            from += 3;
        } else {
            gStringVar4[length++] = *from == '\n' ? CODE_PAGE : font_codes[(u8) *from];
            ++from;
        }
    }
    gStringVar4[length] = CODE_END;
    return length;
}

void text_layout(const char *from, u32 width, u32 lines)
{
    u32 length = expand(from), x = 0, line = 0, space = 0;
    for (u32 i = 0, since_space = 0; i < length; ++i) {
        u8 code = gStringVar4[i];
        if (code == CODE_PAGE) {
            x = line = space = since_space = 0;
            continue;
        }
        if (code == CODE_SPACE) {
            space = i;
            since_space = 0;
        } else {
            since_space += font_widths[code];
        }
        x += font_widths[code];
        if (x > width && space) {
            line = (line + 1) % lines;
            gStringVar4[space] = line ? CODE_LINE : CODE_PAGE;
            x = since_space;
            space = 0;
        }
    }
}

static void cell(u32 column, u32 row, u16 value)
{
    cells[row * 32 + column] = value;
}

static void frame_row(const Window *window, u32 row, u16 left, u16 middle, u16 right)
{
    cell(window->column - 1, row, TEXT_PALETTE | (FRAME_TILE + left));
    for (u32 i = 0; middle && i < window->width; ++i)
        cell(window->column + i, row, TEXT_PALETTE | (FRAME_TILE + middle));
    cell(window->column + window->width, row, TEXT_PALETTE | (FRAME_TILE + right));
}

void window_clear(const Window *window)
{
    fill16(characters + window->tile * 16, PAPER * 0x1111, window->width * window->height * 16);
}

void window_open(const Window *window)
{
    window_clear(window);
    frame_row(window, window->row - 1, TOP_LEFT, TOP, TOP_RIGHT);
    for (u32 y = 0; y < window->height; ++y) {
        frame_row(window, window->row + y, SIDE_LEFT, 0, SIDE_RIGHT);
        for (u32 x = 0; x < window->width; ++x)
            cell(window->column + x, window->row + y, TEXT_PALETTE | (window->tile + y * window->width + x));
    }
    frame_row(window, window->row + window->height, BOTTOM_LEFT, BOTTOM, BOTTOM_RIGHT);
}

void window_close(const Window *window)
{
    for (u32 y = 0; y < window->height + 2u; ++y)
        fill16(cells + (window->row - 1 + y) * 32 + window->column - 1, BLANK_TILE, window->width + 2);
}

/* Puts one row of up to nine pixels; each of the two masks selects a colour. */
static void put_row(const Window *window, u32 x, u32 y, u32 ink, u32 shadow)
{
    u32 first = (y >> 3) * window->width + (x >> 3);
    volatile u32 *row = (volatile u32 *) (characters + (window->tile + first) * 16) + (y & 7);
    u32 colours[2] = {0, 0}, masks[2] = {0, 0};
    for (u32 i = x & 7, both = ink | shadow; both; ++i, both >>= 1, ink >>= 1) {
        if (both & 1) {
            colours[i >> 3] |= (ink & 1 ? ink_colour : shadow_colour) << 4 * (i & 7);
            masks[i >> 3] |= 15u << 4 * (i & 7);
        }
    }
    row[0] = (row[0] & ~masks[0]) | colours[0];
    if (masks[1])
        row[8] = (row[8] & ~masks[1]) | colours[1];
}

u32 window_glyph(const Window *window, u32 x, u32 y, u8 code)
{
    const u8 *rows = font_rows + code * GLYPH_ROWS;
    u32 above = 0;
    for (u32 i = 0; i <= GLYPH_ROWS; ++i) {
        u32 ink = i < GLYPH_ROWS ? rows[i] : 0;
        u32 shadow = (ink << 1 | above << 1 | above) & ~ink;
        if (ink | shadow)
            put_row(window, x, y + i, ink, shadow);
        above = ink;
    }
    return font_widths[code];
}

void window_arrow(const Window *window, bool shown)
{
    u32 tile = window->tile + window->width * window->height - 1;
    copy16(characters + tile * 16, shown ? arrow_tile : paper_tile, 16);
}

u32 window_text(const Window *window, u32 x, u32 y, const char *text)
{
    for (; *text; ++text)
        x += window_glyph(window, x, y, font_codes[(u8) *text]);
    return x;
}

u32 window_codes(const Window *window, u32 x, u32 y, const u8 *codes)
{
    for (; *codes != CODE_END; ++codes)
        x += window_glyph(window, x, y, *codes);
    return x;
}

void text_number(u8 *codes, u32 number)
{
    u32 unit = 1;
    while (number / unit >= 10)
        unit *= 10;
    for (; unit; unit /= 10)
        *codes++ = font_codes['0' + number / unit % 10];
    *codes = CODE_END;
}

u32 window_number(const Window *window, u32 right, u32 y, u32 number)
{
    u8 codes[12];
    text_number(codes, number);
    for (const u8 *code = codes; *code != CODE_END; ++code)
        right -= font_widths[*code];
    window_codes(window, right, y, codes);
    return right;
}

void window_fill(const Window *window, u32 x, u32 y, u32 width, u32 height, u8 colour)
{
    for (u32 row = y; row < y + height; ++row) {
        for (u32 from = x; from < x + width;) {
            u32 to = (from | 7) + 1 < x + width ? (from | 7) + 1 : x + width;
            u32 tile = window->tile + (row >> 3) * window->width + (from >> 3);
            volatile u32 *pixels = (volatile u32 *) (characters + tile * 16) + (row & 7);
            u32 mask = (0xFFFFFFFFu >> (32 - 4 * (to - from))) << 4 * (from & 7);
            *pixels = (*pixels & ~mask) | (colour * 0x11111111u & mask);
            from = to;
        }
    }
}
