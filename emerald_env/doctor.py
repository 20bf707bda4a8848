"""Checks this machine: `python -m emerald_env.doctor`."""

from emerald_env.cli.command import run_module

if __name__ == "__main__":
    run_module("emerald_env.cli.doctor")
