"""Networks in bfloat16 learn as much as in single precision."""

import pytest
from helpers import match

from baselines.training.resources import processor_has_bf16

SEEDS = range(4)


def learnt(*flags):
    """The share of right keys in all steps of a run, for each seed."""
    runs = (match.trained(seed, match.match_here, *flags) for seed in SEEDS)
    return [right.mean() for _, right in runs]


@pytest.mark.long
@pytest.mark.skipif(not processor_has_bf16(), reason="no AVX512-BF16 and no AMX")
@pytest.mark.parametrize("network", ["tile", "nature"])
def test_bfloat16_learns_as_much_as_single_precision(network, monkeypatch):
    monkeypatch.setattr(match, "FLAGS", match.FLAGS.replace("small", network))
    match.assert_equivalent(learnt(), learnt("--bf16"))
