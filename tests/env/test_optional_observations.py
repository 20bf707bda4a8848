"""What may be observed beside picture and state: visited ground, bag, text, colour."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from hypothesis import given
from hypothesis import strategies as st

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.playing.benchmark.protocol import assists_shown
from baselines.training.command_line import train_from_flags
from emerald_env.env.config import EnvConfig
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import COLUMNS, ROWS
from emerald_env.env.state_vector.bag import observe_bag
from emerald_env.env.state_vector.dialogue_text import END, dialogue_text
from emerald_env.game.editions import edition
from emerald_env.game.savefile import load
from emerald_env.recordings.recording import Recording
from emerald_env.state import NOWHERE, decode
from emerald_env.state.parts.around.visited_ground import VisitedGround
from emerald_env.state.parts.text import decode_text

ALL = {"visited": True, "bag": True, "text": True, "colour": True}


@pytest.fixture
def game():
    with closing(EmeraldEnv(EnvConfig(observation="full", **ALL), render_mode="rgb_array")) as env:
        yield env


def stand(x, y, **values):
    return replace(NOWHERE, position=(x, y), **values)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1))
def test_visited_tiles_are_those_stood_on_seen_from_the_player(way):
    ground = VisitedGround()
    masks = [ground.around(stand(*tile)) for tile in way]
    x, y = way[-1]
    for row in range(ROWS):
        for column in range(COLUMNS):
            tile = (x + column - COLUMNS // 2, y + row - ROWS // 2)
            assert masks[-1][row, column] == (tile in way)
    assert VisitedGround(ground.tiles).around(stand(x, y)).tolist() == masks[-1].tolist()


def test_visited_ground_continues_across_a_border_and_not_into_a_house():
    ground = VisitedGround()
    outdoors = {"component": "hoenn_surface"}
    ground.around(stand(0, 9, location=(0, 1), global_position=(40, 60), **outdoors))
    beyond = stand(0, 0, location=(0, 2), global_position=(40, 61), **outdoors)
    assert ground.around(beyond).sum() == 2
    assert ground.around(stand(40, 60, location=(1, 0))).sum() == 1


def test_an_episode_begins_with_no_ground_and_resumes_with_its_own(game):
    seen, _ = game.reset(seed=0)
    assert seen["visited"].sum() == 1
    while seen["visited"].sum() < 3:
        seen, *_ = game.step(game.action_space.sample())
    saved = game.get_state()
    ahead = [game.step(1)[0]["visited"] for _ in range(4)]
    game.reset(seed=0)
    game.set_state(saved)
    np.testing.assert_array_equal(ahead, [game.step(1)[0]["visited"] for _ in range(4)])
    assert game.reset(seed=0)[0]["visited"].sum() == 1


def test_the_screen_in_colour_is_the_mean_of_squares(game):
    seen, _ = game.reset(seed=0)
    squares = game.render().reshape(80, 2, 120, 2, 3).mean((1, 3))
    assert seen["screen"].shape == (80, 120, 3)
    np.testing.assert_array_equal(seen["screen"], np.floor(squares))


def test_the_open_message_is_read_and_gone_when_it_closes():
    with closing(EmeraldEnv(EnvConfig(observation="state", text=True, guide=True))) as env:
        seen, _ = env.reset(seed=0)
        said = []
        for _ in range(25):
            seen, *_ = env.step(np.argmax(seen["guide"]))
            said.append(decode_text(bytes(seen["text"])))
            assert bool(said[-1]) == bool(env.state.dialog_open)
    lines = " ".join(line.replace("{NEWLINE}", " ") for line in dict.fromkeys(said))
    source = (Path(__file__).parents[2] / "jade/src/world/world_littleroot.c").read_text()
    assert "Your room is upstairs. The clock on the wall has stopped" in lines
    assert "Your room is upstairs. The clock on the wall has stopped" in source


@pytest.mark.parametrize(
    ("code", "address"),
    [*((code, 0x02021FC4) for code in ("BPEE", "BPED", "JADE")), ("BPEJ", 0x02021C7C)],
)
def test_the_open_message_is_read_where_the_edition_has_it(code, address):
    talking, known = replace(NOWHERE, dialog_open=True), edition(code).addresses.g_string_var_4
    read = {(address, 128): bytes([1, 2, END, 3]) + bytes(124)}
    letters = dialogue_text(lambda *place: read[place], talking, known)
    assert letters.tolist() == [1, 2] + [END] * 126
    assert set(dialogue_text(lambda *_: None, talking, 0).tolist()) == {END}, "if it is unknown"
    assert set(dialogue_text(lambda *_: None, NOWHERE, known).tolist()) == {END}


@pytest.mark.parametrize("name", ["dialog", "dialog3"])
def test_messages_of_the_real_game_are_whole_sentences(shared, name):
    memory = load(shared / "states" / f"pokeagent-speedrun__{name}.state")
    address = edition("BPEE").addresses.g_string_var_4
    text = decode_text(bytes(dialogue_text(memory.read, decode(memory.read), address)))
    assert text[0].isupper() and text.count(" ") > 3 and "\\x" not in text


@pytest.mark.parametrize("count", [1, 5, 99, 400])
def test_the_bag_has_the_logarithm_of_each_items_number(count):
    data = bytearray(NOWHERE.bag_data)
    data[:4] = (13).to_bytes(2, "little") + min(count, 99).to_bytes(2, "little")
    vector = observe_bag(bytes(data))
    assert vector[13] == pytest.approx(np.log(1 + min(count, 99)) / np.log(100))
    assert np.count_nonzero(vector) == 1


def test_gymnasiums_checker_passes_with_all_of_them():
    check_env(
        EmeraldEnv(EnvConfig(observation="full", tiles=True, targets=True, **ALL)),
        skip_render_check=True,
    )


def test_a_picture_in_colour_alone_is_no_dictionary_and_without_a_picture_it_is_refused():
    assert EmeraldEnv(EnvConfig(observation="screen", colour=True)).observation_space.shape[-1] == 3
    with pytest.raises(ValueError, match="colour has nothing to do"):
        EnvConfig(observation="state", colour=True)


@pytest.mark.parametrize("kind", ["full", "screen"])
def test_a_run_with_them_is_resumed_and_its_checkpoint_says_so(kind, tmp_path):
    flags = f"--observation {kind} --colour --visited --bag --text --n-envs 2 --n-workers 1".split()
    flags += "--n-steps 16 --batch-size 32 --episode-length 24 --explore 0 --device cpu".split()
    run = [*flags, "--record", "every", "--sessions", str(tmp_path)]
    assert train_from_flags([*run, "--total-timesteps", "64"]) == 0
    again = ["--resume", "last", "--sessions", str(tmp_path), "--total-timesteps", "128"]
    assert train_from_flags(again) == 0
    (session,) = tmp_path.iterdir()
    _, manifest = load_policy(sorted(session.glob("checkpoints/ppo_*_steps.zip"))[-1])
    assert all(manifest.env[name] for name in ALL)
    assert manifest.env_config(None).visited
    recording = Recording.load(next(session.rglob("*.recording")))
    assert assists_shown(recording.env) == {"memory"}
