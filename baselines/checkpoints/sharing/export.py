"""One file to share: weights, manifest and a model card."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from baselines.checkpoints.checkpoint_file import POLICY, load_policy, policy_members
from baselines.checkpoints.formats.checkpoint_zip import CheckpointError
from baselines.checkpoints.sharing.card import disturbances, model_card, session_of
from baselines.checkpoints.sharing.pack import model_of, sb3_members, write_new
from emerald_env.files.own_code import OwnName

CARD = "README.md"


@dataclass(frozen=True)
class Exported:
    """What was written."""

    path: Path
    size: int  # bytes
    sha256: str


def export(
    checkpoint: Path,
    out: Path,
    sb3: bool = False,
    disturbed: Path | None = None,
    own: OwnName | None = None,
) -> Exported:
    """Writes a checkpoint as one file to share.

    The optimiser's state, and anything that tells on which machine and where it was made, is left
    out. The same checkpoint always gives the same file.

    Args:
        checkpoint: one of ours; if it is in its session, the card has that run's results.
        out: the file, which must not exist yet.
        sb3: write a zip that Stable-Baselines3 opens; part of it is pickled.
        own: the user's own network, for a checkpoint that was trained with it.
        disturbed: what `evaluate --disturb all --json` printed, for the card.

    Raises:
        CheckpointError: the checkpoint cannot be used, or `out` already exists.
        OSError, ValueError: it cannot be written, or the session's episodes cannot be read.
    """
    policy, manifest = load_policy(checkpoint, own=own)
    if sb3 and own is not None:
        raise CheckpointError(
            f"its network {own.address} is Python code, which a zip of SB3's would hold as a "
            "pickle: leave --sb3 out"
        )
    members = policy_members(policy, manifest)
    weights = hashlib.sha256(members[POLICY]).hexdigest()
    card = model_card(manifest, session_of(checkpoint), out.name, None if sb3 else weights)
    if disturbed is not None:
        card += disturbances(disturbed)
    if sb3:
        model = model_of(manifest)
        model.policy.load_state_dict(policy.state_dict())
        members = sb3_members(model, manifest)
    content = write_new(out, members | {CARD: card.encode()})
    return Exported(out, len(content), hashlib.sha256(content).hexdigest())
