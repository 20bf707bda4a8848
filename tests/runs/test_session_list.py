"""The list of sessions tells how far each came, and survives whatever is in the folder."""

import json
from io import StringIO

import pytest
from helpers.checkpoints import describe, make_model
from rich.console import Console

from baselines.checkpoints.checkpoint_file import save_checkpoint
from baselines.commands.learn.session import Summary, main, show, summaries, summarise
from baselines.runs.session_folder import Session
from baselines.settings.train_config import TrainConfig
from emerald_env.game.tables import milestones

SLUGS = [milestone.slug for milestone in milestones()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A folder with one session that has everything."""
    sessions = tmp_path_factory.mktemp("sessions")
    session = Session.create(sessions, "Jade")
    TrainConfig().save(session.config)
    model = make_model()
    save_checkpoint(model, session.checkpoint(16), describe(model))
    session.append_episodes(
        {"num_timesteps": 8 * n, "reward": float(n), "milestones": SLUGS[:n]} for n in (1, 2, 3)
    )
    return sessions


def judged(steps, *findings, **more):
    found = [{"code": c, "severity": s, "until": until} for c, s, until in findings]
    return json.dumps({"num_timesteps": steps, "metrics": {}, "findings": found} | more) + "\n"


def health(folder, *lines):
    folder.mkdir(exist_ok=True)
    TrainConfig().save(folder / "config.json")
    (folder / "diagnostics.jsonl").write_text("".join(lines))
    found = summarise(Session(folder))
    return found.health, found.findings


def test_a_session_tells_game_steps_reward_milestone_and_size(whole):
    (found,) = summaries(whole)
    assert (found.game, found.steps, found.episodes) == ("Jade", 24, 3)
    assert found.reward == 2.0
    assert found.milestone == SLUGS[2]
    assert found.health is None and found.broken is None
    files = [path for path in whole.rglob("*") if path.is_file()]
    assert found.size == sum(path.stat().st_size for path in files) > 100_000
    assert found.date[:10] == found.name[:10] and found.date[13] == ":"


def test_reward_is_the_mean_of_the_latest_hundred_episodes(tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig().save(session.config)
    session.append_episodes(
        {"num_timesteps": n, "reward": float(n >= 50), "milestones": []} for n in range(150)
    )
    assert summarise(session).reward == 1.0
    assert summarise(session).milestone is None


def test_health_is_what_still_is_wrong_at_the_end(tmp_path):
    fell, jumped = ("entropy_low", "critical", None), ("kl_high", "warning", None)
    over = ("entropy_low", "critical", 300)
    assert health(tmp_path / "a", judged(100)) == ("healthy", ())
    assert health(tmp_path / "a", judged(100, jumped)) == ("warnings", ("kl_high",))
    lines = [judged(100, jumped), judged(200, fell)]
    assert health(tmp_path / "a", *lines) == ("collapsed", ("entropy_low", "kl_high"))
    assert health(tmp_path / "a", *lines, judged(300, over)) == ("warnings", ("kl_high",))
    assert health(tmp_path / "a", *lines, judged(150)) == ("healthy", ())
    back = [*lines, judged(200, action="rollback")]
    assert health(tmp_path / "a", *back) == ("too little to judge", ())
    assert health(tmp_path / "a", *back, judged(300)) == ("healthy", ())
    stayed = judged(200, action="rollback", failed="no checkpoint")
    assert health(tmp_path / "a", *lines, stayed)[0] == "collapsed"
    assert health(tmp_path / "a", judged(100), '{"num_timest') == ("healthy", ())
    assert health(tmp_path / "a") == (None, ())


def test_a_run_of_which_too_little_is_known_is_not_called_healthy(tmp_path):
    early, jumped = judged(100, lacking="only about 3 episodes"), ("kl_high", "warning", None)
    assert health(tmp_path / "a", early) == ("too little to judge", ())
    assert health(tmp_path / "a", early, judged(200, jumped)) == ("warnings", ("kl_high",))
    assert health(tmp_path / "a", early, judged(200, lacking=None)) == ("healthy", ())


BREAKAGES = [
    ("config.json", b"{"),
    ("checkpoints/ppo_99_steps.zip", b"half a zip"),
]


@pytest.mark.parametrize(("name", "content"), BREAKAGES)
def test_a_broken_session_is_listed_as_broken_with_what_is_wrong(tmp_path, capsys, name, content):
    session = Session.create(tmp_path, "jade")
    TrainConfig().save(session.config)
    (session.folder / name).write_bytes(content)
    (tmp_path / "not a session").mkdir()
    (tmp_path / "README.md").write_text("")
    first, second = summaries(tmp_path)
    assert first.broken == "no config.json"
    assert second.broken
    assert main(["list", "--sessions", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("broken") == 2


NAMES = ["2026-11-28_07-12-33_Jade", "2026-11-28_07-12-33_" + "a_long_name_" * 8, "name 名前" * 9]


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("names", [NAMES[:1], NAMES])
def test_names_and_numbers_are_whole_however_narrow_the_terminal_is(names, width):
    found = [
        Summary(name, "", 5 << 30, "Jade", 123_456_789, -1234.5, 9, SLUGS[5], "collapsed", ("kl",))
        for name in names
    ]
    console = Console(width=width, file=StringIO(), force_terminal=True, color_system=None)
    show(found, console)
    said = console.file.getvalue()
    assert "…" not in said and all(name in said for name in names)
    for fact in ("123,456,789", "-1234.50", "5120", "collapsed: kl", SLUGS[5].replace("_", " ")):
        assert "".join(said.split()).count("".join(fact.split())) == len(names)
    if width >= 80 and names == NAMES[:1]:
        assert said.split("\n")[0].split() == "session milestone health steps reward MiB".split()


def test_lines_that_are_no_episodes_are_left_out(tmp_path):
    session = Session.create(tmp_path, "jade")
    TrainConfig().save(session.config)
    session.append_episodes([{"num_timesteps": 1, "reward": 1.0, "milestones": []}])
    with session.episodes.open("a") as file:
        file.write('[1]\n{"reward": "much"}\n"text"\n{"num_timesteps": 5, "rew')
    assert summarise(session).episodes == 1


def test_the_list_as_json_has_the_same(whole, capsys):
    assert main(["list", "--sessions", str(whole), "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["steps"] == 24 and found["game"] == "Jade" and found["broken"] is None


def test_a_folder_that_is_not_there_or_empty_is_said(tmp_path, capsys):
    assert main(["list", "--sessions", str(tmp_path)]) == 0
    assert "no sessions in" in capsys.readouterr().out
    assert main(["list", "--sessions", str(tmp_path / "none")]) == 1
    assert "--sessions FOLDER" in capsys.readouterr().err
