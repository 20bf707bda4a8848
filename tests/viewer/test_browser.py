"""The page in a real browser."""

import asyncio
import hashlib
import json
import shutil

import numpy as np
import pytest

from baselines.runs.json_lines import append_lines
from baselines.runs.session_folder import Session
from baselines.viewer import folder
from baselines.viewer.server import Server
from baselines.viewer.world_map.world import TILE, World

HOSTILE = "2026-01-01_<img src=x onerror=document.title='owned'>&amp;"


@pytest.fixture
def find(browser):
    return lambda selector: browser.find_elements("css selector", selector)


def picture_of(browser, selector):
    """The first canvas' picture, as the browser has it."""
    script = "return document.querySelector(arguments[0]).toDataURL()"
    return hashlib.sha1(browser.execute_script(script, selector).encode()).digest()


def test_the_wall_moves_a_click_opens_a_game_and_a_stopped_training_is_said(
    session, serve, play, browser, find, until, monkeypatch
):
    monkeypatch.setattr(folder, "ALIVE_SECONDS", 1.0)
    address = serve(session.folder.parent)
    browser.get(address)
    until(lambda: "No training runs in this session" in find("#notice")[0].text)
    playing = play(session)
    until(lambda: len(find(".game")) == 3)
    seen = set()
    until(lambda: seen.add(picture_of(browser, ".game canvas")) or len(seen) >= 3)
    assert "training" in find("#status")[0].text
    find(".game")[1].click()
    until(lambda: find("#large")[0].is_displayed() and len(find("#thoughts .bar")) == 15)
    assert find("#large h2")[0].text == "Game 1"
    until(lambda: "place" in find("#state")[0].text)
    find("#large-close")[0].click()
    assert not find("#large")[0].is_displayed()
    playing.stop()
    until(lambda: "no sign of life" in find("#status")[0].text)
    playing.file.close()
    until(lambda: "not running" in find("#status")[0].text)
    assert len(find(".game")) == 3  # what was seen last stays


def test_games_of_a_run_before_leave_the_wall_and_the_map_when_fewer_are_played(
    session, serve, play, browser, find, until
):
    browser.get(serve(session.folder.parent))
    training = play(session)
    until(lambda: len(find(".game")) == 3)
    find("[data-game='2']")[0].click()
    until(lambda: find("#large")[0].is_displayed())
    training.stop()
    training.file.close()
    until(lambda: "not running" in find("#status")[0].text)
    play(session, 1, "play")
    until(lambda: "playing" in find("#status")[0].text)
    until(lambda: len(find(".game")) == 1 and not find("#large")[0].is_displayed())
    assert find(".game")[0].get_attribute("data-game") == "0"
    assert browser.execute_script("return [...watch.map.agents.keys()]") == [0]


MESSAGES_AFTER_ABORT = """
const control = new AbortController(), taken = [];
const pack = async (text) => new Uint8Array(await new Response(
  new Blob([text]).stream().pipeThrough(new CompressionStream("deflate"))).arrayBuffer());
const facts = await pack("{}"), message = new Uint8Array(8 + facts.length);
new DataView(message.buffer).setUint32(0, facts.length, true);
message.set(facts, 8);
window.fetch = async () => new Response(new Blob([message, message]));
const { follow } = await import("/static/feed.js");
await follow("/", (one) => { taken.push(one); control.abort(); }, control.signal);
done(taken.length);
"""


def test_messages_received_before_another_session_is_chosen_are_not_shown_in_it(
    session, serve, browser
):
    browser.get(serve(session.folder.parent))
    assert (
        browser.execute_async_script(f"(async (done) => {{{MESSAGES_AFTER_ABORT}}})(arguments[0])")
        == 1
    )


def test_before_an_episode_has_ended_the_run_shows_what_the_games_have_earned(
    session, serve, play, browser, find, until
):
    line = {"num_timesteps": 10, "metrics": {"train/approx_kl": 0.01}, "findings": []}
    append_lines(session.diagnostics, [json.dumps(line)])
    play(session)
    browser.get(serve(session.folder.parent) + "#games")
    until(lambda: len(find(".game")) == 3)  # the games are looked at, and show themselves
    find("#tab-run")[0].click()
    until(lambda: len(find("#charts .chart")) == 6)
    reward, milestones, entropy, *_ = [chart.text for chart in find("#charts .chart")]
    assert "no episode has ended yet" in reward and "no episode has ended yet" in milestones
    assert "not measured yet" in entropy


def test_a_session_beside_the_watched_one_that_vanishes_leaves_its_run_as_it_was(
    session, serve, browser, find, until, monkeypatch
):
    line = {"num_timesteps": 10, "metrics": {"train/approx_kl": 0.01}, "findings": []}
    append_lines(session.diagnostics, [json.dumps(line)])
    other = Session(shutil.copytree(session.folder, session.folder.with_name("1999-beside")))
    browser.get(serve(session.folder.parent) + "#run")
    until(lambda: find("#others button"))
    find("#others button")[0].click()
    until(lambda: len(find("#charts .chart:nth-child(4) path")) == 2)
    listed = folder.Sessions.list
    before = listed(folder.Sessions(session.folder.parent))
    monkeypatch.setattr(folder.Sessions, "list", lambda sessions: before)  # the page hears late
    shutil.rmtree(other.folder)
    browser.execute_async_script("watch.run.refresh().then(arguments[0])")
    assert len(find("#charts .chart")) == 6
    monkeypatch.setattr(folder.Sessions, "list", listed)
    until(lambda: not find("#others button"))
    assert browser.execute_script("return watch.run.others") == []


def test_each_view_says_what_plays_and_how_far_it_is(session, serve, play, browser, find, until):
    play(session, command="evaluate")
    address = serve(session.folder.parent)
    for view in ("run", "games", "map"):
        browser.get(address + "#" + view)
        until(lambda: "evaluating" in find("#status")[0].text)
    find("#tab-run")[0].click()
    before = find("#status")[0].text
    until(lambda: find("#status")[0].text != before)  # the steps go on without the stream
    assert "evaluating" in find("#status")[0].text


def test_the_map_has_the_ground_where_it_was_seen_and_layers_switch(
    session, serve, browser, find, until
):
    browser.get(serve(session.folder.parent) + "#map")
    until(lambda: browser.execute_script("return watch.map.world && watch.map.view !== null"))
    for name in ("#names", "#agents"):
        find(name)[0].click()
    choose(browser, "#layer", "")
    until(lambda: browser.execute_script("return watch.map.heat.length === 0"))
    world = World(session)
    world.update()
    location, ground = max(world.maps.items(), key=lambda item: len(item[1].rows()))
    rows = sorted(ground.rows())
    (x, y, _), painted = rows[len(rows) // 2], world.paint(location)
    pixels = browser.execute_script(
        """
        const map = watch.map, place = map.place(arguments[0]);
        map.view = { scale: 16, x: place[0] - 20, y: place[1] - 20 };
        map.draw();
        return [...map.pen.getImageData(320, 320, 16, 16).data];
        """,
        [*location, x, y],
    )
    tile = painted[y * TILE : (y + 1) * TILE, x * TILE : (x + 1) * TILE]
    assert np.array_equal(np.reshape(pixels, (TILE, TILE, 4)), tile)
    plain = picture_of(browser, "#board")
    choose(browser, "#layer", "visits")
    until(lambda: picture_of(browser, "#board") != plain)
    full = browser.execute_script("return watch.map.heat.length")
    browser.execute_script(
        "const range = document.querySelector('#until'); range.value = 0;"
        "range.dispatchEvent(new Event('input'))"
    )
    until(lambda: 0 < browser.execute_script("return watch.map.heat.length") < full)
    assert find("#png")[0].get_attribute("href").endswith("/map.png?layer=visits&to=100")
    choose(browser, "#layer", "")
    assert find("#png")[0].get_attribute("href").endswith("/map.png?layer=&to=100")
    assert find("#mp4")[0].get_attribute("href").endswith("/map.mp4?layer=")


def test_a_recording_that_is_made_while_the_map_is_shown_can_be_replayed(
    session, serve, browser, find, until
):
    def offered():
        script = "return [...document.querySelectorAll('#replay option')].map((one) => one.value)"
        return browser.execute_script(script)  # at once: the options are replaced meanwhile

    session.recordings.mkdir()
    first, second = (session.recordings / f"{name}.recording" for name in "ab")
    first.write_bytes(b"")
    browser.get(serve(session.folder.parent) + "#map")
    until(lambda: offered() == ["", "a.recording"])
    choose(browser, "#replay", "a.recording")
    second.write_bytes(b"")
    browser.execute_async_script("watch.map.refresh().then(arguments[0])")
    assert offered() == ["", "*", "a.recording", "b.recording"]
    assert find("#replay")[0].get_attribute("value") == "a.recording"
    first.unlink()
    browser.execute_async_script("watch.map.refresh().then(arguments[0])")
    assert offered() == ["", "b.recording"]
    assert find("#replay")[0].get_attribute("value") == ""


def test_a_damaged_session_says_what_is_damaged_and_shows_the_rest(
    session, serve, browser, find, until
):
    session.config.write_text("{")
    session.diagnostics.write_bytes(b"\x00\xff\n" * 3)
    session.live.write_bytes(b"no live file")
    browser.get(serve(session.folder.parent))
    until(lambda: find("#damage li"))
    assert find("#damage summary strong")[0].text == "3 files of this session are damaged"
    assert not find("#damage li")[0].is_displayed()
    find("#damage summary")[0].click()
    told = [row.text for row in find("#damage li")]
    assert told[0].startswith("config.json not JSON") and "cannot be resumed" in told[0]
    assert told[1].startswith("diagnostics.jsonl 3 lines are damaged")
    assert told[2].startswith("live ") and "games cannot be shown" in told[2]
    assert "No training runs in this session" in find("#notice")[0].text
    find("#tab-map")[0].click()
    until(lambda: browser.execute_script("return watch.map.images.size > 0"))
    find("#tab-run")[0].click()
    until(lambda: "Nothing is known yet" in find("#findings")[0].text)


def choose(browser, selector, value):
    browser.execute_script(
        "const select = document.querySelector(arguments[0]); select.value = arguments[1];"
        "select.dispatchEvent(new Event('change'))",
        selector,
        value,
    )


def test_a_session_with_a_hostile_name_shows_it_as_text(session, serve, play, browser, find, until):
    hostile = Session(session.folder.rename(session.folder.with_name(HOSTILE)))
    play(hostile, 1)
    browser.get(serve(hostile.folder.parent))
    until(lambda: find("#session option"))
    assert find("#session option")[0].text == HOSTILE
    until(lambda: find(".game"))
    for view in ("map", "run", "games"):
        find(f"#tab-{view}")[0].click()
        until(lambda: find(f"#{view}")[0].is_displayed())  # noqa: B023
    assert browser.title == "emerald watch" and not find("img")


def test_a_page_whose_server_has_not_answered_yet_says_that_it_loads(
    serve, browser, find, until, tmp_path, monkeypatch
):
    answers = Server.list

    async def late(server, request):
        await asyncio.sleep(2)
        return await answers(server, request)

    monkeypatch.setattr(Server, "list", late)
    browser.get(serve(tmp_path))
    until(lambda: "Loading" in find("#notice")[0].text)
    until(lambda: "No training yet" in find("#notice")[0].text)


def test_when_the_watched_session_vanishes_another_one_is_shown(
    session, serve, browser, find, until
):
    shown = [session.folder.with_name(f"1999-{name}") for name in "ab"]
    for other in shown:
        shutil.copytree(session.folder, other)
    browser.get(serve(session.folder.parent))
    until(lambda: len(find("#session option")) == 3)
    choose(browser, "#session", "1999-a")
    shutil.rmtree(shown[0])
    newest = session.folder.name
    until(lambda: find("#session")[0].get_attribute("value") == newest)
    until(lambda: "No training runs in this session" in find("#notice")[0].text)
    assert f"--resume {newest}" in find("#notice")[0].text
    browser.get(serve(session.folder.parent, only="1999-b"))
    until(lambda: find("#session")[0].get_attribute("value") == "1999-b")
    shutil.rmtree(shown[1])
    until(lambda: find("#session")[0].get_attribute("value") == newest)
    until(lambda: f"--resume {newest}" in find("#notice")[0].text)


def test_no_session_is_an_invitation_and_a_new_one_is_found(
    session, serve, browser, find, until, tmp_path
):
    folder = tmp_path / "empty"
    folder.mkdir()
    browser.get(serve(folder) + "#run")
    until(lambda: "No training yet" in find("#notice")[0].text)
    assert not find("#run h2")[0].is_displayed()  # headings of nothing
    session.folder.rename(folder / session.folder.name)
    until(lambda: find("#session option"))
    find("#tab-run")[0].click()
    until(lambda: "Nothing is known yet" in find("#findings")[0].text)
    assert find("#run h2")[0].is_displayed()
    log = browser.get_log("browser")
    assert not [entry for entry in log if entry["source"] != "network"]  # servers before were ended
