"""Measures our layers and the public alternatives: `python -m experiments.benchmarks --help`."""

if __name__ == "__main__":
    # imported here: the games' processes import this file, and do not need the benchmark
    from baselines.commands.door import enter

    enter("experiments.benchmarks.run")
