"""A state that was made to hang the emulator is refused, or ends the program with a word."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from baselines.commands.check import audit as audit
from baselines.commands.learn import train as training
from baselines.commands.play import clip as clips
from baselines.commands.play import evaluate
from baselines.commands.play import play_game as play
from baselines.commands.play import replay as replay_script
from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.emulator import StateError
from emerald_env.emulator.cartridge.saved_formats import LINES, STATE_LINE
from emerald_env.game.editions import open_game
from emerald_env.recordings.recording import Recording
from emerald_env.starts.starts import prepare_starts
from emerald_env.wrappers.recorder import RECORDING


def in_line(state, line):
    """Returns a state in which this line of the screen is drawn next."""
    changed = bytearray(state)
    changed[STATE_LINE.size - 2 : STATE_LINE.size] = line.to_bytes(2, "little")
    return bytes(changed)


@pytest.fixture(scope="module")
def hanging():
    """A state in which libmgba counts lines of the screen and never comes to a frame's end."""
    return in_line(prepare_starts(None, "new-game")[0].state, 0x8000)


@pytest.fixture
def state(hanging, tmp_path):
    path = tmp_path / "hang.state"
    path.write_bytes(hanging)
    return path


@pytest.fixture
def recording(hanging, tmp_path):
    with make_env(GameConfig(episode_length=2), None, "every") as env:
        env.reset(seed=0)
        env.step(np.int64(0))
        good = Recording.from_bytes(env.step(np.int64(0))[-1][RECORDING].file)
    path = tmp_path / "hang.recording"
    path.write_bytes(replace(good, start=replace(good.start, state=hanging)).to_bytes())
    return path


def test_only_lines_that_the_screen_has_are_believed(hanging):
    with open_game() as gba:
        good = gba.get_state()
        gba.set_state(in_line(good, LINES - 1))
        gba.step(0, 0, 2)
        for line in (LINES, 0x7FFF, 0x8000, 0xFFFF):
            with pytest.raises(StateError, match=f"in line {line} of a frame of 228"):
                gba.set_state(in_line(good, line))


def test_every_program_says_so_of_a_hanging_start(state, tmp_path, capsys):
    start, video = ["--start", str(state)], str(tmp_path / "a.mp4")
    commands = (
        (play.main, ["jade", *start, "--video", video, "--episode-length", "1"]),
        (play.main, ["jade", *start, "--episodes", "1", "--episode-length", "1"]),
        (evaluate.main, ["--episodes", "1", "--episode-length", "1", *start]),
        (training.main, [*start, "--sessions", str(tmp_path / "sessions")]),
    )
    for command, arguments in commands:
        assert command(arguments) == 1
        error = capsys.readouterr().err
        assert error.startswith("error: ") and "made by hand" in error, arguments
        assert error.count("\n") == 1, arguments
    assert not (tmp_path / "sessions").exists()


def test_every_program_says_so_of_a_recording_with_such_a_start(recording, capsys):
    for command, status in ((replay_script.main, 1), (clips.main, 1), (audit.main, 2)):
        assert command([str(recording)]) == status
        error = capsys.readouterr().err
        assert "its start cannot be used" in error and error.count("\n") == 1


HANG = """
import sys
from emerald_env.starts import watchdog
from emerald_env.emulator.cartridge import saving
watchdog.MAX_SILENCE_SECONDS = 2.0
saving.check_state = lambda *_: None  # as if there were a state that it does not know
"""
USES = {
    "start": "from emerald_env.starts.starts import prepare_starts; "
    "prepare_starts(None, sys.argv[1])",
    "inspect": "from baselines.commands.check import inspect_state; "
    "from emerald_env.game import editions; "
    "inspect_state.main([sys.argv[1], '--rom', str(editions.JADE_ROM)])",
    "replay": "from baselines.commands.play import replay; replay.main([sys.argv[1]])",
    "clips": "from baselines.commands.play import clip; clip.main([sys.argv[1]])",
    "audit": "from baselines.commands.check import audit; audit.main([sys.argv[1]])",
}


@pytest.mark.slow
@pytest.mark.parametrize("use", USES)
def test_a_state_that_really_hangs_the_emulator_ends_the_program(use, state, recording):
    file = state if use in ("start", "inspect") else recording
    command = [sys.executable, "-c", HANG + USES[use], str(file)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: the emulator hangs: ") and ended.stderr.count("\n") == 1


def test_trying_a_state_changes_nothing_of_it(tmp_path):
    start = prepare_starts(None, "new-game")[0]
    path = tmp_path / "good.state"
    path.write_bytes(start.state)
    assert prepare_starts(None, str(path))[0].state == start.state
