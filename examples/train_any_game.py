"""PPO of Stable-Baselines3 on any game: python examples/train_any_game.py [STEPS] [ROM].

Games on processes of their own, a reward of watched values, a bonus for new pictures, and a
recording of each episode, which is replayed at the end.
"""

import sys
from pathlib import Path

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import SubprocVecEnv

import emerald_env  # noqa: F401  it registers the ids
from emerald_env.jade.cartridge import JADE_ROM
from emerald_env.wrappers.any_game import GameRecorder, PictureNovelty, replay_game

WATCH = {"x": (0x02037360, "<i2"), "y": (0x02037362, "<i2")}  # address and type of each
FOLDER = "episodes"


def moved(before: dict[str, int], after: dict[str, int]) -> float:
    """Pays for walking."""
    return 0.01 * (abs(after["x"] - before["x"]) + abs(after["y"] - before["y"]))


def make(rom: str) -> gymnasium.Env:
    """Makes a game in a worker process."""
    settings = {"rom": rom, "watch": WATCH, "reward": moved, "max_episode_steps": 32}
    return PictureNovelty(gymnasium.make("GBA-v0", **settings))


def main(steps: int = 20_000, rom: str = str(JADE_ROM)) -> None:
    """Trains, plays an episode and replays its recording."""
    games = make_vec_env(make, 2, env_kwargs={"rom": rom}, vec_env_cls=SubprocVecEnv)
    model = PPO("CnnPolicy", games, n_steps=32, batch_size=64, n_epochs=2)
    model.learn(steps)
    games.close()

    env, over = GameRecorder(make(rom), FOLDER), False
    observation, _ = env.reset(seed=0)
    while not over:
        action, _ = model.predict(observation)
        observation, _, terminated, over, info = env.step(action)
    print("ends with", info)
    env.close()
    same = list(replay_game(max(Path(FOLDER).iterdir()), rom))
    print(f"replayed {len(same) - 1} steps, {same.count(True)} hashes are equal")


if __name__ == "__main__":
    steps, roms = sys.argv[1:2], sys.argv[2:]
    if len(roms) > 1 or not all(word.isdecimal() for word in steps):
        sys.exit("usage: python examples/train_any_game.py [STEPS] [ROM]")
    if roms and not Path(roms[0]).is_file():
        sys.exit(f"error: no ROM at {roms[0]}")
    main(*map(int, steps), *roms)
