"""Trains PPO on Atari's Breakout, as a check against published results: `--help` says more."""

if __name__ == "__main__":
    # each worker process imports this file again: what stands here is loaded by the trainer alone
    import sys

    from baselines.breakout import main

    sys.exit(main())
