"""Learning rate and clip range over a run."""

import gymnasium
import pytest

from baselines.learner.ppo import PPO
from baselines.learner.schedules import LinearSchedule


@pytest.mark.parametrize(
    ("schedule", "values"),
    [
        (LinearSchedule(3e-4, 3e-4), [3e-4] * 5),
        (LinearSchedule(4.0, 0.0), [4, 3, 2, 1, 0]),
        (LinearSchedule(4.0, 2.0), [4, 3.5, 3, 2.5, 2]),
        (LinearSchedule(4.0, 0.0, warmup=0.5), [0, 2, 4, 2, 0]),
        (LinearSchedule(4.0, 4.0, warmup=0.25), [0, 4, 4, 4, 4]),
    ],
    ids=["constant", "to zero", "to a half", "warmed up", "warmed up, then constant"],
)
def test_values_at_start_quarter_middle_three_quarters_and_end(schedule, values):
    assert [schedule(1 - done) for done in (0, 0.25, 0.5, 0.75, 1)] == pytest.approx(values)


def test_a_schedule_stays_at_its_end_in_a_longer_run():
    assert LinearSchedule(1.0, 0.0)(-0.1) == 0.0


@pytest.mark.parametrize("warmup", [-0.1, 1.0, 2.0])
def test_a_warm_up_that_is_not_a_share_is_refused(warmup):
    with pytest.raises(ValueError, match=f"warmup is {warmup}"):
        LinearSchedule(1.0, 0.0, warmup)


@pytest.mark.parametrize(
    ("before", "wanted_rates", "wanted_clips"),
    [
        (False, [0.5e-3, 1e-3, 0.5e-3, 0.0], [0.15, 0.1, 0.05, 0.0]),  # as SB3: the last is lost
        (True, [0.0, 0.5e-3, 1e-3, 0.5e-3], [0.2, 0.15, 0.1, 0.05]),
    ],
    ids=["after the rollout", "before the rollout"],
)
def test_the_learner_follows_its_schedules(before, wanted_rates, wanted_clips):
    model = PPO(
        "MlpPolicy",
        gymnasium.make("CartPole-v1"),
        learning_rate=LinearSchedule(1e-3, 0.0, warmup=0.5),
        clip_range=LinearSchedule(0.2, 0.0),
        rates_before_rollout=before,
        n_steps=32,
        batch_size=32,
        n_epochs=1,
        device="cpu",
    )
    rates, clips = [], []
    model.train = lambda train=model.train: (
        train(),
        rates.append(model.policy.optimizer.param_groups[0]["lr"]),
        clips.append(model.clip),
    )
    model.learn(128)
    assert rates == pytest.approx(wanted_rates)
    assert clips == pytest.approx(wanted_clips)
