"""Says what is wrong with a training run: `python baselines/diagnose.py --help`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.diagnose")
