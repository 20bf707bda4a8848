"""Plays a recorded episode again: `python baselines/replay.py --help`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.replay")
