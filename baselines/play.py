"""Plays a checkpoint, or lets a person play: `python baselines/play.py --help`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.play")
