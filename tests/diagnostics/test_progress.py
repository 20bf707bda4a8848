"""Progress on episodes whose course is known: it rises, rests, falls, or says nothing yet."""

import numpy as np
import pytest

from baselines.diagnostics.scores.progress import State, progress
from baselines.diagnostics.scores.score_curve import MOST_SAMPLES, ScoreCurve, SlidingMean, joined


def single(returns):
    """A score of which each episode is known."""
    score = ScoreCurve()
    for index, value in enumerate(returns):
        score.add(index, float(value))
    return score


def sliding(returns, new, length=100.0, window=100):
    """The same episodes, as far as SB3's means over the last hundred tell."""
    score, means, done = ScoreCurve(), SlidingMean(window), 0
    for end in range(new, len(returns) + 1, new):
        mean = float(np.mean(returns[max(0, end - window) : end]))
        sample = means.add(mean, length, (end - done) * length)
        done = end
        if sample is not None:
            score.add(end, *sample)
    return score


@pytest.mark.parametrize("new", [1, 4, 25, 60, 250])
def test_new_episodes_follow_from_a_sliding_mean(new):
    returns = np.random.default_rng(0).normal(10, 3, 1500) + np.linspace(0, 50, 1500)
    score = sliding(returns, new)
    done = int(score.counts.sum())
    assert score.counts.sum() == pytest.approx(min(done, 1500), abs=250)
    sizes, levels = joined(score.counts, 5, score.values)
    ends = np.cumsum(sizes).astype(int)
    if new <= 100:  # more leave no trace in the next mean
        truth = [part.mean() for part in np.split(returns[: ends[-1]], ends[:-1])]
        assert levels == pytest.approx(truth, abs=4)
    assert levels[-1] > levels[0] + 25


@pytest.mark.parametrize("make", [single, lambda returns: sliding(returns, 10)])
def test_a_rise_a_fall_and_a_loss_below_the_start_are_told_apart(make):
    dice = np.random.default_rng(1)
    noise = dice.normal(0, 10, 600)
    rise = np.interp(np.arange(600), [0, 60, 300, 600], [20, 20, 100, 100])
    assert progress(make(rise + noise)).state is State.RISING
    fall = np.interp(np.arange(600), [0, 60, 300, 400, 600], [20, 20, 100, 60, 60])
    far = progress(make(fall + noise))
    assert far.state is State.FALLING and far.lost == pytest.approx(0.5, abs=0.15)
    below = np.interp(np.arange(600), [0, 60, 300, 400, 600], [20, 20, 100, -30, -30])
    assert progress(make(below + noise)).state is State.BELOW
    sunk = np.interp(np.arange(600), [0, 100, 300, 600], [20, 20, -40, -40])
    assert progress(make(sunk + noise)).state is State.BELOW


@pytest.mark.parametrize("make", [single, lambda returns: sliding(returns, 8)])
@pytest.mark.parametrize("chance", ["normal", "rare", "heavy"])
def test_episodes_without_a_trend_seldom_rise_or_fall(make, chance):
    said = 0
    for seed in range(40):
        dice = np.random.default_rng(seed)
        returns = {
            "normal": lambda dice=dice: dice.normal(size=500),
            "rare": lambda dice=dice: (dice.random(500) < 0.02).astype(float),
            "heavy": lambda dice=dice: dice.standard_t(3, 500),
        }[chance]()
        said += progress(make(returns)).state in (State.RISING, State.FALLING, State.BELOW)
    assert said <= 4


def test_a_difference_beyond_chance_that_is_worth_nothing_is_flat():
    """22 to 25 of 500, in a world whose episodes vary by 11."""
    dice = np.random.default_rng(2)
    returns = np.linspace(22, 25, 4000) + dice.normal(0, 11, 4000)
    assert progress(single(returns)).state is State.FLAT


def test_games_in_step_are_no_single_event():
    """Eight games of 3,000 steps end together: 123 to 250 in nine generations is learning."""
    levels = np.repeat([123, 125, 140, 170, 200, 230, 245, 250, 250, 250, 250, 250], 8)
    returns = levels + np.random.default_rng(3).normal(0, 5, len(levels))
    score, means = ScoreCurve(), SlidingMean()
    for update in range(1, 12 * 24 + 1):  # 24 updates of 1,000 steps a generation
        ended = 8 * (update // 24)
        if ended:
            mean = float(np.mean(returns[max(0, ended - 100) : ended]))
            sample = means.add(mean, 3000.0, 24_000.0 if update == 24 else 1000.0)
            if sample is not None:
                score.add(update, *sample)
    assert progress(score).state is State.RISING


@pytest.mark.parametrize("shift", [-1100.0, 0.0, 1e5])
def test_the_zero_of_a_score_does_not_matter(shift):
    course = np.interp(np.arange(600), [0, 60, 300, 400, 600], [0, 0, 180, 0, 0])
    noise = np.random.default_rng(4).normal(0, 5, 600)
    far = progress(single(shift + course + noise))
    assert far.state is State.FALLING and far.lost == pytest.approx(1, abs=0.1)


def test_episodes_that_all_scored_the_same_are_flat_soon_and_few_say_nothing():
    assert progress(single([-200.0] * 60)).state is State.FLAT
    assert progress(single([-200.0] * 20)).state is State.UNKNOWN
    assert progress(single([1.0, 2.0, 3.0])) is None


@pytest.mark.parametrize("chance", [0.003, 0.01, 0.05])
def test_luck_that_comes_in_clusters_is_no_level(chance):
    for seed in range(8):
        returns = np.random.default_rng(seed).random(3000) < chance
        ends = (400, 1000, 1800, 3000)
        states = {progress(single(returns[:end])).state for end in ends}
        assert states <= {State.FLAT, State.UNKNOWN}


def test_a_rare_success_that_becomes_less_rare_rises():
    chance = np.repeat([0.01, 0.2], 750)
    returns = np.random.default_rng(0).random(1500) < chance
    assert progress(single(returns)).state is State.RISING


def test_a_long_run_keeps_a_bounded_number_of_samples_and_all_episodes():
    score = single(np.arange(3 * MOST_SAMPLES))
    assert len(score) < MOST_SAMPLES
    assert score.counts.sum() == 3 * MOST_SAMPLES
    whole = float(np.average(score.values, weights=score.counts))
    assert whole == pytest.approx((3 * MOST_SAMPLES - 1) / 2)
    square = float(np.average(score.squares, weights=score.counts))
    assert square == pytest.approx(np.mean(np.arange(3 * MOST_SAMPLES) ** 2.0))
    assert progress(score).state is State.RISING


def test_a_single_sample_is_neither_the_best_level_nor_a_reason_for_an_alarm():
    score = ScoreCurve()
    for index, value in enumerate([1.0, 1.0, 1.1, 5.0, 1.0, 0.9, 1.1, 1.0]):
        score.add(index, value, 12)
    far = progress(score)
    assert far.state not in (State.RISING, State.FALLING) and far.best < 2


def test_a_steady_rise_over_few_means_is_no_noise():
    score = ScoreCurve()
    for step, level in enumerate([20, 27, 36, 49, 66, 89, 120]):
        score.add(step, level, 60)
    assert progress(score).state is State.RISING


def test_a_fall_to_episodes_that_all_score_the_same_is_a_fall():
    score, rise = ScoreCurve(), [20, 25, 33, 42, 56, 71, 90, 121]
    for step, level in enumerate([*rise, 9.6, *[3.0] * 16]):
        score.add(step, level, 60)
    assert progress(score).state is State.BELOW


def test_a_run_that_dips_and_comes_back_to_its_best_rises():
    course = np.interp(np.arange(600), [0, 100, 200, 400, 600], [50, 50, 10, 50, 50])
    far = progress(single(course + np.random.default_rng(6).normal(0, 5, 600)))
    assert far.state is State.RISING and not far.has_stopped
    rested = np.interp(np.arange(2000), [0, 200, 400, 2000], [10, 10, 50, 50])
    far = progress(single(rested + np.random.default_rng(6).normal(0, 5, 2000)))
    assert far.state is State.RISING and far.has_stopped


def test_a_mean_of_episodes_of_many_lengths_that_does_not_move_holds_no_new_ones():
    means = SlidingMean()
    assert means.add(7.1, 2315.4, 20_000.0) is not None
    assert [means.add(7.1, 2315.4, 20_000.0) for _ in range(20)] == [None] * 20
    same = SlidingMean()
    assert any(same.add(0.0, 200.0, 20_000.0) for _ in range(5))  # all fail at the limit


def test_a_fall_that_the_logged_mean_does_not_show_is_none():
    score, dice = ScoreCurve(), np.random.default_rng(7)
    for step, level in enumerate([20.0] * 8 + [330.0] * 8 + [220.0] * 8):
        score.add(step, level + dice.normal(0, 3), 50)
    assert progress(score).state is State.FALLING
    for mean in np.linspace(20, 260, 10):
        score.means.add(mean, 50)
    assert progress(score).state is State.RISING


def few_long_episodes(level, dice):
    """CartPole's: as long as they pay, so that 40 updates of 1,024 steps hold few of them."""
    score, means, returns = ScoreCurve(), SlidingMean(), []
    for update in range(40):
        mean = float(level(update))
        new = round(1024 / mean)
        returns += list(np.maximum(dice.normal(mean, mean / 2, new), 9.0))
        logged = float(np.mean(returns[-100:]))
        score.means.add(logged, 1024 / logged)
        sample = means.add(logged, logged, 1024.0)
        if sample is not None:
            score.add(1024 * update, *sample)
    return progress(score)


def test_few_long_episodes_are_judged_by_the_mean_that_is_logged():
    dice = np.random.default_rng(0)
    rise, fall = ([0, 5, 25], [21, 35, 190]), ([0, 5, 12, 25, 27, 39], [21, 40, 220, 260, 100, 100])
    risen = [few_long_episodes(lambda u: np.interp(u, *rise), dice).state for _ in range(20)]
    assert risen == [State.RISING] * 20
    fallen = [few_long_episodes(lambda u: np.interp(u, *fall), dice).state for _ in range(20)]
    assert fallen.count(State.FALLING) >= 17  # without the means 8 are told


def test_a_logged_mean_that_rests_neither_rises_nor_falls():
    dice = np.random.default_rng(3)
    states = {few_long_episodes(lambda update: 150.0, dice).state for _ in range(60)}
    assert states <= {State.UNKNOWN, State.FLAT}


@pytest.mark.parametrize("first", [0.05, 1.0])
def test_the_short_episodes_that_end_first_are_no_start(first):
    """Of 64 games side by side the quick ones end first: all of them won, or all of them lost."""
    dice = np.random.default_rng(5)
    chances = np.concatenate(
        [[first] * 12, np.interp(np.arange(988), [0, 200, 988], [0.1, 0.9, 1])]
    )
    far = progress(single(dice.random(1000) < chances))
    assert far.state is State.RISING and far.start < 0.6


def test_changing_lengths_while_the_window_fills_leave_no_impossible_scores():
    """Wins of six steps come before losses of a hundred; no episode scores beyond 0 and 1."""
    means, said = SlidingMean(), []
    for mean, length in [(1.0, 6.0), (0.3, 40.0), (0.1, 90.0), (0.1, 92.0), (0.12, 92.0)]:
        sample = means.add(mean, length, 2000.0)
        said += [sample[0]] if sample else []
    assert said and all(-0.2 <= value <= 1.2 for value in said)
