"""Learning from labels: losses, storage, who plays; that it learns; that it resumes exactly."""

import json
import shutil
import zlib
from dataclasses import replace

import numpy as np
import pytest
import torch
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from baselines.checkpoints.checkpoint_file import load_policy, read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.play.evaluate import main as evaluate
from baselines.diagnostics import STILL_SHARE, TOP_ACTION_SHARE
from baselines.learner.labels.driver import HELP, PER_GAME, RANDOM_KEYS, Driver
from baselines.learner.labels.label_learner import FADE, LabelLearner, known_and_alike, label_loss
from baselines.learner.labels.labelled_steps import CHUNK, MIN_DIVERGENCE, NEW, POWER, LabelledSteps
from baselines.learner.policy.recurrent import run_chunks, run_pieces
from baselines.settings.label_options import LabelOptions
from baselines.settings.train_config import TrainConfig
from baselines.training.command_line import parse, train_from_flags
from baselines.training.model import fit_to_machine
from baselines.training.resources import Needs
from baselines.training.teachers.chosen_teacher import shown_to_teacher
from emerald_env.watching.live_file import LiveFile

N = 3  # games


def test_a_set_costs_the_surprise_that_one_of_its_actions_is_taken():
    logits = torch.randn(6, 5)
    p = logits.softmax(dim=1)
    good = torch.tensor([1.0, 0.0, 1.0, 0.0, 0.0]).repeat(6, 1)
    expected = -torch.log(p[:, 0] + p[:, 2])
    assert torch.allclose(label_loss(logits, good, is_set=True), expected, atol=1e-6)
    everything = label_loss(logits, torch.ones(6, 5), is_set=True)
    assert torch.allclose(everything, torch.zeros(6), atol=1e-6)


def test_a_distribution_costs_its_divergence_which_is_least_where_both_agree():
    logits, q = torch.randn(4, 5), torch.rand(4, 5).softmax(dim=1)
    expected = torch.distributions.kl_divergence(
        torch.distributions.Categorical(q), torch.distributions.Categorical(logits=logits)
    )
    assert torch.allclose(label_loss(logits, q, is_set=False), expected, atol=1e-6)
    assert torch.allclose(label_loss(q.log(), q, is_set=False), torch.zeros(4), atol=1e-6)


@pytest.mark.parametrize("is_set", [True, False])
def test_a_step_without_a_label_teaches_nothing(is_set):
    logits = torch.randn(2, 5, requires_grad=True)
    label_loss(logits, torch.zeros(2, 5), is_set).sum().backward()
    assert not logits.grad.any()


@given(st.lists(st.tuples(st.integers(0, 4), st.sets(st.integers(0, 4))), min_size=1))
def test_agreement_is_told_of_steps_with_a_label(steps):
    logits, labels = torch.zeros(len(steps), 5), torch.zeros(len(steps), 5)
    for row, (likeliest, good) in enumerate(steps):
        logits[row, likeliest] = 1.0
        labels[row, list(good)] = 1.0
    known, alike = known_and_alike(logits, labels)
    assert known == pytest.approx(sum(bool(good) for _, good in steps) / len(steps))
    assert alike == pytest.approx(sum(one in good for one, good in steps) / len(steps))


def test_chunks_run_through_the_lstm_as_pieces_do():
    lstm, features = nn.LSTM(7, 5), torch.randn(8, CHUNK, 7)
    starts = torch.rand(8, CHUNK) < 0.05
    starts[0], starts[1] = False, False
    starts[1, 0] = True
    before = torch.randn(8, 5), torch.randn(8, 5)
    outputs, (hidden, _) = run_chunks(features, before, starts, lstm)
    flat = run_pieces(
        features.flatten(0, 1), (before[0].unsqueeze(0), before[1].unsqueeze(0)), starts, lstm
    )
    assert torch.allclose(outputs.flatten(0, 1), flat, atol=1e-6)
    assert torch.equal(outputs[:, -1], hidden)


SEEN = {"": spaces.Box(0, 255, (1, 2, 2), np.uint8)}


def filled(n_steps, n_chunks=4):
    """Returns steps whose picture, label and memory are the number of the step."""
    steps = LabelledSteps(n_chunks, N, SEEN, 5, 6)
    for number in range(n_steps):
        memory = torch.full((1, N, 6), float(number))
        labels = np.full((N, 5), number, np.float32)
        pictures = np.full((N, 1, 2, 2), number % 256, np.uint8)
        purposes = np.full(N, number % 7, np.uint8)
        starts = np.full(N, number % 10 == 0)
        steps.add({"": pictures}, labels, purposes, starts, (memory, memory))
    return steps


def test_the_ring_keeps_the_latest_steps_in_order():
    steps = filled(6 * CHUNK)
    first = {int(steps.take(np.array([[row, 0]])).labels[0, 0, 0]) // CHUNK for row in range(4)}
    assert first == {2, 3, 4, 5}
    chunk = np.array([[steps.newest, 1]])
    assert not steps.after(chunk)[1].any()
    oldest = np.array([[(steps.newest + 1) % 4, 1]])
    following, there = steps.after(oldest)
    assert there.all()
    taken, then = steps.take(oldest), steps.take(following)
    assert then.labels[0, 0, 0] == taken.labels[0, -1, 0] + 1
    assert torch.equal(taken.memory[0, 0], torch.full((6,), 2.0 * CHUNK))


def test_only_whole_chunks_are_drawn_and_those_that_surprise_more_often():
    steps = filled(2 * CHUNK + 3)
    assert set(steps.draw(200)[:, 0]) == {0, 1}
    chunks = np.array([[0, game] for game in range(N)] + [[1, 0]])
    memory = torch.zeros(2, 4, 6)
    steps.refresh(chunks, np.array([5.0, 0, 0, 0], np.float32), memory)
    assert steps.priority[0, 0] == pytest.approx((5 + MIN_DIVERGENCE) ** POWER)
    assert steps.priority[1, 1] == NEW
    # the memory after row 0 is the memory before row 1
    assert not steps.memory[:, 1].any()


def test_labelled_steps_are_restored_exactly():
    steps, other = filled(3 * CHUNK + 5), LabelledSteps(4, N, SEEN, 5, 6)
    other.set_state(steps.get_state())
    assert (
        np.array_equal(other.observations[""], steps.observations[""])
        and other.n_steps == steps.n_steps
    )
    with pytest.raises(ValueError, match="shape"):
        filled(1, n_chunks=5).set_state(steps.get_state())


def test_a_row_is_compressed_once_and_again_after_it_was_written(monkeypatch):
    compress, sizes = zlib.compress, []
    monkeypatch.setattr(
        zlib, "compress", lambda part, level: sizes.append(1) or compress(part, level)
    )
    steps = filled(2 * CHUNK)
    for expected in (2, 0):
        first = steps.get_state()
        assert len(sizes) == expected
        sizes.clear()
    nothing = np.zeros((N, 5), np.float32), np.zeros(N, np.uint8), np.zeros(N, np.bool_)
    memory = torch.zeros(1, N, 6)
    steps.add({"": np.full((N, 1, 2, 2), 77, np.uint8)}, *nothing, (memory, memory))
    other = LabelledSteps(4, N, SEEN, 5, 6)
    other.set_state(steps.get_state())
    assert len(sizes) == 1 and (other.observations[""][2, :, 0] == 77).all()
    steps.set_state(first)
    assert steps.get_state()["observations"] == first["observations"]


def test_the_student_plays_its_games_alone_and_only_these_count():
    driver, options = Driver(8, alone=3), LabelOptions()
    own, labels = np.full(8, 4), np.eye(5, dtype=np.float32)[np.full(8, 2)]
    starts = np.ones(8, np.bool_)
    chosen = driver.choose(own, labels, starts, 0.0, LabelOptions(disturbed=False))
    assert chosen.tolist() == [4] * 3 + [2] * 5
    played = np.array([driver.choose(own, labels, starts, 0.5, options) for _ in range(500)])
    assert (played[:, :3] == 4).all()
    assert {0, 1, 2, 3, 4} == set(played[:, 3:].ravel().tolist())
    infos = [{"episode": {"r": 1.0}} for _ in range(8)]
    driver.hide(infos)
    assert ["episode" in info for info in infos] == [True] * 3 + [False] * 5


@pytest.mark.parametrize(
    ("share", "n_envs", "n_alone"),
    [(0.25, 1, 0), (0.25, 2, 1), (0.01, 32, 1), (0.25, 32, 8), (0.0, 32, 0), (1.0, 1, 1)],
)
def test_of_several_games_the_student_plays_one_alone_at_least(share, n_envs, n_alone):
    assert LabelOptions(alone=share).n_alone(n_envs) == n_alone


def test_the_teacher_plays_where_nothing_was_paid_for_long_until_something_is():
    driver, options = Driver(3, alone=1), LabelOptions(disturbed=False)
    own, labels = np.full(3, 4), np.eye(5, dtype=np.float32)[np.full(3, 2)]

    def play(rewards):
        chosen = driver.choose(own, labels, np.zeros(3, np.bool_), 1.0, options)
        driver.see(np.array(rewards, np.float32))
        return chosen.tolist()

    driver.choose(own, labels, np.ones(3, np.bool_), 1.0, options)  # all switch to the student
    assert [play([0, 0.01, 0]) for _ in range(HELP)] == [[4, 4, 4]] * HELP
    assert play([0, 0, 5]) == [4, 2, 2]
    assert play([0, 0, 0]) == [4, 2, 4]


def test_where_the_teacher_does_not_know_the_student_plays():
    driver = Driver(4, alone=0)
    chosen = driver.choose(
        np.full(4, 3), np.zeros((4, 5), np.float32), np.ones(4, np.bool_), 0.0,
        LabelOptions(disturbed=False),
    )  # fmt: skip
    assert chosen.tolist() == [3] * 4


RUN = (
    "--teacher jade --observation screen --n-stack 1 --recurrent --lstm-size 8 --no-embed-places "
    "--features-dim 16 --n-envs 4 --n-workers 1  --n-steps 24 --batch-size 96 "
    "--sequence-length 24 --learning-rate 1e-3 --labels.lanes 4 --labels.reads 4 "
    "--labels.stored 400 --episode-length 60 --record none --device cpu"
).split()


def test_the_shipped_student_fits_a_students_default_settings():
    manifest, config = read_manifest(find_checkpoint("jade-screen")), parse(["--teacher", "guide"])
    assert manifest.policy == config.policy


def test_who_is_not_told_x_and_y_cannot_look_places_up():
    student = parse("--teacher guide --observation state --tiles --no-coordinates".split())
    assert fit_to_machine(student).novelty_coef == 0
    lost = replace(TrainConfig().env, coordinates=False)
    for more in ({}, {"explore": 0.0, "practice": 0.0, "advice": 0.0}):
        with pytest.raises(ValueError, match="need x and y"):
            TrainConfig(env=lost, **more)


def run(sessions, steps, *more):
    """Trains; returns the tensors of the only session's last checkpoint."""
    settings = [*RUN, "--total-timesteps", str(steps), "--sessions", str(sessions), *more]
    assert train_from_flags(settings) == 0
    (session,) = sessions.iterdir()
    (path,) = session.glob(f"checkpoints/ppo_{steps}_steps.zip")
    return session, load_policy(path)[0].state_dict()


@pytest.mark.parametrize("n_envs", [1, 2])
def test_a_student_of_two_games_has_episodes_and_of_one_it_is_said_that_it_has_none(
    n_envs, tmp_path, capsys
):
    games = ["--n-envs", str(n_envs), "--batch-size", "24", "--episode-length", "20"]
    session, _ = run(tmp_path, 24 * n_envs, *games)
    assert (session / "episodes.jsonl").exists() == (n_envs == 2)
    assert ("plays no game alone" in capsys.readouterr().out) == (n_envs == 1)


@pytest.mark.parametrize("teacher", ["jade", "guide"])
def test_a_run_is_resumed_exactly_and_a_student_without_the_values_memory_plays(
    tmp_path, monkeypatch, teacher
):
    kept, train = tmp_path / "kept", LabelLearner.train

    def keep_half_way(learner):
        if learner.num_timesteps == 288:  # the checkpoint of step 192 is there
            shutil.copytree(next(sessions.iterdir()) / "checkpoints", kept)
        train(learner)

    sessions = tmp_path / "sessions"
    monkeypatch.setattr(LabelLearner, "train", keep_half_way)
    flags = ["--labels.teacher-first", "0", "--no-value-memory", "--save-freq", "192"]
    flags += ["--teacher", teacher]
    session, whole = run(sessions, 384, *flags)
    lines = (session / "diagnostics.jsonl").read_text().splitlines()
    metrics = [json.loads(line)["metrics"] for line in lines]
    assert all(0 < update[TOP_ACTION_SHARE] < 1 for update in metrics)
    assert all(update[STILL_SHARE] < 1 for update in metrics)
    monkeypatch.undo()
    shutil.rmtree(session / "checkpoints")
    shutil.move(kept, session / "checkpoints")
    assert train_from_flags(["--resume", str(session), "--sessions", str(sessions)]) == 0
    resumed = load_policy(session / "checkpoints" / "ppo_384_steps.zip")[0].state_dict()
    assert all(torch.equal(resumed[name], tensor) for name, tensor in whole.items())


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A session whose student has learnt from the guide for a round, as 4 x 120 stored steps."""
    sessions = tmp_path_factory.mktemp("taught") / "sessions"
    return run(sessions, 96, "--teacher", "guide", "--labels.stored", "480")[0]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--labels.stored 288", "labels.stored: 480 steps then, 288 now"),
        ("--teacher jade", "teacher: guide then, jade now"),
        ("--labels.alone 1 --labels.reads 2", None),
    ],
)
def test_other_settings_of_labels_are_taken_and_the_games_begin_anew_where_they_must(
    flags, said, taught, tmp_path, monkeypatch, capsys
):
    alone, train = [], LabelLearner.train

    def noted(learner):
        alone.append(learner.driver.alone.tolist())
        train(learner)

    monkeypatch.setattr(LabelLearner, "train", noted)
    shutil.copytree(taught, tmp_path / "session")
    more = ["--resume", str(tmp_path / "session"), "--total-timesteps", "192", *flags.split()]
    assert train_from_flags(more) == 0
    output = capsys.readouterr().out
    assert f"the games start afresh with other random numbers: {said}" in output or (
        said is None and "note:" not in output
    )
    assert alone == [[True] * 4 if said is None else [True, False, False, False]]


def test_a_teacher_that_sees_no_more_than_the_student_is_refused(tmp_path, capsys):
    flags = ["--teacher", "jade", "--observation", "full", "--sessions", str(tmp_path)]
    with pytest.raises(SystemExit):
        train_from_flags(flags)
    assert "--observation screen" in capsys.readouterr().err


def test_a_teacher_alone_brings_the_settings_of_its_student_and_flags_change_them():
    student = parse(["--teacher", "jade"])
    assert student.teacher == "jade"
    assert (student.env.observation, student.n_stack) == ("screen", 1)
    assert student.policy.recurrent and student.policy.memory_bypass
    changed = parse(["--teacher=jade", "--lstm-size", "64", "--n-envs", "8"])
    assert (changed.policy.lstm_size, changed.n_envs) == (64, 8)
    assert not parse([]).policy.recurrent


def test_the_stored_steps_are_in_the_memory_that_a_run_needs():
    few, many = (
        Needs.of(parse(["--teacher", "jade", "--labels.stored", str(stored)])).memory
        for stored in (10_000, 20_000)
    )
    assert many - few == 10_000 * 80 * 120


def test_the_guide_teaches_in_the_games_themselves(tmp_path):
    session, weights = run(tmp_path, 192, "--teacher", "guide")
    assert all(tensor.isfinite().all() for tensor in weights.values())
    assert TrainConfig.load(session / "config.json").teacher == "guide"


def test_a_student_can_be_watched_while_it_learns(tmp_path, monkeypatch):
    act, looks = LabelLearner.act, []

    def looked_at(learner):
        (live,) = tmp_path.glob("*/live")
        looks.append(LiveFile(live).look())
        return act(learner)

    monkeypatch.setattr(LabelLearner, "act", looked_at)
    run(tmp_path, 96, "--teacher", "guide")
    assert len(looks) == 24


def test_the_learning_rate_follows_its_schedule_and_fades(monkeypatch, tmp_path):
    rates, train = [], LabelLearner.train

    def noted(learner):
        train(learner)
        rates.append(learner.policy.optimizer.param_groups[0]["lr"])

    monkeypatch.setattr(LabelLearner, "train", noted)
    run(tmp_path / "a", 384, "--teacher", "guide", "--learning-rate-warmup", "0.5")
    # with all, 3/4, 1/2 and 1/4 of the run left: it rises in the first half, fades in the last 0.4
    assert rates == pytest.approx([0.0, 0.5e-3, 1e-3, 1e-3 * 0.25 / FADE])


def test_a_round_that_is_shorter_than_a_batch_takes_a_step(tmp_path):
    few = "--n-envs 1 --batch-size 24 --labels.lanes 48 --labels.reads 15".split()
    still = run(tmp_path / "still", 24, "--teacher", "guide", *few, "--learning-rate", "1e-30")[1]
    moved = run(tmp_path / "moved", 24, "--teacher", "guide", *few)[1]
    name = "action_net.weight"
    assert 0 < (moved[name] - still[name]).abs().max() < 2e-3, "one step of 1e-3"


def test_of_separate_networks_a_student_learns_the_actions_alone(tmp_path):
    two = ["--teacher", "guide", "--separate-networks"]
    still = run(tmp_path / "still", 96, *two, "--learning-rate", "1e-30")[1]
    moved = run(tmp_path / "moved", 96, *two)[1]
    changed = {name for name, tensor in moved.items() if not torch.equal(tensor, still[name])}
    # SB3 calls the first of these `features_extractor`, too
    actions = {"pi_features_extractor", "features_extractor", "lstm_actor", "action_net"}
    assert {name.partition(".")[0] for name in changed} == actions


def test_a_students_observations_are_normalised_by_all_that_was_played(tmp_path, monkeypatch):
    shown, train = [], LabelLearner.train

    def noted(learner):
        shown.append(np.array(learner.rollout_buffer.observations["state"]))
        train(learner)

    monkeypatch.setattr(LabelLearner, "train", noted)
    eyes = ["--observation", "state", "--teacher", "guide", "--normalize-observations"]
    _, weights = run(tmp_path, 192, *eyes)
    seen = np.concatenate(shown).astype(np.float64)
    assert float(weights["normalizer.moments.state.count"]) == 192
    mean, variance = (
        weights[f"normalizer.moments.state.{name}"].numpy() for name in ("mean", "variance")
    )
    np.testing.assert_allclose(mean, seen.mean(axis=(0, 1)), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(variance, seen.var(axis=(0, 1)), rtol=1e-3, atol=1e-5)


def test_a_student_of_many_worlds_is_evaluated_in_others(tmp_path, capsys):
    session, _ = run(tmp_path, 192, "--teacher", "guide", "--worlds", "1..2")
    where = ["--worlds", "3..4", "--episodes", "2", "--episode-length", "20", "--n-workers", "1"]
    capsys.readouterr()
    assert evaluate([str(session), *where, "--json"]) == 0
    (player,) = json.loads(capsys.readouterr().out)["players"]
    assert [episode["steps"] for episode in player["episodes"]] == [20, 20]


def test_a_teacher_that_sees_memory_alone_teaches_a_student_of_the_screen(tmp_path):
    shown = shown_to_teacher("jade", parse(["--teacher", "jade"]).env).game
    assert (shown.observation, shown.targets, shown.coordinates) == ("full", True, False)
    opens_menus = parse(["--teacher", "jade-demanding", "--action-set", "story"])
    assert shown_to_teacher("jade-demanding", opens_menus.env).game.menus
    session, _ = run(tmp_path, 192, "--teacher", "jade")
    assert TrainConfig.load(session / "config.json").env.observation == "screen"


def test_a_student_may_mask_its_actions_where_its_teacher_does_not():
    masked = parse("--teacher jade --observation state --action-masks".split()).env
    assert shown_to_teacher("jade", masked).game.action_masks
    plain = parse(["--teacher", "jade"]).env
    assert not shown_to_teacher("jade", plain).game.action_masks


@pytest.mark.parametrize("teacher", ["guide", "jade"])
def test_a_student_may_see_the_games_memory_and_what_is_around_it(tmp_path, teacher):
    eyes = ("--observation", "state", "--tiles", "--targets", "--teacher", teacher)
    session, weights = run(tmp_path, 192, *eyes, "--save-freq", "96")
    assert all(tensor.isfinite().all() for tensor in weights.values())
    more = ["--resume", str(session), "--sessions", str(tmp_path), "--total-timesteps", "288"]
    assert train_from_flags(more) == 0


@given(st.data())
def test_who_plays_the_games_is_restored_exactly_and_in_parts(data):
    driver = Driver(8, alone=3)
    driver.of_student = np.array(data.draw(st.lists(st.booleans(), min_size=8, max_size=8)))
    driver.random = np.random.choice(RANDOM_KEYS, 8)
    driver.last = np.array(data.draw(st.lists(st.integers(0, 4), min_size=8, max_size=8)))
    driver.unpaid = np.random.randint(10**6, size=8)
    part = Driver(5, alone=0)
    part.set_state(driver.get_state()[:, 2:7], 5)
    for name in PER_GAME:
        np.testing.assert_array_equal(getattr(part, name), getattr(driver, name)[2:7])
        assert getattr(part, name).dtype == getattr(driver, name).dtype


def test_who_plays_other_games_or_presses_unknown_keys_is_refused():
    state = Driver(8, alone=3).get_state()
    with pytest.raises(ValueError, match="shape"):
        Driver(7, alone=0).set_state(state, 5)
    state[PER_GAME.index("last"), 1] = 5
    with pytest.raises(ValueError, match="from 0 to 4"):
        Driver(8, alone=0).set_state(state, 5)


def test_an_archive_is_of_one_world(tmp_path, capsys):
    with pytest.raises(SystemExit):
        train_from_flags(["--worlds", "1..2", "--explore", ".5"])
    assert "archive holds the states of one" in capsys.readouterr().err
