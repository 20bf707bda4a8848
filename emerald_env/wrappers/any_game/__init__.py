"""What `GBA-v0` lacks without a reader of the game's state: recordings, a bonus for pictures."""

from emerald_env.wrappers.any_game.game_recorder import GameRecorder, replay_game
from emerald_env.wrappers.any_game.picture_novelty import PictureNovelty

__all__ = ["GameRecorder", "PictureNovelty", "replay_game"]
