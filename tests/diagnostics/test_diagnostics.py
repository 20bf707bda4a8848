"""The rules on series made by hand: each is said when it must be, once, and with values to take."""

import json
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.diagnostics import RULES, Diagnosis, Severity
from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import CHANGES
from baselines.diagnostics.finding import Cause
from baselines.diagnostics.history import LEAST_UPDATES, MOST_TIMES, WINDOW, History, median
from baselines.diagnostics.rules.policy_rules import kl_limit
from baselines.diagnostics.scores.progress import State

UPDATES = 100
SETTINGS = {"learning_rate": 3e-4, "ent_coef": 0.01, "n_epochs": 4, "clip_range": 0.2}


def healthy(updates=UPDATES):
    """A run of 15 actions that learns as one wishes: rows of numbers."""
    share = np.linspace(0, 1, updates)
    return [
        {
            m.APPROX_KL: 0.008,
            m.CLIP_FRACTION: 0.1,
            m.ENTROPY_LOSS: -math.log(15) * (1 - 0.7 * x),
            m.EXPLAINED_VARIANCE: 0.9 * x,
            m.VALUE_LOSS: 1.0 - 0.5 * x,
            m.POLICY_LOSS: -0.01,
            m.LOSS: 0.1,
            m.LEARNING_RATE: 3e-4,
            m.CLIP_RANGE: 0.2,
            m.EPISODE_REWARD: 10 + 90 * x + 0.1 * math.sin(50 * x),
            m.TOP_ACTION_SHARE: 0.2 + 0.2 * x,
            m.STILL_SHARE: 0.2,
            m.EPISODE_LENGTH: 512.0,
            f"{m.REJECTIONS}fade": 20.0,
            m.STEPS_PER_SECOND: 1000.0 + 50 * math.sin(9 * x),
            m.GRADIENT_NORM: 0.4,
            m.MILESTONES: 3 * x,
            f"{m.REWARD_TERMS}tile": 5 + 40 * x,
            f"{m.REWARD_TERMS}badge": 5 + 50 * x,
        }
        for x in share
    ]


def changed(rows, start, **values):
    """The rows, from one update on with other values; a function is called with the update."""
    names = {
        "kl": m.APPROX_KL,
        "entropy": m.ENTROPY_LOSS,
        "variance": m.EXPLAINED_VARIANCE,
        "value_loss": m.VALUE_LOSS,
        "reward": m.EPISODE_REWARD,
        "action": m.TOP_ACTION_SHARE,
        "still": m.STILL_SHARE,
        "place": m.PLACE_SHARE,
        "speed": m.STEPS_PER_SECOND,
        "rate": m.LEARNING_RATE,
        "milestones": m.MILESTONES,
        "tile": f"{m.REWARD_TERMS}tile",
        "fades": f"{m.REJECTIONS}fade",
    }
    for index in range(start, len(rows)):
        for name, value in values.items():
            rows[index][names[name]] = value(index) if callable(value) else value
    return rows


def diagnose(rows, n_actions=15, settings=SETTINGS):
    diagnosis = Diagnosis(n_actions, settings)
    for index, row in enumerate(rows, start=1):
        diagnosis.add(2048 * index, row)
    return diagnosis


FLAT = 10.0


def flat(start=0, **values):
    """A run in which nothing is learnt."""
    return changed(changed(healthy(), 0, reward=FLAT, milestones=0.0), start, **values)


def misled():
    """Evaluations fall from 400 to 40 while the learner's reward rises."""
    rows = healthy()
    for index, row in enumerate(rows):
        row[m.EVALUATION] = 400.0 + index % 7 if index < 50 else 40.0 + index % 7
        row[m.EVALUATION] = min(row[m.EVALUATION], 100.0 + 10 * index)
    return rows


def spread(value):
    rows = flat()
    for index, row in enumerate(rows):
        row[m.STD] = 1.0 if index < 30 else value
    return rows


def fallen(**values):
    """From the middle on every episode pays 20 only, and the mean over a hundred follows."""
    left = lambda index: max(0.0, 1 - (index - 50) / 25)  # noqa: E731
    values = {
        "reward": lambda i: 20 + 40 * left(i),
        "milestones": lambda i: 1.5 * left(i),
        **values,
    }
    return changed(healthy(), 50, **values)


SICK = {
    "not_a_number": lambda: changed(healthy(), 50, value_loss=math.nan),
    "wrong_setting": lambda: flat(0, rate=0.1),
    "reward_collapse": lambda: fallen(),
    "reward_misleads": misled,
    "reward_constant": lambda: each_step_pays(),
    "entropy_collapse": lambda: flat(10, entropy=-0.01),
    "actions_narrow": lambda: spread(0.02),
    "actions_wide": lambda: spread(30.0),
    "kl_blow_up": lambda: flat(50, kl=0.2),
    "one_action": lambda: flat(50, action=0.99),
    "stuck_in_place": lambda: changed(healthy(), 50, still=0.95),
    "states_rejected": lambda: changed(healthy(), 50, fades=400.0),
    "reward_farming": lambda: changed(healthy(), 20, tile=900.0, milestones=0.0),
    "reward_plateau": flat,
    "entropy_stuck_high": lambda: flat(0, entropy=-2.7),
    "dead_updates": lambda: flat(0, kl=1e-9),
    "value_useless": lambda: flat(0, variance=-0.1, value_loss=1.0),
    "value_loss_blow_up": lambda: flat(50, value_loss=100.0),
    "schedule_ended": lambda: flat(50, rate=0.0),
    "throughput_drop": lambda: changed(healthy(), 50, speed=200.0),
}
NOTED = {code for code, rule in RULES.items() if rule.noted}


def each_step_pays():
    """Episodes last 35 steps at first and 40, their limit, soon after; a step pays 1."""
    rows = healthy()
    for index, row in enumerate(rows):
        row[m.EPISODE_REWARD] = row[m.EPISODE_LENGTH] = min(40.0, 35 + 0.25 * index)
        row[f"{m.REJECTIONS}fade"] = 0.0
    return rows


def test_every_rule_has_a_test():
    assert RULES.keys() == SICK.keys()


def test_nothing_is_said_about_a_healthy_run():
    assert diagnose(healthy()).findings == []


@pytest.mark.parametrize("code", SICK)
def test_a_sickness_is_said_once_and_holds_to_the_end(code):
    diagnosis = diagnose(SICK[code]())
    found = [finding for finding in diagnosis.findings if finding.code == code]
    assert len(found) == 1
    finding = found[0]
    assert finding.severity >= Severity.WARNING
    if code != "value_loss_blow_up":  # a jump is news only until it has lasted
        assert finding.until is None and finding in diagnosis.active
    assert finding.since <= finding.said <= 2048 * UPDATES
    assert any(character.isdigit() for character in finding.evidence) or code == "not_a_number"
    assert finding.meaning.endswith(".") and finding.advice
    json.dumps(finding.as_dict(), allow_nan=False)


def test_a_condition_shorter_than_its_patience_is_not_said():
    rows = healthy()
    for index in range(50, 50 + RULES["stuck_in_place"].patience - 1):
        rows[index][m.STILL_SHARE] = 0.99
    assert diagnose(rows).findings == []


@pytest.mark.parametrize(
    ("an_update", "window"),
    [(WINDOW / 11.9, 12), (1000.0, LEAST_UPDATES), (0.01, 10 * MOST_TIMES), (None, 10)],
)
def test_what_an_agent_does_is_judged_over_episodes_and_not_over_updates(an_update, window):
    history = History()
    for update in range(200):
        length = {} if an_update is None else {m.EPISODE_LENGTH: 2048 / an_update}
        history.add(2048 * update, length)
    assert history.window(10) == window


@pytest.mark.parametrize("mean", [m.NEW_REWARD, m.EPISODE_REWARD])
def test_episodes_from_before_a_later_start_are_not_counted(mean):
    history = History(start=1_000_000)
    for update in range(1, 41):  # of five episodes
        history.add(1_000_000 + 5000 * update, {mean: 100.0 + update % 3, m.EPISODE_LENGTH: 1000.0})
    assert history.scores["reward"].counts.sum() == 200
    assert history.window(20) == 40


def test_a_finding_comes_after_as_many_episodes_however_many_an_update_has():
    said = []
    for an_update in (WINDOW // 12, WINDOW // 6):
        rows = [{**row, m.EPISODE_LENGTH: 2048 / an_update} for row in healthy()]
        rows = changed(rows, 50, still=0.95, fades=0.0)
        (finding,) = diagnose(rows).findings
        said.append((finding.said - finding.since) / 2048 * an_update)
    assert said == pytest.approx([WINDOW, WINDOW], abs=WINDOW / 4)


def test_what_is_said_at_an_update_does_not_depend_on_later_ones():
    rows = changed(healthy(), 60, kl=0.3, reward=15.0, action=0.99, milestones=0.0)
    early, late = Diagnosis(15), Diagnosis(15)
    for index, row in enumerate(rows[:80]):
        early.add(index, row)
    for index, row in enumerate(rows):
        late.add(index, row)
    assert [f.code for f in early.findings] == [f.code for f in late.findings if f.said < 80]


@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e6])
def test_the_unit_of_the_reward_does_not_matter(factor):
    rows = SICK["reward_collapse"]()
    scaled = [{**row, m.EPISODE_REWARD: row[m.EPISODE_REWARD] * factor} for row in rows]
    codes = [(f.code, f.said) for f in diagnose(rows).findings]
    assert codes == [(f.code, f.said) for f in diagnose(scaled).findings] != []


def test_a_policy_that_is_sure_and_good_has_not_collapsed():
    rows = changed(healthy(), 80, entropy=-0.001)
    assert diagnose(rows).findings == []


def test_a_place_counts_even_where_the_picture_moves_and_a_still_picture_where_places_lag():
    for place, still in ((0.95, 0.1), (0.1, 0.95)):
        diagnosis = diagnose(changed(healthy(), 50, place=place, still=still))
        (finding,) = diagnosis.active
        assert finding.code == "stuck_in_place"
        assert finding.evidence == (
            f"{place:.0%} of an episode on one tile or in the menu, "
            f"{still:.0%} of the steps changed nothing"
        )


def test_no_number_at_all_judges_nothing():
    diagnosis = Diagnosis()
    assert diagnosis.findings == [] and diagnosis.status == Severity.NOTE
    assert diagnosis.not_judged.keys() == RULES.keys() - {"wrong_setting"}
    assert "no rollout/ep_rew_mean" in diagnosis.lacking


@pytest.mark.parametrize("n_actions", [2, 3, 5, 7, 15, 18, 64])
def test_the_number_of_actions_is_guessed_from_a_new_policy(n_actions):
    new_policy = -0.998 * math.log(n_actions)
    assert m.guess_n_actions(new_policy) == n_actions


def test_the_entropy_of_dice_is_all_there_can_be():
    assert m.entropy_share(-math.log(15), 15) == pytest.approx(1)
    assert m.entropy_share(0.0, 15) == 0


def test_a_game_with_one_action_is_judged_without_the_share_of_its_entropy():
    diagnosis = diagnose(changed(healthy(), 0, entropy=0.0), n_actions=1)
    assert diagnosis.verdict == "healthy" and m.ENTROPY_SHARE not in diagnosis.history.names
    assert math.isnan(m.entropy_share(0.0, 1))


@pytest.mark.parametrize("updates", [range(100), [0], [50, 99]])
def test_episodes_without_steps_have_no_reward_per_step(updates):
    rows = each_step_pays()
    for update in updates:
        rows[update][m.EPISODE_LENGTH] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = diagnose(rows)
    assert "reward_constant" not in {finding.code for finding in found.active}


def test_the_slope_of_the_entropy_is_its_change_in_an_update():
    diagnosis = Diagnosis(15)
    for index in range(20):
        diagnosis.add(index, {m.ENTROPY_LOSS: -math.log(15) * (1 - 0.01 * index)})
    assert diagnosis.history.row[m.ENTROPY_SLOPE] == pytest.approx(-0.01)


def test_a_reward_that_stops_is_seen_though_the_mean_hardly_falls():
    """Long episodes: the mean over a hundred goes from 141 to 133 while nothing is paid."""
    lengths, rewards, rows = [], [], []
    for index in range(60):
        step = 512 * (index + 1)
        while sum(lengths) < step:
            length = min(400, 20 + 4 * len(lengths))
            rewards.append(length if step < 15_000 else 0)
            lengths.append(length)
        mean_reward, mean_length = np.mean(rewards[-100:]), np.mean(lengths[-100:])
        rows.append({m.EPISODE_REWARD: mean_reward, m.EPISODE_LENGTH: mean_length})
    diagnosis = Diagnosis(2)
    for index, row in enumerate(rows, start=1):
        diagnosis.add(512 * index, row)
    assert rows[-1][m.EPISODE_REWARD] > 0.5 * max(row[m.EPISODE_REWARD] for row in rows)
    assert [f.code for f in diagnosis.active] == ["reward_collapse"]
    assert diagnosis.status is Severity.CRITICAL


@pytest.mark.parametrize(
    ("setting", "value", "instead"),
    [
        ("ent_coef", -0.1, 0.01),
        ("gamma", 0.0, 0.99),
        ("gamma", 1.0, 0.99),
        ("batch_size", 1, 64),
        ("clip_range", 5.0, 0.2),
        ("learning_rate", 0.1, 3e-4),
        ("vf_coef", 0.0, 0.5),
    ],
)
def test_settings_that_cannot_be_right_are_said_at_the_first_update(setting, value, instead):
    diagnosis = Diagnosis(15, {setting: value})
    (finding,) = diagnosis.add(2048, {m.APPROX_KL: 0.01})
    assert finding.code == "wrong_setting" and setting in finding.evidence
    assert finding.advice[0].startswith(f"set {setting}: {value:g} -> {instead:g} (")


def test_a_clip_range_of_values_that_is_logged_is_checked_like_a_setting():
    (finding,) = Diagnosis(15).add(2048, {m.CLIP_RANGE_VF: 1e-9})
    assert finding.code == "wrong_setting" and "clip_range_vf: 1e-09 -> 10" in finding.evidence


def test_usual_settings_are_not_called_wrong():
    usual = {**SETTINGS, "gamma": 0.999, "batch_size": 64, "vf_coef": 0.5, "gae_lambda": 1.0}
    assert Diagnosis(15, usual).add(2048, {m.APPROX_KL: 0.01}) == []


NUMBERS = st.one_of(
    st.floats(width=32), st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 1.0, -1e30])
)


@settings(max_examples=60)
@given(st.lists(st.dictionaries(st.sampled_from(sorted(healthy(2)[0])), NUMBERS), max_size=60))
def test_no_numbers_whatever_break_a_diagnosis(rows):
    with np.errstate(all="ignore"):
        diagnosis = diagnose(rows, n_actions=None)
    for finding in diagnosis.findings:
        json.dumps(finding.as_dict(), allow_nan=False)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_the_median_is_numpys(values):
    assert median(np.array(values)) == pytest.approx(np.median(values))


def test_a_policy_that_is_sure_is_not_also_told_that_its_updates_are_dead():
    rows = flat(0, kl=0.0, entropy=-0.001)
    codes = {finding.code for finding in diagnose(rows).findings}
    assert "entropy_collapse" in codes and "dead_updates" not in codes


@pytest.mark.parametrize("code", sorted(SICK.keys() - {"reward_collapse", "reward_misleads"}))
def test_a_sickness_that_passes_is_over(code):
    well = [
        {**row, m.EPISODE_REWARD: 100 + row[m.EPISODE_REWARD], m.STD: 1.0} for row in healthy(150)
    ]
    found = [f for f in diagnose(SICK[code]() + well).findings if f.code == code]
    assert found and all(f.until is not None and f.until > f.said for f in found)


def test_severity_is_that_of_now_and_critical_only_while_the_score_falls():
    rows = fallen(kl=0.2)
    diagnosis = diagnose(rows)
    assert {f.code: f.severity for f in diagnosis.active}["kl_blow_up"] is Severity.CRITICAL
    for index, row in enumerate(healthy(60), start=101):
        calm = {**row, m.EPISODE_REWARD: 20.0, m.MILESTONES: 0.0, m.APPROX_KL: 0.06}
        diagnosis.add(2048 * index, calm)
    (finding,) = (f for f in diagnosis.active if f.code == "kl_blow_up")
    assert (finding.severity, finding.worst) == (Severity.WARNING, Severity.CRITICAL)
    assert diagnose(flat(50, kl=3.0)).status is Severity.WARNING


@pytest.mark.parametrize("values", [{"kl": 0.3}, {"entropy": -0.001}, {"variance": -1.0}])
def test_nothing_is_said_about_the_learner_while_the_score_rises(values):
    assert diagnose(changed(healthy(), 0, **values)).findings == []


@pytest.mark.parametrize("code", sorted(NOTED))
def test_what_does_no_harm_is_only_a_note_while_the_score_rises(code):
    rows = SICK[code]()
    for row, well in zip(rows, healthy(), strict=True):
        row |= {name: well[name] for name in (m.EPISODE_REWARD, m.MILESTONES)}
    diagnosis = diagnose(rows)
    assert diagnosis.status is Severity.NOTE
    assert code in {finding.code for finding in diagnosis.findings}


def test_the_limit_of_the_divergence_follows_the_clip_range():
    # a ratio of 1.2 costs 0.2 - ln(1.2), one of 1.4 nearly four times as much
    assert kl_limit({}) == pytest.approx(3 * (0.2 - math.log(1.2)))
    wide = Diagnosis(15, {"clip_range": 0.4})
    for index, row in enumerate(flat(0, kl=0.1), start=1):
        wide.add(2048 * index, {name: x for name, x in row.items() if name != m.CLIP_RANGE})
    assert "kl_blow_up" not in {f.code for f in wide.findings}
    assert "kl_blow_up" in {f.code for f in diagnose(flat(0, kl=0.1)).findings}


def test_a_teachers_advice_may_move_the_policy_and_only_the_learners_part_is_judged():
    rows = [{**row, m.ADVICE_LOSS: 1.0} for row in flat(0, kl=0.6)]
    assert "kl_blow_up" not in {f.code for f in diagnose(rows).findings}
    silent = [{**row, m.ADVICE_LOSS: 0.0} for row in rows]  # nobody was told anything
    assert "kl_blow_up" in {f.code for f in diagnose(silent).findings}
    small = [{**row, m.POLICY_KL: 0.01} for row in rows]
    assert "kl_blow_up" not in {f.code for f in diagnose(small).findings}
    parted = [{**row, m.POLICY_KL: 0.6} for row in rows]
    assert "kl_blow_up" in {f.code for f in diagnose(parted).findings}


@pytest.mark.parametrize(("own", "cause"), [(0.01, Cause.LOOK), (0.2, Cause.STEP_TOO_LARGE)])
def test_a_flat_score_is_blamed_on_large_updates_only_where_they_are_the_learners(own, cause):
    noise = lambda index: 10 + 0.1 * math.sin(9 * index)  # noqa: E731
    rows = changed(healthy(), 0, kl=0.6, reward=noise, milestones=math.nan)
    rows = [{**row, m.CLONE_KL: 1.0, m.POLICY_KL: own} for row in rows]
    assert RULES["reward_plateau"].cause(diagnose(rows).history) is cause


def test_one_gradient_step_an_update_has_no_divergence_and_is_not_dead():
    one = {"n_epochs": 1, "n_steps": 128, "n_envs": 8, "batch_size": 1024}
    codes = {f.code for f in diagnose(flat(0, kl=0.0), settings=one).findings}
    assert "dead_updates" not in codes and "reward_plateau" in codes


def test_exploring_and_learning_in_turns_is_no_drop_of_the_speed():
    rows = changed(healthy(), 0, speed=lambda index: 3600.0 if index % 8 < 4 else 900.0)
    assert diagnose(rows).findings == []


def test_a_rollout_takes_as_long_when_exploring_ends_and_longer_on_a_slower_machine():
    def said(seconds):
        rows = changed(healthy(), 50, speed=300.0)
        for index, row in enumerate(rows):
            row[m.ROLLOUT_SECONDS] = 4.0 if index < 50 else seconds
        return [finding.code for finding in diagnose(rows).findings]

    assert said(4.5) == [] and said(20.0) == ["throughput_drop"]


def test_a_new_policy_that_no_update_moves_is_seen_before_its_score_is_known():
    rows = [{**row, m.EPISODE_LENGTH: 40_000.0} for row in flat(0, kl=1e-9, entropy=-math.log(15))]
    diagnosis = diagnose(rows)
    assert diagnosis.history.state is State.UNKNOWN
    assert [finding.code for finding in diagnosis.findings] == ["dead_updates"]


def test_a_few_evaluations_that_rose_do_not_hide_that_many_episodes_fall():
    rows = fallen()
    for index, row in enumerate(rows):
        if index % 10 == 0:
            row[m.EVALUATION] = 10.0 + (index if index < 50 else 30 + index % 7)
        del row[m.MILESTONES]
    diagnosis = diagnose(rows)
    assert diagnosis.history.progress_of("evaluation").state is State.RISING
    assert "reward_collapse" in {finding.code for finding in diagnosis.active}


def test_a_few_evaluations_are_no_reason_to_doubt_many_episodes():
    rows = [{**row, m.EVALUATION: FLAT + index % 3} if index % 10 == 0 else row
            for index, row in enumerate(flat())]  # fmt: skip
    diagnosis = diagnose(rows)
    assert diagnosis.history.progress_of("evaluation").state is State.UNKNOWN
    assert diagnosis.history.state is State.FLAT


def test_a_score_that_rose_a_little_excuses_no_dice():
    """It has stopped since, and the policy still chooses nearly at random."""
    rises = {"reward": lambda i: min(20.0, 10 + i) + 0.1 * math.sin(9 * i), "milestones": 0.0}
    rows = changed(healthy(200), 0, **rises)
    assert diagnose(rows).findings == []
    dice = changed(rows, 0, entropy=-0.96 * math.log(15))
    assert [finding.code for finding in diagnose(dice).findings] == ["entropy_stuck_high"]


def farmed(milestones, tile=lambda i: 10 + 0.4 * i):
    """The reward rises by what one term pays, which is most of it."""
    rows = changed(healthy(300), 0, milestones=milestones, tile=tile)
    for row in rows:
        row[f"{m.REWARD_TERMS}badge"] = 8.0
        row[m.EPISODE_REWARD] = row[f"{m.REWARD_TERMS}tile"] + 8.0
    return diagnose(rows)


def test_a_reward_that_rises_by_one_term_alone_is_farmed_where_milestones_rest():
    rests = farmed(lambda i: 1.6 + 0.1 * math.sin(9 * i))
    assert "reward_farming" in {f.code for f in rests.active}
    assert farmed(lambda i: 1.6 + 0.01 * i).findings == []


def test_values_are_judged_by_returns_that_do_not_contain_them():
    rows = flat(0, variance=0.95, value_loss=1.0)
    assert "value_useless" not in {f.code for f in diagnose(rows).findings}
    honest = [{**row, m.EXPLAINED_RETURNS: -1.3} for row in rows]
    assert "value_useless" in {f.code for f in diagnose(honest).findings}


def test_missing_metrics_limit_what_is_judged_and_are_named():
    rows = [{m.EPISODE_REWARD: FLAT, m.EPISODE_LENGTH: 100.0} for _ in range(UPDATES)]
    diagnosis = diagnose(rows)
    assert [finding.code for finding in diagnosis.findings] == ["reward_plateau"]
    assert diagnosis.not_judged["kl_blow_up"] == (m.APPROX_KL,)
    assert diagnosis.not_judged["stuck_in_place"] == (f"{m.PLACE_SHARE}|{m.STILL_SHARE}",)
    assert "reward_collapse" not in diagnosis.not_judged


def test_continuous_actions_have_no_entropy_share():
    rows = [{**row, m.STD: 0.3, m.ENTROPY_LOSS: 1.5} for row in healthy()]
    diagnosis = diagnose(rows, n_actions=None)
    assert diagnosis.findings == []
    assert m.ENTROPY_SHARE in diagnosis.not_judged["entropy_collapse"]


@pytest.mark.parametrize("first, later", [(2.838, 2.8), (2.1, 3.0), (1.3, -2.0)])
def test_an_entropy_tells_continuous_actions_where_no_deviation_is_logged(first, later):
    """Two normal distributions have 2.838 nats; what grows, or is negative, is not discrete."""
    rows = flat()
    for index, row in enumerate(rows):
        row[m.ENTROPY_LOSS] = -(first if index < 5 else later)
    known = m.ENTROPY_SHARE in diagnose(rows, n_actions=None).history.row
    assert not known
    assert m.ENTROPY_SHARE in diagnose(flat(), n_actions=None).history.row


def test_a_run_without_findings_is_not_healthy_without_evidence():
    assert "only about" in diagnose(healthy(2)).lacking
    assert diagnose(healthy()).lacking is None


def test_a_falling_evaluation_outweighs_a_rising_reward():
    diagnosis = diagnose(misled())
    name, far = diagnosis.history.trusted
    assert name == "evaluation" and far.state in (State.FALLING, State.BELOW)
    assert diagnosis.history.progress_of("reward").state is State.RISING
    assert diagnosis.status is Severity.CRITICAL


def test_a_run_gets_one_list_of_advice_and_no_setting_twice():
    for sick in SICK.values():
        diagnosis = diagnose(sick())
        named = [advice.setting for advice in diagnosis.advice if advice.setting]
        assert len(named) == len(set(named))
        assert len(diagnosis.advice) <= 5


def test_advice_names_what_changed_first_and_the_value_before_it():
    rows = flat(50, kl=3.0)
    for index, row in enumerate(rows):
        row[m.LEARNING_RATE] = 0.1 if index >= 50 else 3e-4 * (1 - index / 200)
    advice = diagnose(rows).findings[-1].advice
    found = next(f for f in diagnose(rows).findings if f.code == "kl_blow_up").advice
    assert found[0].startswith("undo what changed at step 104,448: learning_rate 0.000226 -> 0.1")
    assert advice


def test_an_impossible_setting_is_set_right_alone():
    rows = [row | {m.ENTROPY_LOSS: -0.01, m.LEARNING_RATE: 1e-3} for row in flat()]  # too sure
    plain, wrong = Diagnosis(15), Diagnosis(15, {"ent_coef": -1.0})
    for step, row in enumerate(rows):
        for diagnosis in (plain, wrong):
            diagnosis.add(2048 * (step + 1), row)
    assert {one.setting for one in plain.advice if one.setting} == {"ent_coef", "learning_rate"}
    assert [one.setting for one in wrong.advice if one.setting] == ["ent_coef"]


def test_a_learning_rate_that_is_right_is_not_blamed_for_updates_that_move_nothing():
    steps = CHANGES[Cause.STEP_TOO_SMALL]
    told = {name: [c.advice({"learning_rate": rate}) for c in steps] for name, rate in
            (("right", 1e-3), ("small", 1e-6))}  # fmt: skip
    assert {one.setting for one in told["right"] if one} == {"max_grad_norm", "clip_range"}
    assert told["small"][0].value == 3e-4


def test_advice_keeps_settings_that_are_right_and_says_no_value_where_none_is_usual():
    right = {"learning_rate": 3e-4, "ent_coef": 0.01, "clip_range": 0.2, "vf_coef": 0.5}
    for changes in CHANGES.values():
        for change in changes:
            said = change.advice(right)
            assert said is None or said.value != right.get(change.setting)
            assert change.usual is not None or change.advice({}) is None
