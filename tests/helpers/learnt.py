"""What a run leaves that says what it learnt."""

from baselines.checkpoints.formats.plain import to_plain
from baselines.checkpoints.resume import read_run_state

CLOCK = ("time/", "diagnostics/steps_per_second")  # curves that no two runs have alike


def everything(session):
    """Weights and optimiser, episodes, and all that a run resumes from but the clock's times."""
    path = session.latest_checkpoint()
    state = read_run_state(path.with_suffix(".resume"), path)
    for name in [name for name in state["curves"] if name.startswith(CLOCK)]:
        del state["curves"][name]
    begun = state["curves_begun"]
    for name in [name for name in begun["zeros"] if name.startswith(CLOCK)]:
        del begun["zeros"][name]
    begun["begun"] = [name for name in begun["begun"] or () if not name.startswith(CLOCK)]
    for game in state["games"]:
        del game["seconds"]
    for episode in state["episodes"]:
        del episode["t"]
    tree, arrays = to_plain(state)
    numbers = {name: array.tobytes() for name, array in arrays.items()}
    # where every episode was practice there is no file
    episodes = session.episodes.read_bytes() if session.episodes.exists() else b""
    return path.read_bytes(), episodes, tree, numbers
