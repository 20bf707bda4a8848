"""A game's memory made by hand: what the game would have written, for values a test chooses."""

import struct
from dataclasses import dataclass, field

from emerald_env.game import symbols as sym
from emerald_env.game.editions import edition
from emerald_env.state import POCKETS

US = edition("BPEE").addresses
CB1_OVERWORLD, BATTLE_MAIN_CB1 = 0x08085E05, 0x08039EF1  # pret's symbols
KEY = 0xD1CEB01D
SLIDE = 0x34


class Memory:
    """EWRAM, IWRAM and video memory, all zero at first."""

    def __init__(self):
        self.regions = {
            sym.EWRAM: bytearray(sym.EWRAM_SIZE),
            sym.IWRAM: bytearray(sym.IWRAM_SIZE),
            sym.VRAM: bytearray(sym.VRAM_SIZE),
        }

    def _find(self, address, size):
        for base, data in self.regions.items():
            if base <= address and address + size <= base + len(data):
                return data, address - base
        raise AssertionError(f"{size} bytes at {address:#x} are outside the memory")

    def read(self, address, size):
        data, start = self._find(address, size)
        return bytes(data[start : start + size])

    def write(self, address, content):
        data, start = self._find(address, len(content))
        data[start : start + len(content)] = content

    def put(self, address, layout, *values):
        self.write(address, struct.pack("<" + layout, *values))

    def copy(self):
        other = Memory()
        for base, data in self.regions.items():
            other.regions[base][:] = data
        return other


@dataclass
class Mon:
    """A Pokémon's values as the game keeps them; a level-5 Treecko."""

    species: int = 277
    exp: int = 135
    level: int = 5
    hp: int = 20
    max_hp: int = 20
    moves: tuple = (1, 43, 0, 0)
    pp: tuple = (35, 30, 0, 0)
    personality: int = 0x12345678
    ot_id: int = 0x9ABCDEF0
    nickname: bytes = b"\xce\xcc\xbf\xbf\xbd\xc5\xbf\xbf\xff\xff"  # TREECKEE
    ot_name: bytes = b"\xc7\xbb\xd3\xff\xff\xff\xff"  # MAY
    item: int = 0
    friendship: int = 70
    bonuses: int = 0
    evs: tuple = (0, 1, 2, 3, 4, 5)
    ivs: tuple = (31, 30, 29, 28, 27, 26)
    ability: int = 1
    egg: bool = False
    met_level: int = 5
    met_location: int = 16
    ball: int = 4
    status: int = 0
    stats: tuple = (9, 10, 11, 12, 13)
    bits: int = 2  # has a species
    language: int = 2  # English

    def box(self):
        """The 80 bytes in a box."""
        growth = struct.pack(
            "<HHIBBH", self.species, self.item, self.exp, self.bonuses, self.friendship, 0
        )
        attacks = struct.pack("<4H4B", *self.moves, *self.pp)
        condition = bytes(self.evs) + bytes(6)
        iv_bits = sum(iv << 5 * index for index, iv in enumerate(self.ivs))
        iv_bits |= self.egg << 30 | self.ability << 31
        origins = self.met_level | 3 << 7 | self.ball << 11
        misc = struct.pack("<BBHII", 0, self.met_location, origins, iv_bits, 0)
        # pret's table, not the reader's arithmetic: which block stands where, by personality % 24
        order = ORDERS[self.personality % 24]
        blocks = {"G": growth, "A": attacks, "E": condition, "M": misc}
        plain = b"".join(blocks[letter] for letter in order)
        checksum = sum(struct.unpack("<24H", plain)) & 0xFFFF
        key = self.personality ^ self.ot_id
        secret = struct.pack("<12I", *(word ^ key for word in struct.unpack("<12I", plain)))
        head = struct.pack(
            "<II10sBB7sBHH",
            self.personality,
            self.ot_id,
            self.nickname,
            self.language,
            self.bits,
            self.ot_name,
            0,
            checksum,
            0,
        )
        return head + secret

    def party(self):
        """The 100 bytes in a party."""
        return self.box() + struct.pack(
            "<IBBHH5H", self.status, self.level, 0xFF, self.hp, self.max_hp, *self.stats
        )

    def battler(self):
        """The 88 bytes on a battle's field."""
        iv_bits = sum(iv << 5 * index for index, iv in enumerate(self.ivs))
        return struct.pack(
            "<H5H4HI8bB2BB4BHBBHH11sB8sIIIII",
            self.species,
            *self.stats,
            *self.moves,
            iv_bits,
            *(6,) * 8,
            65,
            12,
            12,
            0,
            *self.pp,
            self.hp,
            self.level,
            self.friendship,
            self.max_hp,
            self.item,
            self.nickname + b"\xff",
            self.bonuses,
            self.ot_name + b"\xff",
            self.exp,
            self.personality,
            self.status,
            0,
            self.ot_id,
        )


ORDERS = (
    "GAEM GAME GEAM GEMA GMAE GMEA AGEM AGME AEGM AEMG AMGE AMEG "
    "EGAM EGMA EAGM EAMG EMGA EMAG MGAE MGEA MAGE MAEG MEGA MEAG"
).split()


@dataclass
class Game:
    """What a test wants a running game to be; `memory()` writes it as the game would."""

    location: tuple = (0, 9)
    position: tuple = (10, 12)
    size: tuple = (20, 20)
    facing: int = 1
    key: int = KEY
    slide: int = SLIDE
    money: int = 3000
    coins: int = 0
    bag: dict = field(default_factory=dict)  # pocket -> {slot: (item, quantity)}
    pc: dict = field(default_factory=dict)  # slot -> (item, quantity)
    flags: tuple = ()
    vars: dict = field(default_factory=dict)
    stats: dict = field(default_factory=dict)
    seen: tuple = ()
    caught: tuple = ()
    party: tuple = (Mon(),)
    name: bytes = b"\xc7\xbb\xd3\xff\xff\xff\xff\xff"
    gender: int = 1
    trainer_id: int = 1234
    secret_id: int = 4321
    time: tuple = (1, 2, 3, 4)
    heal: tuple = (1, 1, 4, 2)
    enemies: tuple = ()
    battle_type: int = 0
    callback1: int = CB1_OVERWORLD
    callback2: int | None = None  # None: the overworld's
    at: object = US  # the edition's addresses

    def memory(self):
        memory = Memory()
        self._engine(memory)
        self._field(memory)
        memory.write(self.at.g_save_block_1 + self.slide, self.block1())
        memory.write(self.at.g_save_block_2 + self.slide, self.block2())
        memory.put(self.at.g_player_party_count, "B", len(self.party))
        memory.write(self.at.g_player_party, b"".join(mon.party() for mon in self.party))
        if self.enemies:
            self._battle(memory)
        return memory

    def _engine(self, memory):
        main = self.at.cb2_overworld if self.callback2 is None else self.callback2
        memory.put(self.at.g_main, "II", self.callback1, main)
        memory.put(self.at.s_play_time_counter_state, "B", 1)
        memory.put(self.at.s_global_script_context_status, "B", sym.SCRIPT_CONTEXT_SHUTDOWN)
        bases = (self.at.g_save_block_1, self.at.g_save_block_2, self.at.g_pokemon_storage)
        memory.put(self.at.g_save_block_1_ptr, "3I", *(base + self.slide for base in bases))

    def _field(self, memory):
        width, height = self.size[0] + 15, self.size[1] + 14
        memory.put(self.at.g_backup_map_layout, "iiI", width, height, self.at.s_backup_map_data)
        memory.put(self.at.g_player_avatar, "B", 1)
        memory.write(self.at.g_object_events, self.player_object())

    def player_object(self):
        x, y = self.position[0] + 7, self.position[1] + 7
        data = bytearray(sym.OBJECT_EVENT_SIZE)
        struct.pack_into("<I", data, 0, 1 | 1 << 16)
        data[sym.OBJECT_EVENT_ELEVATION] = 0x33
        struct.pack_into("<4h", data, sym.OBJECT_EVENT_CURRENT_COORDS, x, y, x, y)
        data[sym.OBJECT_EVENT_FACING] = self.facing | self.facing << 4
        return bytes(data)

    def _battle(self, memory):
        memory.put(self.at.g_main, "II", BATTLE_MAIN_CB1, self.at.battle_main_cb2)
        memory.put(self.at.g_main + sym.MAIN_IN_BATTLE, "B", sym.MAIN_IN_BATTLE_MASK)
        memory.put(self.at.s_lock_field_controls, "B", 1)
        memory.put(self.at.g_battle_type_flags, "I", self.battle_type)
        memory.write(self.at.g_enemy_party, b"".join(mon.party() for mon in self.enemies))
        memory.put(self.at.g_battlers_count, "B", 2)
        memory.put(self.at.g_battler_party_indexes, "4H", 0, 0, 0, 0)
        memory.write(self.at.g_battle_mons, self.party[0].battler() + self.enemies[0].battler())

    def block1(self):
        """SaveBlock1, encrypted."""
        block = bytearray(sym.SAVE_BLOCK_1_SIZE)
        key16 = self.key & 0xFFFF
        struct.pack_into("<hhbb", block, sym.SB1_POS, *self.position, *self.location)
        group, number, x, y = self.heal
        struct.pack_into("<bbbxhh", block, sym.SB1_LAST_HEAL_LOCATION, group, number, -1, x, y)
        struct.pack_into("<IH", block, sym.SB1_MONEY, self.money ^ self.key, self.coins ^ key16)
        for slot, (item, quantity) in self.pc.items():
            struct.pack_into("<HH", block, sym.SB1_PC_ITEMS + 4 * slot, item, quantity)
        for pocket, (start, capacity) in POCKETS.items():
            for slot in range(capacity):
                item, quantity = self.bag.get(pocket, {}).get(slot, (0, 0))
                struct.pack_into(
                    "<HH", block, sym.SB1_BAG + start + 4 * slot, item, quantity ^ key16
                )
        for flag in self.flags:
            block[sym.SB1_FLAGS + flag // 8] |= 1 << flag % 8
        for number, value in self.vars.items():
            struct.pack_into("<H", block, sym.SB1_VARS + 2 * (number - 0x4000), value)
        for index in range(64):
            value = self.stats.get(index, 0) ^ self.key
            struct.pack_into("<I", block, sym.SB1_GAME_STATS + 4 * index, value)
        for copy in (sym.SB1_SEEN1, sym.SB1_SEEN2):
            block[copy : copy + sym.DEX_SIZE] = dex(self.seen)
        struct.pack_into("<B", block, sym.SB1_PLAYER_PARTY_COUNT, len(self.party))
        party = b"".join(mon.party() for mon in self.party)
        block[sym.SB1_PLAYER_PARTY : sym.SB1_PLAYER_PARTY + len(party)] = party
        block[sym.SB1_OBJECT_EVENTS : sym.SB1_OBJECT_EVENTS + sym.OBJECT_EVENT_SIZE] = (
            self.player_object()
        )
        return bytes(block)

    def block2(self):
        """SaveBlock2."""
        block = bytearray(sym.SAVE_BLOCK_2_SIZE)
        struct.pack_into(
            "<8sBxHHHBBB",
            block,
            sym.SB2_PLAYER_NAME,
            self.name,
            self.gender,
            self.trainer_id,
            self.secret_id,
            *self.time,
        )
        block[sym.SB2_OWNED : sym.SB2_OWNED + sym.DEX_SIZE] = dex(self.caught)
        block[sym.SB2_SEEN : sym.SB2_SEEN + sym.DEX_SIZE] = dex(self.seen)
        struct.pack_into("<I", block, sym.SB2_ENCRYPTION_KEY, self.key)
        return bytes(block)


def dex(numbers):
    """The Pokédex's 52 bytes with these national numbers set."""
    return sum(1 << number - 1 for number in set(numbers)).to_bytes(sym.DEX_SIZE, "little")


def flash(slots):
    """A 128 KiB flash save: {slot: (counter, game)}, with sectors rotated by the counter."""
    data = bytearray(b"\xff" * 0x20000)
    for slot, (counter, game) in slots.items():
        sections = [game.block2()]
        sections += split(game.block1(), 4) + split(bytes(sym.POKEMON_STORAGE_SIZE), 9)
        for number, section in enumerate(sections):
            total = sum(struct.unpack(f"<{len(section) // 4}I", section)) & 0xFFFFFFFF
            checksum = (total >> 16) + (total & 0xFFFF) & 0xFFFF
            footer = struct.pack("<HHII", number, checksum, 0x08012025, counter)
            start = (slot * 14 + (number + counter) % 14) * 0x1000
            data[start : start + 0x1000] = section.ljust(0xFF4, b"\0") + footer
    return bytes(data)


def split(block, parts):
    return [block[index * 3968 : (index + 1) * 3968] for index in range(parts)]


def state_file(memory, code=b"BPEE", title=b"POKEMON EMER", version=0x01000007):
    """A raw state of mGBA with this memory."""
    data = bytearray(0x61000)
    struct.pack_into("<III4x12s4s", data, 0, version, 0, 0x1F1C08FB, title, code)
    data[0x1000:0x19000] = memory.regions[sym.VRAM]
    data[0x19000:0x21000] = memory.regions[sym.IWRAM]
    data[0x21000:0x61000] = memory.regions[sym.EWRAM]
    return bytes(data)
