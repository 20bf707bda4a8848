"""Shows and shares the states of an archive: `python baselines/archive.py list SESSION`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.archive")
