"""Who earns the reward while an agent learns: the callback on games that are really played."""

import io

import pytest
from helpers.jade_story import story
from rich.console import Console
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import DummyVecEnv

from baselines.games.game import make_env
from baselines.games.vec_games import make_vec_env
from baselines.settings.game_config import GameConfig
from baselines.training.callbacks.health.reward_shares import RewardShareCallback
from emerald_env.env.env import EmeraldEnv
from emerald_env.game.editions import open_game
from emerald_env.jade.exploits import ferry
from emerald_env.jade.walk import Walker
from rewards import Earnings, Paid, Reward, load_preset
from rewards.shares.earnings_wrapper import EarningsWrapper
from rewards.shares.shares import AlarmRule

BOATMAN = "FLAG_HIDE_ROUTE_104_MR_BRINEY"


class Sailing(EmeraldEnv):
    """A game whose player only takes the ferry, there and back, whatever the agent presses."""

    plan: list[int] = []  # keys held, one mask a frame

    def reset(self, **kwargs):
        self._frames = iter(self.plan)
        return super().reset(**kwargs)

    def press(self, keys):
        for _ in range(self.config.frame_skip):
            self.gba.step(next(self._frames, 0), 1, 1, render=False)


class Remember(KVWriter):
    """A logger's output that keeps everything."""

    def __init__(self):
        self.written = []

    def write(self, key_values, key_excluded, step=0):
        self.written.append(dict(key_values))

    def close(self):
        pass


@pytest.fixture(scope="module")
def on_the_pier(tmp_path_factory):
    """A state after two trips to Dewford, and the keys of more trips from there."""
    path = tmp_path_factory.mktemp("ferry") / "pier.state"
    with open_game() as gba:
        gba.set_state(story().states["letter"])
        walker = Walker(gba)
        for _ in range(2):  # what the first trips have to show is not to be in the reward
            ferry(walker)
        path.write_bytes(gba.get_state())
        gba.step(0, 0, 1)  # the one frame that a reset waits
        walker.keys.clear()
        while len(walker.keys) < 24 * 320:
            ferry(walker)
    return path, walker.keys


def learn(games, terms, steps, **settings):
    console = Console(file=io.StringIO(), width=200)
    callback = RewardShareCallback(terms, console=console, **settings)
    small = {"features_extractor_kwargs": {"features_dim": 8}}
    model = PPO("CnnPolicy", games, n_steps=64, batch_size=64, n_epochs=1, policy_kwargs=small)
    output = Remember()
    model.set_logger(Logger(None, [output]))
    model.learn(steps, callback, reset_num_timesteps=False)
    return output.written, console.file.getvalue(), callback


def sail(on_the_pier, preset):
    path, Sailing.plan = on_the_pier
    steps = len(Sailing.plan) // 24 // 64 * 64
    config = GameConfig(observation="screen", reward=preset, start=str(path), start_wait=0)
    reward = Reward(config.preset())
    games = DummyVecEnv([lambda: EarningsWrapper(Sailing(config, reward), reward)])
    rule = AlarmRule(patience=steps // 2)
    return learn(games, reward.terms, steps, rule=rule, window=max(128, steps // 2))


def test_the_ferry_raises_the_alarm_under_the_original_reward_and_names_the_flag(on_the_pier):
    written, shown, callback = sail(on_the_pier, "original_2023")
    (part,) = callback.alarm.parts
    assert part.term == "event" and part.share > 0.6
    assert part.key.startswith("FLAG_HIDE_") and "BRINEY" in part.key
    assert "was not for milestones: event" in shown and part.key in shown
    assert shown.count("warning") <= 2, "it is said now and then, not at every update"
    assert written[-1]["reward_share/alarm"] == 1
    (text, *_) = [row["reward_share/keys"] for row in written if "reward_share/keys" in row]
    assert BOATMAN in text and "| term | key | paid |" in text


def test_the_ferry_pays_next_to_nothing_under_the_default_reward_and_raises_no_alarm(on_the_pier):
    written, shown, callback = sail(on_the_pier, "default")
    assert callback.alarm is None and "warning" not in shown
    assert written[-1]["reward_share/alarm"] == 0
    shares = {n: v for n, v in written[-1].items() if n.startswith("reward_share/")}
    assert {f"reward_share/{term}" for term in load_preset().weights} < set(shares)
    assert all(0 <= share <= 1 for share in shares.values())


def test_what_the_games_earned_adds_up_to_the_rewards_that_the_learner_got():
    games = make_vec_env(
        GameConfig(observation="screen", episode_length=20, start_wait=3), 3, n_workers=2
    )
    paid, earned = [], []

    class Watch(BaseCallback):
        def _on_step(self):
            paid.append(self.locals["rewards"].sum())
            return True

        def _on_rollout_end(self):
            earned.extend(self.training_env.env_method("take_earnings"))

    model = PPO("CnnPolicy", games, n_steps=32, batch_size=32, n_epochs=1)
    model.learn(2 * 32 * 3, Watch())
    games.close()
    assert sum(part.steps for part in earned) == 2 * 32 * 3
    total = sum(sum(part.sums.values()) for part in earned)
    assert total > 0 and total == pytest.approx(sum(paid), abs=1e-3)


def test_a_purse_keeps_the_best_keys_of_each_term_over_the_ends_of_episodes():
    purse = Earnings()
    purse.add([Paid("tile", (0, 9, x, 0), 0.01 * x) for x in range(1, 20)])
    purse.add([Paid("tile", (0, 9, 1, 0), 0.5), Paid("badge", 2151, 5.0)])
    purse.reached(["starter"])
    earned = purse.take()
    assert earned.steps == 2
    assert earned.sums == {"tile": pytest.approx(1.9 + 0.5), "badge": 5.0}
    assert earned.top[0] == Paid("tile", (0, 9, 1, 0), pytest.approx(0.51))
    assert [paid.term for paid in earned.top].count("tile") == 10
    assert earned.milestones == {"starter"}
    assert purse.take() == (0, {}, (), frozenset())


def test_milestones_of_an_episode_that_ended_are_not_lost(tmp_path):
    path = tmp_path / "letter.state"
    path.write_bytes(story().states["starter"])
    env = make_env(
        GameConfig(observation="screen", start=str(path), episode_length=2, start_wait=0)
    )
    env.reset(seed=0)
    env.step(0)
    env.reset()
    assert "starter" in env.get_wrapper_attr("take_earnings")().milestones
    env.close()
