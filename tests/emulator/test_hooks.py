"""Hooks on addresses, and the processor's registers."""

import pytest
from helpers.gba_programs import CODE, branch, cartridge, load

from emerald_env import GBA
from emerald_env.emulator import HookError
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM

ADD_ONE = 0xE2844001  # add r4, r4, #1
COUNTING = [*load(4, 0), ADD_ONE, branch(-1)]
LOOP = 0x08000000 + CODE + 4 * 4  # of `add`
WORD = 1 << 32


@pytest.fixture
def counting():
    with GBA(cartridge(COUNTING)) as gba:
        gba.tick()
        yield gba


def test_a_hook_is_called_once_for_each_time_before_its_instruction_runs(counting):
    seen = []
    counting.hook_register(LOOP, lambda context: context.append(counting.register_file.r4), seen)
    before = counting.register_file.r4
    counting.tick(2)
    assert seen == list(range(before, counting.register_file.r4)) and len(seen) > 1000


def test_a_hooked_game_is_the_same_game(jade):
    calls = []
    with GBA(JADE_ROM, idle_loop=JADE_IDLE_LOOP) as plain:
        jade.hook_register(JADE_IDLE_LOOP, calls.append)
        for key in ("start", "a", "right"):
            for gba in (jade, plain):
                gba.button(key, 3)
                gba.tick(20)
            assert jade.get_state() == plain.get_state()
        assert calls and set(calls) == {None}
        jade.hook_deregister(JADE_IDLE_LOOP)
        for gba in (jade, plain):
            gba.tick(20)
        assert jade.get_state() == plain.get_state()


def test_a_loaded_state_calls_no_hooks_and_keeps_them(counting):
    calls = []
    counting.hook_register(LOOP, calls.append)
    counting.set_state(counting.get_state())
    assert not calls
    counting.tick()
    assert calls


def test_a_hook_sets_registers(counting):
    def end_at_once(_):
        counting.register_file.r4 = -1

    counting.hook_register(LOOP, end_at_once)
    counting.tick()
    assert counting.register_file.r4 in (0, WORD - 1)


def test_setting_pc_jumps(counting):
    seen = []

    def over_it(_):
        seen.append(counting.register_file.pc)
        counting.register_file.pc = LOOP + 4

    before = counting.register_file.r4
    counting.hook_register(LOOP, over_it)
    counting.tick()
    assert counting.register_file.r4 - before <= 1 and set(seen) == {LOOP} and len(seen) > 1000
    with pytest.raises(ValueError, match="no code at 0x04000000"):
        counting.register_file.pc = 0x04000000
    with pytest.raises(AttributeError, match="can only be read"):
        counting.register_file.cpsr = 0


def test_a_hook_that_raises_ends_the_tick_with_its_error_and_the_game_goes_on(counting):
    calls = []

    def fail(_):
        calls.append(1)
        return 1 / 0

    counting.hook_register(LOOP, fail)
    frame = counting.frame_count
    for use in (lambda: counting.tick(3), lambda: counting.step(0, 0, 3)):
        calls.clear()
        with pytest.raises(HookError, match=r"0x080000D0 raised ZeroDivisionError: division"):
            use()
        assert len(calls) == 1
    assert counting.frame_count == frame + 6
    counting.hook_deregister(LOOP)
    assert counting.tick()


def test_ctrl_c_in_a_hook_stays_what_it_is(counting):
    def interrupt(_):
        raise KeyboardInterrupt

    counting.hook_register(LOOP, interrupt)
    with pytest.raises(KeyboardInterrupt):
        counting.tick()


def test_a_hook_may_not_run_load_or_stop_the_game(counting):
    state = counting.get_state()
    for use in (counting.tick, counting.reset, counting.stop, lambda: counting.set_state(state)):
        counting.hook_register(LOOP, lambda _, use=use: use())
        with pytest.raises(HookError, match="a hook cannot run, load or stop the game"):
            counting.tick()
        counting.hook_deregister(LOOP)


def test_hooks_are_changed_from_within_one(counting):
    calls = []

    def once(_):
        calls.append(1)
        counting.hook_deregister(LOOP)

    counting.hook_register(LOOP, once)
    counting.tick(2)
    assert calls == [1]


def test_hooks_that_cannot_be_are_refused(counting):
    counting.hook_register(LOOP, print)
    with pytest.raises(ValueError, match=r"there is a hook at 0x080000D0"):
        counting.hook_register(LOOP, print)
    counting.hook_deregister(LOOP)
    for address in (LOOP, LOOP + 4):
        with pytest.raises(ValueError, match="there is no hook at"):
            counting.hook_deregister(address)
    for address in (LOOP + 1, -4, 0x0E000000, 1 << 40):
        with pytest.raises(ValueError, match="no instruction can be at"):
            counting.hook_register(address, print)
    with pytest.raises(ValueError, match="no symbols: open it with symbols=FILE"):
        counting.hook_register("main", print)
