"""The cartridge's date begins where the user wants it, and continues from there in every state."""

import time
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from helpers.gba_programs import LOG, branch, cartridge, halfword
from helpers.gba_programs import load as load_register
from helpers.handmade import Game, flash

from emerald_env.emulator import GBA, StateError
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.game.editions import open_game
from emerald_env.game.savefile import load
from emerald_env.starts.clock import set_clock
from emerald_env.starts.starts import NEW_GAME, load_start, prepare_starts
from experiments.benchmarks.busy_rom import busy_rom

FRAME = 280896 / (1 << 24)  # seconds: GBATEK, "LCD V-Blank"
NOON = datetime(2011, 3, 4, 12)
PINS = 0x080000C4  # of the cartridge's clock: 1 clock, 2 data, 4 chip select
READ_DATE = 0x65


def test_the_clock_begins_with_2024_and_goes_with_the_frames(jade):
    assert jade.clock == datetime(2024, 1, 1)
    jade.tick(600)
    assert jade.clock == datetime(2024, 1, 1) + timedelta(seconds=int(600 * FRAME))


def test_a_clock_that_was_set_continues_in_states_and_nothing_else_changes(jade):
    jade.tick(100)
    before = jade.get_state()
    jade.clock = NOON
    after = jade.get_state()
    assert sum(a != b for a, b in zip(before, after, strict=True)) <= 4
    jade.tick(600)
    jade.set_state(after)
    assert jade.clock == NOON
    jade.set_state(before)
    assert jade.clock.year == 2024, "as before: a state from elsewhere has no such word"


@pytest.mark.parametrize("date", [datetime(2000, 1, 1), datetime(2099, 12, 31, 23, 59, 59)])
def test_every_date_that_a_cartridge_can_show_is_kept_in_a_state(jade, date):
    jade.tick(6000)
    jade.clock = date
    state = jade.get_state()
    jade.clock = NOON
    jade.set_state(state)
    assert jade.clock == date


@pytest.mark.parametrize(
    "date",
    [datetime(1999, 12, 31), datetime(2100, 1, 1), datetime(2024, 1, 1, tzinfo=timezone.utc)],
)
def test_the_clock_is_not_set_to_a_date_that_no_cartridge_can_show(jade, date):
    with pytest.raises(ValueError, match="from 2000 to 2099, without a time zone, got"):
        jade.clock = date
    assert jade.clock.year == 2024


def test_the_clock_continues_while_the_console_is_switched_off_and_on(jade):
    jade.clock = NOON
    jade.tick(600)
    jade.reset()
    assert (jade.frame_count, jade.clock) == (0, NOON + timedelta(seconds=int(600 * FRAME)))
    jade.tick(600)
    assert timedelta(seconds=20) <= jade.clock - NOON <= timedelta(seconds=1200 * FRAME)


def test_a_save_begins_at_the_first_date_whatever_was_played_before(tmp_path):
    path = tmp_path / "game.sav"
    path.write_bytes(flash({0: (1, Game())}))
    with open_game() as game, open_game() as other:
        game.clock = NOON
        assert load_start(game, path).state == load_start(other, path).state
        assert game.clock.year == 2024


def test_episodes_begin_at_the_date_that_is_asked_for():
    env = EmeraldEnv(EnvConfig(clock="2011-03-04T12:00", start_wait=0))
    for _ in range(2):
        env.reset(seed=0)
        assert NOON <= env.gba.clock <= NOON + timedelta(seconds=1)
        env.step(0)
    other = EmeraldEnv(EnvConfig(start_wait=0))
    other.set_state(env.get_state())
    assert other.gba.clock == env.gba.clock, "resumed, the clock continues"
    env.close()
    other.close()


@pytest.mark.parametrize(
    "clock", ["noon", "1999-12-31", "2100-01-01", "2024-02-30", "2024-01-01T00:00+02:00"]
)
def test_a_date_that_no_cartridge_can_show_is_refused(clock):
    with pytest.raises(ValueError, match="clock is"):
        EnvConfig(clock=clock)


def test_a_state_without_a_date_of_its_own_says_so():
    with pytest.raises(StateError, match="--clock 2024"):
        prepare_starts(None, NEW_GAME, "state")


def test_a_states_own_date_is_the_one_that_the_game_last_read(jade, shared):
    # the real game's, by the files' own bytes: binary-coded decimals
    content = load(shared / "states" / "pokeagent-speedrun__truck.state").data
    state = np.frombuffer(jade.get_state(), np.uint8).copy()
    state[0x290:0x2B8] = np.frombuffer(content[0x290:0x2B8], np.uint8)
    jade.set_state(state.tobytes())
    assert jade.shown_time() == datetime(2025, 8, 7, 3, 20, 46)
    set_clock(jade, "state")
    assert jade.clock == datetime(2025, 8, 7, 3, 20, 46)


def test_the_real_game_sleeps_in_its_wait_loop_at_the_end_of_every_frame(shared):
    paths = [path for path in (shared / "states").iterdir() if path.suffix in (".state", ".ss1")]
    assert len(paths) == 20
    for path in paths:
        content = load(path).data
        # the processor's r15 is two half-words behind the loop; bit 0: it sleeps
        assert int.from_bytes(content[0x5C:0x60], "little") == 0x080008C6 + 2
        assert content[0x31C] & 1


def test_a_busy_game_does_not_sleep(jade):
    jade.tick(200)
    assert jade.sleeps
    with GBA(busy_rom()) as busy:
        busy.tick(200)
        assert not busy.sleeps


def clock_reader() -> bytes:
    """A cartridge that reads its clock into the first seven bytes at LOG, over and over."""

    def put(value: int, offset: int = 0) -> list[int]:
        return [0xE3A01000 | value, halfword(True, 1, 4, offset)]  # mov r1, #value; strh

    setup = [*load_register(4, PINS), *load_register(0, LOG), *put(1, offset=4)]
    body = [*put(1), *put(5), *put(7, offset=2)]
    for bit in reversed(range(8)):
        data = (READ_DATE >> bit & 1) << 1
        body += [*put(data | 4), *put(data | 5)]
    body += put(5, offset=2)
    for byte in range(7):
        body += [0xE3A03000]  # mov r3, #0
        # ldrh r2, [r4]; and r2, #2; mov r3, r3, lsr #1; orr r3, r2, lsl #6
        body += 8 * [*put(4), *put(5), halfword(False, 2, 4), 0xE2022002, 0xE1A030A3, 0xE1833302]
        body += [0xE5C03000 | byte]  # strb r3, [r0, #byte]
    body += put(1)
    rom = bytearray(cartridge([*setup, *body, branch(-len(body))]))
    rom[0xAC:0xB0] = b"BPEE"  # mGBA gives it a clock
    return bytes(rom)


@pytest.fixture
def zone(monkeypatch):
    """Sets the time zone of the process."""

    def set_zone(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("date", "read"),
    [
        (datetime(2024, 3, 31, 2, 30), "24033100023000"),  # an hour that the zone skips; a Sunday
        (datetime(2024, 10, 27, 2, 30), "24102700023000"),  # one that it has twice
        (datetime(2024, 7, 5, 23, 59, 58), "24070505235958"),
    ],
)
def test_what_the_game_reads_does_not_depend_on_the_machines_time_zone(zone, date, read):
    states = []
    for name in ("UTC0", "CET-1CEST,M3.5.0,M10.5.0/3"):
        zone(name)
        with GBA(clock_reader()) as gba:
            gba.clock = date
            gba.tick(3)
            assert gba.memory.read(LOG, 7).hex() == read
            assert gba.shown_time() == date
            states.append(gba.get_state())
    assert states[0] == states[1]
