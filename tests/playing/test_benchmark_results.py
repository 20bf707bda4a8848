"""Results of the benchmark: what is measured, and which claims are refused."""

import hashlib
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import partial
from math import isclose, sqrt
from pathlib import Path

import pytest
from helpers.checkpoints import manifest_with, rewrite
from hypothesis import given
from hypothesis import strategies as st

from baselines.checkpoints.manifest import read_manifest
from baselines.checkpoints.trained import find_checkpoint
from baselines.commands.check.benchmark import BenchmarkConfig, main
from baselines.games.recorded_play import by_guide
from baselines.playing.benchmark import independence, measuring
from baselines.playing.benchmark import result_file as benchmark_result
from baselines.playing.benchmark.protocol import BenchmarkError, beginning, played_in, wait_of
from baselines.playing.benchmark.recording_player import record_benchmark
from baselines.playing.benchmark.result_file import (
    Claim,
    make_result,
    read_result,
    score_of,
    shares_of,
    verify,
    write_result,
)
from baselines.settings.game_config import GameConfig
from emerald_env.env.versions import JADE_V1
from emerald_env.parallel.worker_error import WorkerError
from emerald_env.recordings.recording import Recording

STEPS = 60  # the clock is set within 42 of them
CLAIM = Claim("Jade-v1", "guide", 0, ("memory", "script"))
GUIDED = {"observation": "state", "guide": True}


class ForAWhile:
    """The guide's first steps."""

    def __init__(self, steps=STEPS):
        self._left = steps

    def __call__(self, observation):
        self._left -= 1
        return by_guide(observation) if self._left >= 0 else None


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A result of three short episodes, as its author wrote it."""
    folder = tmp_path_factory.mktemp("measured")
    names = record_benchmark(ForAWhile, folder, episodes=3, settings=GUIDED)
    write_result(make_result(CLAIM, folder, names), folder / "guide.json")
    return folder


@pytest.fixture
def copied(measured, tmp_path):
    """A copy of it, to be changed."""
    for path in measured.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path / "guide.json"


def change(path, **values):
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def forge(path, number=0, **values):
    """Changes a recording, and the result's hash of it."""
    result = json.loads(path.read_text())
    episode = result["episodes"][number]
    file = path.parent / episode["recording"]
    file.write_bytes(replace(Recording.load(file), **values).to_bytes())
    episode["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    change(path, episodes=result["episodes"])


def test_a_true_result_is_confirmed(measured, capsys):
    result = verify(measured / "guide.json")
    reached = [episode["milestones"] for episode in result["episodes"]]
    assert all(0 < each["clock_set"] <= STEPS and "starter" not in each for each in reached)
    assert result["shares"]["clock_set"][0] == 1 and result["shares"]["starter"][0] == 0
    assert main(["verify", str(measured / "guide.json")]) == 0
    assert "verified" in capsys.readouterr().out


def test_episodes_begin_after_waits_that_differ_and_that_no_training_has():
    waits = [wait_of(number) for number in range(1000)]
    assert len(set(waits)) == 1000 and min(waits) > JADE_V1.settings["start_wait"] + 1


def test_worlds_take_turns():
    assert [beginning(n, "7..9")["world"] for n in range(4)] == [
        "7:small", "8:small", "9:small", "7:small",
    ]  # fmt: skip


@given(st.lists(st.sets(st.sampled_from("abcd")), min_size=1, max_size=40))
def test_the_score_is_the_mean_number_of_milestones_of_an_episode(reached):
    score = score_of(shares_of([dict.fromkeys(each, 1) for each in reached], "abcd"))
    assert isclose(score.value, sum(map(len, reached)) / len(reached) / 4)
    assert 0 <= score.low <= score.value + 1e-12 and score.value - 1e-12 <= score.high <= 1


@given(st.integers(1, 200))
def test_an_agent_that_always_succeeds_has_wilsons_lower_bound(n):
    z = 1.959963984540054
    assert isclose(score_of(shares_of([{"a": 1}] * n, "a")).low, n / (n + z * z), rel_tol=1e-6)
    share = shares_of([{"a": 1}] * n + [{}] * n, "a")["a"]
    half = sqrt(2 * n * 0.25 + z * z / 4) * z / (2 * n + z * z)
    assert isclose(share.high - 0.5, half, rel_tol=1e-6)


def with_shares(path, slug, share):
    shares = json.loads(path.read_text())["shares"]
    change(path, shares=shares | {slug: share})


def with_episode(path, **values):
    episodes = json.loads(path.read_text())["episodes"]
    episodes[1] |= values
    change(path, episodes=episodes)


def twice(path):
    episodes = json.loads(path.read_text())["episodes"]
    change(path, episodes=[episodes[0], *episodes[:2]])


def other_bytes(path):
    file = path.parent / "episode_0001.recording"
    file.write_bytes(file.read_bytes()[:-1] + b"x")


def other_keys(path):
    pressed = Recording.load(path.parent / "episode_0000.recording").pressed
    forge(path, pressed=pressed[:20] + b"\0" + pressed[21:])


def elsewhere(path):
    state = Recording.load(path.parent / "episode_0002.recording")
    forge(path, start=state.start, hashes=state.hashes)


def screen_with(path, **env):
    """Writes that the screen was observed, and more, and that no assist is declared."""
    forge(path, env=SETTINGS | {"observation": "screen", "guide": False} | env)
    change(path, assists=[])


OTHER_GAME = {"name": "Jade", "code": "JADE", "sha1": "0" * 40}
SETTINGS = {"frame_skip": 24, "hold_frames": 12, "start": "new-game", "action_set": "original"}
SETTINGS |= {"clock": None, "observation": "state", "guide": True}
TAMPERED = {
    "score": (lambda p: change(p, score=[0.9, 0.8, 1.0]), "its score is 0.900 .* give 0.2"),
    "share": (lambda p: with_shares(p, "starter", [1.0, 1.0, 1.0]), "its starter is 1.000"),
    "no share": (lambda p: change(p, shares={"clock_set": [1.0, 0.5, 1.0]}), "its shares are not"),
    "steps": (lambda p: with_episode(p, steps=59), "59 are stated, the recording has 60"),
    "milestone": (lambda p: with_episode(p, milestones={"starter": 9}), "starter|clock_set"),
    "twice": (twice, "episode_0000.recording: it does not begin in a new game after 67 frames"),
    "bytes": (other_bytes, "episode_0001.recording is not the file that the result names"),
    "keys": (other_keys, "episode_0000.recording: its keys do not lead where it says"),
    "start": (elsewhere, "does not begin in a new game after 60 frames"),
    "game": (lambda p: forge(p, game=OTHER_GAME), "another version of the game: .*0000.*8fcb2da"),
    "frames": (lambda p: forge(p, env=SETTINGS | {"frame_skip": 12}), "its frame_skip is 12"),
    "from state": (lambda p: forge(p, env=SETTINGS | {"start": "end.ss1"}), "its start is 'end"),
    "actions": (lambda p: forge(p, actions=(("a", 1),) * 15), "its actions are not those of"),
    "memory": (lambda p: change(p, assists=["script"]), "not declared: memory"),
    "world number": (lambda p: screen_with(p, world_number=True), "not declared: memory"),
    "guide": (lambda p: change(p, assists=["memory"]), "not declared: script"),
    "assist": (lambda p: change(p, assists=["luck"]), "no assist 'luck': there are memory, states"),
    "worlds": (lambda p: change(p, worlds="1..3"), "another version of the game: .*world 1:small"),
    "seen": (lambda p: change(p, worlds="1..3", trained_worlds="3..9"), "trained on world 3:small"),
    "benchmark": (lambda p: change(p, benchmark="Jade-v9"), "no benchmark 'Jade-v9': there are"),
    "newer": (lambda p: change(p, schema_version=2), "schema version 2; this program reads 1"),
    "path": (lambda p: with_episode(p, recording="../x.recording"), "episodes.1.recording"),
    "number": (lambda p: change(p, env_steps=-1), "its env_steps is not as it must be"),
    "text": (lambda p: p.write_text("[]"), "is no result"),
    "json": (lambda p: p.write_text("{"), "is no result: not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("tamper, reason", TAMPERED.values(), ids=TAMPERED)
def test_a_claim_that_is_not_true_is_refused_with_the_reason_in_a_line(
    copied, tamper, reason, capsys
):
    tamper(copied)
    with pytest.raises(BenchmarkError, match=reason):
        verify(copied)
    assert main(["verify", str(copied)]) == 1
    said = capsys.readouterr().err
    assert said.startswith("error: ") and said.count("\n") == 1


def test_too_long_an_episode_is_refused(copied, monkeypatch):
    monkeypatch.setitem(JADE_V1.settings, "episode_length", 50)
    with pytest.raises(BenchmarkError, match="it has 60 steps, Jade-v1 allows 50"):
        verify(copied)


def test_the_result_is_written_from_recordings_that_any_learner_made(tmp_path, capsys):
    record_benchmark(ForAWhile, tmp_path / "mine", episodes=2, worlds="4..5", settings=GUIDED)
    out = tmp_path / "results" / "mine.json"
    given = [str(tmp_path / "mine"), "--out", str(out), "--assists", "memory", "script"]
    assert main([*given, "--worlds", "4..5", "--env-steps", "1000"]) == 0
    result = verify(out)
    assert [e["recording"] for e in result["episodes"]] == [
        "mine_0000.recording", "mine_0001.recording",
    ]  # fmt: skip
    assert result["env_steps"] == 1000 and result["worlds"] == "4..5"


@pytest.mark.parametrize(
    "episodes, said",
    [
        (["--episodes", "2"], "has 3 recordings, and --episodes is 2: the result is of 2 episodes"),
        (["--episodes", "5"], "has 3 recordings, and --episodes is 5: the result is of 3 episodes"),
        ([], "has 3 recordings, and --episodes is 32: the result is of 3 episodes"),
        (["--episodes", "3"], None),
    ],
)
def test_a_folder_with_other_than_the_episodes_recordings_says_how_many(
    episodes, said, measured, tmp_path, capsys
):
    given = [str(measured), "--out", str(tmp_path / "mine.json"), "--assists", "memory", "script"]
    assert main([*given, *episodes]) == 0
    assert capsys.readouterr().err == ("" if said is None else f"note: {measured} {said}\n")


def test_episodes_of_two_players_are_not_recorded_in_one_folder(tmp_path):
    made = record_benchmark(partial(ForAWhile, 3), tmp_path, episodes=2, settings=GUIDED)
    before = {name: (tmp_path / name).read_bytes() for name in made}
    with pytest.raises(FileExistsError, match="recordings already, such as episode_0000.recording"):
        record_benchmark(partial(ForAWhile, 1), tmp_path, episodes=1, settings=GUIDED)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.fixture
def independent(tmp_path):
    """Two results of an episode each, the second of which ends too early for most milestones."""
    for folder, steps in ((tmp_path / "long", STEPS), (tmp_path / "short", 5)):
        player = partial(ForAWhile, steps)
        made = record_benchmark(player, folder, episodes=1, settings=GUIDED)
        write_result(make_result(CLAIM, folder, made), folder / "result.json")
    return [str(tmp_path / name / "result.json") for name in ("long", "short")]


def test_independent_results_have_a_mean(independent, capsys):
    long, short = (json.loads(Path(file).read_text())["episodes"][0] for file in independent)
    most, fewest = len(long["milestones"]), len(short["milestones"])
    assert most > fewest and main(["verify", *independent]) == 0
    mean = (most + fewest) / 2 / len(JADE_V1.story)
    assert f"mean score of 2 results: {mean:.3f} (" in capsys.readouterr().out


def test_episodes_that_two_results_have_in_common_are_not_counted_twice(independent, capsys):
    long, short = independent
    copy = Path(long).with_name("copy.json")
    copy.write_bytes(Path(long).read_bytes())
    change(copy, agent="another")
    for files in ([long, long], [long, str(copy)], [short, long, long]):
        assert main(["verify", *files]) == 1
        said = capsys.readouterr()
        assert "have an episode in common" in said.err and "verified" not in said.out
    assert main(["verify", long, long, "--json"]) == 0


def with_keys(path, pressed, later=0):
    """Writes other keys into the only recording of a result, whose milestones come later."""
    hashes = (0,) * (1 - -len(pressed) // 32)
    forge(path, pressed=pressed, hashes=hashes, total=1.5)
    (episode,) = json.loads(path.read_text())["episodes"]
    milestones = {slug: step + later for slug, step in episode["milestones"].items()}
    change(path, episodes=[episode | {"milestones": milestones}])


@pytest.mark.parametrize("disguise", ["total", "keys after the end", "cut", "steps of waiting"])
def test_an_episode_that_was_changed_without_playing_is_not_counted_twice(
    disguise, independent, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(independence, "OPENING", 10)
    monkeypatch.setattr(benchmark_result, "verify", read_result)
    made = tmp_path / "long"
    keys = Recording.load(made / "episode_0000.recording").pressed
    copy = shutil.copytree(made, tmp_path / "copy") / "result.json"
    most = max(json.loads(copy.read_text())["episodes"][0]["milestones"].values())
    assert 10 < most < STEPS
    changed = {
        "total": (keys,),
        "keys after the end": (keys + bytes(range(15)),),
        "cut": (keys[:most],),
        "steps of waiting": (b"\0\0" + keys[:8] + b"\0" + keys[8:], 3),
    }
    with_keys(copy, *changed[disguise])
    assert main(["verify", str(made / "result.json"), str(copy)]) == 1
    assert "have an episode in common" in capsys.readouterr().err
    with_keys(copy, b"\1" + keys, 1)
    assert main(["verify", str(made / "result.json"), str(copy)]) == 0


def test_an_episode_that_was_cut_before_its_last_milestone_is_not_counted_twice(
    independent, monkeypatch, tmp_path, capsys
):
    monkeypatch.setattr(independence, "OPENING", 10)
    monkeypatch.setattr(independence, "BEGINNING", 5)
    monkeypatch.setattr(benchmark_result, "verify", read_result)
    made = tmp_path / "long"
    keys = Recording.load(made / "episode_0000.recording").pressed
    copies = [shutil.copytree(made, tmp_path / name) / "result.json" for name in ("a", "b", "c")]
    for copy, length in zip(copies, (30, 20, 4), strict=True):
        with_keys(copy, keys[:length])
        change(copy, episodes=[json.loads(copy.read_text())["episodes"][0] | {"milestones": {}}])
    long, thirty, twenty, four = str(made / "result.json"), *map(str, copies)
    for files in ([long, thirty], [twenty, long], [thirty, twenty]):
        assert main(["verify", *files]) == 1
        assert "have an episode in common" in capsys.readouterr().err
    assert main(["verify", long, four]) == 0


def test_episodes_of_one_result_between_two_alike_do_not_hide_them(monkeypatch):
    plays = {"a": b"1234", "b": b"123456", "c": b"123478"}
    monkeypatch.setattr(independence, "BEGINNING", 2)
    monkeypatch.setattr(
        independence,
        "_play",
        lambda _, name, result: independence.Play("world", plays[name], result, name),
    )
    results = [{"episodes": ["a", "b"]}, {"episodes": ["c"]}]
    with pytest.raises(BenchmarkError, match="the keys of a and of c are the same"):
        independence.check_independent([Path("x.json"), Path("y.json")], results)
    independence.check_independent([Path("x.json")], results[:1])
    plays["a"] = b"1235"
    independence.check_independent([Path("x.json"), Path("y.json")], results)


def test_a_result_or_a_recording_that_is_there_is_not_written_over(measured, tmp_path, capsys):
    given = [str(measured), "--assists", "memory", "script", "--out"]
    assert main([*given, str(tmp_path / "mine.json")]) == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for agent in (given, ["random", "--out"], ["guide", "--out"]):
        capsys.readouterr()
        assert main([*agent, str(tmp_path / "mine.json")]) == 1
        said = capsys.readouterr().err
        assert "mine.json already exists" in said and said.count("\n") == 1
    (tmp_path / "other_0002.recording").symlink_to("nowhere")
    assert main(["random", "--out", str(tmp_path / "other.json")]) == 1
    assert "other_0002.recording already exists" in capsys.readouterr().err
    (tmp_path / "other_0002.recording").unlink()
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_recordings_that_have_their_names_already_stay_where_they_are(copied, capsys):
    copied.unlink()
    given = [str(copied.parent), "--assists", "memory", "script", "--out"]
    before = {path: path.read_bytes() for path in copied.parent.iterdir()}
    assert main([*given, str(copied.parent / "episode.json"), "--assists", "none"]) == 1
    assert {path: path.read_bytes() for path in copied.parent.iterdir()} == before
    assert main([*given, str(copied.parent / "episode.json")]) == 0
    assert verify(copied.parent / "episode.json")["agent"] == copied.parent.name


def test_nothing_stays_of_a_measurement_that_is_interrupted(tmp_path, monkeypatch):
    monkeypatch.setitem(JADE_V1.settings, "episode_length", 40)
    monkeypatch.setattr(measuring, "AT_ONCE", 1)
    play, ended = measuring._play, []

    def played(*given):
        if ended:
            assert (tmp_path / "mine_0000.recording").is_file()
            raise KeyboardInterrupt
        ended.append(play(*given))
        return ended[0]

    monkeypatch.setattr(measuring, "_play", played)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(KeyboardInterrupt):
        main(["random", "--episodes", "2", "--out", str(tmp_path / "mine.json")])
    assert ended and [path.name for path in tmp_path.iterdir()] == ["other.json"]


def test_files_of_a_measurement_are_its_own_while_it_plays(tmp_path, monkeypatch, capsys):
    out = ["--episodes", "2", "--out", str(tmp_path / "mine.json")]

    def played(*given):
        assert main(["guide", *out]) == 1
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "_play", played)
    with pytest.raises(KeyboardInterrupt):
        main(["random", *out])
    assert "mine.json already exists" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_results_with_other_assists_have_no_mean(measured, copied, capsys):
    change(copied, assists=["memory", "script", "teacher"])
    assert main(["verify", str(measured / "guide.json"), str(copied)]) == 0
    assert "mean score" not in capsys.readouterr().out


def test_an_undeclared_assist_is_refused_before_anything_is_written(measured, tmp_path, capsys):
    out = tmp_path / "mine.json"
    assert main([str(measured), "--out", str(out), "--assists", "none"]) == 1
    assert "not declared: memory" in capsys.readouterr().err and not out.exists()
    assert main([str(measured), "--out", str(out)]) == 1
    assert "--assists is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    "flags, said",
    [
        (["--name", "a\x1b[31mb"], r"agent cannot be 'a\x1b[31mb'"),
        (["--name", "a" * 2001], "agent cannot be 'aaa"),
        (["--name", "\udc80"], r"agent cannot be '\udc80'"),
    ],
)
def test_what_no_result_may_say_is_refused_before_an_episode_is_played(
    flags, said, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(measuring, "play_episodes", None)
    assert main(["random", *flags, "--out", str(tmp_path / "mine.json")]) == 1
    assert said in capsys.readouterr().err and not list(tmp_path.iterdir())
    with pytest.raises(BenchmarkError, match="env_steps cannot be 1000000000000001"):
        replace(CLAIM, env_steps=10**15 + 1)


@pytest.mark.parametrize("worlds", ["nonsense", "1..2\a", "3..1"])
def test_worlds_of_a_training_that_are_none_are_refused(worlds, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["random", "--trained-worlds", worlds, "--out", str(tmp_path / "mine.json")])
    assert f"--trained-worlds is {worlds!r}: world" in capsys.readouterr().err


@pytest.mark.parametrize("assists", ["teacher", "memory", "none", "magic script"])
def test_the_guide_has_its_own_assists_and_no_others(assists, tmp_path):
    out = tmp_path / "mine.json"
    with pytest.raises(ValueError, match=f"is '{assists}', but the guide's are memory script"):
        BenchmarkConfig("guide", out, tuple(assists.split()))
    for own in ((), ("memory", "script"), ("script", "memory")):
        assert BenchmarkConfig("guide", out, own).assists == own


@pytest.mark.parametrize(
    "declared, wanted", [(["none"], "memory"), (["states", "teacher"], "memory states teacher")]
)
def test_what_a_checkpoint_reads_is_declared_before_an_episode_is_played(
    declared, wanted, tmp_path, capsys
):
    out = tmp_path / "mine.json"
    assert main(["jade", "--out", str(out), "--episodes", "1", "--assists", *declared]) == 1
    said = capsys.readouterr().err
    assert said.endswith(f"not declared: memory; give --assists {wanted}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name, drawn, trained",
    [
        ("Jade", None, "0..0"),
        ("Jade", "1..60:large", "1..60:large"),
        ("Jade, world 7", None, "7..7"),
        ("Jade, world 7:large:demanding", None, "7..7:large:demanding"),
        ("Pokémon Emerald (US)", None, None),
    ],
)
def test_the_worlds_that_a_checkpoint_was_trained_on_are_told_of_a_single_one_too(
    name, drawn, trained
):
    manifest = read_manifest(find_checkpoint("jade-by-heart"))
    env, game = manifest.env | {"worlds": drawn}, manifest.game | {"name": name}
    assert measuring.trained_worlds(replace(manifest, env=env, game=game)) == trained
    assert measuring.trained_worlds(None) is None


def test_an_agent_is_not_measured_in_the_only_world_that_it_was_trained_in(tmp_path, capsys):
    given = ["jade-by-heart", "--assists", "memory", "states", "teacher", "--episodes", "1"]
    assert main([*given, "--worlds", "0..3", "--out", str(tmp_path / "mine.json")]) == 1
    assert "the agent was trained on world 0:small" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert replace(CLAIM, trained_worlds="0..0").worlds is None  # Jade, on unseen waits


@pytest.mark.parametrize(
    "flags, said",
    [
        (
            ["--worlds", "1001..1002", "--trained-worlds", "5000..5001"],
            "the agent was trained on world 1001:small",
        ),
        (
            ["--env-steps", "1001471"],
            "--env-steps is 1,001,471, but jade was trained for 1,001,472: give all steps",
        ),
    ],
)
def test_flags_do_not_take_away_from_what_a_checkpoint_says_of_its_training(
    flags, said, tmp_path, monkeypatch, capsys
):
    def play(*_):
        raise WorkerError("it would be played")

    monkeypatch.setattr(measuring, "play_episodes", play)
    given = ["jade", "--assists", "memory", "teacher", "--out", str(tmp_path / "mine.json")]
    assert main([*given, *flags]) == 1
    assert said in capsys.readouterr().err and not list(tmp_path.iterdir())
    more = ["--worlds", "2001..2002", "--trained-worlds", "1..2000", "--env-steps", "1001472"]
    assert main([*given, *more]) == 1
    assert capsys.readouterr().err == "error: it would be played\n"


@pytest.mark.parametrize(
    "worlds, trained, refused",
    [
        ("1001..1032", "1..2000:demanding", "1001:small"),
        ("1..9:paced", "9..9", "9:small:paced"),
        ("5..6:large:emerald", "6..7:large", "6:large:emerald"),
        ("0..3", "0..0:large:demanding", "0:small"),
        ("1..9", "1..9:large", None),
        ("1001..1032:demanding", "1..1000", None),
    ],
)
def test_maps_that_were_trained_on_are_refused_whatever_their_worlds_demand(
    worlds, trained, refused
):
    if refused is None:
        assert replace(CLAIM, worlds=worlds, trained_worlds=trained).worlds == worlds
        return
    with pytest.raises(BenchmarkError, match=f"trained on world {refused}, or on its maps"):
        replace(CLAIM, worlds=worlds, trained_worlds=trained)


def test_games_that_cannot_be_played_are_reported_without_a_traceback(
    tmp_path, monkeypatch, capsys
):
    def fail(*_):
        raise WorkerError("3 failures in a minute")

    monkeypatch.setattr(measuring, "play_episodes", fail)
    assert main(["random", "--out", str(tmp_path / "random.json")]) == 1
    assert capsys.readouterr().err == "error: 3 failures in a minute\n"


def test_a_checkpoint_that_cannot_be_measured_is_one_line(tmp_path, capsys):
    good = find_checkpoint("jade")
    (tmp_path / "broken.zip").write_bytes(good.read_bytes()[:3000])
    network = manifest_with(good, network="net.py:Net")
    rewrite(good, tmp_path / "own_network.zip", **{"manifest.json": network})
    env = read_manifest(good).env | {"wrapper": "mine.py:Halves"}
    wrapper = manifest_with(good, env=env)
    rewrite(good, tmp_path / "own_wrapper.zip", **{"manifest.json": wrapper})
    for name, said in (
        ("broken.zip", "does not end with the end record of a zip"),
        ("own_network.zip", "with net.py:Net, Python code"),
        ("own_wrapper.zip", "with mine.py:Halves, Python code"),
    ):
        agent = str(tmp_path / name)
        given = ["--assists", "memory", "--episodes", "1", "--out", str(tmp_path / "b.json")]
        assert main([agent, *given]) == 1
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: ") and said in line
        assert name == "broken.zip" or "record_benchmark" in line
    assert not (tmp_path / "b.json").exists()


def test_a_checkpoint_and_random_keys_are_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(Path(__file__).resolve().parents[2])  # where a folder has the agent's name
    monkeypatch.setitem(JADE_V1.settings, "episode_length", 60)
    for agent, assists in (("jade", ["--assists", "memory", "states", "teacher"]), ("random", [])):
        out = tmp_path / f"{agent}.json"
        assert main([agent, "--episodes", "1", "--out", str(out), *assists]) == 0
        result = verify(out)
        assert result["agent"] == agent and len(result["episodes"]) == 1
        assert (result["env_steps"] > 0) == (agent == "jade")
        assert (result["shares"]["clock_set"][0] == 1) == (agent == "jade")


@pytest.mark.parametrize("arguments", ["--help", "verify --help", "verify {}"])
def test_help_and_verifying_load_no_torch(measured, arguments):
    words = arguments.format(measured / "guide.json").split()
    script = (
        "import sys\n"
        "from baselines.commands.check.benchmark import main\n"
        "try:\n"
        f"    status = main({words})\n"
        "except SystemExit as end:\n"
        "    status = end.code\n"
        "sys.exit(status or 10 * len({'torch', 'stable_baselines3'} & sys.modules.keys()))"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, cwd=root)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "fixed",
    [
        {"frame_skip": 8},
        {"episode_length": 5},
        {"patience": 7},
        {"start_wait": 3},
        {"start": "end.ss1"},
        {"clock": "2020-01-01"},
        {"disturb": ("random=0.5",)},
        {"rom": Path("other.gba")},
    ],
)
def test_a_setting_that_the_version_fixes_is_refused_before_anything_is_recorded(fixed, tmp_path):
    folder = tmp_path / "mine"
    (name,) = fixed
    with pytest.raises(ValueError, match=f"Jade-v1 fixes {name}: leave it out of the settings"):
        record_benchmark(partial(ForAWhile, 1), folder, episodes=1, settings=GUIDED | fixed)
    assert not folder.exists()


def test_an_agent_that_presses_other_keys_is_refused():
    with pytest.raises(BenchmarkError, match="frame_skip is 8, Jade-v1 fixes 24"):
        played_in(JADE_V1, GameConfig(frame_skip=8))
    assert GameConfig().frame_skip == JADE_V1.settings["frame_skip"]
