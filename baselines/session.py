"""Lists the sessions: `python baselines/session.py list`."""

if __name__ == "__main__":
    from door import enter

    enter("baselines.cli.session")
