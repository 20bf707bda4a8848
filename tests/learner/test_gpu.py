"""Learning on a GPU: each learner trains, plays on a CPU and resumes. Skipped without one."""

import pytest
import torch
from helpers.runs import TINY, only_session

from baselines.checkpoints.checkpoint_file import load_policy
from baselines.commands.learn.train import main

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU")
STUDENT = (
    "--teacher guide --labels.stored 2000 --labels.lanes 4 --n-steps 24 --batch-size 24 "
    "--lstm-size 32 --recurrent --observation screen --n-stack 1"
)
LEARNERS = {
    "ppo": "--observation full --normalize-observations --no-embed-places --advice .5",
    "state": "--observation state --targets --embed-places",
    "bf16": "--bf16",
    "memory": "--recurrent --lstm-size 16 --value-memory",
    "labels": STUDENT,
    "labels, bf16": f"{STUDENT} --bf16",
}


def train(sessions, *flags):
    return main([*TINY, "--device", "cuda", "--sessions", str(sessions), *flags])


@pytest.mark.parametrize("flags", LEARNERS.values(), ids=LEARNERS)
def test_a_run_on_a_gpu_is_saved_and_resumes(flags, tmp_path):
    assert train(tmp_path, "--total-timesteps", "96", *flags.split()) == 0
    session = only_session(tmp_path)
    first = load_policy(session.latest_checkpoint())[0].state_dict()
    assert all(part.is_cpu and part.isfinite().all() for part in first.values())
    resumed = ["--resume", str(session.folder), "--total-timesteps", "192", "--device", "cuda"]
    assert main(resumed) == 0
    then = load_policy(session.latest_checkpoint())[0].state_dict()
    assert any(not torch.equal(then[name], first[name]) for name in first)
