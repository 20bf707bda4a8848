"""The report on a log: SB3's, CleanRL's, a damaged one, and files that are none."""

import json
import math
import os
import struct
import subprocess
import sys
import time
import warnings
from xml.dom import minidom

import numpy as np
import pytest
from PIL import Image
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.record_writer import RecordWriter, masked_crc32c

from baselines.commands.learn import diagnose
from baselines.diagnostics.bands import alike
from baselines.diagnostics.logs import LogError, find_logs, logged_curves, read_runs
from baselines.diagnostics.logs.settings_files import read_settings
from baselines.runs.session_folder import Session

UPDATES = 60
NAME = "events.out.tfevents.1700000000.machine.1.0"


def learning(update, updates=UPDATES):
    """What SB3 logs of a healthy run with 4 actions."""
    share = update / updates
    return {
        "rollout/ep_rew_mean": 10 + 100 * share + 0.2 * math.sin(9 * update),
        "rollout/ep_len_mean": 200.0,
        "train/approx_kl": 0.008,
        "train/clip_fraction": 0.1,
        "train/entropy_loss": -math.log(4) * (0.99 - 0.6 * share),
        "train/explained_variance": 0.9 * share,
        "train/value_loss": 1.0 - 0.5 * share,
        "train/policy_gradient_loss": -0.01,
        "train/loss": 0.2,
        "train/learning_rate": 3e-4,
        "train/clip_range": 0.2,
    }


def sick(update, updates=UPDATES):
    """The same, but from the middle on all is lost."""
    numbers = learning(update, updates)
    if update > updates / 2:
        left = max(0.0, 1 - (update - updates / 2) / 10)  # ten new episodes of a hundred each time
        numbers |= {"train/approx_kl": 0.4, "rollout/ep_rew_mean": 10.0 + 50 * left}
    return numbers


def warned(update, updates=UPDATES):
    """Updates that are somewhat too large, and nothing learnt."""
    flat = {"rollout/ep_rew_mean": 10 + 0.2 * math.sin(9 * update)}
    return learning(update, updates) | flat | {"train/approx_kl": 0.06}


def write(folder, rows, name=NAME, start=None):
    """Writes an event file: rows are (step, numbers), 2 seconds a row."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / name).open("wb") as file:
        writer = RecordWriter(file)
        if start is not None:
            event = Event(step=start)
            event.session_log.status = 1
            writer.write(event.SerializeToString())
        for index, (step, numbers) in enumerate(rows):
            values = [Summary.Value(tag=tag, simple_value=v) for tag, v in numbers.items()]
            event = Event(step=step, wall_time=2.0 * index, summary=Summary(value=values))
            writer.write(event.SerializeToString())
    return folder


def read_curves(path):
    """Returns the only run of a folder or file."""
    (found,) = read_runs([path])
    return found


def run(kind, updates=UPDATES):
    return [(2048 * update, kind(update, updates)) for update in range(1, updates + 1)]


@pytest.mark.parametrize(("kind", "status"), [(learning, 0), (warned, 1), (sick, 2)])
def test_the_exit_status_says_how_the_run_is(kind, status, tmp_path, capsys):
    assert diagnose.main([str(write(tmp_path, run(kind)))]) == status
    out = capsys.readouterr().out
    assert ["healthy", "warnings", "collapsed"][status] in out
    assert ("learning_rate: 0.0003 -> " in out) == (status > 0)
    assert ("such settings healed" in out) == (status > 0)


def test_it_runs_as_a_command(tmp_path):
    write(tmp_path, run(sick))
    command = [sys.executable, "-m", "baselines", "diagnose", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and "kl_blow_up" in done.stdout and done.stderr == ""


def test_json_has_findings_and_what_was_not_judged(tmp_path, capsys):
    assert diagnose.main([str(write(tmp_path, run(sick))), "--json"]) == 2
    (report,) = json.loads(capsys.readouterr().out)
    assert report["updates"] == UPDATES and report["n_actions"] == 4
    assert {f["code"] for f in report["findings"]} == {"kl_blow_up", "reward_collapse"}
    assert "one_action" in report["not_judged"]


def test_the_session_says_with_what_settings_it_was_run(tmp_path, capsys):
    write(tmp_path, run(warned))
    (tmp_path / "config.json").write_text('{"ppo": {"n_epochs": 30, "target_kl": null}}')
    diagnose.main([str(tmp_path)])
    assert "set n_epochs: 30 -> 10 (" in capsys.readouterr().out


@pytest.mark.parametrize(("batch_size", "dead"), [(256, True), (512, False)])
def test_the_session_says_how_many_gradient_steps_an_update_has(batch_size, dead, tmp_path):
    """Of 4 games x 128 steps; before the only step of an update approx_kl is 0 anyway."""
    rows = [(step, {**numbers, "train/approx_kl": 1e-7}) for step, numbers in run(warned)]
    ppo = {"n_epochs": 1, "n_steps": 128, "batch_size": batch_size}
    write(tmp_path, rows)
    (tmp_path / "config.json").write_text(json.dumps({"n_envs": 4, "ppo": ppo}))
    found = {finding.code for finding in diagnose.examine(read_curves(tmp_path)).diagnosis.active}
    assert ("dead_updates" in found) == dead


ZOO = """!!python/object/apply:collections.OrderedDict
- - - batch_size
    - 64
  - - learning_rate
    - lin_0.0003
  - - n_epochs
    - 30
  - - policy
    - MlpPolicy
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [("env/config.yml", ZOO), ("args.yml", "seed: 1\nupdate_epochs: 30\nenv: Ant-v4\n")],
)
def test_settings_are_read_from_the_files_of_a_zoo(name, text, tmp_path, capsys):
    (write(tmp_path, run(warned)) / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    diagnose.main([str(tmp_path)])
    assert "set n_epochs: 30 -> 10 (" in capsys.readouterr().out


def test_a_date_among_the_settings_leaves_the_others_known(tmp_path):
    (tmp_path / "config.yml").write_text("gamma: 0.9\nstarted: 2024-01-02\nn_epochs: 3\n")
    assert read_settings(tmp_path) == {"gamma": 0.9, "n_epochs": 3.0}


LONG = {"digits": "1" * 500_000 + "!", "blanks": " " * 500_000, "dashes": "- " * 250_000}


@pytest.mark.parametrize("line", LONG.values(), ids=LONG)
def test_a_long_line_of_settings_takes_no_time(line, tmp_path):
    (tmp_path / "config.yml").write_text(f"gamma: 0.9\n{line}\n- - n_epochs\n  - 3\n")
    began = time.process_time()
    assert read_settings(tmp_path) == {"gamma": 0.9, "n_epochs": 3.0}
    assert time.process_time() - began < 5


def test_a_link_to_nowhere_beside_a_log_is_passed_over(tmp_path):
    (tmp_path / "args.yml").write_text("gamma: 0.9\n")
    for name in ("config.json", "model.zip"):
        (tmp_path / name).symlink_to(tmp_path / "nowhere")
    assert read_settings(tmp_path) == {"gamma": 0.9}


def test_settings_are_read_from_a_model_of_sb3(tmp_path, capsys):
    from stable_baselines3 import PPO

    write(tmp_path, run(warned))
    PPO("MlpPolicy", "CartPole-v1", n_epochs=30, device="cpu").save(tmp_path / "model.zip")
    diagnose.main([str(tmp_path)])
    assert "set n_epochs: 30 -> 10 (" in capsys.readouterr().out


@pytest.mark.parametrize("config", ["", "[1]", '{"ppo": 3}', "{", "[" * 100_000])
def test_a_config_that_is_none_only_costs_the_values(config, tmp_path):
    write(tmp_path, run(warned))
    (tmp_path / "config.json").write_text(config)
    assert diagnose.main([str(tmp_path)]) == 1


def test_cleanrl_names_are_understood(tmp_path):
    rows = []
    for update in range(1, UPDATES + 1):
        numbers = learning(update)
        step = 1024 * update
        rows += [(step - 500, {"charts/episodic_return": numbers["rollout/ep_rew_mean"] - 5})]
        rows += [(step - 100, {"charts/episodic_return": numbers["rollout/ep_rew_mean"] + 5})]
        losses = {
            "losses/approx_kl": 3.0,
            "losses/clipfrac": 0.5,
            "losses/entropy": -numbers["train/entropy_loss"],
            "losses/value_loss": numbers["train/value_loss"] / 2,
            "losses/explained_variance": numbers["train/explained_variance"],
            "charts/learning_rate": 2.5e-4,
            "charts/SPS": 1000,
        }
        rows += [(step, losses)]
    report = diagnose.examine(read_curves(write(tmp_path, rows)))
    assert report.status == 1 and report.diagnosis.n_actions == 4
    assert {f.code for f in report.diagnosis.findings} == {"kl_blow_up"}
    history = report.diagnosis.history
    assert history.all("train/value_loss")[0] == pytest.approx(learning(1)["train/value_loss"])
    # the mean of the first two episodes stands with the first update
    assert history.all("rollout/ep_rew_mean")[0] == pytest.approx(
        learning(1)["rollout/ep_rew_mean"], rel=1e-5
    )


def test_a_real_log_of_sb3_is_read(tmp_path):
    from stable_baselines3 import PPO

    model = PPO("MlpPolicy", "CartPole-v1", n_steps=64, n_epochs=1, tensorboard_log=str(tmp_path))
    model.learn(64 * 14)
    report = diagnose.examine(read_curves(tmp_path))
    assert report.diagnosis.n_actions == 2
    # the first update's numbers are logged with the second rollout, the last one's not at all
    assert report.steps == tuple(range(128, 64 * 14 + 1, 64))
    assert "actions_wide" in report.diagnosis.not_judged  # these are not continuous
    missing = {need for needs in report.diagnosis.not_judged.values() for need in needs}
    assert not any(
        "train/" in need.replace("train/std", "") or "rollout/ep_" in need for need in missing
    )


def test_speed_is_taken_from_the_clock_where_no_speed_is_logged(tmp_path):
    rows = list(read_curves(write(tmp_path, run(learning))).rows())
    assert {row["diagnostics/steps_per_second"] for _, row, _ in rows[1:]} == {1024.0}


def test_the_speed_that_a_session_logged_itself_goes_before_the_clock(tmp_path):
    rows = [(step, numbers | {"time/steps_per_second": 777.0}) for step, numbers in run(learning)]
    read = list(read_curves(write(tmp_path, rows)).rows())
    assert {row["diagnostics/steps_per_second"] for _, row, _ in read} == {777.0}


def test_what_comes_twice_stands_twice_in_the_table_but_is_explained_once(tmp_path, capsys):
    kl = {update: 3.0 if 20 <= update % 30 < 28 else 0.008 for update in range(1, 61)}
    rows = [(2048 * u, learning(u) | {"train/approx_kl": kl[u]}) for u in kl]
    diagnose.main([str(write(tmp_path, rows))])
    out = capsys.readouterr().out
    assert out.count("kl_blow_up") == 2 + 1


def test_what_a_run_did_after_the_checkpoint_it_went_on_from_is_left_out(tmp_path):
    write(tmp_path, [(step, {"train/loss": 1.0}) for step in range(10)])
    later = [(step, {"train/loss": 2.0}) for step in range(5, 12)]
    write(tmp_path, later, NAME.replace(".0", ".1"))
    losses = [point.value for point in read_curves(tmp_path).points["train/loss"]]
    assert losses == [1.0] * 5 + [2.0] * 7


def test_every_run_below_the_folder_is_reported_and_the_worst_counts(tmp_path, capsys):
    write(tmp_path / "PPO_1", run(learning))
    write(tmp_path / "PPO_2", run(sick))
    assert diagnose.main([str(tmp_path), "--json"]) == 2
    assert [r["status"] for r in json.loads(capsys.readouterr().out)] == [0, 2]


def test_of_several_runs_the_picture_shows_the_band_of_those_alike(tmp_path, capsys):
    for name, kind in (("PPO_1", learning), ("PPO_2", sick)):
        (write(tmp_path / name, run(kind)) / "args.yml").write_text("gamma: 0.9\n")
    assert diagnose.main([str(tmp_path), "--picture", str(tmp_path / "x.png")]) == 2
    with Image.open(tmp_path / "x.png") as picture:
        assert picture.width == 1000 and len(np.unique(np.asarray(picture))) > 50
    (tmp_path / "PPO_2/args.yml").write_text("gamma: 0.8\n")
    assert diagnose.main([str(tmp_path), "--picture", str(tmp_path / "x.png")]) == diagnose.NO_LOG
    assert "here are 2 runs of different ones" in capsys.readouterr().err


def test_the_plot_is_a_picture(tmp_path):
    write(tmp_path, run(sick))
    assert diagnose.main([str(tmp_path), "--picture", str(tmp_path / "run.png")]) == 2
    with Image.open(tmp_path / "run.png") as picture:
        assert picture.width == 1000 and len(np.unique(np.asarray(picture))) > 50


def test_dollars_in_names_are_no_formulas_in_pictures(tmp_path):
    folders = [str(write(tmp_path / name, run(learning))) for name in ("run$^$", "b$_$")]
    assert diagnose.main([folders[0], "--picture", str(tmp_path / "one.png")]) == 0
    assert diagnose.main([*folders, "--picture", str(tmp_path / "band.png")]) == 0
    assert (tmp_path / "one.png").stat().st_size and (tmp_path / "band.png").stat().st_size


NAMES = {"not UTF-8": "\udcff", "control characters": "x\x01y\x1b[31m", "Chinese": "名前"}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_folder_of_any_name_has_a_picture_and_no_warnings(name, tmp_path):
    folder, other = (str(write(tmp_path / n, run(learning))) for n in (name, "other"))
    picture = tmp_path / "picture.svg"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for logs in ([folder], [folder, other]):
            picture.unlink(missing_ok=True)
            assert diagnose.main([*logs, "--picture", str(picture)]) == 0
            minidom.parse(str(picture))


def test_numbers_too_small_for_a_logarithm_are_drawn_without_a_warning(tmp_path):
    table = ["time/total_timesteps,rollout/ep_rew_mean,train/value_loss"]
    table += [f"{step},{numbers['rollout/ep_rew_mean']},5e-324" for step, numbers in run(learning)]
    (tmp_path / "progress.csv").write_text("\n".join(table) + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert diagnose.main([str(tmp_path), "--picture", str(tmp_path / "x.png")]) == 0


def test_what_looks_like_markup_in_a_log_is_printed_as_it_is(tmp_path, capsys):
    rows = [(step, {**numbers, "rejections/[/b]\x1b": 190.0}) for step, numbers in run(learning)]
    assert diagnose.main([str(write(tmp_path, rows))]) == 1
    assert "'[/b]\\x1b'" in capsys.readouterr().out


def test_numbers_that_are_nan_are_a_finding_not_a_crash(tmp_path):
    rows = run(learning)
    rows[-1][1]["train/value_loss"] = math.nan
    report = diagnose.examine(read_curves(write(tmp_path, rows)))
    assert report.status == 2 and report.diagnosis.findings[0].code == "not_a_number"


def record(content):
    header = struct.pack("<Q", len(content))
    crcs = [struct.pack("<I", masked_crc32c(part)) for part in (header, content)]
    return header + crcs[0] + content + crcs[1]


def endless_record():
    header = struct.pack("<Q", 1 << 62)
    return header + struct.pack("<I", masked_crc32c(header)) + b"x" * 50


NO_LOGS = {
    "empty": b"",
    "text": b"this is no event file at all, though it is called one\n" * 20,
    "zeros": bytes(5000),
    "a record that is no event": record(b"\xff" * 40),
    "a record that is endless": endless_record(),
    "an event without numbers": record(
        Event(step=1, file_version="brain.Event:2").SerializeToString()
    ),
}


@pytest.mark.parametrize("content", NO_LOGS.values(), ids=NO_LOGS.keys())
def test_a_file_that_is_no_log_gets_a_message_and_no_traceback(content, tmp_path, capsys):
    (tmp_path / NAME).write_bytes(content)
    assert diagnose.main([str(tmp_path)]) == diagnose.NO_LOG
    assert "no curves in it" in capsys.readouterr().err


def test_a_log_that_breaks_off_is_read_up_to_there(tmp_path):
    whole = (write(tmp_path, run(learning)) / NAME).read_bytes()
    for cut in (len(whole) // 2, len(whole) - 1, len(whole) // 3):
        for tail in (b"", b"\x00" * 100, endless_record(), record(b"\xff\xff\xff")):
            (tmp_path / NAME).write_bytes(whole[:cut] + tail)
            assert 10 < len(list(read_curves(tmp_path).rows())) <= UPDATES


def test_damage_anywhere_never_ends_in_a_traceback(tmp_path):
    whole = (write(tmp_path, run(learning, 12)) / NAME).read_bytes()
    random = np.random.default_rng(0)
    for _ in range(150):
        damaged = bytearray(whole)
        for place in random.integers(0, len(whole), 3):
            damaged[place] = random.integers(256)
        (tmp_path / NAME).write_bytes(damaged)
        assert diagnose.main([str(tmp_path), "--json"]) in (0, 1, 2, 3, 4)


def test_a_folder_without_a_log_and_no_folder_at_all_say_so(tmp_path, capsys):
    assert diagnose.main([str(tmp_path)]) == diagnose.NO_LOG
    assert "no log in" in capsys.readouterr().err
    assert diagnose.main([str(tmp_path / "nowhere")]) == diagnose.NO_LOG
    assert "does not exist" in capsys.readouterr().err
    os.mkfifo(tmp_path / "progress.csv")
    assert diagnose.main([str(tmp_path / "progress.csv")]) == diagnose.NO_LOG
    assert "progress.csv is neither a file nor a folder" in capsys.readouterr().err


def test_what_is_no_run_is_skipped_beside_runs(tmp_path, capsys):
    write(tmp_path / "run", run(learning))
    (tmp_path / "empty").mkdir()
    (tmp_path / "README.md").write_text("sessions")
    assert diagnose.main([str(path) for path in sorted(tmp_path.iterdir())]) == 0
    said = capsys.readouterr()
    assert "healthy" in said.out
    lines = said.err.splitlines()
    assert len(lines) == 2 and all(line.startswith("skipped: ") for line in lines)
    assert diagnose.main([str(tmp_path / "README.md"), str(tmp_path / "empty")]) == diagnose.NO_LOG


def test_a_log_without_known_names_is_skipped_beside_a_run_of_the_same_folder(tmp_path, capsys):
    write(tmp_path, run(learning))
    write(tmp_path / "1700000000.5", [(0, {"hparam/final": 1.0})])  # PyTorch's add_hparams
    write(tmp_path / "empty", [])
    assert diagnose.main([str(tmp_path), "--json"]) == 0
    said = capsys.readouterr()
    assert len(json.loads(said.out)) == 1
    no_curves, no_names = said.err.splitlines()
    assert no_curves.startswith(f"skipped: {tmp_path / 'empty' / NAME}: no curves in it")
    assert no_names.startswith(f"skipped: {tmp_path / '1700000000.5'}: no names of a learner")


def test_folders_of_other_formats_are_read_too_but_not_another_log_of_the_same_run(tmp_path):
    table = "time/total_timesteps,rollout/ep_rew_mean\n10,1\n"
    write(tmp_path / "a", run(learning))
    for folder in ("a", "a/wandb", "b", "b/eval"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "progress.csv").write_text(table)
    (tmp_path / "b" / "monitor.csv").write_text('#{"t_start": 0}\nr,l,t\n1,1,1\n')
    (tmp_path / "monitor.csv").write_text('#{"t_start": 0}\nr,l,t\n1,1,1\n')
    found = [found.folder for found in read_runs([tmp_path])]
    assert found == [tmp_path / "a", tmp_path / "b", tmp_path / "b" / "eval"]


def test_a_log_of_something_else_says_what_is_in_it(tmp_path, capsys):
    write(tmp_path, [(step, {"loss/generator": 1.0}) for step in range(30)])
    assert diagnose.main([str(tmp_path)]) == diagnose.NO_LOG
    assert "no names of a learner that we know, only loss/generator" in capsys.readouterr().err


def test_sizes_have_limits(tmp_path, monkeypatch):
    write(tmp_path, run(learning))
    limits = (
        (find_logs, "MAX_BYTES", 100),
        (logged_curves, "MAX_POINTS", 50),
        (logged_curves, "MAX_CURVES", 3),
    )
    for module, name, value in limits:
        with monkeypatch.context() as patch:
            patch.setattr(module, name, value)
            with pytest.raises(LogError):
                read_curves(tmp_path)
    write(tmp_path / "more", run(learning))
    monkeypatch.setattr(find_logs, "MAX_FILES", 1)
    with pytest.raises(LogError, match="more than 1 logs"):
        read_runs([tmp_path])


@pytest.mark.parametrize("arguments", [[], ["--actions", "1", "x"], ["--nonsense", "x"]])
def test_a_wrong_command_line_is_not_taken_for_a_collapse(arguments):
    with pytest.raises(SystemExit) as ended:
        diagnose.main(arguments)
    assert ended.value.code == diagnose.NO_LOG


def test_the_episodes_that_a_session_kept_are_counted_and_not_guessed(tmp_path):
    """One episode ends early and the others at the end: between them the mean says nothing."""
    rows = [(2048 * n, learning(n) | {"rollout/ep_rew_mean": 8.0}) for n in range(10, 61)]
    session = Session(write(tmp_path / "run", rows))
    assert diagnose.examine(read_curves(session.folder)).verdict == "warnings: reward_plateau"
    ends = [(20_480, 8.0), *[(122_880, 117.0)] * 31]
    session.append_episodes({"num_timesteps": n, "reward": r, "length": 2000} for n, r in ends)
    report = diagnose.examine(read_curves(session.folder))
    assert report.verdict.startswith("too little to judge: whether the score 'reward' rises")


def test_a_sessions_event_file_is_judged_with_the_sessions_episodes(tmp_path, capsys):
    rows = [(2048 * n, learning(n) | {"rollout/ep_rew_mean": 8.0}) for n in range(10, 61)]
    session = Session(write(tmp_path / "run", rows))
    ends = [(20_480, 8.0), *[(122_880, 117.0)] * 31]
    session.append_episodes({"num_timesteps": n, "reward": r, "length": 2000} for n, r in ends)
    assert diagnose.main([str(session.folder)]) == 4
    assert diagnose.main([str(session.folder / NAME)]) == 4
    assert capsys.readouterr().out.count("whether the score 'reward' rises") == 2


def test_episodes_from_before_a_sessions_later_event_file_are_not_of_its_first_update(tmp_path):
    rows = [(2048 * n, learning(n) | {"rollout/ep_rew_mean": 8.0}) for n in range(100, 131)]
    session = Session(write(tmp_path / "run", rows))
    ends = [1_000] * 50 + [204_800, 230_000, 260_000]
    session.append_episodes({"num_timesteps": n, "reward": 8.0, "length": 2000} for n in ends)
    report = diagnose.examine(read_curves(session.folder / NAME))
    assert report.diagnosis.history.scores["reward"].counts.sum() == 3


def test_runs_of_the_same_settings_are_set_in_a_band(tmp_path, capsys):
    for seed in range(3):
        rows = [(2048 * n, {**learning(n), "rollout/ep_rew_mean": 20.0 + seed}) for n in range(60)]
        write(tmp_path / f"seed{seed}", rows)
    diagnose.main([str(tmp_path / f"seed{seed}") for seed in range(3)])
    shown = capsys.readouterr().out
    assert "3 runs of settings that are not known:" in shown
    last = next(line for line in shown.splitlines() if line.startswith(f"{59 * 2048:,}"))
    assert last.split()[1:] == ["20", "21", "22"]


def test_runs_are_alike_whose_settings_differ_in_the_seed_at_most():
    known = [{"seed": 1.0, "gamma": 0.9}, {"gamma": 0.8}, {"seed": 2.0, "gamma": 0.9}, {}]
    assert alike(known) == [[0, 2]]


def test_runs_of_other_games_and_rewards_are_not_of_the_same_settings(tmp_path, capsys):
    ppo = {"gamma": 0.9, "advantage_scope": "minibatch"}
    same = {"seed": 1, "total_timesteps": 9, "ppo": ppo, "env": {"reward": "a", "world": None}}
    others = {
        "seed": same | {"seed": 2, "total_timesteps": 5, "name": "b"},
        "reward": same | {"env": {"reward": "b", "world": None}},
        "policy": same | {"policy": {"recurrent": True}},
        "scope": same | {"ppo": ppo | {"advantage_scope": "rollout"}},
        "other": {"gamma": 0.9},
    }
    for name, config in {"one": same, **others}.items():
        (write(tmp_path / name, run(learning)) / "config.json").write_text(json.dumps(config))
    diagnose.main([str(tmp_path / "one"), *(str(tmp_path / name) for name in others)])
    out = capsys.readouterr().out
    assert "6 runs: 6 healthy" in out and "2 runs of the same settings:" in out
    assert out.count("runs of ") == 1
