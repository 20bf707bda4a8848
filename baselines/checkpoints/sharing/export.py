"""One file to give away: weights, manifest and a card that says what they are."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from baselines.checkpoints.checkpoint import POLICY, load_policy
from baselines.checkpoints.sharing.card import model_card
from baselines.checkpoints.sharing.pack import model_of, pack, write_members
from baselines.runs.session import Session

CARD = "README.md"


@dataclass(frozen=True)
class Exported:
    """What was written."""

    path: Path
    size: int  # bytes
    sha256: str


def export(checkpoint: Path, out: Path) -> Exported:
    """Writes a checkpoint as one file to give away.

    The state of the optimiser, and all that says on what machine and where it was made, are left
    out. The same checkpoint gives the same file.

    Args:
        checkpoint: one of ours; if it lies in its session, the card says what that brought.
        out: the file, which must not exist yet.

    Raises:
        CheckpointError: the checkpoint cannot be used, or there is a file at `out`.
        OSError, ValueError: it cannot be written, or the session cannot be read.
    """
    policy, manifest = load_policy(checkpoint)
    model = model_of(manifest)
    model.policy.load_state_dict(policy.state_dict())
    members = pack(model, manifest)
    session = Session.of(checkpoint.resolve())
    known = session if session.config.is_file() else None
    weights = hashlib.sha256(members[POLICY]).hexdigest()
    members[CARD] = model_card(manifest, known, out.name, weights).encode()
    content = write_members(out, members)
    return Exported(out, len(content), hashlib.sha256(content).hexdigest())
