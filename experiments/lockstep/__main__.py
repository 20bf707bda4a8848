"""Compares two interpreters: `python -m experiments.lockstep --help`."""

if __name__ == "__main__":
    from baselines.commands.door import enter

    enter("experiments.lockstep.lockstep")
