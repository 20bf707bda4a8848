"""Reading logs of every kind, whole and damaged, and telling runs from restarts."""

import json
import math
import struct
import time
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.summary.writer.record_writer import masked_crc32c
from test_diagnose import NAME, UPDATES, learning, read_curves, run, sick, write

from baselines.commands.learn import diagnose
from baselines.diagnostics.logs import (
    LogError,
    event_files,
    log_tables,
    logged_curves,
    read_runs,
)
from baselines.diagnostics.logs.logged_names import EPISODE_RETURN
from experiments.strangers.catalogue import MORE_LOGS
from experiments.strangers.foreign_logs import write as write_log

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "DIAGNOSTICS.md"
LATER = NAME.replace("17000", "18000")


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=20))
def test_checksums_of_many_records_at_once_are_those_of_tensorboard(texts):
    assert list(event_files._checksums(texts)) == [masked_crc32c(text) for text in texts]


def damaged(folder, place):
    """Flips a bit of an event file."""
    content = bytearray((folder / NAME).read_bytes())
    content[place] ^= 0x10
    (folder / NAME).write_bytes(content)


def test_a_flipped_bit_costs_one_record_and_is_never_called_healthy(tmp_path, capsys):
    folder = write(tmp_path, run(learning))
    size = (folder / NAME).stat().st_size
    damaged(folder, size // 2 + 100)  # records are long, framing is short: this is in an event
    found = read_curves(folder)
    assert len(found.points["train/approx_kl"]) == UPDATES - 1
    assert found.damage == (f"{NAME}: 1 of {UPDATES} records are damaged and left out",)
    assert diagnose.main([str(folder)]) == diagnose.TOO_LITTLE
    out = " ".join(capsys.readouterr().out.split())
    assert "1 of 60 records are damaged" in out and "healthy" not in out


def test_half_a_file_says_what_part_was_read_and_is_never_called_healthy(tmp_path, capsys):
    folder = write(tmp_path, run(learning))
    whole = (folder / NAME).read_bytes()
    (folder / NAME).write_bytes(whole[: len(whole) // 2])
    assert diagnose.main([str(folder), "--json"]) == diagnose.TOO_LITTLE
    (report,) = json.loads(capsys.readouterr().out)
    (damage,) = report["damage"]
    assert f"of {len(whole) // 2:,} bytes read" in damage and 25 <= report["updates"] <= 30


def test_damage_does_not_hide_a_collapse(tmp_path):
    folder = write(tmp_path, run(sick))
    damaged(folder, 1000)
    assert diagnose.main([str(folder)]) == 2


def test_a_restart_that_goes_on_belongs_to_its_run_and_a_new_start_does_not(tmp_path):
    rows = run(learning)
    write(tmp_path / "on", rows[:40])
    write(tmp_path / "on", rows[30:], LATER)
    (joined,) = read_runs([tmp_path / "on"])
    assert [p.step for p in joined.points["train/loss"]] == [step for step, _ in rows]
    write(tmp_path / "anew", rows[:40])
    write(tmp_path / "anew", run(sick), LATER)
    first, second = read_runs([tmp_path / "anew"])
    assert (first.folder.name, second.folder.name) == (NAME, LATER)
    assert len(first.points["train/loss"]) == 40 and len(second.points["train/loss"]) == UPDATES


@pytest.mark.parametrize("updates", [1, 2])
def test_a_restart_after_the_first_updates_belongs_to_its_run(tmp_path, updates):
    rows = run(learning)
    write(tmp_path, rows[:updates])
    write(tmp_path, rows[updates:], LATER)
    (joined,) = read_runs([tmp_path])
    assert [p.step for p in joined.points["train/loss"]] == [step for step, _ in rows]


def test_a_restart_also_replaces_what_was_logged_rarely_and_not_since(tmp_path):
    rare = [(10, {"eval/mean_reward": 5.0, "x": 1.0}), (30, {"eval/mean_reward": 0.0, "y": 1.0})]
    write(tmp_path, [*((s, {"train/loss": float(s)}) for s in (10, 20, 30)), *rare])
    write(tmp_path, [(20, {"train/loss": 0.0, "eval/best": 1.0}), (25, {"train/loss": 0.0})], LATER)
    (found,) = read_runs([tmp_path])
    steps = {name: [p.step for p in points] for name, points in found.points.items()}
    assert steps == {
        "train/loss": [10, 20, 25],
        "eval/mean_reward": [10],
        "x": [10],
        "eval/best": [20],
    }


def test_other_numbers_in_a_second_file_belong_to_the_same_run(tmp_path):
    write(tmp_path, run(learning))
    write(tmp_path, [(step, {"reward/badge": 1.0}) for step, _ in run(learning)], LATER)
    (found,) = read_runs([tmp_path])
    assert {"train/loss", "reward/badge"} <= found.points.keys()


def test_seeds_are_set_side_by_side_and_the_worst_counts(tmp_path, capsys):
    for name, kind in (("a", learning), ("b", sick), ("c", learning)):
        write(tmp_path / name, run(kind))
    write(tmp_path / "d", run(learning, 3))
    folders = [str(tmp_path / name) for name in "abcd"]
    assert diagnose.main(folders) == 2
    out = capsys.readouterr().out
    assert "4 runs: 2 healthy, 1 collapsed, 1 too little to judge" in out
    assert "rewards at the end: " in out
    assert diagnose.main([folders[0], folders[3]]) == diagnose.TOO_LITTLE


@pytest.mark.parametrize("names", ["a a", "a b a/../a", f"a a/{NAME}", ". b", "link a"])
def test_a_run_that_is_named_twice_is_not_taken_for_two_seeds(names, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b"):
        write(tmp_path / name, run(learning))
    (tmp_path / "link").symlink_to("a")
    assert diagnose.main(names.split()) == diagnose.NO_LOG
    assert "would count as two seeds: name it once" in " ".join(capsys.readouterr().err.split())
    assert diagnose.main(["a", "b"]) == 0


def test_sb3_writes_the_same_run_as_a_table_and_as_events(tmp_path):
    from stable_baselines3 import A2C
    from stable_baselines3.common.logger import configure

    model = A2C("MlpPolicy", "CartPole-v1")
    model.set_logger(configure(str(tmp_path), ["csv", "tensorboard"]))
    model.learn(30 * 5, log_interval=1)
    (events,) = tmp_path.glob("*tfevents*")
    from_table, from_events = read_curves(tmp_path / "progress.csv"), read_curves(events)
    assert {"train/value_loss", "rollout/ep_rew_mean"} <= from_table.points.keys()
    for name in from_table.points.keys() & from_events.points.keys():
        table, points = from_table.points[name], from_events.points[name]
        assert [p.step for p in table] == [p.step for p in points]
        assert [p.value for p in table] == pytest.approx([p.value for p in points], nan_ok=True)
    report = diagnose.examine(from_table)
    assert report.diagnosis.n_actions == 2 and "kl_blow_up" in report.diagnosis.not_judged


def test_a_table_that_is_cut_short_or_damaged_says_so(tmp_path):
    table = "time/total_timesteps,rollout/ep_rew_mean\n" + "".join(
        f"{100 * i},{i}\n" for i in range(1, 31)
    )
    path = tmp_path / "progress.csv"
    path.write_text(table[:-2])
    assert read_curves(path).damage == ("progress.csv: the last row is cut short",)
    path.write_text(table.replace("\n500,", "\n5x0,"))
    found = read_curves(path)
    assert found.damage == ("progress.csv: 1 rows are damaged and left out",)
    assert len(found.points["rollout/ep_rew_mean"]) == 29
    assert diagnose.examine(found).status == diagnose.TOO_LITTLE


MAY_BE_CUT = "the last row may be cut short and is left out"


@pytest.mark.parametrize(
    ("last", "losses", "damage"),
    [
        ("300,3,25", [1, 2, 3], ()),
        ('"300","3","25"', [1, 2, 3], ()),
        ("300,3,2", [1, 2], ("progress.csv: the last row is cut short",)),
        ("300,3,", [1, 2], ("progress.csv: the last row is cut short",)),
        ("300,3", [1, 2], ("progress.csv: the last row is cut short",)),
    ],
)
def test_a_last_row_without_a_line_end_counts_if_it_can_be_whole(last, losses, damage, tmp_path):
    table = "time/total_timesteps,train/loss,time/fps\n100,1,20\n200,2,20\n"
    (tmp_path / "progress.csv").write_text(table + last)
    found = read_curves(tmp_path)
    assert [p.value for p in found.points["train/loss"]] == losses and found.damage == damage
    assert [p.value for p in found.points["time/fps"]] == [20, 20]  # the last may be cut


@pytest.mark.parametrize(
    ("last", "steps", "damage"),
    [
        ("3,10500", [9000, 10_000, 10_500], ()),
        ('3,"10001"', [9000, 10_000, 10_001], ()),
        ("3,1050", [9000, 10_000], ("progress.csv: the last row is cut short",)),
        ("3,10000", [9000, 10_000], (f"progress.csv: {MAY_BE_CUT}",)),  # of 100000?
        ("3,10x00", [9000, 10_000], (f"progress.csv: {MAY_BE_CUT}",)),
    ],
)
def test_a_last_row_whose_steps_come_last_counts_if_they_are_whole(last, steps, damage, tmp_path):
    (tmp_path / "progress.csv").write_text(f"train/loss,step\n1,9000\n2,10000\n{last}")
    found = read_curves(tmp_path)
    assert [p.step for p in found.points["train/loss"]] == steps and found.damage == damage


@pytest.mark.parametrize(
    ("last", "returns", "damage"),
    [
        ("3,12,15.123", [1, 2, 3], ()),
        ("3,12,15.12", [1, 2], (f"monitor.csv: {MAY_BE_CUT}",)),
        ("3,12,15.", [1, 2], ("monitor.csv: the last row is cut short",)),
    ],
)
def test_a_last_episode_without_a_line_end_counts_if_its_time_is_whole(
    last, returns, damage, tmp_path
):
    rows = f'#{{"t_start": 1.0}}\nr,l,t\n1,10,3.123\n2,11,4.12\n{last}'
    (tmp_path / "monitor.csv").write_text(rows)
    found = read_curves(tmp_path)
    assert [p.value for p in found.points[EPISODE_RETURN]] == returns and found.damage == damage


@pytest.mark.parametrize(("before", "mark"), [("\ufeff", ","), ("", ";"), ("", "\t")])
def test_a_table_with_a_byte_order_mark_or_another_delimiter_is_read(before, mark, tmp_path):
    rows = ["time/total_timesteps,rollout/ep_rew_mean", "100,1.5", "200,2.5"]
    text = before + "".join(row.replace(",", mark) + "\n" for row in rows)
    (tmp_path / "progress.csv").write_text(text, encoding="utf-8")
    found = read_curves(tmp_path)
    points = found.points["rollout/ep_rew_mean"]
    assert [(p.step, p.value) for p in points] == [(100, 1.5), (200, 2.5)] and not found.damage


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_decimal_comma_is_read_where_commas_do_not_delimit(mark, tmp_path):
    rows = ["time/total_timesteps;rollout/ep_rew_mean", "2048;98,7", '4096;"-1,5"', "6144;2,5e-3"]
    text = "".join(row.replace(";", mark) + "\n" for row in rows)
    (tmp_path / "progress.csv").write_text(text)
    found = read_curves(tmp_path)
    points = found.points["rollout/ep_rew_mean"]
    assert [(p.step, p.value) for p in points] == [(2048, 98.7), (4096, -1.5), (6144, 0.0025)]
    assert not found.damage


def test_a_comma_beside_decimal_points_is_none_and_the_cell_is_damage(tmp_path):
    rows = ["step;train/loss;x;note", "1;0.5;1;a", "2;1,234;;b", "3;0.25;None;c"]
    (tmp_path / "progress.csv").write_text("".join(row + "\n" for row in rows))
    found = read_curves(tmp_path)
    assert [(p.step, p.value) for p in found.points["train/loss"]] == [(1, 0.5), (3, 0.25)]
    assert found.damage == ("progress.csv: 1 cells are no numbers and left out",)


def test_a_table_without_numbers_says_so(tmp_path):
    (tmp_path / "progress.csv").write_text("time/total_timesteps|loss\n1|2\n")
    with pytest.raises(LogError, match="no column counts the steps, and none has a number"):
        read_curves(tmp_path)


def test_an_empty_table_of_one_game_is_damage_and_the_others_are_read(tmp_path):
    monitor(tmp_path / "0.monitor.csv", 100.0, [1, 2, 3])
    (tmp_path / "1.monitor.csv").write_text("")
    found = read_curves(tmp_path)
    assert [p.value for p in found.points[EPISODE_RETURN]] == [1, 2, 3]
    assert found.damage == ("1.monitor.csv: the first line of SB3's Monitor is missing",)
    (tmp_path / "0.monitor.csv").unlink()
    with pytest.raises(LogError, match="the first line of SB3's Monitor is missing"):
        read_curves(tmp_path)


def monitor(path, start, rewards):
    rows = [f"{reward},{20},{10.0 * i}" for i, reward in enumerate(rewards, 1)]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join([f'#{{"t_start": {start}, "env_id": "X"}}', "r,l,t", *rows]) + "\n")


def test_the_tables_of_all_games_are_one_run_in_the_order_of_the_clock(tmp_path):
    monitor(tmp_path / "0.monitor.csv", 100.0, range(0, 600, 2))
    monitor(tmp_path / "1.monitor.csv", 105.0, range(1, 600, 2))
    found = read_curves(tmp_path)
    returns = found.points[EPISODE_RETURN]
    assert [(p.step, p.value) for p in returns] == [(20 * i + 20, i) for i in range(600)]
    assert diagnose.examine(found).status == 0
    rows = [row for _, row, _ in found.rows()]
    assert len(rows) == 200  # a row for every third episode
    # the mean of the last hundred of 0, 1, 2, ...
    means = [(2 + 3 * i + max(0, 3 * i - 97)) / 2 for i in range(200)]
    assert [row["rollout/ep_rew_mean"] for row in rows] == means
    assert [e.reward for _, _, new in found.rows() for e in new] == list(range(600))
    # steps are known when an episode ends, in bursts: that is no speed
    assert not any("diagnostics/steps_per_second" in row for row in rows)


@pytest.mark.parametrize("begin", [0, 5000, 1_000_000, 10_000_000])
def test_a_log_that_begins_late_has_no_more_episodes_than_one_that_begins_at_0(begin, tmp_path):
    rows = [f"{begin + 5000 * row}\t{100 + row % 3}\t1000\t0.01\t0.6\n" for row in range(1, 16)]
    headings = "TotalEnvInteracts\tAverageEpRet\tEpLen\tKL\tEntropy\n"
    (tmp_path / "progress.txt").write_text(headings + "".join(rows))
    report = diagnose.examine(read_curves(tmp_path))
    assert report.status == diagnose.TOO_LITTLE
    # five a row; a log that lacks only its first rows may have lost them
    assert report.diagnosis.history.scores["reward"].counts.sum() == 75 + (begin == 5000) * 5


@pytest.mark.parametrize("broken", [["nan"], ["inf"], ["-inf", "inf"]])
def test_rewards_of_episodes_that_are_not_finite_are_a_collapse_and_no_damage(broken, tmp_path):
    monitor(tmp_path / "monitor.csv", 100.0, [*range(400), *(50 * broken), ""])
    found = read_curves(tmp_path)
    assert len(found.points[EPISODE_RETURN]) == 400 + 50 * len(broken)
    assert found.damage == ("monitor.csv: 1 rows are damaged and left out",)
    report = diagnose.examine(found)
    assert report.status == 2
    assert [f.code for f in report.diagnosis.active] == ["not_a_number"]


def test_episodes_without_steps_are_damage(tmp_path):
    file = tmp_path / "monitor.csv"
    monitor(file, 100.0, [1, 2])
    file.write_text(file.read_text() + "3,0,30.0\n4,-20,40.0\n5,20,50.0\n")
    found = read_curves(tmp_path)
    assert [(p.step, p.value) for p in found.points[EPISODE_RETURN]] == [(20, 1), (40, 2), (60, 5)]
    assert found.damage == ("monitor.csv: 2 rows are damaged and left out",)


def test_a_resumed_run_appends_episodes_to_its_games_tables(tmp_path):
    for game in (0, 1):
        path = tmp_path / f"{game}.monitor.csv"
        monitor(path, 100.0 + game, [1 + game, 3 + game])
        path.write_text(path.read_text() + f"{5 + game},20,10.0\n{7 + game},20,20.0\n")  # from 0
    returns = read_curves(tmp_path).points[EPISODE_RETURN]
    assert [p.value for p in returns] == [1, 2, 3, 5, 4, 6, 7, 8]
    assert [p.time for p in returns] == [110, 111, 120, 120, 121, 121, 130, 131]


def test_rows_that_a_resumed_run_appends_replace_what_they_repeat(tmp_path):
    def row(step, reward, **more):
        return {"timesteps_total": step, "episode_reward_mean": reward, "x": reward, **more}

    rows = [row(10, 1), row(20, 2), row(30, 3, evaluation={"episode_reward_mean": 9}), row(40, 4)]
    rows += [row(20, 5), row(30, 6), row(30, 7)]
    path = tmp_path / "result.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = read_curves(path)
    for name in ("rollout/ep_rew_mean", "x"):
        assert [(p.step, p.value) for p in found.points[name]] == [(10, 1), (20, 5), (30, 7)]
    assert "eval/mean_reward" not in found.points


def test_rows_of_other_metrics_and_other_steps_may_come_out_of_order(tmp_path):
    rows = [("a", 10), ("a", 20), ("b", 15), ("update/c", 1), ("a", 30), ("update/c", 2), ("b", 25)]
    rows += [("charts/episodic_return", 30), ("charts/episodic_return", 30)]
    path = tmp_path / "progress.json"
    path.write_text("".join(json.dumps({"step": s, name: 0.0}) + "\n" for name, s in rows))
    found = log_tables.read_json_lines(path).points
    steps = {name: [p.step for p in points] for name, points in found.items()}
    assert steps["a"] == [10, 20, 30] and steps["b"] == [15, 25] and steps["update/c"] == [1, 2]
    assert steps["charts/episodic_return"] == [30, 30]


def test_each_run_of_wandbs_exported_charts_is_a_run(tmp_path, capsys):
    for chart, metric in enumerate(
        ("rollout/ep_rew_mean", "train/approx_kl", "rollout/ep_len_mean")
    ):
        names = [f"{name} - {metric}" for name in ("bad", "a - good")]
        rows = [["Step", *names, f"{names[0]}__MIN"]]
        rows += [
            [s, *(k(s // 2048)[metric] for k in (sick, learning)), -9] for s, _ in run(learning)
        ]
        text = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
        (tmp_path / f"wandb_export_{chart}.csv").write_text(text)
    assert diagnose.main([str(tmp_path), "--json"]) == 2
    bad, good = json.loads(capsys.readouterr().out)
    file = tmp_path / "wandb_export_0.csv"
    assert (bad["run"], good["run"]) == (f"{file}: bad", f"{file}: a - good")
    assert (bad["status"], good["status"]) == (2, 0) and bad["updates"] == good["updates"] == 60


def test_a_run_of_wandbs_exported_table_has_only_the_rows_with_its_own_numbers(tmp_path):
    path = tmp_path / "wandb_export_1.csv"
    path.write_text("Step,a - loss,b - loss,b - x\n1,5,,\n2,,6,7\n3,,,\n4,8,9,\n")
    first, second = log_tables.read_csv(path)
    numbers = [
        (curves.run, {n: [(p.step, p.value) for p in c] for n, c in curves.points.items()})
        for curves in (first, second)
    ]
    assert numbers == [
        ("a", {"Step": [(1, 1), (4, 4)], "loss": [(1, 5), (4, 8)]}),
        ("b", {"Step": [(2, 2), (4, 4)], "loss": [(2, 6), (4, 9)], "x": [(2, 7)]}),
    ]


@pytest.mark.parametrize(("name", "most"), [("MAX_POINTS", 8), ("MAX_CURVES", 3)])
def test_the_runs_of_an_exported_table_have_one_limit_together(name, most, tmp_path, monkeypatch):
    path = tmp_path / "wandb_export_1.csv"
    path.write_text("Step,a - loss,b - loss,b - x\n1,5,,\n2,,6,7\n4,8,9,\n")  # 9 with steps
    monkeypatch.setattr(logged_curves, name, most + 1)
    assert len(log_tables.read_csv(path)) == 2
    monkeypatch.setattr(logged_curves, name, most)
    with pytest.raises(LogError, match="wandb_export_1.csv: more than"):
        log_tables.read_csv(path)


def test_a_table_whose_name_fits_two_patterns_is_one_run(tmp_path, capsys):
    file = tmp_path / "wandb_export_progress.csv"
    file.write_text("time/total_timesteps,rollout/ep_rew_mean\n10,1\n20,2\n")
    assert [found.folder for found in read_runs([tmp_path])] == [tmp_path]
    assert [found.folder for found in read_runs([file])] == [file]
    file.write_text("epoch,loss\n1,2\n")
    assert diagnose.main([str(tmp_path)]) == diagnose.NO_LOG
    assert capsys.readouterr().err.count("no column counts the steps") == 1


HEADINGS = "time/total_timesteps,rollout/ep_rew_mean,rollout/ep_len_mean,x"
LARGE = "999,1,100,1\n1000,1e308,100,-1e308\n"


def test_impossible_numbers_are_damage(tmp_path, capsys):
    path = tmp_path / "progress.csv"
    path.write_text(f"{HEADINGS}\n{LARGE}1.7e308,1,100,1\n-1.7e308,1,100,1\n1e15,inf,100,1\n")
    found = read_curves(path)
    assert [p.step for p in found.points["rollout/ep_rew_mean"]] == [999, 10**15]
    assert found.damage == (
        "progress.csv: 2 rows are damaged and left out",
        "progress.csv: 2 numbers are impossible and left out",
    )
    assert diagnose.examine(found).status == 2  # infinity is no damage: the run went wrong
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "monitor.csv").write_text('#{"t_start": 0}\nr,l,t\n1e300,1,1\n1,1e308,1\n')
    assert diagnose.main([str(tmp_path / "m")]) == diagnose.NO_LOG
    assert "2 rows are damaged and left out" in capsys.readouterr().err


def test_impossible_numbers_in_an_event_file_are_damage(tmp_path):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    folder = write(tmp_path, [(1, {"x": 1.0}), (2**62, {"x": 2.0})])
    event = Event(step=2)
    value = event.summary.value.add(tag="x")
    value.tensor.dtype = 2
    value.tensor.double_val.append(1e300)
    with (folder / NAME).open("ab") as file:
        RecordWriter(file).write(event.SerializeToString())
    found = read_curves(folder)
    assert [p.step for p in found.points["x"]] == [1]
    assert found.damage == (f"{NAME}: 2 of 3 records are damaged and left out",)


def events_file(folder, events):
    """Writes an event file: an event is a step, and a tag or None for the mark of a restart."""
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.summary.writer.record_writer import RecordWriter

    with (folder / NAME).open("wb") as file:
        writer = RecordWriter(file)
        for step, tag in events:
            event = Event(step=step)
            if tag is None:
                event.session_log.status = event.session_log.START
            else:
                event.summary.value.add(tag=tag, simple_value=step)
            writer.write(event.SerializeToString())


def test_a_restart_within_a_file_replaces_what_it_repeats(tmp_path):
    first = [(1, "a"), (2, "a"), (3, "a"), (9, "b")]
    second = [(3, None), (3, "a"), (4, "a"), (5, "b")]
    third = [(7, None), (4, None), (4, "a"), (3, "c"), (6, "a")]
    events_file(tmp_path, [*first, *second, *third])
    found = read_curves(tmp_path).points
    steps = {name: [p.step for p in points] for name, points in found.items()}
    assert steps == {"a": [1, 2, 3, 4, 6], "c": [3]}


def test_many_restarts_within_a_file_cost_as_much_as_its_numbers(tmp_path):
    events_file(tmp_path, [*((i, "a") for i in range(8000)), *[(9000, None)] * 8000])
    began = time.process_time()
    assert len(read_curves(tmp_path).points["a"]) == 8000
    assert time.process_time() - began < 3  # it took eight


def test_gradient_steps_stay_where_no_time_tells_the_env_steps(tmp_path):
    rows = "".join(f"{step},{step},1\n" for step in (1, 2, 3))
    (tmp_path / "wandb_export_1.csv").write_text(
        f"Step,r - train/reward,r - update/loss/vf\n{rows}"
    )
    found = read_curves(tmp_path)
    assert [p.step for p in found.points["train/value_loss"]] == [1, 2, 3]


def test_iterations_of_an_impossible_size_are_not_counted_as_env_steps(tmp_path):
    speed = {"Perf/total_fps": math.inf, "Perf/collection time": 1.0, "Perf/learning_time": 1.0}
    write(tmp_path, [(step, {"Loss/surrogate": 1.0, **speed}) for step in (1, 2)])
    assert [p.step for p in read_curves(tmp_path).points["train/policy_gradient_loss"]] == [1, 2]


@pytest.mark.parametrize("number", ["Perf/learning_time", "Perf/total_fps"])
@pytest.mark.parametrize("iteration", [0, 5, 9])
@pytest.mark.parametrize("value", [None, math.nan])
def test_an_iteration_that_is_not_complete_does_not_hide_how_many_steps_the_others_have(
    tmp_path, number, iteration, value
):
    speed = {"Perf/total_fps": 500.0, "Perf/collection time": 1.5, "Perf/learning_time": 0.5}
    rows = [(step, {"Loss/surrogate": 1.0, **speed}) for step in range(10)]
    del rows[iteration][1][number]
    if value is not None:
        rows[iteration][1][number] = value
    found = read_curves(write(tmp_path, rows)).points["train/policy_gradient_loss"]
    assert [p.step for p in found] == [1000 * count for count in range(1, 11)]


def test_columns_of_the_same_heading_are_damage(tmp_path):
    (tmp_path / "wandb_export_1.csv").write_text('"Step","r - loss","r - loss"\n1,2,3\n')
    (damage,) = read_curves(tmp_path).damage
    assert damage == ("wandb_export_1.csv: 1 columns have the heading of another and are left out")


def wandb_file(path, rows, config=None):
    """Writes what wandb writes: records in LevelDB's log format."""
    pb = pytest.importorskip("wandb.proto.wandb_internal_pb2")
    first, records = pb.Record(), []
    for name, value in (config or {}).items():
        first.run.config.update.add(key=name, value_json=json.dumps(value))
        records = [first.SerializeToString()]
    for row in rows:
        record = pb.Record()
        for name, value in row.items():
            record.history.item.add(nested_key=[name], value_json=json.dumps(value))
        records.append(record.SerializeToString())
    content = bytearray(b":W&B\0\0\0")
    for text in records:
        kinds, left = (1, 4), text  # whole or last; first or middle
        started = False
        while True:
            room = 32768 - len(content) % 32768
            if room < 7:
                content += bytes(room)
                continue
            part, left = left[: room - 7], left[room - 7 :]
            kind = kinds[started] if not left else (2, 3)[started]
            checksum = zlib.crc32(bytes([kind]) + part)
            content += struct.pack("<IHB", checksum, len(part), kind) + part
            started = True
            if not left:
                break
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def test_an_offline_run_of_wandb_is_read_over_blocks(tmp_path):
    path = tmp_path / "wandb" / "offline-run-1" / "run-1.wandb"
    rows = [{"global_step": s, "_timestamp": 2.0 * s, "note": "x" * 900, **n} for s, n in run(sick)]
    wandb_file(path, rows)
    assert path.stat().st_size > 2 * 32768
    found, tensorboard = read_curves(tmp_path), read_curves(write(tmp_path / "tb", run(sick)))
    assert found.folder == path.parent and found.damage == ()
    for name, points in tensorboard.points.items():
        assert [p.value for p in found.points[name]] == pytest.approx([p.value for p in points])
    assert diagnose.examine(found).status == 2
    wandb_file(tmp_path / "back" / "run-2.wandb", [{"global_step": s, "x": s} for s in (1, 3, 2)])
    assert [p.step for p in read_curves(tmp_path / "back").points["x"]] == [1, 2]
    content = bytearray(path.read_bytes())
    content[40000] ^= 1
    path.write_bytes(content)
    (damage,) = read_curves(tmp_path / "wandb").damage
    assert "records are damaged" in damage


def test_the_last_update_of_a_session_counts_in_wandbs_log_as_in_tensorboards(tmp_path):
    """The logger has an update's numbers with the next rollout, the last one's by themselves."""
    rollouts = [
        {"num_timesteps": s, "time/total_timesteps": s, "rollout/ep_rew_mean": s} for s in (10, 20)
    ]
    first, second = ({"num_timesteps": 20, "train/approx_kl": kl} for kl in (0.25, 0.5))
    wandb_file(tmp_path / "w" / "run.wandb", [rollouts[0], rollouts[1] | first, second])
    both = [(20, numbers) for numbers in (rollouts[1] | first, second)]
    write(tmp_path / "tb", [(10, rollouts[0]), *both])
    for folder in ("w", "tb"):
        points = read_curves(tmp_path / folder).points
        assert [(p.step, p.value) for p in points["train/approx_kl"]] == [(20, 0.25), (20, 0.5)]
        assert [(p.step, p.value) for p in points["rollout/ep_rew_mean"]] == [(10, 10), (20, 20)]


def test_settings_that_cleanrl_logs_are_judged_as_well(tmp_path):
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary
    from tensorboard.summary.writer.record_writer import RecordWriter

    folder = write(tmp_path, run(learning))
    table = b"|param|value|\n|-|-|\n|gamma|0.0|\n|update_epochs|4|\n|env_id|Grid|\n|exp_name|a|"
    value = Summary.Value(tag="hyperparameters/text_summary")
    value.tensor.string_val.append(table)
    value.tensor.dtype = 7
    with (folder / NAME).open("ab") as file:
        RecordWriter(file).write(Event(summary=Summary(value=[value])).SerializeToString())
    found = read_curves(folder)
    assert found.settings == {"gamma": 0.0, "n_epochs": 4.0}
    assert found.identity == {"env_id": "Grid"}
    assert "wrong_setting" in {f.code for f in diagnose.examine(found).diagnosis.findings}


CLEANRL = {"clip_coef": 0.1, "num_envs": 4, "minibatch_size": 1, "anneal_lr": True, "gamma": 0.9}
OURS = {"n_envs": 16, "explore": 0.5, "total_timesteps": 9, "ppo": {"gamma": 0.9, "n_epochs": 4}}


@pytest.mark.parametrize(
    ("config", "settings"),
    [
        (CLEANRL, {"clip_range": 0.1, "n_envs": 4.0, "batch_size": 1.0, "gamma": 0.9}),
        (OURS, {"n_envs": 16.0, "gamma": 0.9, "n_epochs": 4.0}),
    ],
)
def test_settings_in_wandbs_file_have_the_names_that_are_judged(config, settings, tmp_path):
    rows = [{"global_step": step, **numbers} for step, numbers in run(learning)]
    wandb_file(tmp_path / "run-1.wandb", rows, config)
    found = read_curves(tmp_path)
    assert found.settings == settings
    codes = {f.code for f in diagnose.examine(found).diagnosis.findings}
    assert ("wrong_setting" in codes) == (config is CLEANRL)


def test_another_learners_log_is_named_and_its_reward_judged(tmp_path, capsys):
    rows = [
        (step, {"rollout/ep_rew_mean": n["rollout/ep_rew_mean"], "rollout/exploration_rate": 0.1})
        for step, n in run(learning)
    ]
    assert diagnose.main([str(write(tmp_path, rows))]) == 0
    assert "a log of DQN: its reward and its speed are judged" in capsys.readouterr().out
    strange = write(tmp_path / "x", [(i, {"Team/Points": 1.0}) for i in range(9)])
    with pytest.raises(LogError, match="no names of a learner .* Team/Points"):
        diagnose.examine(read_curves(strange))


def test_a_folder_with_other_files_says_what_was_found_and_what_is_read(tmp_path, capsys):
    (tmp_path / "results.txt").write_text("Epoch\t1\n")
    assert diagnose.main([str(tmp_path)]) == diagnose.NO_LOG
    error = capsys.readouterr().err
    assert "results.txt" in error and "progress.csv" in error


def test_a_table_of_a_thousand_findings_is_short(tmp_path, capsys):
    kl = [0.8 if update % 20 < 8 else 0.008 for update in range(600)]
    flat = {"rollout/ep_rew_mean": 10.0}
    rows = [
        (900 * (u + 1), learning(u, 600) | flat | {"train/approx_kl": x}) for u, x in enumerate(kl)
    ]
    diagnose.main([str(write(tmp_path, rows))])
    out = capsys.readouterr().out
    assert "kl_blow_up x 3" in out and len(out.splitlines()) < 33


def test_a_slow_run_stays_slow_until_its_speed_is_back(tmp_path):
    def speeds(after):
        rows = run(learning, 100)
        for index, (_, numbers) in enumerate(rows):
            slow = 250.0 + 60 * math.sin(index)  # about the limit of a third
            speed = 1000.0 if index < 60 else slow if index < 84 else after
            numbers["time/steps_per_second"] = speed
        return diagnose.examine(read_curves(write(tmp_path / str(after), rows))).diagnosis

    still, back = speeds(400.0), speeds(900.0)
    assert [(f.code, f.until) for f in still.findings] == [("throughput_drop", None)]
    (found,) = back.findings
    assert found.until is not None and found.until > 2048 * 84


@pytest.mark.parametrize(
    "learner",
    [
        "SB3", "sb3-contrib", "CleanRL", "rl_games", "Sample Factory", "Tianshou", "TorchRL",
        "RLlib", "Spinning Up", "ML-Agents", "rsl_rl", "skrl",
    ],
)  # fmt: skip
def test_help_and_document_name_every_learner_whose_names_are_known(learner):
    can_be_read = DOCUMENT.read_text().split("## What can be read")[1].partition("\n## ")[0]
    assert learner in diagnose.DiagnoseConfig.__doc__
    assert learner in can_be_read.partition("- **Names**")[0]


@pytest.mark.parametrize("log", MORE_LOGS)
def test_every_programs_log_tells_the_same_rise_and_fall(log, tmp_path):
    """One run, written as twenty programs write it."""
    dice = np.random.default_rng(0)
    episodes, rows, latest = [], [], []
    for update in range(60):
        level = min(10 + 8 * update, 170) if update < 42 else 10
        new = dice.normal(level, 5, 10)
        latest = [*latest, *new][-100:]
        steps = 2000 * (update + 1)
        episodes += [
            (steps - 200 * (9 - i), 1e9 + steps + i / 10, r, 200, i % 4) for i, r in enumerate(new)
        ]
        reward = {"reward": np.mean(latest), "fresh": np.mean(new), "gradient_steps": 40.0 * update}
        speed = {"fps": 100, "collecting": 15.0, "learning": 5.0, "vector_steps": steps / 4}
        same = {"length": 200.0, "fresh_length": 200.0, "kl": 0.008, "entropy": 1.0, "lr": 3e-4}
        when = {"steps": steps, "clock": 1e9 + steps, "seconds": steps, "updates": update}
        rows.append(reward | same | speed | when | {"value_loss": 1.0, "policy_loss": -0.01})
    write_log(log, tmp_path, rows, episodes)
    (found,) = read_runs([tmp_path])
    report = diagnose.examine(found)
    far = report.diagnosis.history.progress
    assert report.status == 2 and found.damage == ()
    assert far.start == pytest.approx(20, abs=15) and far.now == pytest.approx(10, abs=15)
    assert far.best == pytest.approx(170, abs=15)
    steps = 30_000 if log == "skrl" else 120_000  # it counts steps of all games as one
    assert report.steps[-1] == pytest.approx(steps, rel=0.02)
