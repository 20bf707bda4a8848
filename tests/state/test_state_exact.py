"""The real game's states: every value equals what was established independently of this reader."""

import json

import pytest

from baselines.commands.check.inspect_state import as_json, inspect
from emerald_env.env.state_vector.state_layout import N_MILESTONES
from emerald_env.game.tables import milestones

# What truth.json says beside the game's state: provenance, raw structures, and the emulator.
BESIDE = {
    "file", "source", "source_file", "sha256", "verified_by", "kind", "state_version", "extdata",
    "callback2_ptr", "dialog_details", "tasks", "palette_fade_active", "options", "encryption_key",
    "saveblock1_party_count_stale", "stale_battle_memory", "battle_text", "key_vars", "pointers",
    "avatar", "player_object", "player_object_saved", "map_header", "special_flags", "rng", "size",
    "embedded_flash", "flag_names_beyond_new_game", "trailing_bytes", "slots", "older_slot",
}  # fmt: skip
BESIDE_WITHIN = {"note", "national_magic", "copies_agree", "flags13", "warp_id", "main_func",
                 "battlers_count"}  # fmt: skip


def compare(truth, found, path="", wrong=None):
    """Returns the paths at which the two differ, and how many values were compared."""
    wrong = [] if wrong is None else wrong
    if isinstance(truth, dict) and isinstance(found, dict):
        keys = truth.keys() - (BESIDE if not path else BESIDE_WITHIN)
        missing = keys - found.keys()
        wrong += [f"{path}.{key} is missing" for key in missing]
        counts = [compare(truth[k], found[k], f"{path}.{k}", wrong)[1] for k in keys - missing]
        return wrong, sum(counts)
    if isinstance(truth, list) and isinstance(found, list) and len(truth) == len(found):
        pairs = enumerate(zip(truth, found, strict=True))
        counts = [compare(a, b, f"{path}[{index}]", wrong)[1] for index, (a, b) in pairs]
        return wrong, sum(counts)
    if truth != found:
        wrong.append(f"{path}: {found!r} instead of {truth!r}")
    return wrong, 1


@pytest.fixture(scope="module")
def truths(shared):
    return json.loads((shared / "states" / "truth.json").read_text())


ADDED = {milestone.slug for milestone in milestones() if milestone.bit >= N_MILESTONES}


def test_every_value_of_every_state_is_right(shared, truths):
    total = 0
    for truth in truths:
        found = as_json(inspect(shared / "states" / truth["file"], None))
        # the truths know no milestones that were added later, and an older order
        found["milestones_done"] = sorted(set(found["milestones_done"]) - ADDED)
        truth["milestones_done"] = sorted(truth["milestones_done"])
        wrong, count = compare(truth, json.loads(json.dumps(found)))
        assert not wrong, (truth["file"], wrong)
        total += count
    assert total > 10_000


def test_the_key_variables_are_right(shared, truths):
    for truth in truths:
        found = as_json(inspect(shared / "states" / truth["file"], None))["vars_nonzero"]
        assert {name: found.get(name, 0) for name in truth["key_vars"]} == truth["key_vars"]
