#include "save/flash.h"
#include "system/emerald.h"

enum { SECTOR = 0x1000, SECTOR_DATA = 3968, SLOT_SECTORS = 14, SIGNATURE = 0x08012025, BANK = 0x10000 };
enum { BYTES_A_FRAME = 1024, STATUS_EMPTY = 0, STATUS_OK = 1 };

typedef struct { u16 id, checksum; u32 signature, counter; } Footer;
typedef struct { u8 data[SECTOR - sizeof(Footer)]; Footer footer; } Sector;

static struct {
    Sector sector;
    u8 id, target;
    u16 written;
} work;

static volatile u8 *const memory = (volatile u8 *) 0x0E000000;

/* ---- the chip: commands of a 128 KiB flash memory ---- */

static void command(u8 number)
{
    memory[0x5555] = 0xAA;
    memory[0x2AAA] = 0x55;
    memory[0x5555] = number;
}

static void identify(void)
{
    command(0x90);
    command(0xF0);
}

/* Where a sector begins, in the bank that is switched to. */
static volatile u8 *open_sector(u32 number)
{
    u32 address = number * SECTOR;
    command(0xB0);
    memory[0] = address / BANK;
    return memory + address % BANK;
}

static void erase(u32 number)
{
    volatile u8 *sector = open_sector(number);
    command(0x80);
    memory[0x5555] = 0xAA;
    memory[0x2AAA] = 0x55;
    *sector = 0x30;
    while (*sector != 0xFF)
        ;
}

static void program(u32 number, u32 from, u32 count)
{
    volatile u8 *sector = open_sector(number);
    const u8 *bytes = (const u8 *) &work.sector;
    for (u32 i = from; i < from + count; ++i) {
        command(0xA0);
        sector[i] = bytes[i];
        while (sector[i] != bytes[i])
            ;
    }
}

static void read(u32 number, void *to, u32 from, u32 count)
{
    volatile u8 *sector = open_sector(number);
    u8 *out = to;
    for (u32 i = 0; i < count; ++i)
        out[i] = sector[from + i];
}

/* ---- sections: SaveBlock2, four of SaveBlock1, nine of the boxes ---- */

static u8 *section(u32 id, u32 *size)
{
    u32 first = id == 0 ? 0 : id < 5 ? 1 : 5;
    u32 total = id == 0 ? sizeof(SaveBlock2) : id < 5 ? sizeof(SaveBlock1) : sizeof(PokemonStorage);
    u8 *block = id == 0 ? (u8 *) gSaveBlock2Ptr : id < 5 ? (u8 *) gSaveBlock1Ptr : (u8 *) gPokemonStoragePtr;
    u32 start = (id - first) * SECTOR_DATA;
    *size = total - start < SECTOR_DATA ? total - start : SECTOR_DATA;
    return block + start;
}

static u16 checksum(const u8 *data, u32 size)
{
    u32 sum = 0;
    for (u32 i = 0; i < size; i += 4)
        sum += *(const u32 *) (data + i);
    return (sum >> 16) + sum;
}

static void prepare_sector(void)
{
    u32 size;
    const u8 *data = section(work.id, &size);
    memset(&work.sector, 0, sizeof work.sector);
    memcpy(work.sector.data, data, size);
    work.sector.footer = (Footer) {work.id, checksum(data, size), SIGNATURE, gSaveCounter};
    work.target = (work.id + gLastWrittenSector) % SLOT_SECTORS + SLOT_SECTORS * (gSaveCounter & 1);
    work.written = 0;
    erase(work.target);
}

void flash_save_start(void)
{
    SaveBlock1 *block = gSaveBlock1Ptr;
    block->party_count = gPlayerPartyCount;
    memcpy(block->party, gPlayerParty, sizeof block->party);
    memcpy(block->objects, gObjectEvents, sizeof block->objects);
    gLastWrittenSector = (gLastWrittenSector + 1) % SLOT_SECTORS;
    ++gSaveCounter;
    work.id = 0;
    prepare_sector();
}

bool flash_save_step(void)
{
    program(work.target, work.written, BYTES_A_FRAME);
    work.written += BYTES_A_FRAME;
    if (work.written < SECTOR)
        return false;
    if (++work.id < SLOT_SECTORS) {
        prepare_sector();
        return false;
    }
    gSaveFileStatus = STATUS_OK;
    return true;
}

/* ---- reading ---- */

/* Whether a sector is sound; its content is then in `work.sector`. */
static bool read_sector(u32 number)
{
    u32 size;
    read(number, &work.sector.footer, SECTOR - sizeof(Footer), sizeof(Footer));
    if (work.sector.footer.signature != SIGNATURE || work.sector.footer.id >= SLOT_SECTORS)
        return false;
    section(work.sector.footer.id, &size);
    read(number, work.sector.data, 0, size);
    return checksum(work.sector.data, size) == work.sector.footer.checksum;
}

/* Whether a slot holds a whole game, and how often that was saved; `take` copies it into the blocks. */
static bool read_slot(u32 slot, u32 *counter, bool take)
{
    u32 found = 0, size;
    for (u32 i = 0; i < SLOT_SECTORS; ++i) {
        if (!read_sector(slot * SLOT_SECTORS + i))
            return false;
        u8 id = work.sector.footer.id;
        found |= 1u << id;
        *counter = work.sector.footer.counter;
        if (id == 0)
            gLastWrittenSector = i;
        if (take) {
            u8 *to = section(id, &size);
            memcpy(to, work.sector.data, size);
        }
    }
    return found == (1u << SLOT_SECTORS) - 1;
}

bool flash_load(void)
{
    u32 counters[2] = {0, 0};
    bool whole[2];
    identify();
    for (u32 slot = 0; slot < 2; ++slot)
        whole[slot] = read_slot(slot, &counters[slot], false);
    gSaveFileStatus = whole[0] || whole[1] ? STATUS_OK : STATUS_EMPTY;
    if (gSaveFileStatus == STATUS_EMPTY)
        return false;
    bool second = whole[1] && (!whole[0] || (s32) (counters[1] - counters[0]) > 0);
    return read_slot(second, &gSaveCounter, true);
}
