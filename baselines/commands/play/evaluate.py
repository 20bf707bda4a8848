"""Measures how well a checkpoint plays, or random keys: `emerald evaluate`."""

from collections.abc import Sequence

from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.manifest import check_own_code, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.command import reports_user_errors
from baselines.settings.evaluate_config import EvaluateConfig
from baselines.settings.read_flags import read_flags
from emerald_env.files.output_files import check_folder
from emerald_env.files.printable import warn
from emerald_env.recordings.find_recordings import SUFFIX


@reports_user_errors(CheckpointError)
def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluates with the settings of a command line; returns the exit status.

    Args:
        arguments: the command line; None: this process's own.
    """
    config = read_flags(EvaluateConfig, arguments)
    check(config)
    # torch takes seconds to load: what is wrong with flags or files is reported before
    from baselines.commands.play.evaluation_report import evaluate_and_report

    return evaluate_and_report(config)


def check(config: EvaluateConfig) -> None:
    """Checks the files here, because workers could report errors only as tracebacks.

    Raises:
        FileNotFoundError, RomError, StateError, CheckpointError, ValueError: the ROM, its core, the
            start, a checkpoint, the reward, code of the user's own or a folder to write
            into cannot be used.
    """
    names = [name for name in (config.checkpoint, config.against) if name is not None]
    manifests = [read_manifest(find_checkpoint(name)) for name in names]
    for manifest in manifests:
        note = manifest.elsewhere(config.choice)
        if note is not None and config.worlds is None:
            warn(note)
    check_own_code(manifests, config.network, config.wrapper)
    from emerald_env.game.editions import open_game  # slow to load
    from emerald_env.starts.starts import prepare_starts
    from rewards import load_preset

    open_game(config.choice).stop()
    if config.start is not None:
        prepare_starts(config.choice, config.start)
    if config.reward is not None:
        load_preset(config.reward, code=config.reward_code)
    check_folder(config.record)
    if config.soft_locks != EvaluateConfig.soft_locks or config.soft_locks.exists():
        check_folder(config.soft_locks)
    if config.record is not None and any(config.record.glob(f"player_*{SUFFIX}")):
        raise ValueError(
            f"{config.record} has recordings of another evaluation: give a new folder to --record"
        )
