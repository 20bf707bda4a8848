"""Measures our layers and the public alternatives; see docs/BENCHMARKS.md and `--help`."""

if __name__ == "__main__":
    # only here: the games' processes import this file, and need nothing of the benchmark
    from emerald_env.command import run_module

    run_module("baselines.benchmarks.run")
