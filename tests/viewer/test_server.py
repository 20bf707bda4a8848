"""What the page's server answers, and what it refuses."""

import io
import json
import os
import shutil
import struct
import sys
import time
import urllib.error
import urllib.request
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from baselines.commands.learn.watch import WatchConfig, find, give_way, listen, url
from baselines.runs.json_lines import append_lines
from baselines.viewer import folder, server, tail
from baselines.viewer.feed import picture
from baselines.viewer.folder import Sessions, state_at
from baselines.viewer.run_report import Report
from baselines.viewer.world_map import film
from emerald_env.watching.live_file import LiveFile
from emerald_env.watching.record import Record

WALL = 3 * (8 + 2 * 240 * 160)  # bytes of three pictures


def get(address, method="GET", headers=None):
    request = urllib.request.Request(address, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def read_message(stream):
    facts, pictures = (stream.read(length) for length in struct.unpack("<2I", stream.read(8)))
    return json.loads(zlib.decompress(facts)), zlib.decompress(pictures) if pictures else b""


def test_a_picture_on_its_way_loses_no_colour(jade):
    for keys in ("start", "a", "down", "a"):
        jade.button(keys, 60)
        jade.tick(60)
    for every, shown in ((1, 1), (2, 1), (2, 2)):
        pixels = jade.colours(shown)
        content = b"".join(picture(Record(1, 1, 1, 0.0, shown, None, pixels), every))
        width, height = struct.unpack_from("<2I", content)
        keys = np.frombuffer(content, "<u2", offset=8).reshape(height, width)
        five = np.stack([keys >> shift & 31 for shift in (0, 5, 10)], axis=-1)
        # as the page makes eight bits of them
        assert np.array_equal(five << 3 | five >> 2, jade.screen.rgb[::every, ::every])


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="Linux only")
def test_the_page_gives_way_to_games_and_still_answers_while_every_core_is_full():
    with ThreadPoolExecutor(1) as pool:  # on Linux a thread has a priority of its own
        before = pool.submit(os.getpriority, os.PRIO_PROCESS, 0).result()
        pool.submit(give_way).result()
        assert pool.submit(os.sched_getscheduler, 0).result() == os.SCHED_BATCH
        assert pool.submit(os.getpriority, os.PRIO_PROCESS, 0).result() == min(before + 10, 19)


def test_the_printed_address_is_one_that_another_machine_can_open():
    with listen("0.0.0.0", 0) as listener:
        port = listener.getsockname()[1]
        host, _, rest = url(listener, "token").removeprefix("http://").partition(":")
    assert rest == f"{port}/token/" and host and host != "0.0.0.0"
    with listen("127.0.0.1", 0) as listener:
        assert url(listener, "").startswith("http://127.0.0.1:")


def test_games_are_found_shown_and_lost_without_a_restart(session, serve, play):
    address = serve(session.folder.parent) + f"s/{session.folder.name}/live?game=1"
    with urllib.request.urlopen(address) as stream:
        assert read_message(stream)[0] == {"state": "absent"}
        playing = play(session)
        shown, content = {}, b""
        # small pictures are left for who comes late; then those that were asked for follow
        while sum("place" in game for game in shown.values()) < 3 or len(content) < WALL:
            facts, content = read_message(stream)
            for game in facts.get("games", ()):
                shown.setdefault(game["game"], {}).update(game)
        assert facts["state"] == "running" and facts["n"] == 3
        assert shown[0]["place"] == "Truck"
        assert shown[0]["at"][:2] == list(playing.envs[0].unwrapped.state.location)
        while "large" not in (large := read_message(stream)[0]):
            pass
        assert large["large"] == 1 and len(large["probabilities"]) == len(large["actions"]) == 15
        playing.stop()
        playing.file.close()
        while read_message(stream)[0] != {"state": "absent"}:
            pass


def test_a_page_of_a_training_that_was_killed_shows_what_is_played_in_its_session_next(
    session, serve
):
    facts = {"terms": [], "game": "Jade"}
    LiveFile.create(session.live, facts | {"command": "train"}, 16, ["a"])  # it never beats
    address = serve(session.folder.parent) + f"s/{session.folder.name}/live"
    with urllib.request.urlopen(address, timeout=30) as stream:
        told = read_message(stream)[0]
        assert (told["state"], told["command"], told["n"]) == ("lost", "train", 16)
        path = session.folder / "live-play"
        LiveFile.create(path, facts | {"command": "play"}, 1, ["a"])
        with closing(LiveFile(path, own=True)) as playing:
            playing.beat(1)
            messages = (read_message(stream)[0] for _ in range(20))
            told = next(message for message in messages if message.get("command") == "play")
        assert (told["state"], told["n"]) == ("running", 1)
        while read_message(stream)[0].get("command") != "train":  # the play has ended
            pass


def next_wall(stream):
    """The games and pictures of the next message that has any."""
    while not (facts := (message := read_message(stream))[0]).get("games"):
        pass
    return facts["games"], message[1]


def test_viewers_get_the_pictures_that_they_ask_for_and_states_less_often(session, serve, play):
    playing = play(session)
    base = serve(session.folder.parent) + f"s/{session.folder.name}/live?pictures="
    for kind, size in (("none", 0), ("half", 8 + 2 * 120 * 80), ("full", 8 + 2 * 240 * 160)):
        with urllib.request.urlopen(base + kind) as stream:
            told = [next_wall(stream) for _ in range(12)]
            while len(told[-1][1]) != size * len(told[-1][0]):  # the games hear of it soon
                told.append(next_wall(stream))
        assert len(told) < 60
        games = [game for games, _ in told for game in games]
        assert all("at" in game and "step" in game for game in games)
        assert 0 < sum("levels" in game for game in games) < len(games) / 2
    playing.stop()


def test_games_hear_that_the_last_page_was_closed_before_its_announcement_ends(
    session, serve, play, monkeypatch
):
    monkeypatch.setattr("emerald_env.watching.live_file.LOOK_SECONDS", 10_000)
    playing = play(session)
    address = serve(session.folder.parent) + f"s/{session.folder.name}/live"
    with urllib.request.urlopen(address) as stream:
        next_wall(stream)
        assert playing.file.is_watched
    while playing.file.is_watched:
        time.sleep(0.01)


def test_what_cannot_be_read_of_a_session_is_named(session, serve):
    base = f"{serve(session.folder.parent)}s/{session.folder.name}"
    assert json.loads(get(f"{base}/damage")[1]) == []
    session.config.write_text("{")
    for path in (session.diagnostics, session.sightings, session.photographs):
        with path.open("ab") as file:
            file.write(b'{"a": \n[]\n')
    session.live.write_bytes(b"EMERLIVE" + bytes(100))
    assert get(f"{base}/world")[0] == 200
    found = {row["file"]: row["found"] for row in json.loads(get(f"{base}/damage")[1])}
    assert "not JSON" in found.pop("config.json") and "live file" in found.pop("live")
    assert found == dict.fromkeys(
        ("diagnostics.jsonl", "sightings.jsonl", "photographs.jsonl"), "2 lines are damaged"
    )


@pytest.mark.parametrize("file", ["live", "diagnostics.jsonl", "config.json", "clips", "archive"])
def test_a_link_to_itself_in_a_session_leaves_the_page_to_the_others(session, serve, file):
    other = session.folder.with_name("other")
    shutil.copytree(session.folder, other)
    path = session.folder / file
    path.unlink(missing_ok=True)
    path.symlink_to(path)
    address = serve(session.folder.parent)
    status, content, _ = get(address + "sessions")
    assert status == 200 and "other" in {one["name"] for one in json.loads(content)["sessions"]}
    for asked in ("run", "world", "damage", "layer?name=archive"):
        expected = 404 if file == "config.json" else 200  # without settings it is no session
        assert get(f"{address}s/{session.folder.name}/{asked}")[0] == expected
    assert get(f"{address}s/{session.folder.name}/clips/a.mp4")[0] == 404


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system refuses such names")
def test_a_session_whose_name_is_not_utf_8_is_not_listed(session, serve):
    folder = session.folder.with_name(os.fsdecode(b"2099-01-02_caf\xe9"))
    shutil.copytree(session.folder, folder)
    status, content, _ = get(serve(session.folder.parent) + "sessions")
    assert status == 200
    assert [one["name"] for one in json.loads(content)["sessions"]] == [session.folder.name]
    with pytest.raises(ValueError, match=r"2099-01-02_caf.xdce9 is not UTF-8.*rename it"):
        find(WatchConfig(str(folder)))


def test_an_old_session_that_was_asked_for_is_listed_beside_the_newest(tmp_path, monkeypatch):
    monkeypatch.setattr(folder, "MAX_SESSIONS", 2)
    for name in "abcd":
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
    for asked, listed in ((None, "dc"), ("c", "dc"), ("a", "dca"), ("gone", "dc")):
        assert "".join(one.name for one in Sessions(tmp_path, asked).list()) == listed


def test_nobody_gets_in_without_the_token(session, serve):
    address = serve(session.folder.parent, token="secret")
    assert get(address)[0] == get(address + "sessions")[0] == 403
    assert get(address + "secre/sessions")[0] == 403
    status, content, _ = get(address + "secret/sessions")
    assert status == 200 and session.folder.name in content.decode()
    assert b"<title>" in get(address + "secret/")[1]
    assert get(address + "secret/static/app.js")[0] == 200


def test_a_name_that_another_machine_resolves_to_this_one_is_not_answered(session, serve):
    address = serve(session.folder.parent)
    assert get(address)[0] == 200
    assert get(address, headers={"Host": "evil.example"})[0] == 400


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_written(session, serve, method):
    address = serve(session.folder.parent)
    assert get(f"{address}sessions", method)[0] == 405
    assert get(f"{address}s/{session.folder.name}/world", method)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "s/..%2f..%2fetc/world",
        "s/nothing/world",
        "s/.hidden/run",
        "s/{name}/clips/..%2f..%2fconfig.json",
        "s/{name}/clips/link.mp4",
        "s/{name}/recordings/..%2fx.recording",
        "s/{name}/map/99.99.png",
        "static/..%2fserver.py",
        "static/nothing.js",
    ],
)
def test_only_what_belongs_to_the_page_is_given_out(session, serve, path):
    session.clips.mkdir()
    (session.clips / "link.mp4").symlink_to(session.config)
    address = serve(session.folder.parent)
    assert get(address + path.format(name=session.folder.name))[0] == 404


def test_every_answer_forbids_content_from_elsewhere(session, serve):
    address = serve(session.folder.parent)
    for path in ("", "static/app.js", "sessions", f"s/{session.folder.name}/run"):
        _, _, headers = get(address + path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_the_page_names_no_other_machine(serve, session):
    address = serve(session.folder.parent)
    for name in ("app.js", "wall.js", "map.js", "run.js", "feed.js", "dom.js", "style.css"):
        text = get(f"{address}static/{name}")[1].decode()
        assert "http" not in text.replace("http://www.w3.org/2000/svg", ""), name


def test_the_report_has_curves_funnel_and_findings_with_their_ends(session):
    finding = {"code": "dead", "severity": "warning", "since": 10, "until": None}
    finding |= {"evidence": "e", "meaning": "m", "advice": ["lower it"]}
    rows = [
        {"num_timesteps": 10, "metrics": {"train/approx_kl": 0.5}, "findings": [finding]},
        {
            "num_timesteps": 20,
            "metrics": {"train/approx_kl": float("inf"), "milestones/entered_home": 0.25},
            "findings": [finding | {"until": 20}],
            "lacking": "only about 3 episodes",
        },
    ]
    append_lines(session.diagnostics, [json.dumps(row) for row in rows])
    told = Report(session).update()
    (kl,) = (curve for curve in told["curves"] if curve["name"] == "train/approx_kl")
    assert kl["points"] == [(10, 0.5)] and told["steps"] == 20
    assert told["lacking"] == "only about 3 episodes"
    (row,) = told["funnel"]
    assert (row["milestone"], row["share"], row["first"]) == ("entered_home", 0.25, 20)
    (said,) = told["findings"]
    assert (said["code"], said["until"], said["advice"]) == ("dead", 20, ["lower it"])


def test_after_a_resume_the_report_has_no_line_that_the_run_went_back_from(session):
    def add(*points):
        lines = [{"num_timesteps": s, "metrics": {"train/approx_kl": kl}} for s, kl in points]
        append_lines(session.diagnostics, [json.dumps(line) for line in lines])

    def curve():
        curves = report.update()["curves"]
        return next(one["points"] for one in curves if one["name"] == "train/approx_kl")

    report = Report(session)
    add((10, 0.5), (20, 0.6), (30, 0.7))
    assert curve() == [(10, 0.5), (20, 0.6), (30, 0.7)]
    session.go_back_to(10)
    add((20, 0.1), (30, 0.2), (40, 0.3))  # the file is longer than it was
    assert curve() == [(10, 0.5), (20, 0.1), (30, 0.2), (40, 0.3)]
    add((50, 0.4))
    assert curve() == [(10, 0.5), (20, 0.1), (30, 0.2), (40, 0.3), (50, 0.4)]


def lines_read(session, serve, monkeypatch, shown):
    """What tells how many of three lines are read of each of the sessions `shown` when asked."""
    rows = [{"num_timesteps": n, "metrics": {"train/approx_kl": 0.5}} for n in range(1, 4)]
    append_lines(session.diagnostics, [json.dumps(row) for row in rows])
    for name in shown:
        shutil.copytree(session.folder, session.folder.with_name(name))
    address = serve(session.folder.parent)

    def asked(names):
        return [json.loads(get(f"{address}s/{name}/run")[1])["steps"] for name in names]

    monkeypatch.setattr(tail, "SECONDS", 1e-9)  # a line at a time
    return asked


def test_pages_with_a_session_and_three_beside_it_each_are_read_to_their_ends_in_turns(
    session, serve, monkeypatch
):
    asked = lines_read(session, serve, monkeypatch, "abcdefghijklm")
    assert [asked("abcdefghijkl") for _ in range(3)] == [[1] * 12, [2] * 12, [3] * 12]
    assert asked("am") == [3, 1]  # the thirteenth takes the place of the one not asked for longest
    assert asked("acdefghijklb") == [3] * 11 + [1]


def test_of_sessions_that_no_page_asks_for_any_more_four_are_kept(session, serve, monkeypatch):
    monkeypatch.setattr(server, "KEPT_SECONDS", 0.0)
    asked = lines_read(session, serve, monkeypatch, "abcde")
    assert [asked("abcd") for _ in range(3)] == [[1] * 4, [2] * 4, [3] * 4]
    assert asked("ae") == [3, 1]  # the fifth takes the place of the one not asked for longest
    assert asked("acdb") == [3, 3, 3, 1]


def test_before_an_episode_has_ended_the_report_has_what_the_games_have_reached(session, play):
    assert Report(session).update()["under_way"] == {}
    playing = play(session)
    while len(reached := Report(session).update()["under_way"]) < 2:
        playing.file.look()
    assert reached["milestones/per_episode"] == 0 and reached["rollout/ep_rew_mean"] >= 0
    ended = {"num_timesteps": 10, "metrics": {"rollout/ep_rew_mean": 1.0}, "findings": []}
    append_lines(session.diagnostics, [json.dumps(ended)])
    assert Report(session).update()["under_way"] == {}


def test_a_run_that_has_locked_its_session_is_alive_while_it_says_nothing(session):
    assert state_at(session, 1.0) == "running" and state_at(session, 100.0) == "lost"
    with session.locked():
        assert state_at(session, 100.0) == "running"
    for said in ("process 999999999 on nowhere", "process -1 on x", "\xff", "process 1 on a\nb"):
        (session.folder / ".lock.holder").write_bytes(said.encode("latin-1"))
        assert state_at(session, 100.0) == "lost"


def share_of_fog(png):
    """The share of a picture's pixels that nobody has seen."""
    pixels = np.array(Image.open(io.BytesIO(png)).convert("RGB"))
    return (pixels == film.FOG).all(axis=-1).mean()


def seen_at(session):
    """The env steps at which photographs were taken."""
    lines = session.photographs.read_text().splitlines()
    return {json.loads(line)["num_timesteps"] for line in lines}


def test_the_map_can_be_had_as_a_picture_and_as_a_film(session, serve, monkeypatch, tmp_path):
    monkeypatch.setattr(film, "FRAMES", 6)
    monkeypatch.setattr(film, "HOLD", 2)
    base = f"{serve(session.folder.parent)}s/{session.folder.name}"
    status, content, headers = get(f"{base}/map.png?layer=visits")
    assert status == 200 and content.startswith(b"\x89PNG")
    assert headers["content-disposition"].startswith("attachment")
    (seen_first, *_, seen_last) = sorted(seen_at(session))
    assert (share_of_fog(content) < 0.9) and seen_first < seen_last
    at_first, at_last, before = (
        share_of_fog(get(f"{base}/map.png?to={steps}")[1])
        for steps in (seen_first, seen_last, seen_first - 1)
    )
    assert before == 1 > at_first > at_last == share_of_fog(get(f"{base}/map.png")[1])
    status, content, _ = get(f"{base}/map.mp4")
    (tmp_path / "map.mp4").write_bytes(content)
    reader = imageio_ffmpeg.read_frames(str(tmp_path / "map.mp4"))
    next(reader)
    shown = [np.frombuffer(frame, np.uint8).reshape(-1, 3) for frame in reader]
    fog = [(abs(frame.astype(int) - film.FOG).max(axis=1) < 12).mean() for frame in shown]
    assert status == 200 and len(shown) == 8
    assert fog[0] > 0.99 and fog[-1] < 0.9  # the map grows
