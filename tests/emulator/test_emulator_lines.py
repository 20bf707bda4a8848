"""Lines that pass at once leave every bit as libmgba leaves it, which runs each event by itself."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import numpy as np
import pytest
from helpers.examples import examples
from helpers.gba_programs import IO, SIZE, cartridge, idle_loop, program
from hypothesis import given, settings
from hypothesis import strategies as st

from emerald_env.emulator import GBA
from emerald_env.emulator.library import lib
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM
from emerald_env.jade.walk import Walker, walk_through
from experiments.benchmarks.busy_rom import BLANK, NEVER_WORKS, busy_rom
from experiments.benchmarks.scenes import scenes, with_crc32

pytestmark = pytest.mark.skipif(
    not lib.mgba_proved(), reason="this version of libmgba runs each event by itself anyway"
)
# EXAMPLES=100 pytest tests/emulator/test_emulator_lines.py   looks longer for a difference
WALK, SCENE = 50_000, 17_000  # frames; with three scenes more than 100,000
DISPCNT, DISPSTAT, IE, IME, KEYCNT = 0x000, 0x004, 0x200, 0x208, 0x132
VBLANK_IRQ, HBLANK_IRQ, VCOUNT_IRQ = 0x08, 0x10, 0x20
BACKDROP = 0x05000000
# places in struct GBASerializedState: audio.psg.ch1.nextFrame, audio.nextSample, video.nextEvent,
# io[REG_VCOUNT]
SEQUENCE_NEXT, SAMPLE_NEXT, VIDEO_NEXT, LINE = 0x134, 0x1D4, 0x1F4, 0x406


class Pair:
    """The same game twice: with lines that pass at once, and event by event."""

    def __init__(self, rom, idle_loop: int | None = None) -> None:
        self.both = [GBA(rom, idle_loop=idle_loop) for _ in range(2)]
        assert lib.game_batch_lines(self.both[0]._running, True)
        assert not lib.game_batch_lines(self.both[1]._running, False)

    def close(self) -> None:
        for gba in self.both:
            gba.stop()

    def step(self, keys: int, hold: int, frames: int, render: bool) -> None:
        for gba in self.both:
            gba.step(keys, hold, frames, render)

    def load(self, state: bytes) -> None:
        for gba in self.both:
            gba.set_state(state)

    def same_state(self) -> bytes:
        """Memory, registers, processor, timers, sound, and the times of all events."""
        fast, plain = (gba.get_state() for gba in self.both)
        assert fast == plain, f"bytes {differences(fast, plain)} of the states differ"
        assert np.array_equal(self.both[0].screen.rgb, self.both[1].screen.rgb)
        return fast


def differences(one: bytes, other: bytes) -> list[str]:
    places = np.flatnonzero(np.frombuffer(one, np.uint8) != np.frombuffer(other, np.uint8))
    return [hex(place) for place in places[:8]]


@contextmanager
def pair(rom, idle_loop: int | None = None) -> Iterator[Pair]:
    with closing(Pair(rom, idle_loop)) as games:
        yield games


def play(games: Pair, keys, rng: np.random.Generator) -> None:
    """Plays a mask a frame, in steps of random length; goes back to a state now and then."""
    frame, saved = 0, games.same_state()
    while frame < len(keys):
        length = int(rng.integers(1, 25))
        hold = int(rng.integers(length + 1))
        games.step(int(keys[frame]), hold, length, bool(rng.random() < 0.5))
        frame += length
        state = games.same_state()
        if rng.random() < 0.02:
            saved = state
        elif rng.random() < 0.01:
            games.load(saved)


@pytest.mark.slow
def test_the_walk_through_jade_is_equal_to_the_bit():
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as gba:
        walker = Walker(gba)
        for _ in walk_through(walker):
            if len(walker.keys) >= WALK:
                break
    with pair(JADE_ROM, JADE_IDLE_LOOP) as games:
        for frame, keys in enumerate(walker.keys[:WALK]):
            games.step(int(keys), 1, 1, frame % 24 == 0)
            if frame % 24 == 0:
                state = games.same_state()
            if frame % 2400 == 0:
                games.load(state)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["overworld", "battle", "title"])
def test_random_keys_in_every_scene_are_equal_to_the_bit(name):
    work = scenes(None, -(-SCENE // 24), 1)[name]
    with pair(JADE_ROM, JADE_IDLE_LOOP) as games:
        games.load(work.state)
        play(games, np.repeat(work.keys, 24)[:SCENE], np.random.default_rng(2))


@pytest.mark.slow
@pytest.mark.parametrize("asleep", [NEVER_WORKS, BLANK])
def test_a_game_that_sounds_like_emerald_is_equal_to_the_bit(asleep):
    rom, work = busy_rom(asleep, sounding=True), scenes(None, -(-SCENE // 24), 1)["overworld"]
    with pair(rom, JADE_IDLE_LOOP) as games:
        games.load(with_crc32(work.state, games.both[0].crc32))
        play(games, np.repeat(work.keys, 24)[:SCENE], np.random.default_rng(2))


HARD_CASES = {
    "each line's end interrupts": ([(IO + DISPSTAT, HBLANK_IRQ)], 0x02),
    "a line interrupts": ([(IO + DISPSTAT, VCOUNT_IRQ | 77 << 8)], 0x04),
    "an invisible line interrupts": ([(IO + DISPSTAT, VCOUNT_IRQ | 200 << 8)], 0x04),
    "the last line interrupts": ([(IO + DISPSTAT, VCOUNT_IRQ | 227 << 8)], 0x04),
    "the first line interrupts": ([(IO + DISPSTAT, VCOUNT_IRQ)], 0x04),
    "the vertical blank's line interrupts twice": ([(IO + DISPSTAT, 0x28 | 160 << 8)], 0x05),
    "a line that is never reached": ([(IO + DISPSTAT, 0x28 | 240 << 8)], 0x05),
    "a line is noticed, not interrupted by": ([(IO + DISPSTAT, VCOUNT_IRQ | 77 << 8)], 0x01),
    "a timer interrupts": ([(IO + 0x100, 0xF123), (IO + 0x102, 0xC0)], 0x08),
    "a timer counts another's overflows": (
        [(IO + 0x100, 0xFE00), (IO + 0x102, 0x80), (IO + 0x104, 0xFFF0), (IO + 0x106, 0xC4)],
        0x10,
    ),
    "keys interrupt": ([(IO + KEYCNT, 0x40FF)], 0x1000),
    "nothing wakes it": ([(IO + DISPSTAT, VBLANK_IRQ)], 0x00),
    "sounds play": (
        [(IO + 0x84, 0x80), (IO + 0x80, 0xFF77), (IO + 0x62, 0xF0BF), (IO + 0x64, 0xC400)]
        + [(IO + 0x74, 0x83FF), (IO + 0x70, 0x80), (IO + 0x78, 0xA13F), (IO + 0x7C, 0xC000)],
        0x01,
    ),
}


def transfer(number: int, source: int, target: int, count: int, control: int):
    """The writes that start DMA channel `number`."""
    at = IO + 0xB0 + 12 * number
    values = (source & 0xFFFF, source >> 16, target & 0xFFFF, target >> 16, count, control)
    return [(at + 2 * i, value) for i, value in enumerate(values)]


HARD_CASES |= {
    "each line's end transfers": (
        transfer(0, 0x02000000, BACKDROP, 1, 0xA240),  # repeated, to the same place
        0x01,
    ),
    "each line's end transfers and interrupts": (
        transfer(1, 0x02000000, BACKDROP, 1, 0xE240),
        0x200,
    ),
    "a transfer follows the lines": (transfer(3, 0x02000000, 0x06000000, 2, 0xF240), 0x801),
    "the vertical blank transfers": (transfer(2, 0x02000000, 0x06000000, 64, 0xD200), 0x401),
    "samples are transferred": (
        [(IO + 0x84, 0x80), (IO + 0x82, 0x0B0E), (IO + 0x100, 0xFBE8), (IO + 0x102, 0x80)]
        + transfer(1, 0x02000000, IO + 0xA0, 4, 0xB640),
        0x01,
    ),
}


def mixer(
    reload: int = 0xFB1A,
    prescaler: int = 0,
    outputs: int = 0xA90E,
    bias: int = 0x4200,
    counts: tuple[int, int] = (4, 4),
    controls: tuple[int, int] = (0xB600, 0xB600),
    apart: int = 0,
) -> list[tuple[int, int]]:
    """The writes that start Emerald's sound: timer 0, two FIFOs, two transfers.

    Args:
        reload: of the timer.
        prescaler: of the timer, 0 to 3.
        outputs: SOUNDCNT_H: which timer feeds which FIFO, and where it is heard.
        bias: SOUNDBIAS, with the resolution.
        counts: of the transfers, which a FIFO ignores.
        controls: of the transfers.
        apart: of the second timer's period from the first's.
    """
    writes = [(IO + 0x84, 0x80), (IO + 0x82, outputs), (IO + 0x88, bias)]
    for number, fifo in ((1, 0xA0), (2, 0xA4)):
        source = 0x02000000 + 0x630 * (number - 1)
        writes += transfer(number, source, IO + fifo, counts[number - 1], controls[number - 1])
    second = [(IO + 0x104, reload - apart & 0xFFFF), (IO + 0x106, 0x80 | prescaler)]
    return [*writes, *second, (IO + 0x100, reload), (IO + 0x102, 0x80 | prescaler)]


HARD_CASES |= {
    "Emerald's sound": (mixer(), 0x01),
    "a FIFO that is filled once": (mixer(controls=(0xB400, 0x3600)), 0x01),
    "transfers of a sound that interrupt": (mixer(controls=(0xF600, 0xB600)), 0x201),
    "FIFOs with a timer each": (mixer(outputs=0xED0E, apart=333), 0x01),
    "samples by the hundred cycles": (mixer(0xFF9C, bias=0xC200), 0x01),
    "a sound whose timer interrupts": (
        [write for write in mixer() if write[0] != IO + 0x102] + [(IO + 0x102, 0xC0)],
        0x09,
    ),
    "a sound whose timer is counted": ([*mixer(), (IO + 0x104, 0xFF00), (IO + 0x106, 0x84)], 0x01),
}


def setup(case, display: int = 0x0403) -> list[tuple[int, int]]:
    writes, interrupts = case
    if not any(address == IO + DISPSTAT for address, _ in writes):
        writes = [(IO + DISPSTAT, VBLANK_IRQ), *writes]
    return [(IO + DISPCNT, display), *writes, (IO + IE, interrupts), (IO + IME, 1)]


@pytest.mark.parametrize("loop", ["halt", "busy", "half", "poll", "idle"])
@pytest.mark.parametrize("name", HARD_CASES)
def test_what_happens_between_lines_is_equal_to_the_bit(name, loop):
    writes = setup(HARD_CASES[name])
    named = idle_loop(writes) if loop == "idle" else None
    with pair(program(writes, loop, work=3000), named) as games:
        for keys in (0, 3, 1, 512, 0, 7):
            games.step(keys, 1, 2, render=keys != 1)
            games.same_state()


register = st.integers(0, 0xFFFF)
halfwords = st.one_of(st.sampled_from([0, 1, 8, 0x80, 0xFFFF, 0xFFF0]), register)
places = st.one_of(
    st.sampled_from([DISPSTAT, IE, IME, 0x62, 0x70, 0x80, 0x82, 0x84, 0x88, 0x100, 0x102, KEYCNT]),
    st.integers(0, 0x104).map(lambda half: 2 * half),
)
io_writes = st.tuples(places.map(lambda place: IO + place), halfwords).map(lambda write: [write])
addresses = st.sampled_from([0x02000000, 0x02001000, 0x03000100, 0x06000000, BACKDROP, IO + 0xA0])
transfers = st.builds(
    transfer,
    st.integers(0, 3),
    addresses,
    addresses,
    st.integers(1, 40),
    st.builds(
        lambda timing, rest: 0x8000 | timing << 12 | rest & 0x47E0, st.integers(0, 3), register
    ),
)
controls = st.sampled_from([0xB600, 0xB640, 0xB400, 0x3600, 0xF600, 0xB700, 0xB680, 0x8600])
mixers = st.builds(
    mixer,
    st.one_of(st.just(0xFB1A), st.integers(0xF000, 0xFFF8)),
    st.sampled_from([0, 0, 0, 1, 2]),
    st.one_of(st.just(0xA90E), register),
    st.integers(0, 3).map(lambda resolution: 0x200 | resolution << 14),
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    st.tuples(controls, controls),
    st.integers(-9, 2000),
)
cases = st.tuples(
    st.tuples(
        st.one_of(st.just([]), mixers),
        st.lists(st.one_of(io_writes, transfers), max_size=6).map(lambda parts: sum(parts, [])),
    ).map(lambda parts: parts[0] + parts[1]),
    halfwords,
)
steps = st.lists(
    st.tuples(
        st.integers(0, 1023),
        st.integers(0, 3),
        st.integers(1, 3),
        st.booleans(),
        st.sampled_from(["go on", "go on", "save", "load", "reset"]),
    ),
    min_size=3,
    max_size=12,
)


@given(cases, st.sampled_from(["halt", "busy", "half", "poll", "idle"]), register, steps)
@settings(max_examples=examples(150))
def test_any_registers_frames_keys_saves_and_loads_are_equal_to_the_bit(case, loop, work, steps):
    writes = setup(case)
    named = idle_loop(writes) if loop == "idle" else None
    with pair(program(writes, loop, work), named) as games:
        saved = games.same_state()
        for keys, hold, frames, render, then in steps:
            games.step(keys, hold, frames, render)
            state = games.same_state()
            if then == "save":
                saved = state
            elif then == "load":
                games.load(saved)
            elif then == "reset":
                for gba in games.both:
                    gba.reset()


@given(
    st.integers(-(1 << 20), 1 << 20),
    st.integers(-(1 << 18), 1 << 18),
    st.integers(-(1 << 18), 1 << 18),
    st.integers(0, 227),
    st.booleans(),
)
@settings(max_examples=examples(150))
def test_states_with_impossible_times_are_equal_to_the_bit(
    video, sample, sequence, line, interrupts
):
    sounds, _ = HARD_CASES["sounds play"]
    writes = [(IO + DISPSTAT, VBLANK_IRQ), *sounds, (IO + IE, 1), (IO + IME, int(interrupts))]
    with pair(program(writes, "halt")) as games:
        games.step(0, 0, 3, True)
        state = bytearray(games.same_state())
        state[VIDEO_NEXT : VIDEO_NEXT + 4] = video.to_bytes(4, "little", signed=True)
        state[SEQUENCE_NEXT : SEQUENCE_NEXT + 4] = sequence.to_bytes(4, "little", signed=True)
        state[SAMPLE_NEXT : SAMPLE_NEXT + 4] = sample.to_bytes(4, "little", signed=True)
        state[LINE : LINE + 2] = line.to_bytes(2, "little")
        games.load(bytes(state))
        for render in (True, False, False, True):
            games.step(0, 0, 1, render)
            games.same_state()


def test_a_state_saved_either_way_resumes_either_way():
    with pair(JADE_ROM, JADE_IDLE_LOOP) as games:
        fast, plain = games.both
        fast.tick(301)
        plain.set_state(fast.get_state())
        games.step(1, 5, 24, True)
        games.same_state()
        fast.set_state(plain.get_state())
        games.step(1, 5, 24, True)
        games.same_state()


def test_a_game_can_change_between_the_two_ways():
    with pair(JADE_ROM, JADE_IDLE_LOOP) as games:
        for step in range(20):
            lib.game_batch_lines(games.both[0]._running, step % 3 > 0)
            games.step(1 << step % 10, 12, 24, step % 2 == 0)
            games.same_state()


def test_programs_fit_their_cartridges():
    assert len(cartridge([0] * 100)) == SIZE == len(program([(IO, 0)] * 60, "half"))
