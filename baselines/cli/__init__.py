"""The commands: each module has a `main` that takes a command line."""
