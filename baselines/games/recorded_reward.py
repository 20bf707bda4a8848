"""The reward that paid in a recorded episode, to be computed again."""

from baselines.settings.game_config import NOTHING, PAYS_NOTHING
from emerald_env.recordings.recording import Recording, RecordingError
from rewards import Preset, Reward, load_preset


def recorded_reward(recording: Recording) -> Reward:
    """Returns the reward of a recording, at the start of its episode.

    Raises:
        RecordingError: it cannot be computed here, as one with Python code, which is the user's own
            and in no recording.
    """
    try:
        preset = Preset.from_dict(recording.reward)
        if preset.unloaded == [PAYS_NOTHING]:  # our own
            preset = load_preset(f"{NOTHING}:nothing")
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise RecordingError(f"its reward cannot be used here: {error}") from error
    if preset.unloaded:
        raise RecordingError(
            f"its reward has Python code, {', '.join(preset.unloaded)}, which no recording brings: "
            "what each step paid cannot be computed here"
        )
    return Reward(preset)
