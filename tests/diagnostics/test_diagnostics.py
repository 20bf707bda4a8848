"""The rules on series made by hand: each is said when it must be, once, and with values to take."""

import json
import math
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baselines.diagnostics import RULES, Diagnosis, Severity
from baselines.diagnostics import metrics as m
from baselines.diagnostics.advice import Change
from baselines.diagnostics.history import median
from baselines.diagnostics.progress import RewardCurve, trend
from baselines.diagnostics.rule import WhileLearning

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
SICK = {
    "not_a_number": lambda: changed(healthy(), 50, value_loss=math.nan),
    "wrong_setting": lambda: changed(healthy(), 0, rate=0.1, reward=FLAT),
    "reward_collapse": lambda: changed(healthy(), 60, reward=20.0),
    "reward_constant": lambda: each_step_pays(),
    "entropy_collapse": lambda: changed(healthy(), 10, entropy=-0.01, reward=FLAT),
    "kl_blow_up": lambda: changed(changed(healthy(), 0, reward=FLAT), 50, kl=0.2),
    "one_action": lambda: changed(healthy(), 50, action=0.99),
    "stuck_in_place": lambda: changed(healthy(), 50, still=0.95),
    "states_rejected": lambda: changed(healthy(), 50, fades=400.0),
    "reward_farming": lambda: changed(healthy(), 20, tile=900.0, milestones=0.0),
    "reward_plateau": lambda: changed(healthy(), 0, reward=FLAT),
    "entropy_stuck_high": lambda: changed(healthy(), 0, entropy=-2.7, reward=FLAT),
    "dead_updates": lambda: changed(healthy(), 0, kl=1e-9, reward=FLAT),
    "value_useless": lambda: changed(healthy(), 0, variance=-0.1, value_loss=1.0, reward=FLAT),
    "value_stuck_at_one": lambda: changed(healthy(), 0, variance=0.999, reward=FLAT),
    "value_loss_blow_up": lambda: changed(changed(healthy(), 0, reward=FLAT), 50, value_loss=100.0),
    "schedule_ended": lambda: changed(changed(healthy(), 0, reward=FLAT), 50, rate=0.0),
    "throughput_drop": lambda: changed(healthy(), 50, speed=200.0),
}
HARMLESS = {code for code, rule in RULES.items() if rule.while_learning is WhileLearning.NOTE}


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


@pytest.mark.parametrize("code", SICK)
def test_a_sickness_that_passes_is_over(code):
    # it lasts as long again, but a reward that falls for ever would stay below its best
    well = [{**row, m.EPISODE_REWARD: 100 + row[m.EPISODE_REWARD]} for row in healthy(150)]
    found = [f for f in diagnose(SICK[code]() + well).findings if f.code == code]
    assert len({f.since for f in found if f.severity > Severity.NOTE}) == 1
    assert all(f.until is not None and f.until > f.said for f in found)


def test_a_condition_shorter_than_its_patience_is_not_said():
    rows = healthy()
    for index in range(50, 50 + RULES["one_action"].patience - 1):
        rows[index][m.TOP_ACTION_SHARE] = 0.99
    assert diagnose(rows).findings == []


def test_add_returns_a_finding_when_it_begins_gets_worse_and_ends_and_only_then():
    rows = healthy()
    for index in range(30, 40):
        rows[index][m.TOP_ACTION_SHARE] = 0.9
    for index in range(40, 60):
        rows[index][m.TOP_ACTION_SHARE] = 0.99
    diagnosis = Diagnosis(15)
    told = [f for i, row in enumerate(rows, start=1) for f in diagnosis.add(i, row)]
    assert [(f.severity, f.until) for f in told] == [
        (Severity.WARNING, None),
        (Severity.CRITICAL, None),
        (Severity.CRITICAL, 60 + 5),
    ]
    assert {f.since for f in told} == {31}


def test_what_is_said_at_an_update_does_not_depend_on_later_ones():
    rows = changed(healthy(), 60, kl=0.3, reward=15.0, action=0.99)
    early, late = Diagnosis(15), Diagnosis(15)
    for index, row in enumerate(rows[:80]):
        early.add(index, row)
    for index, row in enumerate(rows):
        late.add(index, row)
    assert [f.code for f in early.findings] == [f.code for f in late.findings if f.said < 80]


@pytest.mark.parametrize("factor", [1e-3, 7.0, 1e6])
def test_the_unit_of_the_reward_does_not_matter(factor):
    rows = changed(healthy(), 60, reward=20.0)
    scaled = [{**row, m.EPISODE_REWARD: row[m.EPISODE_REWARD] * factor} for row in rows]
    codes = [(f.code, f.said) for f in diagnose(rows).findings]
    assert codes == [(f.code, f.said) for f in diagnose(scaled).findings] != []


def test_a_policy_that_is_sure_and_good_has_not_collapsed():
    rows = changed(healthy(), 80, entropy=-0.001)
    assert diagnose(rows).findings == []


def test_advice_names_the_values_to_take():
    (finding,) = (f for f in diagnose(SICK["kl_blow_up"]()).findings if f.code == "kl_blow_up")
    assert finding.advice[0] == "halve learning_rate: 0.0003 -> 0.00015"
    assert "halve n_epochs: 4 -> 2" in finding.advice


def test_advice_follows_the_learning_rate_of_the_moment():
    rows = changed(healthy(), 40, rate=1e-4)
    finding = diagnose(changed(rows, 60, kl=0.2)).findings[0]
    assert finding.advice[0] == "halve learning_rate: 0.0001 -> 5e-05"


def test_a_place_counts_even_where_the_picture_moves_and_a_still_picture_where_places_lag():
    for place, still in ((0.95, 0.1), (0.1, 0.95)):
        diagnosis = diagnose(changed(healthy(), 50, place=place, still=still))
        (finding,) = diagnosis.active
        assert finding.code == "stuck_in_place"
        assert finding.evidence == (
            f"{place:.0%} of an episode on one tile or in the menu, "
            f"{still:.0%} of the steps changed nothing"
        )


def test_advice_on_farming_names_the_weight_that_would_pay_as_before():
    (finding,) = diagnose(SICK["reward_farming"]()).active
    assert finding.code == "reward_farming"
    # 5.8 an episode in the first five updates, 900 when it is farmed
    assert finding.advice[0].startswith("multiply the weight of 'tile' by 0.0065: ")


def test_advice_without_known_settings_has_no_values():
    assert Change("ent_coef", 2.0).text({}) == "double ent_coef"
    assert Change("clip_range", to=0.1).text({}) == "set clip_range: 0.1"


def test_advice_never_says_to_keep_a_value_or_to_double_nothing():
    assert Change("n_epochs", 0.5, whole=True).text({"n_epochs": 1}) is None
    assert Change("max_grad_norm", to=0.5).text({"max_grad_norm": 0.5}) is None
    for now in (0.0, -1.0):
        text = Change("ent_coef", 2.0, least=0.01).text({"ent_coef": now})
        assert text == f"set ent_coef: {now:g} -> 0.01"


def test_missing_metrics_limit_what_is_judged_and_are_named():
    rows = [{m.APPROX_KL: 0.2, m.CLIP_FRACTION: 0.6} for _ in range(UPDATES)]
    diagnosis = diagnose(rows)
    assert [finding.code for finding in diagnosis.findings] == ["kl_blow_up"]
    assert diagnosis.not_judged["reward_collapse"] == (m.EPISODE_REWARD,)
    assert diagnosis.not_judged["stuck_in_place"] == (f"{m.PLACE_SHARE}|{m.STILL_SHARE}",)
    assert "kl_blow_up" not in diagnosis.not_judged
    assert diagnose(healthy()).not_judged == {}


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


def test_continuous_actions_have_no_entropy_share():
    rows = [{**row, m.STD: 0.3, m.ENTROPY_LOSS: 1.5} for row in healthy()]
    diagnosis = diagnose(rows, n_actions=None)
    assert diagnosis.findings == []
    assert m.ENTROPY_SHARE in diagnosis.not_judged["entropy_collapse"]


def test_the_slope_of_the_entropy_is_its_change_in_an_update():
    diagnosis = Diagnosis(15)
    for index in range(20):
        diagnosis.add(index, {m.ENTROPY_LOSS: -math.log(15) * (1 - 0.01 * index)})
    assert diagnosis.history.row[m.ENTROPY_SLOPE] == pytest.approx(-0.01)


def curve(rewards, length=512.0, step=2048):
    found = RewardCurve()
    for index, reward in enumerate(rewards, start=1):
        found.add(step * index, reward, length)
    return found


def means(updates, new, chance, rise=0.0, seed=0):
    """Means over the last 100 episodes, `new` of them in each update."""
    dice = np.random.default_rng(seed)
    episodes = chance(dice, updates * new) + np.linspace(0, rise, updates * new)
    return [episodes[max(0, i * new - 100) : i * new].mean() for i in range(1, updates + 1)]


def test_progress_knows_start_best_and_what_is_lost():
    rise = np.linspace(10, 110, 50) + np.random.default_rng(0).normal(0, 0.1, 50)
    far = curve([*rise, *np.linspace(110, 60, 10), *np.full(10, 60.0)]).progress()
    assert far.start == pytest.approx(14, abs=3) and far.now == 60
    assert far.best == pytest.approx(110, rel=0.05)
    assert far.learnt and far.fallen and far.lost == pytest.approx(0.5, abs=0.1)
    assert curve(rise[:9]).progress() is None


@pytest.mark.parametrize("new", [4, 20, 80])
def test_a_reward_that_only_wanders_is_not_called_learnt(new):
    """Means over shared episodes wander smoothly: each value is close to the one before."""
    chances = [lambda dice, n: dice.normal(size=n), lambda dice, n: dice.random(n) < 0.02]
    found = [
        curve(means(60, new, chance, seed=seed), 2048 / new).progress().learnt
        for chance in chances
        for seed in range(20)
    ]
    assert sum(found) <= 4


@pytest.mark.parametrize(("updates", "rise"), [(60, 4.0), (240, 2.0)])
def test_a_slow_noisy_rise_is_learnt(updates, rise):
    rewards = means(updates, 10, lambda dice, n: dice.normal(size=n), rise)
    assert curve(rewards, 204.8).progress().learnt


def test_a_rise_in_values_that_share_nothing_is_seen_through_their_noise():
    noise = np.random.default_rng(1).normal(0, 200, 240)
    assert curve(np.linspace(500, 1100, 240) + noise).progress().learnt
    assert not curve(800 + noise).progress().learnt
    assert trend(np.linspace(500, 1100, 240) + noise) == 1
    assert trend(np.linspace(1100, 500, 240) + noise) == -1
    assert trend(noise) == 0


@pytest.mark.parametrize("shift", [-1100.0, 0.0, 1e6])
def test_the_zero_of_the_reward_does_not_matter(shift):
    """-1,000, -820, -1,000 is a rise and a fall, like 0, 180, 0."""
    noise = np.random.default_rng(2).normal(0, 2, 90)
    course = np.interp(np.arange(90), [0, 10, 40, 60, 80, 90], [0, 0, 180, 180, 0, 0])
    rows = changed(healthy(90), 0, reward=lambda index: shift + course[index] + noise[index])
    (finding,) = (f for f in diagnose(rows).active if f.code == "reward_collapse")
    assert finding.severity is Severity.CRITICAL


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


@pytest.mark.parametrize("code", sorted(HARMLESS - {"reward_plateau"}))
def test_what_does_no_harm_is_only_a_note_while_the_reward_is_at_its_best(code):
    rows = SICK[code]()
    for row, well in zip(rows, healthy(), strict=True):
        row[m.EPISODE_REWARD] = well[m.EPISODE_REWARD]
    diagnosis = diagnose(rows)
    assert diagnosis.status is Severity.NOTE
    assert code in {finding.code for finding in diagnosis.findings}


def test_updates_that_replace_the_policy_are_warned_of_even_while_the_reward_rises():
    assert diagnose(changed(healthy(), 30, kl=3.0)).status is Severity.WARNING


def test_a_run_without_findings_is_not_healthy_without_evidence():
    assert "only 12 updates" in diagnose(healthy(12)).lacking
    assert diagnose(healthy()).lacking is None
    wandering = means(30, 4, lambda dice, n: dice.normal(size=n))
    rows = changed(healthy(30), 0, reward=lambda index: wandering[index])
    assert "cannot be told yet" in diagnose(rows).lacking


def test_the_first_remedy_names_what_changed_when_it_began():
    rows = changed(healthy(), 50, kl=3.0, rate=0.1, reward=FLAT)
    (finding,) = (f for f in diagnose(rows).findings if f.code == "kl_blow_up")
    assert finding.advice[0] == "undo what changed at step 104,448: learning_rate 0.0003 -> 0.1"


def test_the_scale_of_the_reward_comes_before_the_learning_rate():
    rows = changed(SICK["kl_blow_up"](), 0, value_loss=1e9)
    (finding,) = (f for f in diagnose(rows).findings if f.code == "kl_blow_up")
    assert "returns are off by about 3.16e+04" in finding.advice[0]
    assert finding.advice[1].startswith("halve learning_rate")


@pytest.mark.parametrize(("kl", "factor"), [(0.2, 0.5), (0.8, 0.25), (50.0, 0.1)])
def test_the_learning_rate_is_lowered_the_more_the_further_the_limit_is_exceeded(kl, factor):
    rows = changed(changed(healthy(), 0, reward=FLAT), 50, kl=kl)
    (finding,) = (f for f in diagnose(rows).findings if f.code == "kl_blow_up")
    assert finding.advice[0].endswith(f"learning_rate: 0.0003 -> {0.0003 * factor:.3g}")


@pytest.mark.parametrize("kl", [1e-4, 0.008, 0.04])
def test_a_flat_reward_gets_one_remedy_for_the_learning_rate_at_most(kl):
    dice = np.random.default_rng(0)
    rows = changed(healthy(), 0, kl=kl, reward=lambda index: FLAT + dice.normal())
    (finding,) = (f for f in diagnose(rows).findings if f.code == "reward_plateau")
    rates = [text for text in finding.advice if "learning_rate" in text]
    assert len(rates) == (kl != 0.008) and rates == list(finding.advice[: len(rates)])


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
    assert finding.advice == (f"set {setting}: {value:g} -> {instead:g}",)


def test_usual_settings_are_not_called_wrong():
    usual = {**SETTINGS, "gamma": 0.999, "batch_size": 64, "vf_coef": 0.5, "gae_lambda": 1.0}
    assert Diagnosis(15, usual).add(2048, {m.APPROX_KL: 0.01}) == []


NUMBERS = st.one_of(
    st.floats(width=32), st.sampled_from([math.nan, math.inf, -math.inf, 0.0, 1.0, -1e30])
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from(sorted(healthy(2)[0])), NUMBERS), max_size=60))
def test_no_numbers_whatever_break_a_diagnosis(rows):
    with np.errstate(all="ignore"):
        diagnosis = diagnose(rows, n_actions=None)
    for finding in diagnosis.findings:
        json.dumps(finding.as_dict(), allow_nan=False)


def test_an_update_costs_little_after_two_thousand_of_them():
    diagnosis = Diagnosis(15, SETTINGS)
    rows = healthy(200)
    for index in range(2_000):
        if index == 1_900:
            started = process_time()
        diagnosis.add(index, rows[min(index, 199)])
    assert (process_time() - started) / 100 < 0.005


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_the_median_is_numpys(values):
    assert median(np.array(values)) == pytest.approx(np.median(values))


def test_a_policy_that_is_sure_is_not_also_told_that_its_updates_are_dead():
    rows = changed(healthy(), 0, kl=0.0, reward=10.0, entropy=-0.001)
    codes = {finding.code for finding in diagnose(rows).findings}
    assert "entropy_collapse" in codes and "dead_updates" not in codes


def mean_of_episodes(returns, length, episodes_an_update, window=100):
    """Returns a curve of SB3's means over the last hundred of some episodes of equal length."""
    curve = RewardCurve()
    for end in range(episodes_an_update, len(returns) + 1, episodes_an_update):
        curve.add(end * length, float(np.mean(returns[max(0, end - window) : end])), float(length))
    return curve


@pytest.mark.parametrize("kept", [0.0, 0.25, 0.5])
@pytest.mark.parametrize("before", [40, 60, 300])
def test_what_the_mean_over_long_episodes_hides_follows_exactly_from_its_sums(kept, before):
    # a rise to 100, then what an episode pays is a share of that; the mean lags, the sums do not
    rise = np.linspace(10, 100, 20)
    returns = np.concatenate([rise, np.full(before - 20, 100.0), np.full(30, 100.0 * kept)])
    progress = mean_of_episodes(returns, 900, 2).progress()
    peak = np.mean(returns[max(0, before - 100) : before])
    assert progress.hidden == pytest.approx(1 - 100 * kept / peak, abs=0.02)
    assert progress.lost >= progress.hidden > 0.2


@pytest.mark.parametrize("chance", [0.01, 0.03])
@pytest.mark.parametrize("new", [1, 2, 8])
def test_rare_luck_is_neither_learning_nor_a_loss(chance, new):
    random = np.random.default_rng(round(1000 * chance) + new)
    said = []
    for _ in range(25):
        curve = mean_of_episodes((random.random(60 * new) < chance).astype(float), 100, new)
        progress = curve.progress()
        said.append(progress.learnt or progress.lost > 0)
    assert sum(said) <= 1


def test_the_first_mean_is_of_few_episodes_and_a_lucky_one_is_not_the_best():
    # the first episode of all paid more than any mean later
    returns = np.array([900.0] + [100.0, 0.0] * 60)
    progress = mean_of_episodes(returns, 100, 1).progress()
    assert not progress.fallen and progress.lost == 0
