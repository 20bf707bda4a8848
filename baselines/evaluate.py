"""Measures how well a checkpoint plays: `python baselines/evaluate.py --help`."""

if __name__ == "__main__":
    from door import enter

    enter("cluster.evaluate")
