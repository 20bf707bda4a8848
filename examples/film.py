"""Every frame of an episode as a film: python examples/film.py FILE.mp4 [STEPS]."""

import sys
from pathlib import Path

import gymnasium
import imageio

import emerald_env  # noqa: F401  it registers the ids

USAGE = "usage: python examples/film.py FILE.mp4 [STEPS]"


def main(path: str, steps: int = 150) -> None:
    """Plays random keys and writes the film; a step has frame_skip frames."""
    env = gymnasium.make("Jade-v1", render_mode="rgb_array_list")
    env.action_space.seed(1)
    env.reset(seed=1)
    frames_per_second = env.metadata[
        "render_fps"
    ]  # 59.7: in this mode a frame is one of the console's
    Path(path).parent.mkdir(parents=True, exist_ok=True)
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
    files, steps = sys.argv[1:2], sys.argv[2:]
    if not files or not files[0].endswith(".mp4"):
        sys.exit(USAGE)
    if len(steps) > 1 or not all(word.isdecimal() for word in steps):
        sys.exit(USAGE)
    main(files[0], *map(int, steps))
