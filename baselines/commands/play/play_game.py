"""Watches a checkpoint play in a window or a video, or lets a person play: `emerald play`."""

from collections.abc import Sequence

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import check_own_code, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.command import reports_user_errors
from baselines.playing.play_config import PlayConfig
from baselines.settings.read_flags import read_flags
from emerald_env.files.printable import warn


@reports_user_errors(CheckpointError, RuntimeError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Plays with the settings of a command line, None for this process's own.

    Returns:
        The exit status: 0, or 1 after an error that the user can mend.
    """
    config = read_flags(PlayConfig, arguments)
    manifests = []
    if config.checkpoint is not None:
        manifests = [read_manifest(find_checkpoint(config.checkpoint))]
        note = manifests[0].elsewhere(config.choice)
        if note is not None:
            warn(note)
    check_own_code(manifests, config.network, config.wrapper)
    from emerald_env.game.editions import describe_game  # slow to load

    describe_game(config.choice)
    # torch takes seconds to load: what is wrong with flags or files is reported before
    if config.human:
        from baselines.commands.play.human_play import play_human

        play_human(config)
    else:
        from baselines.commands.play.shown_play import play_checkpoint

        play_checkpoint(config)
    return 0
