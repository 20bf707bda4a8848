"""Shows how far a session's episodes get: `python baselines/funnel.py SESSION`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.funnel")
