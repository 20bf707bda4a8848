"""Shows what is in a save state or a save: `python -m emerald_env.inspect`."""

from emerald_env.cli.command import run_module

if __name__ == "__main__":
    run_module("emerald_env.cli.inspect")
