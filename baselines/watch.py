"""Shows a training in the browser: `python -m baselines.watch`, the same as `emerald watch`."""

if __name__ == "__main__":
    from baselines.commands.door import enter

    enter("baselines.commands.learn.watch")
