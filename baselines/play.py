"""Plays a checkpoint, or lets a person play: `python baselines/play.py --help`."""

if __name__ == "__main__":
    from commands.door import enter

    enter("baselines.commands.play.play_game")
