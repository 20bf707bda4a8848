"""Trains PPO on many games at once: `python baselines/run_baseline_parallel_fast.py --help`."""

if __name__ == "__main__":
    # Each worker process imports this file again before it runs its games. What stands here is
    # loaded by the trainer alone, so that a worker starts at once and does without torch's memory.
    import sys

    try:
        from emerald_env.command import run_module

        run_module("baselines.training")
    except KeyboardInterrupt:  # before there was anything that could say it
        sys.exit(130)
