"""Switches: what scripts changed, folded to a few bits."""

from hypothesis import given
from hypothesis import strategies as st

from emerald_env.game.flags import FLAG_COUNT, SCRIPT_FLAGS, TEMP_FLAGS, TRAINER_FLAGS
from emerald_env.game.tables import milestones
from emerald_env.state import N_SWITCHES, switches, trainers_folded

MILESTONES = {step.id for step in milestones() if step.kind == "flag"}
COUNTED = sorted({*TEMP_FLAGS, *SCRIPT_FLAGS} - MILESTONES)
any_flags = st.sets(st.integers(0, FLAG_COUNT - 1), max_size=40)


def packed(flags):
    return sum(1 << flag for flag in flags).to_bytes(FLAG_COUNT // 8, "little")


@given(any_flags, st.sampled_from(COUNTED))
def test_one_flag_of_a_script_changes_one_bit_which_is_that_of_its_number(flags, toggled):
    changed = switches(packed(flags)) ^ switches(packed(flags ^ {toggled}))
    assert changed == 1 << toggled % N_SWITCHES


@given(any_flags, st.integers(0, FLAG_COUNT - 1).filter(lambda flag: flag not in COUNTED))
def test_milestones_trainers_and_items_change_none(flags, toggled):
    assert switches(packed(flags)) == switches(packed(flags ^ {toggled}))


@given(any_flags, st.sampled_from(TRAINER_FLAGS))
def test_each_trainer_beaten_changes_one_bit_of_what_the_network_sees(flags, beaten):
    changed = trainers_folded(packed(flags)) ^ trainers_folded(packed(flags ^ {beaten}))
    assert changed == 1 << beaten % N_SWITCHES
