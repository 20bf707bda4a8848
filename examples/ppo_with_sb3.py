"""Plain PPO of Stable-Baselines3 on Jade: python examples/ppo_with_sb3.py [STEPS]."""

import sys

from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env


def main(steps: int = 20_000) -> None:
    """Trains on the screen alone, saves the model, and plays it."""
    settings = {"observation": "screen", "episode_length": 1024}
    games = make_vec_env("emerald_env:Emerald-v0", n_envs=4, env_kwargs=settings)
    model = PPO("CnnPolicy", games, n_steps=32, batch_size=64, n_epochs=2, verbose=1)
    model.learn(steps)
    model.save("ppo_jade")

    observation = games.reset()
    for _ in range(50):
        action, _ = model.predict(observation)
        observation, rewards, dones, infos = games.step(action)
    print("places:", [info["place"] for info in infos])
    games.close()


if __name__ == "__main__":
    given = sys.argv[1:]
    if len(given) > 1 or not all(word.isdecimal() for word in given):
        sys.exit("usage: python examples/ppo_with_sb3.py [STEPS]")
    main(*map(int, given))
