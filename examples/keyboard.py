"""Play by gymnasium.utils.play: python examples/keyboard.py.

The arrows, x for A, z for B, Return for Start, Backspace for Select.
"""

import gymnasium
from gymnasium.utils.play import play

import emerald_env  # noqa: F401  it registers the ids


def main() -> None:
    """Opens a window; each episode's reward is printed as it is paid."""
    env = gymnasium.make(
        "Emerald-v0", render_mode="rgb_array", action_set="full", frame_skip=4, observation="screen"
    )

    def tell(before, after, action, reward, terminated, truncated, info):
        if reward:
            print(f"{reward:+.2f} in {info['place']}", info["reward_terms"])

    play(env, zoom=3, fps=15, callback=tell, noop=0)


if __name__ == "__main__":
    main()
