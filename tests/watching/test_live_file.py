"""What a game shows to another process, and how little while nobody looks."""

import os
from dataclasses import replace
from time import sleep

import numpy as np
import pytest

from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.files.data import DataError
from emerald_env.state import NOWHERE, Mode, describe
from emerald_env.watching import state_bytes as snapshot
from emerald_env.watching.live_file import HEADER, SLOT, LiveFile
from emerald_env.watching.record import DETAILS_SIZE, pack_details, pack_record
from emerald_env.wrappers import publisher
from emerald_env.wrappers.episode_limit import EpisodeLimit
from emerald_env.wrappers.episode_summary import EpisodeSummary
from rewards import Reward, own_preset


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "live"
    LiveFile.create(path, {"terms": ["tile", "badge"], "command": "train", "game": "Jade"}, 3, "ab")
    return path


@pytest.fixture
def env(path):
    env = make_env(GameConfig(episode_length=50), number=1)
    env.publish_to(str(path))
    yield env
    env.close()


def play(env, steps):
    for step in range(steps):
        result = env.step(step % 5)
    return result


def eight_bits(colours):
    """Returns red, green and blue as the page makes them of the console's five bits each."""
    five = np.stack([colours >> shift & 31 for shift in (0, 5, 10)], axis=-1)
    return five << 3 | five >> 2


def test_while_nobody_looks_a_small_picture_is_left_now_and_then(env, path, monkeypatch):
    now = 100.0
    monkeypatch.setattr(publisher, "monotonic", lambda: now)
    viewer = LiveFile(path)
    env.reset(seed=0)
    play(env, 1)
    first, screen = viewer.record(1), env.unwrapped.gba.screen.rgb.copy()
    assert first.every == 2 and np.array_equal(eight_bits(first.pixels), screen[::2, ::2])
    assert viewer.details(1).state.location == env.unwrapped.state.location
    for later in (100.5, 101.0, 101.9):
        now, before = later, path.read_bytes()
        play(env, 5)
        assert path.read_bytes() == before
    now = 102.2
    play(env, 5)
    assert viewer.record(1).step == 17


def test_who_looks_sees_the_picture_and_the_state_of_the_step(env, path, monkeypatch):
    monkeypatch.setattr(publisher, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(publisher, "DETAILS_SECONDS", 0.0)
    viewer = LiveFile(path)
    viewer.look()
    env.reset(seed=0)
    *_, info = play(env, 20)
    record, details = viewer.record(1), viewer.details(1)
    assert np.array_equal(eight_bits(record.pixels), env.unwrapped.gba.screen.rgb)
    assert record.step == 20 and record.episode == 1
    state = env.unwrapped.state
    assert details.state.location == state.location
    assert record.place == (*state.location, *state.position)
    assert describe(details.state) == describe(env.unwrapped.state)
    assert record.reward == pytest.approx(sum(details.sums))
    for other in (0, 2):
        assert viewer.record(other) is viewer.details(other) is None


def test_the_parts_that_a_function_of_ones_own_names_are_shown_as_the_function(path, monkeypatch):
    monkeypatch.setattr(publisher, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(publisher, "DETAILS_SECONDS", 0.0)

    def both(before, after):
        return {"moved": 1.0, "level": 0.5}

    preset = replace(own_preset(both), weights={"badge": 1.0, "both": 2.0})
    game = EpisodeLimit(EmeraldEnv(EnvConfig(), Reward(preset)), 100)
    env = publisher.Publisher(EpisodeSummary(game), 1)
    env.publish_to(str(path))
    viewer = LiveFile(path)
    viewer.look()
    env.reset(seed=0)
    play(env, 5)
    details = viewer.details(1)
    assert details.paid[:2] == (0.0, 3.0) and details.sums[:2] == (0.0, 15.0)
    assert viewer.record(1).reward == 15.0
    env.close()


def test_who_does_not_look_closely_is_shown_a_quarter_of_the_pixels(env, path, monkeypatch):
    monkeypatch.setattr(publisher, "FRAME_SECONDS", 0.0)
    monkeypatch.setattr(publisher, "ASK_SECONDS", 0.0)
    viewer = LiveFile(path)
    assert viewer.wanted == 0
    viewer.look(closely=False)
    env.reset(seed=0)
    play(env, 20)
    record, screen = viewer.record(1), env.unwrapped.gba.screen.rgb
    assert viewer.wanted == record.every == 2
    assert np.array_equal(eight_bits(record.pixels), screen[::2, ::2])
    viewer.look()
    play(env, 1)
    record, screen = viewer.record(1), env.unwrapped.gba.screen.rgb
    assert viewer.wanted == record.every == 1
    assert np.array_equal(eight_bits(record.pixels), screen)


def test_a_viewer_who_has_gone_is_forgotten(env, path, monkeypatch):
    monkeypatch.setattr(publisher, "UNWATCHED_SECONDS", 1e9)
    monkeypatch.setattr("emerald_env.watching.live_file.LOOK_SECONDS", 0.5)
    monkeypatch.setattr(publisher, "ASK_SECONDS", 0.0)
    viewer = LiveFile(path)
    env.reset(seed=0)
    viewer.look()
    play(env, 1)
    sleep(0.6)
    count = viewer.count(1)
    play(env, 5)
    assert viewer.count(1) == count > 0


def test_nobody_looks_as_soon_as_the_last_viewer_says_so(path):
    viewer = LiveFile(path)
    viewer.look()
    assert viewer.is_watched and viewer.wanted == 1
    viewer.look_away()
    assert not viewer.is_watched and viewer.wanted == 0


def test_pictures_keep_their_rhythm_and_begin_anew_after_a_pause(env, path, monkeypatch):
    now = 100.0
    monkeypatch.setattr(publisher, "monotonic", lambda: now)
    monkeypatch.setattr(publisher, "FRAME_SECONDS", 0.1)
    viewer = LiveFile(path)
    env.reset(seed=0)
    shown = []
    for step in range(60):  # of 30 ms; the games rest for a second after half of them
        viewer.look()
        now = 100.0 + 0.03 * step + (1.0 if step >= 30 else 0.0)
        before = viewer.count(1)
        play(env, 1)
        shown += [step] * (viewer.count(1) - before)
    # the first step at or after each tenth of a second; one starts again at step 30
    assert shown == [0, 4, 7, 10, 14, 17, 20, 24, 27, 30, 34, 37, 40, 44, 47, 50, 54, 57]


def test_a_game_whose_live_file_is_cut_short_plays_on(env, path):
    LiveFile(path).look()
    os.truncate(path, 8)
    env.reset(seed=0)
    play(env, 20)


def test_a_record_that_is_half_written_is_not_shown(path):
    file = LiveFile(path)
    file.show_game(2, pack_record(7, 1, 2, 0.5, None), bytes(160 * 240 * 2))
    assert file.record(2).step == 2 and file.record(2).place is None
    file.show_details(2, pack_details(7, 1, [0.5, 0.0], [1.5, 2.0], NOWHERE))
    assert file.details(2).sums[:2] == (1.5, 2.0)
    for part in (0, DETAILS_SIZE):
        os.pwrite(file._descriptor, b"\x08", file._slot(2) + part)  # the next one begins
    assert file.record(2) is file.details(2) is None


def test_a_state_survives_its_bytes():
    state = replace(NOWHERE, mode=Mode.DIALOG, dialog_open=True, money=999_999, opponent=3)
    assert describe(snapshot.unpack(snapshot.pack(state))) == describe(state)
    assert snapshot.unpack(snapshot.pack(None)) is None


def test_any_bytes_make_a_state_that_can_be_described():
    dice = np.random.default_rng(0)
    for _ in range(50):
        state = snapshot.unpack(b"\x01" + dice.bytes(snapshot.SIZE - 1))
        assert describe(replace(state, in_battle=True)).replace("\n", "").isprintable()


@pytest.mark.parametrize(
    "content", [b"", b"EMERLIVE", bytes(HEADER + SLOT), b"EMERLIVE\1\0\0\0\xff\xff\xff\xff" * 2000]
)
def test_a_file_that_is_not_a_live_file_is_refused(tmp_path, content):
    (tmp_path / "live").write_bytes(content)
    with pytest.raises(DataError):
        LiveFile(tmp_path / "live")


def test_a_live_file_of_another_size_than_it_says_is_refused(path):
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(DataError, match="not as large"):
        LiveFile(path)


def test_who_closes_a_file_leaves_another_one_that_has_taken_its_name(path):
    first = LiveFile(path, own=True)
    LiveFile.create(path, {"terms": [], "command": "evaluate", "game": "Jade"}, 1, "a")
    second = LiveFile(path, own=True)
    first.close()
    assert LiveFile(path).command == "evaluate"
    second.close()
    assert not path.exists()


def test_a_link_is_not_followed(path, tmp_path):
    (tmp_path / "link").symlink_to(path)
    with pytest.raises(OSError):
        LiveFile(tmp_path / "link")
