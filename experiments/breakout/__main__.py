"""Trains PPO on Atari's Breakout, as a check against published results: `--help` says more."""

if __name__ == "__main__":
    # worker processes import this file again: only the trainer imports what is below
    import sys

    from baselines.commands.command import run_module

    try:
        run_module("experiments.breakout.breakout")
    except ModuleNotFoundError as error:
        if error.name != "ale_py":
            raise
        sys.exit("error: Breakout needs Atari's emulator: python -m pip install ale-py")
