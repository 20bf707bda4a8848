"""Every frame of an episode as a film: python examples/film.py FILE.mp4 [STEPS]."""

import sys

import gymnasium
import imageio

import emerald_env  # noqa: F401  it registers the ids


def main(path: str, steps: int = 150) -> None:
    """Plays random keys and writes the film; a step has frame_skip frames."""
    env = gymnasium.make("Jade-v1", render_mode="rgb_array_list")
    env.action_space.seed(1)
    env.reset(seed=1)
    frames_per_second = env.metadata[
        "render_fps"
    ]  # 59.7: in this mode a frame is one of the console's
    with imageio.get_writer(path, fps=frames_per_second, macro_block_size=16) as film:
        frames = 0
        for _ in range(steps):
            env.step(env.action_space.sample())
            for frame in env.render():
                film.append_data(frame)
                frames += 1
    print(f"{frames} frames, {frames / frames_per_second:.1f} seconds")
    env.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
