"""Trains PPO on many games at once: `python baselines/run_baseline_parallel_fast.py --help`."""

if __name__ == "__main__":
    # Each worker process imports this file again before it runs its games. What is below is
    # loaded by the trainer alone, so that a worker starts quickly and needs little memory.
    from commands.door import enter

    enter("baselines.commands.learn.train")
