import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from emerald_env.parallel import cpu_placement
from emerald_env.parallel.cpu_placement import available_cores


@pytest.fixture
def no_quota(monkeypatch, tmp_path):
    """Returns where a cgroup's limit is read from: a file that is not there yet."""
    monkeypatch.setattr(cpu_placement, "QUOTA", tmp_path / "cpu.max")
    return tmp_path / "cpu.max"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux only")
def test_a_process_counts_only_the_cores_that_it_was_given(no_quota):
    before = os.sched_getaffinity(0)
    try:
        for n in range(1, len(before) + 1):
            os.sched_setaffinity(0, sorted(before)[:n])
            assert available_cores() == n
    finally:
        os.sched_setaffinity(0, before)


@pytest.fixture(scope="module")
def many_cores(tmp_path_factory):
    """A machine with 64 cores, and where its limit is read from."""
    quota = tmp_path_factory.mktemp("cgroup") / "cpu.max"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
        patch.setattr(cpu_placement, "QUOTA", quota)
        yield quota


@given(share=st.integers(1, 10**8), period=st.integers(1000, 10**6))
def test_a_share_of_time_counts_as_the_cores_that_give_it(many_cores, share, period):
    many_cores.write_text(f"{share} {period}\n")
    cores = available_cores()
    assert 1 <= cores <= 64
    assert cores * period >= min(share, 64 * period)  # none of the share is given away,
    assert (cores - 1) * period < share  # and no core is counted that it does not pay for


@pytest.mark.parametrize("limit", ["max 100000\n", "", "nonsense", "1 2 3"])
def test_without_a_limit_that_it_understands_it_counts_every_core(many_cores, limit):
    many_cores.write_text(limit)
    assert available_cores() == 64
