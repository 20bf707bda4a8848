import pickle
import warnings
from dataclasses import replace

import gymnasium
import numpy as np
import pygame
import pytest
from gymnasium.utils.env_checker import check_env
from helpers.fakes import START
from helpers.handmade import US
from stable_baselines3.common.env_checker import check_env as sb3_check_env

from baselines.games.game import make_env
from baselines.settings.game_config import GameConfig
from emerald_env.emulator import key_mask
from emerald_env.env.actions import ACTION_SETS, action_set
from emerald_env.env.env import EmeraldEnv
from emerald_env.env.observation import VECTOR_SIZE, observe_fully, observe_state
from emerald_env.env.reward_function import NoReward, RewardError
from emerald_env.game import symbols as sym
from emerald_env.game import tables
from emerald_env.game.editions import JADE_ROM, open_game
from emerald_env.game.savefile import SaveFileError
from emerald_env.state import Mode
from emerald_env.wrappers.episode_summary import place

SHORT = GameConfig(observation="screen", episode_length=40)


@pytest.fixture
def env():
    env = EmeraldEnv(SHORT, render_mode="rgb_array")
    yield env
    env.close()


class Pays(NoReward):
    """Pays the same for each step, by term."""

    def __init__(self, terms):
        self.paid = terms

    def __call__(self, before, after):
        return self.paid


@pytest.mark.parametrize(
    ("terms", "total"),
    [
        (
            {"a": 1e12, "b": 2e12},
            "pays 3e\\+12 for a step, of that 2e\\+12 for b: a step may",
        ),
        ({"a": -1.7e308, "b": -1.7e308}, "pays -inf for a step"),
        ({"a": float("nan")}, "pays nan for a step"),
    ],
)
def test_a_step_that_pays_more_than_a_network_can_learn_from_is_an_error(terms, total):
    env = EmeraldEnv(SHORT, reward=Pays(terms))
    env.reset(seed=0)
    with pytest.raises(RewardError, match=total) as told:
        env.step(0)
    assert "\n" not in str(told.value)
    env.close()


def play(env, seed, steps=40):
    """All that an agent gets from these steps, as one value that can be compared."""
    observation, _ = env.reset(seed=seed)
    rng = np.random.default_rng(0)
    trace = [observation]
    for _ in range(steps):
        trace.append(env.step(rng.integers(env.action_space.n)))
    return pickle.dumps(trace)


@pytest.mark.parametrize("observation", ["screen", "dict"])
def test_gymnasium_finds_nothing_to_complain_about(observation, monkeypatch):
    for display in ("SDL_VIDEODRIVER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(display, raising=False)  # it opens a window too
    config = GameConfig(observation=observation)
    env = gymnasium.make("Emerald-v0", config=config, render_mode="rgb_array")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    env.close()


def test_sb3_finds_nothing_to_complain_about(env):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sb3_check_env(env)


def test_gymnasium_makes_it_with_its_time_limit():
    env = gymnasium.make("Emerald-v0", config=SHORT)
    env.reset(seed=0)
    for step in range(SHORT.episode_length):
        *_, terminated, truncated, info = env.step(0)
        assert not terminated
        assert truncated == (step == SHORT.episode_length - 1)
    assert "episode" not in info and "episode_terms" in info
    env.close()


@pytest.mark.parametrize("observation", ["screen", "dict"])
def test_observations_can_go_into_arrays_that_somebody_gives(observation):
    config = GameConfig(observation=observation)
    own, given = EmeraldEnv(config), EmeraldEnv(config)
    arrays = given.observation_space.sample()
    given.observe_into(arrays)
    expected, (observed, _) = own.reset(seed=1)[0], given.reset(seed=1)
    for action in (1, 4, 7, 2):
        assert observed is arrays
        np.testing.assert_equal(observed, expected)
        expected, observed = own.step(action)[0], given.step(action)[0]
    own.close()
    given.close()


def test_the_same_seed_gives_the_same_episode(env):
    assert play(env, seed=3) == play(env, seed=3)


def test_another_env_with_the_same_seed_gives_the_same_episode(env):
    other = EmeraldEnv(SHORT)
    assert play(other, seed=5) == play(env, seed=5)
    other.close()


def test_seeds_vary_the_start(env):
    pictures = {env.reset(seed=seed)[0].tobytes() for seed in range(6)}
    numbers = {env.reset(seed=seed) and env.gba.frame_count for seed in range(6)}
    assert len(numbers) > 1 or len(pictures) > 1


def test_an_episode_leaves_nothing_behind_for_the_next(env):
    first = play(env, seed=1)
    env.reset(seed=2)
    env.gba.load_save(bytes(0x20000))
    for _ in range(30):
        env.step(int(env.np_random.integers(15)))
    assert play(env, seed=1) == first


def test_the_reward_is_the_sum_of_its_terms(env):
    env.reset(seed=0)
    rng = np.random.default_rng(1)
    for _ in range(100):
        _, reward, *_, info = env.step(rng.integers(15))
        assert reward == pytest.approx(sum(info["reward_terms"].values()))
        assert tuple(info["reward_terms"]) == env.reward.terms


def test_the_start_pays_nothing_even_if_one_starts_late(env, tmp_path):
    env.reset(seed=0)
    rng = np.random.default_rng(2)
    for _ in range(60):
        env.step(rng.integers(15))
    late = tmp_path / "late.state"
    late.write_bytes(env.gba.get_state())
    other = EmeraldEnv(GameConfig(start=str(late)))
    other.reset(seed=0)
    _, reward, *_ = other.step(0)
    assert reward == 0.0
    other.close()


def test_the_first_milestone_pays_for_walking_out_of_the_truck_and_for_nothing_less():
    env = make_env(GameConfig(episode_length=100))
    env.reset(seed=0)
    names = [action.name for action in action_set("original")]
    still = [env.step(names.index(key))[1] for key in ("wait", "a", "b") for _ in range(20)]
    assert not any(still)
    infos = [env.step(names.index("right"))[4] for _ in range(12)]
    assert sum(info["reward_terms"]["milestone"] for info in infos) == 5.0
    env.close()


def test_a_start_that_does_not_exist_or_fit_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no start at"):
        EmeraldEnv(GameConfig(start=str(tmp_path / "none.state")))
    wrong = tmp_path / "wrong.state"
    wrong.write_bytes(b"no state")
    with pytest.raises(SaveFileError, match="neither a save state"):
        EmeraldEnv(GameConfig(start=str(wrong)))


def test_the_picture_is_rgb_and_its_own_copy(env):
    env.reset(seed=0)
    picture = env.render()
    assert picture.shape == (160, 240, 3)
    assert picture.dtype == np.uint8
    before = picture.copy()
    for _ in range(5):
        env.step(1)
    np.testing.assert_array_equal(picture, before)


def test_observations_are_the_picture_in_grey(env):
    observation, _ = env.reset(seed=0)
    luma = env.render() @ np.array([77, 150, 29]) / 256
    mean = luma.reshape(80, 2, 120, 2).mean(axis=(1, 3))
    assert np.abs(observation[:, :, 0] - mean).max() <= 1


def test_the_state_vector_has_its_declared_size():
    env = EmeraldEnv(GameConfig(observation="dict"))
    observation, _ = env.reset(seed=0)
    assert observation["state"].shape == (VECTOR_SIZE,)
    assert observation["state"].any()
    assert not observe_state(None).any()
    env.close()


@pytest.mark.parametrize("action", [-1, 15, 100, 1.5, np.float32(2), float("nan"), "1", None, [1]])
def test_an_action_outside_the_table_is_an_error(env, action):
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action must be 0 to 14"):
        env.step(action)


@pytest.mark.parametrize(
    ("option", "values"),
    [
        (
            "wait",
            [None, "7", 3.5, float("nan"), np.float64(3), True, [1], -1, 36_001, 2**31, 10**12],
        ),
        ("state", [None, 5, "state", [1]]),
        ("world", [5, "nope"]),
        ("prepare", [None, 3]),
    ],
)
def test_a_resets_option_that_cannot_work_is_an_error_and_changes_nothing(env, option, values):
    frames = env.unwrapped.gba.frame_count
    for value in values:
        with pytest.raises(ValueError, match=option):
            env.reset(seed=0, options={option: value})
        assert env.unwrapped.gba.frame_count == frames
    env.reset(seed=0)


def test_an_episode_continues_where_a_reset_was_refused():
    config = GameConfig(observation="state", episode_length=10, patience=10, disturb=("repeat=.5",))
    env = make_env(config)
    env.reset(seed=3)
    for _ in range(9):
        *_, truncated, _ = env.step(0)
        assert not truncated
    for wrong in ({"wait": -1}, {"allowance": -1}, {"world": "x"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            env.reset(options=wrong)
    *_, truncated, info = env.step(0)
    assert truncated and info["episode"]["l"] == 10
    env.reset()
    *_, truncated, _ = env.step(0)
    assert not truncated
    env.close()


def test_a_reset_waits_for_as_many_frames_as_it_is_told(env):
    def frames(wait):
        env.reset(options={"wait": wait})
        return env.unwrapped.gba.frame_count

    assert frames(np.int64(7)) == frames(7) == frames(0) + 7


def test_the_original_table_is_every_direction_with_every_button():
    names = [action.name for action in ACTION_SETS["original"]]
    assert names[:3] == ["wait", "a", "b"]
    assert names[3:6] == ["up", "up+a", "up+b"]
    assert len(set(names)) == 15
    assert ACTION_SETS["original"][4].keys == key_mask("up", "a")
    assert [action.name for action in ACTION_SETS["story"]] == [*names, "start"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"frame_skip": 0}, "frame_skip is 0: it must be at least 1"),
        ({"hold_frames": 30}, "hold_frames must not exceed frame_skip"),
        ({"episode_length": 0}, "episode_length is 0: it must be at least 1"),
        ({"start_wait": -1}, "start_wait is -1: it must be at least 0"),
        ({"shrink": 3}, "shrink must divide 80, got 3"),
        ({"action_set": "all"}, "no action set named 'all': there are original"),
    ],
)
def test_a_setting_that_cannot_work_is_an_error_at_once(settings, message):
    with pytest.raises(ValueError, match=message):
        GameConfig(**settings)


@pytest.mark.parametrize("steps", [1, 5, 8])
def test_the_first_picture_is_no_old_one_and_drawing_it_changes_nothing(steps):
    config = replace(SHORT, observation="state", start_wait=0)
    env, twin = (EmeraldEnv(config, render_mode="rgb_array") for _ in range(2))
    follow = open_game()
    right = env.get_action_meanings().index("right")
    env.reset(seed=0), twin.reset(seed=0)
    for _ in range(steps):
        env.step(right), twin.step(right)
    follow.load_save(twin.gba.save_data())
    follow.set_state(twin.gba.get_state())
    follow.step(0, 0, 1)
    shown = env.render()
    assert (shown == (follow.screen.rgb if steps < 8 else twin.gba.screen.rgb)).all()
    assert (env.render() == shown).all()
    assert env.gba.get_state() == twin.gba.get_state()
    assert env.gba.save_data() == twin.gba.save_data()
    twin.render()
    for _ in range(10):
        env.step(right), twin.step(right)
        assert (env.render() == twin.render()).all()
    assert env.gba.get_state() == twin.gba.get_state()
    env.close(), twin.close(), follow.stop()


def test_a_wrong_render_mode_is_an_error():
    with pytest.raises(ValueError, match="one of rgb_array, rgb_array_list, human, got 'ansi'"):
        EmeraldEnv(render_mode="ansi")


def test_a_window_shows_the_game(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = EmeraldEnv(SHORT, render_mode="human")
    env.reset(seed=0)
    env.step(1)
    import pygame

    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown[::3, ::3], env.gba.screen.rgb)
    env.close()
    assert not pygame.display.get_init()


def test_a_window_that_closes_leaves_the_others_open(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    envs = [EmeraldEnv(SHORT, render_mode="human") for _ in range(2)]
    for env in envs:
        env.reset(seed=0)
    envs[0].close()
    envs[0].close()
    envs[1].step(1)
    shown = pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1)
    np.testing.assert_array_equal(shown[::3, ::3], envs[1].gba.screen.rgb)
    envs[1].close()
    assert not pygame.display.get_init()


def test_the_summary_adds_up_the_episode():
    env = make_env(SHORT)
    env.reset(seed=0)
    total, terms = 0.0, {}
    rng = np.random.default_rng(3)
    truncated = False
    while not truncated:
        _, reward, _, truncated, info = env.step(rng.integers(15))
        total += reward
        for name, value in info["reward_terms"].items():
            terms[name] = terms.get(name, 0.0) + value
    assert info["episode"]["r"] == pytest.approx(total, abs=1e-5)
    assert info["episode_terms"] == pytest.approx(terms)
    assert isinstance(info["milestones"], list)
    env.close()


def test_the_summary_says_how_long_the_game_stayed_in_its_commonest_place():
    env = make_env(SHORT)
    env.reset(seed=0)
    tiles = []
    truncated = False
    while not truncated:
        _, _, _, truncated, info = env.step(2 if len(tiles) < 3 else 0)  # walks, then waits
        state = env.unwrapped.state
        tiles.append((state.location, state.position))
    most = max(tiles.count(tile) for tile in tiles)
    assert info["place_share"] == most / len(tiles) > 0.5
    env.close()


def test_the_menu_is_one_place_and_a_battle_is_none():
    state = replace(START, mode=Mode.OVERWORLD)
    menu = replace(state, mode=Mode.MENU)
    assert place(menu) == place(replace(menu, position=(1, 2))) != place(state)
    assert place(state) != place(replace(state, position=(1, 2)))
    assert place(replace(state, mode=Mode.BATTLE)) is None
    assert place(None) is None


def test_action_sets_are_named_when_one_is_unknown():
    assert len(action_set("simple")) == 6
    with pytest.raises(ValueError, match="original, story, simple, full"):
        action_set("none")


def test_the_credits_end_an_episode(env):
    env.reset(seed=0)
    assert not env.step(0)[2]
    pointers = {entry.name: entry.pointer for entry in tables.callbacks().values()}
    credits = pointers["CB2_Credits"].to_bytes(4, "little")
    env.gba.memory.write(US.g_main + sym.MAIN_CALLBACK2, credits)
    env.reader.sample()
    assert env.step(0)[2]
    env.reset(seed=0)
    assert not env.step(0)[2]


def test_the_full_observation_is_the_full_vector_of_the_state_at_every_step():
    env = make_env(GameConfig(observation="full", start_wait=0))
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    for action in range(15):
        assert np.array_equal(observation["state"], observe_fully(env.unwrapped.state))
        observation, *_ = env.step(action)
    env.unwrapped.state = None  # as while no game runs
    assert not env.unwrapped._observe()["state"].any()
    env.close()


@pytest.mark.parametrize(("frame_skip", "held"), [(24, 12), (8, 4), (1, 1)])
def test_keys_are_held_for_half_a_step_by_default(frame_skip, held):
    assert GameConfig(frame_skip=frame_skip).hold_frames == held
    assert GameConfig(frame_skip=24, hold_frames=5).hold_frames == 5


@pytest.mark.parametrize(("mode", "frames"), [("rgb_array", 1), ("rgb_array_list", 24)])
def test_recorders_are_told_how_long_a_picture_lasts(mode, frames):
    env = EmeraldEnv(SHORT, render_mode=mode)
    seconds = env.config.frame_skip / (16_777_216 / 280_896)  # of a step
    assert env.metadata["render_fps"] == pytest.approx(frames / seconds)
    env.close()


def test_a_list_has_every_frame_of_a_step_and_changes_nothing():
    listed, plain = (EmeraldEnv(SHORT, render_mode=m) for m in ("rgb_array_list", "rgb_array"))
    for env in (listed, plain):
        env.reset(seed=3)
    assert len(listed.render()) == 1
    dice = np.random.default_rng(0)
    for _ in range(20):
        action = int(dice.integers(15))
        assert (listed.step(action)[0] == plain.step(action)[0]).all()
        frames = listed.render()
        assert len(frames) == SHORT.frame_skip
        assert (frames[-1] == plain.render()).all()
        assert listed.render() == []
    assert (listed.gba.memory.ewram == plain.gba.memory.ewram).all()
    for env in (listed, plain):
        env.close()


def test_wrappers_of_a_made_env_pass_on_how_long_a_picture_lasts():
    env = gymnasium.make("Emerald-v0", frame_skip=8)
    assert env.metadata["render_fps"] == pytest.approx(59.7275 / 8, rel=1e-5)
    env.close()


def test_every_key_of_the_keyboard_presses_its_action(env):
    meanings, keys = env.get_action_meanings(), env.get_keys_to_action()
    assert meanings[0] == "wait" and len(meanings) == env.action_space.n
    assert sorted(keys.values()) == list(range(1, env.action_space.n))  # all but waiting
    assert meanings[keys[(ord("x"),)]] == "a" and meanings[keys[(ord("z"),)]] == "b"
    assert meanings[keys[tuple(sorted((ord("x"), pygame.K_UP)))]] == "up+a"


def test_a_rom_may_be_named_by_a_text():
    with open_game(str(JADE_ROM)) as gba:
        assert gba.cartridge_title == "JADE"
