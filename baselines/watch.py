"""Shows a training in the browser: `python baselines/watch.py --help`."""

if __name__ == "__main__":
    from door import enter

    enter("viewer.run")
