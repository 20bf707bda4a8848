"""The auditor: what it says of walks, scripted ones and those along given states."""

import json
from dataclasses import replace

import pytest
from helpers.fakes import OLDALE, ROUTE_101, START, at, with_flag, with_flags, without_flags
from matplotlib.figure import Figure

from baselines.commands.check import audit as audit_command
from baselines.commands.check.audit import main
from emerald_env.game import tables
from emerald_env.game.flags import BADGES, Flag
from rewards import load_preset
from rewards.audit import (
    LoopVerdict,
    ScriptedWalk,
    StatesWalk,
    audit,
    find_loop,
    open_walk,
    walk_names,
)

FERRY = (740, 741, 743, 744)  # Mr. Briney and his boat in Dewford Town and on Route 109
FARMABLE_2023 = {
    "battle_frontier", "day_care", "decorating", "elite_four_again",
    "ferry", "ferry_to_petalburg", "gym_switches", "healing", "rematches", "safari", "tides",
    "trick_house",
}  # fmt: skip


@pytest.mark.parametrize("name", walk_names())
@pytest.mark.parametrize("preset", ["default", "exploration"])
def test_no_walk_can_be_farmed_under_presets_that_pay_once(name, preset):
    report = audit(open_walk(name), load_preset(preset))
    assert report.verdict in (LoopVerdict.ONCE, LoopVerdict.FADES)
    assert (report.verdict is LoopVerdict.FADES) == (name == "grinding" and preset == "default")


@pytest.mark.parametrize("name", walk_names())
def test_the_walks_that_farm_the_original_reward_are_called_by_their_name(name):
    report = audit(open_walk(name), load_preset("original_2023"))
    assert report.farmable == (name in FARMABLE_2023)


def test_the_ferry_is_farmable_under_the_original_and_the_report_names_its_flags():
    report = audit(open_walk("ferry"), load_preset("original_2023"))
    flags = {line.key for line in report.repeated if line.term == "event"}
    assert flags == {tables.flag_name(flag) for flag in FERRY}
    assert [line.number for line in report.rounds] == [1, 2, 10, 100]
    later = {round(line.total, 6) for line in report.rounds[1:]}
    assert len(later) == 1 and later.pop() > 2.9


def test_the_ferry_pays_its_first_round_at_most_under_the_default_preset():
    report = audit(open_walk("ferry"), load_preset())
    assert report.verdict is LoopVerdict.ONCE
    assert {line.term for line in report.keys} == {"map", "tile", "search"}
    assert report.repeated == ()


def test_experience_that_pays_199_milestones_is_farmable_though_it_fades():
    preset = load_preset(overrides={"experience": 1000.0})
    preset = replace(preset, limits={})
    report = audit(open_walk("grinding"), preset)
    farmed = [term for term, found in report.verdicts.items() if found is LoopVerdict.FARMABLE]
    assert report.farmable and farmed == ["experience"]
    assert report.collected["experience"] > 100 * report.worth


def test_a_walk_along_states_reports_what_paid_when_and_for_which_key():
    won = with_flag(START, BADGES[0])
    moved = at(won, OLDALE)
    report = audit(StatesWalk("mine", [START, START, won, moved]), load_preset())
    lines = {(line.term, line.key): line for line in report.keys}
    assert lines["badge", "FLAG_BADGE01_GET"].amount == 5.0
    assert lines["badge", "FLAG_BADGE01_GET"].first_step == 2
    assert lines["map", "OldaleTown"].first_step == 3
    assert report.steps == 3
    assert report.total == pytest.approx(sum(report.terms.values()))
    assert report.known["map"] == 1 and report.known["badge"] == 0
    assert report.verdict is LoopVerdict.NO_LOOP and report.rounds == ()


def test_a_walk_finds_its_own_loop():
    there, back = at(START, ROUTE_101), replace(START, money=1)
    won = with_flag(START, BADGES[0])
    assert find_loop([START, there, back]) == (0, 2)
    assert find_loop([won, START, there, None, back, won, there]) == (0, 5)
    assert find_loop([START, replace(START, money=1)]) is None  # stood still
    assert find_loop([START, there]) is None


def test_a_given_loop_is_gone_round():
    ferry_here = without_flags(with_flags(START, 741, 744), 740, 743)
    ferry_there = without_flags(with_flags(START, 740, 743), 741, 744)
    states = [START, ferry_here, ferry_there, ferry_here]
    report = audit(StatesWalk("ferry", states, (1, 3)), load_preset("original_2023"), rounds=5)
    assert report.farmable and report.steps == 1 + 5 * 2
    with pytest.raises(ValueError, match="its loop cannot go from 2 to 7"):
        StatesWalk("ferry", states, (2, 7))
    with pytest.raises(ValueError, match="no states"):
        StatesWalk("empty", [])


def script(tmp_path, *lines):
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_a_script_changes_states_by_name(tmp_path):
    walk = ScriptedWalk(
        script(
            tmp_path,
            {"walk": "mine", "start": {"at": "OldaleTown", "xy": [3, 4], "party": [{"id": 7}]}},
            {"set": ["FLAG_BADGE01_GET"], "vars": {"VAR_ROUTE101_STATE": 2}, "seen": ["WURMPLE"]},
            {"unknown": True, "gain": {"7": 50}, "hurt": [7], "get": ["LETTER"], "money": 5},
            {"loop": True},
            {"gain": {"7": 50}, "heal": [7], "lose": ["LETTER"], "clear": ["FLAG_BADGE01_GET"]},
        )
    )
    start, first, second = walk.opening()
    assert start.location == OLDALE and start.position == (3, 4)
    assert first.has(Flag.BADGE01_GET) and first.var(0x4060) == 2 and 265 in first.seen
    assert second is None
    (third,), (fourth,) = walk.round(), walk.round()
    assert third.party[0].exp == start.party[0].exp + 100
    assert fourth.party[0].exp == start.party[0].exp + 150
    assert third.party[0].hp == third.party[0].max_hp and third.money == 5
    assert not third.has(Flag.BADGE01_GET) and not third.bag["key_items"]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "first line must be"),
        ([{"about": "x"}], "first line must be"),
        ([{"walk": "x"}, {"jump": 1}], "line 2: unknown change 'jump'; there are: at, xy, set"),
        ([{"walk": "x"}, {"set": ["FLAG_BADGE01"]}], "did you mean FLAG_BADGE01_GET"),
        ([{"walk": "x"}, {"at": "Oldale"}], "did you mean OldaleTown"),
        ([{"walk": "x"}, {"party": [{"species": "TREECKO"}]}], "a Pokémon has an id"),
        ([{"walk": "x"}, {"at": 7}], "line 2"),
        ([{"walk": "x"}, 7], "must be an object"),
        ([{"walk": "x", "start": {"seen": [60000]}}], "line 1: .* no species 60000: .* 1 to 411"),
        ([{"walk": "x"}, {"caught": [0]}], "no species 0: it has numbers 1 to 411"),
        ([{"walk": "x"}, {"party": [{"id": 1, "species": 412}]}], "no species 412"),
        ([{"walk": "x"}, {"party": [{"id": 1, "moves": [355]}]}], "no move 355: .* 0 to 354"),
        ([{"walk": "x"}, {"set": [2400]}], "no flag 2400: it has numbers 0 to 2399"),
        ([{"walk": "x"}, {"get": [377]}], "no item 377: it has numbers 1 to 376"),
        ([{"walk": "x"}, {"lose": [60000]}], "line 2: a state has no item 60000"),
        ([{"walk": "x"}, {"vars": {"VAR_RESULT": 5}}], r"VAR_RESULT \(32781\): .* 16384 to 16639"),
        ([{"walk": "x"}, {"get": [*range(63, 100)]}], "31 kinds do not fit into items, which"),
    ],
)
def test_a_malformed_script_is_refused_with_the_line_and_what_is_wrong(tmp_path, lines, message):
    with pytest.raises(ValueError, match=message):
        list(ScriptedWalk(script(tmp_path, *lines)).opening())


def test_a_script_that_is_not_json_is_reported(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("up up down")
    with pytest.raises(ValueError, match="line 1 is not JSON"):
        ScriptedWalk(path)


# The command


def test_the_command_tells_people_and_its_exit_status_tells_machines(capsys):
    assert main(["ferry", "--reward", "original_2023"]) == 1
    page = capsys.readouterr().out
    assert "FARMABLE" in page and "FLAG_HIDE_ROUTE_109_MR_BRINEY" in page
    assert main(["ferry"]) == 0
    assert "not farmable" in capsys.readouterr().out


def test_the_command_compares_walks_and_presets_in_one_table(capsys):
    assert main(["ferry", "tides", "--reward", "default", "original_2023", "--rounds", "10"]) == 1
    page = capsys.readouterr().out
    assert page.count("ferry") == 2 and page.count("farmable") == 2


def test_the_command_writes_a_table_for_the_documents(capsys):
    assert main(["ferry", "--markdown", "--reward", "default", "original_2023"]) == 1
    head, line, row = capsys.readouterr().out.strip().splitlines()
    assert head == "| exploit | `default` | `original_2023` | later |"
    assert set(line) == {"|", "-"} and row.startswith("| ferry | ") and row.endswith(" | 0 |")
    assert row.count(" / ") == 6 and "once" in row and "**farmable**" in row


def test_walks_and_presets_of_one_name_are_told_apart(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    script = '{"walk": "stroll", "about": "there and back"}\n{"loop": true}\n{"xy": [%d, 1]}\n'
    for number, folder in enumerate(("a", "b"), 1):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.toml").write_text(f"[weights]\nmap = {number}.0\n")
        (tmp_path / folder / "walk.jsonl").write_text(script % number)
    given = ["a/walk.jsonl", "b/walk.jsonl", "--reward", "a/mine.toml", "b/mine.toml"]
    assert main([*given, "--markdown", "--rounds", "10"]) == 0
    head, _, *rows = capsys.readouterr().out.strip().splitlines()
    assert head == "| exploit | `a/mine.toml` | `b/mine.toml` | later |"
    assert [row.split(" | ")[0] for row in rows] == ["| a/walk.jsonl", "| b/walk.jsonl"]
    assert main([*given, "--rounds", "10"]) == 0
    page = capsys.readouterr().out
    assert "preset" in page and all(page.count(name) == 2 for name in given if "/" in name)


def test_a_name_that_occurs_once_remains_short(tmp_path, capsys):
    (tmp_path / "mine.toml").write_text("[weights]\nmap = 1.0\n")
    reward = ["--reward", "default", str(tmp_path / "mine.toml")]
    assert main(["ferry", "--markdown", "--rounds", "10", *reward]) == 0
    assert capsys.readouterr().out.startswith("| exploit | `default` | `mine` | later |")


def test_the_command_does_not_say_that_a_loop_played_once_does_not_return(capsys):
    assert main(["ferry", "--reward", "original_2023", "--rounds", "1"]) == 0
    page = capsys.readouterr().out
    assert "the loop was played once" in page and "does not return" not in page


def test_the_command_does_not_say_that_a_loop_which_costs_pays_nothing(tmp_path, capsys):
    (tmp_path / "cost.py").write_text("def cost(before, after):\n    return -1.0\n")
    reward = f"{tmp_path / 'cost.py'}:cost"
    assert main(["pacing", "--rounds", "10", "--reward", reward]) == 0
    assert "no round after the first pays anything" in capsys.readouterr().out


def test_the_command_writes_json(capsys):
    assert main(["ferry", "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert report["verdict"] == "once" and report["farmable"] is False
    assert report["terms"]["map"] == load_preset().weights["map"] / 4  # far from the story's way
    assert main(["ferry", "--json", "--reward", "original_2023"]) == 1
    (report,) = json.loads(capsys.readouterr().out)
    assert report["bound"] is None


def test_the_command_takes_single_weights(capsys):
    main(["ferry", "--json", "--weight", "map=0.75"])
    assert json.loads(capsys.readouterr().out)[0]["terms"]["map"] == 0.75 / 4


def test_the_command_draws_a_picture(tmp_path, capsys):
    path = tmp_path / "ferry.png"
    assert main(["ferry", "--picture", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")
    assert main(["ferry", "boxes", "--picture", str(path)]) == 2
    assert "--picture draws one walk" in capsys.readouterr().err


def test_the_picture_names_each_part_that_paid(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(
        "def own(before, after):\n    return {'_a': 1.0, 'b$^$': 1.0}\n"
    )
    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, path, dpi: drawn.append(figure))
    reward = f"{tmp_path / 'own.py'}:own"
    assert main(["ferry", "--reward", reward, "--picture", str(tmp_path / "ferry.png")]) == 1
    (legend,) = drawn[0].legends
    assert [text.get_text() for text in legend.get_texts()] == ["all", "_a", r"b\$^\$"]


def test_dollars_in_names_of_rewards_are_no_formulas_in_the_picture(tmp_path):
    reward, path = tmp_path / "a$^$.toml", tmp_path / "ferry.png"
    reward.write_text("[weights]\nmap = 1.0\n")
    assert main(["ferry", "--reward", str(reward), "--picture", str(path)]) == 0
    assert path.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ferry", "boxes", "--picture", "paid.png"], "under one preset, got 2 of them"),
        (["ferry", "--reward", "default", "exploration", "--picture", "paid.png"], "got 2 of them"),
        (["ferry", "nonsense"], "no walk 'nonsense'"),
        (["ferry", "nothing.recording"], "no recording at nothing.recording"),
        (["ferry", "jade/ferry", "--world", "7:demanding"], "by A alone"),
    ],
)
def test_what_cannot_be_audited_is_refused_before_anything_is_played(
    arguments, message, monkeypatch, capsys
):
    monkeypatch.setattr(audit_command, "audits", lambda *args: pytest.fail("a walk was played"))
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_the_command_lists_the_terms(capsys):
    assert main(["--terms"]) == 0
    page = capsys.readouterr().out
    assert all(term in page for term in load_preset().weights)
    assert main(["--terms", "--reward", "original_2023"]) == 0


def test_the_terms_limits_have_two_decimals(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "120")
    path = tmp_path / "mine.toml"
    path.write_text("[weights]\nmap = 0.5\n[limits]\nmap = 0.95\n")
    assert main(["--terms", "--reward", str(path)]) == 0
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("map"))
    assert row.split()[-2] == "0.95"


@pytest.mark.parametrize("output", [["--json"], ["--markdown"], ["--picture", "paid.png"]])
@pytest.mark.parametrize("shown", ["--terms", "--story"])
def test_tables_for_people_are_not_printed_where_another_output_is_asked_for(shown, output, capsys):
    with pytest.raises(SystemExit) as end:
        main([shown, *output])
    said = capsys.readouterr()
    assert end.value.code and not said.out
    assert f"{shown} prints a table for people" in " ".join(said.err.replace("│", "").split())


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--json", "--markdown"], "--json and --markdown are two outputs"),
        (["--gamma", "0.9"], "--gamma is for --story"),
        (["--terms", "--gamma", "0.9"], "--gamma is for --story"),
    ],
)
def test_flags_that_would_be_ignored_are_refused(flags, message, capsys):
    with pytest.raises(SystemExit) as end:
        main(["ferry", *flags])
    said = capsys.readouterr()
    assert end.value.code and not said.out
    assert message in " ".join(said.err.replace("│", "").split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "no walk 'nowhere': give a file or one of: battle_frontier"),
        (["jade/nowhere"], "no walk 'jade/nowhere': there are jade/ferry"),
        (["nothing.recording"], "no recording at nothing.recording"),
        (["nothing.ss1"], "no walk 'nothing.ss1'"),
        (["ferry", "--reward", "none"], "no reward preset 'none'"),
        (["ferry", "--weight", "bagde=1"], "unknown term 'bagde'"),
        ([__file__], "no walk ends in '.py'; known: .jsonl"),
        (["ferry", "--rom", "nothere.gba"], "no ROM at nothere.gba"),
        (["--terms", "--world", "foo"], "world must be a number"),
    ],
)
def test_the_command_says_what_it_cannot_read(arguments, message, capsys):
    assert main(arguments) == 2
    assert message in capsys.readouterr().err


def test_a_save_state_pays_nothing_and_shows_what_is_true_already(shared, capsys):
    state = shared / "states" / "pokebot-gen3__diving.ss1"
    assert main([str(state), "--json"]) == 0
    (report,) = json.loads(capsys.readouterr().out)
    assert report["total"] == 0.0 and report["known"]["badge"] == 8


def test_a_file_that_is_not_a_save_state_is_reported(tmp_path, capsys):
    path = tmp_path / "broken.state"
    path.write_bytes(b"nothing")
    assert main([str(path)]) == 2
    assert "neither a save state" in capsys.readouterr().err
