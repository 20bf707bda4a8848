"""PyBoy's names on a Game Boy Advance."""

import io
import subprocess
import sys

import numpy as np
import pytest

from emerald_env import GBA
from emerald_env.emulator import KEYS
from emerald_env.game.editions import JADE_IDLE_LOOP, JADE_ROM


def test_the_console_alone_imports_no_environment_and_no_pillow():
    program = (
        "import sys; from emerald_env import GBA; "
        "print([name for name in ('emerald_env.env.env', 'PIL', 'pygame', 'torch') "
        "if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr


def test_the_screen_is_the_same_in_all_its_forms(jade):
    assert jade.tick(60)
    shown = jade.screen.ndarray
    assert shown.shape == (160, 240, 4) and (shown[:, :, 3] == 255).all()
    assert np.array_equal(shown[:, :, :3], jade.screen.rgb) and jade.screen.rgb.std() > 5
    assert bytes(jade.screen.raw_buffer) == shown.tobytes()
    assert np.array_equal(np.asarray(jade.screen.image), shown)
    assert jade.screen.image.mode == jade.screen.raw_buffer_format
    assert jade.screen.raw_buffer_dims == shown.shape[:2]


def test_a_picture_stays_as_it_was_and_a_view_follows_the_game(jade):
    jade.tick(30)
    image, view = jade.screen.image, jade.screen.ndarray
    before = np.asarray(image).copy()
    jade.tick(200)
    assert np.array_equal(np.asarray(image), before)
    assert not np.array_equal(view, before) and np.array_equal(view, jade.screen.ndarray)


def test_a_frame_that_is_not_drawn_leaves_the_picture(jade):
    jade.tick(30)
    before = jade.screen.rgb.copy()
    jade.tick(200, render=False)
    assert np.array_equal(jade.screen.rgb, before)


def test_states_go_through_files(jade):
    file = io.BytesIO()
    jade.tick(30)
    jade.save_state(file)
    jade.tick(30)
    later = jade.get_state()
    file.seek(0)
    jade.load_state(file)
    assert jade.frame_count == 30 and jade.get_state() == file.getvalue()
    jade.tick(30)
    assert jade.get_state() == later


def test_stopping_writes_the_save_only_when_asked(tmp_path):
    rom, save = tmp_path / "game.gba", tmp_path / "game.sav"
    rom.write_bytes(JADE_ROM.read_bytes())
    with GBA(str(rom)) as gba:
        gba.tick(2)
    assert not save.exists()
    gba = GBA(rom)
    data = gba.save_data()
    gba.stop(save=True)
    assert save.read_bytes() == data
    with pytest.raises(ValueError, match="given as bytes"):
        GBA(rom.read_bytes()).stop(save=True)


def test_a_stopped_console_answers_nothing():
    gba = GBA(JADE_ROM)
    gba.stop()
    for use in (
        lambda: gba.screen,
        lambda: gba.frame_count,
        lambda: gba.clock,
        lambda: gba.save_state(io.BytesIO()),
        lambda: gba.stop(save=True) or gba.tick(),
    ):
        with pytest.raises(ValueError, match="was stopped: open a new one"):
            use()


def test_a_console_has_its_own_pace_when_asked(jade):
    slept = []
    jade.set_emulation_speed(2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("time.sleep", slept.append)
        patch.setattr("time.monotonic", lambda: 100.0)  # nothing takes time but sleeping
        jade.tick(60)
        jade.set_emulation_speed(0)
        jade.tick(60)
    second = 280_896 / (1 << 24)  # of a frame
    assert slept == [pytest.approx(60 * second / 2 - second)]
    with pytest.raises(ValueError, match="at least 0, got -1"):
        jade.set_emulation_speed(-1)


def test_a_window_shows_the_game_until_it_is_closed(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with GBA(JADE_ROM, window="SDL2", scale=2, idle_loop=JADE_IDLE_LOOP) as gba:
        gba.set_emulation_speed(0)
        assert gba.tick(60)
        surface = pygame.display.get_surface()
        shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
        assert np.array_equal(shown[::2, ::2], gba.screen.rgb)
        pygame.event.post(pygame.event.Event(pygame.QUIT))
        assert not gba.tick()
    with pytest.raises(ValueError, match="got 'OpenGL'"):
        GBA(JADE_ROM, window="OpenGL")


def test_the_window_s_keyboard_plays(monkeypatch):
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")

    def keys(gba):
        """What the game read: heldKeysRaw of pret's struct Main, in the bits' order."""
        held = int.from_bytes(gba.memory.read(0x030022E8, 2), "little")
        return {key for bit, key in enumerate(KEYS) if held >> bit & 1}

    with GBA(JADE_ROM, window="SDL2", scale=1, idle_loop=JADE_IDLE_LOOP) as gba:
        gba.set_emulation_speed(0)
        gba.tick(60)
        for down in (pygame.K_RIGHT, pygame.K_x, pygame.K_RETURN, pygame.K_BACKSPACE):
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=down))
        gba.button_press("l")
        gba.tick(2)
        assert keys(gba) == {"right", "a", "start", "select", "l"}
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=pygame.K_RIGHT))
        gba.button_release("l")
        gba.tick(2)
        assert keys(gba) == {"a", "start", "select"}
        pygame.event.post(pygame.event.Event(pygame.WINDOWFOCUSLOST))
        gba.tick(2)
        assert keys(gba) == set()
