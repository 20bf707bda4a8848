import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emerald_env.parallel import cpu_placement
from emerald_env.parallel.cpu_placement import available_cores

CORES = 64


@pytest.fixture(scope="module")
def quota(tmp_path_factory):
    """Where a cgroup's limit is read from: a file that is not there yet."""
    return tmp_path_factory.mktemp("cgroup") / "cpu.max"


def counted(quota, limit):
    """Returns the cores counted on a machine with 64 of them and a cgroup's limit."""
    quota.write_text(limit)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: set(range(CORES)), raising=False)
        patch.setattr(cpu_placement, "QUOTA", quota)
        return available_cores()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_a_process_counts_only_the_cores_that_it_was_given(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu_placement, "QUOTA", tmp_path / "no cgroup")
    before = os.sched_getaffinity(0)
    try:
        for n in range(1, len(before) + 1):
            os.sched_setaffinity(0, sorted(before)[:n])
            assert available_cores() == n
    finally:
        os.sched_setaffinity(0, before)


@given(share=st.integers(1, 10**8), period=st.integers(1000, 10**6))
def test_a_share_of_time_counts_as_the_cores_that_give_it(quota, share, period):
    cores = counted(quota, f"{share} {period}\n")
    assert 1 <= cores <= CORES
    assert cores * period >= min(share, CORES * period)  # none of the share is given away,
    assert (cores - 1) * period < share  # and no core is counted that it does not pay for


@pytest.mark.parametrize("limit", ["max 100000\n", "", "nonsense", "1 2 3"])
def test_without_a_limit_that_it_understands_it_counts_every_core(quota, limit):
    assert counted(quota, limit) == CORES
