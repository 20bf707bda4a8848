"""Every command: `python -m baselines NAME`, the same as `emerald NAME`."""

if __name__ == "__main__":
    from baselines.commands.emerald import main

    main()
