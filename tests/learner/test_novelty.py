"""The bonus for ground that a run has seldom trodden."""

from collections import Counter
from math import sqrt

import numpy as np
import pytest
from helpers.sb3_games import in_process
from stable_baselines3.common.vec_env import unwrap_vec_wrapper

from baselines.learner.vec_wrappers.novelty import NoveltyBonus, places
from baselines.settings.game_config import GameConfig
from baselines.settings.train_config import TrainConfig
from baselines.training.model import fit_to_machine, make_games
from emerald_env.env.observation import VECTOR_SIZE, observe_state
from emerald_env.env.state_vector.state_layout import LAYOUT
from emerald_env.state import milestones_done

LENGTH = 40
CONFIG = GameConfig(observation="dict", episode_length=LENGTH)


def place_of(state):
    return (*state.location, *state.position, len(milestones_done(state)))


@pytest.fixture(scope="module")
def played():
    """A run of three games: the bonus of every step, and where each game was before and after."""
    plain = in_process(CONFIG, 3, seed=5)
    games = NoveltyBonus(in_process(CONFIG, 3, seed=5), coef=0.5)
    dice = np.random.default_rng(0)
    plain.reset(), games.reset()
    been = [[place_of(state)] for state in plain.get_attr("state")]
    steps = []
    for _ in range(3 * LENGTH):
        actions = dice.integers(15, size=3)
        _, rewards, dones, infos = plain.step(actions)
        _, with_bonus, _, bonus_infos = games.step(actions)
        where = [place_of(state) for state in plain.get_attr("state")]
        assert [info.get("episode", {}).get("r") for info in infos] == [
            info.get("episode", {}).get("r") for info in bonus_infos
        ]
        steps.append((with_bonus - rewards, dones.copy(), where))
    plain.close(), games.close()
    return been, steps, games


def test_a_place_pays_once_an_episode_and_less_with_each_episode_that_was_there(played):
    begun, steps, games = played
    been, episodes = [set(places) for places in begun], Counter()
    for bonus, dones, where in steps:
        for game, place in enumerate(where):
            expected = 0.0
            if dones[game]:
                been[game] = {place}
            elif place not in been[game]:
                been[game].add(place)
                episodes[place] += 1
                expected = 0.5 / sqrt(episodes[place])
            assert bonus[game] == pytest.approx(expected, abs=1e-6)
    assert games.episodes == episodes and max(episodes.values()) > 3


def test_all_that_a_place_ever_pays_is_a_sum_of_inverse_roots(played):
    _, steps, games = played
    paid = sum(float(bonus.sum()) for bonus, _, _ in steps)
    owed = sum(0.5 / sqrt(n) for most in games.episodes.values() for n in range(1, most + 1))
    assert paid == pytest.approx(owed, rel=1e-5)


def test_a_place_is_read_back_from_the_state_vector_exactly():
    env = in_process(CONFIG, 1, seed=1)
    env.reset()
    dice = np.random.default_rng(1)
    for _ in range(60):
        env.step(dice.integers(15, size=1))
        (state,) = env.get_attr("state")
        assert LAYOUT.places(observe_state(state)[None]) == [place_of(state)]
    env.close()


def test_in_a_run_that_stacks_observations_only_steps_to_new_places_pay():
    config = TrainConfig(env=CONFIG, n_envs=4, n_stack=3, novelty_coef=0.5, seed=5, record="none")
    plain = in_process(CONFIG, 4, seed=5)
    games = make_games(config)
    plain.reset(), games.reset()
    been = [{place_of(state)} for state in plain.get_attr("state")]
    random = np.random.default_rng(0)
    found = 0
    for _ in range(3 * LENGTH):
        actions = random.integers(15, size=4)
        _, rewards, dones, _ = plain.step(actions)
        paid = games.step(actions)[1] > rewards
        for game, state in enumerate(plain.get_attr("state")):
            new = place_of(state) not in been[game] and not dones[game]
            assert paid[game] == new
            found += new
            been[game] = {place_of(state)} if dones[game] else been[game] | {place_of(state)}
    assert found > 20
    plain.close(), games.close()


def test_stacked_state_vectors_are_no_place():
    with pytest.raises(ValueError, match="state vectors are"):
        LAYOUT.places(np.zeros((3, 2 * VECTOR_SIZE), np.float32))


def test_the_default_run_has_it_and_a_run_that_sees_only_pictures_has_not():
    assert fit_to_machine(TrainConfig()).novelty_coef == 0.2
    blind = TrainConfig(env=GameConfig(observation="screen"))
    assert fit_to_machine(blind).novelty_coef == 0
    pictures = TrainConfig(env=GameConfig(observation="screen"), novelty_coef=0.1)
    assert fit_to_machine(pictures).novelty_coef == 0.1  # for coarse pictures


def test_a_coefficient_of_zero_leaves_the_games_alone():
    config = fit_to_machine(TrainConfig(novelty_coef=0.0, n_envs=4))
    games = make_games(config)
    assert unwrap_vec_wrapper(games, NoveltyBonus) is None
    games.close()


def test_the_picture_tells_the_place_whatever_is_seen_beside_it():
    pictures = np.random.default_rng(0).integers(0, 256, (3, 80, 120, 1), np.uint8)
    beside = {"screen": pictures, "targets": np.zeros((3, 5))}
    assert places(beside) == places(pictures)
    assert len(set(places(pictures))) == 3
