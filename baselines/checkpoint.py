"""Inspects, converts and exports checkpoints: `python baselines/checkpoint.py --help`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.checkpoint")
