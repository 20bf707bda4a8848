"""Measures our layers and the public alternatives: `python -m experiments.benchmarks --help`."""

if __name__ == "__main__":
    # only here: the games' processes import this file, and need nothing of the benchmark
    from emerald_env.cli.command import run_module

    run_module("experiments.benchmarks.run")
