"""The page against sessions that mean harm: memory, time, links, other sites, half requests."""

import base64
import http.client
import json
import os
import resource
import socket
import subprocess
import sys
import zlib
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baselines.viewer.connections import MAX_CONNECTIONS
from baselines.viewer.run_report import Report
from baselines.viewer.world_map.layers import MAX_ROWS, MAX_SHOWN, Layers
from baselines.viewer.world_map.world import World

ROOT = Path(__file__).parents[2]
MOST_MEBIBYTES = 300
MOST_SECONDS = 20  # of processor time: far above what an answer takes, far below an attack (75)
# a process of its own, as its peak counts; it answers each path once and says what that took
ANSWER = """
import json, resource, sys, time
from pathlib import Path
from starlette.testclient import TestClient
from baselines.viewer.folder import Sessions
from baselines.viewer.server import make_app
folder = Path(sys.argv[1])
client = TestClient(make_app(Sessions(folder.parent)), base_url="http://localhost")
client.get("/")
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
before, slowest, sizes = peak(), 0.0, {}
for path in 2 * sys.argv[2:]:
    began = time.process_time()
    answer = client.get(f"/s/{folder.name}/{path}")
    slowest = max(slowest, time.process_time() - began)
    sizes[path] = [answer.status_code, len(answer.content)]
print(json.dumps([peak() - before, slowest, sizes]))
"""
PATHS = ["world", "map.png", "layer?name=visits", "run", "damage", "sessions"]


def answers(session, *paths):
    command = [sys.executable, "-c", ANSWER, str(session.folder), *(paths or PATHS[:5])]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    mebibytes, seconds, sizes = json.loads(done.stdout)
    print(f"{mebibytes:.0f} MB, {seconds:.2f} s an answer at most, {sizes}")
    assert mebibytes < MOST_MEBIBYTES, (mebibytes, sizes)
    assert seconds < MOST_SECONDS, (seconds, sizes)
    return sizes


def photograph(number, at, size, picture, steps=1):
    packed = base64.b64encode(zlib.compress(picture.tobytes(), 1)).decode()
    tile = [number // 100, number % 100, *at]
    return json.dumps({"num_timesteps": steps, "tile": tile, "size": size, "picture": packed})


@pytest.mark.slow
def test_600_long_maps_take_little_memory(session):
    black = np.zeros((160, 240, 3), np.uint8)
    sizes = [(1024, 10) if number % 2 else (10, 1024) for number in range(600)]
    lines = [photograph(n, (5, 5), size, black) for n, size in enumerate(sizes)]
    session.photographs.write_text("\n".join(lines) + "\n")
    assert answers(session)["map.png"][0] == 200


@pytest.mark.slow
def test_5_000_colours_of_one_cell_take_little_memory_and_time(session):
    lines = []
    for colour in range(5_000):
        picture = np.full((160, 240, 3), (colour & 255, colour >> 8, 7), np.uint8)
        lines.append(photograph(1, (5, 5), (30, 30), picture, colour))
    session.photographs.write_text("\n".join(lines) + "\n")
    answers(session)


@pytest.mark.slow
def test_pictures_of_noise_and_20_megabytes_of_sightings_take_little_memory(session):
    dice = np.random.default_rng(0)
    noise = [
        photograph(n % 90, dice.integers(0, 90, 2).tolist(), (100, 100), picture)
        for n in range(100)
        for picture in [dice.integers(0, 256, (160, 240, 3), np.uint8)]
    ]
    session.photographs.write_text("\n".join(noise) + "\n")
    with session.sightings.open("w") as file:
        for line in range(20):
            rows = dice.integers(0, 1000, (40_000, 5)).tolist()
            layers = {"visits": rows[:20_000], "still": rows[20_000:]}
            sighting = {"num_timesteps": line, "layers": layers, "doors": []}
            file.write(json.dumps(sighting) + "\n")  # in C, unlike json.dump
    assert session.sightings.stat().st_size > 18e6
    sizes = answers(session)
    assert sizes["layer?name=visits"][1] < 40 * MAX_SHOWN


def test_layers_forget_moments_before_they_take_more_memory(session):
    session.sightings.unlink()
    with session.sightings.open("w") as file:
        for line in range(450):
            rows = [[0, 1, x, line % 10, 1] for x in range(40)]
            json.dump({"num_timesteps": line, "layers": {"visits": rows}, "doors": []}, file)
            file.write("\n")
    layers = Layers(session)
    layers.update()
    assert len(layers.times) < 450 and layers.times[-1] == 449 and layers._rows < MAX_ROWS
    assert sum(layers.rows("visits").values()) == 450 * 40
    assert max(layers.rows("visits").values()) == 45


FINDING = {"code": "dead", "severity": "warning", "since": 10, "until": None, "advice": ["x"]}


@pytest.mark.parametrize(
    "change",
    [
        {"advice": 5},
        {"since": [1]},
        {"since": float("nan")},
        {"until": 1e300},
        {"code": None},
        {"meaning": {"a": 1}},
        {"evidence": "\x1b[2J"},
    ],
)
def test_a_finding_of_another_form_is_counted_and_the_rest_is_shown(session, serve, change):
    good = {"num_timesteps": 10, "findings": [FINDING]}
    bad = {"num_timesteps": 20, "findings": [FINDING | change]}
    session.diagnostics.write_text("".join(json.dumps(line) + "\n" for line in (good, bad)))
    told = Report(session).update()
    assert [finding["code"] for finding in told["findings"]] == ["dead"]
    base = f"{serve(session.folder.parent)}s/{session.folder.name}"
    assert json.loads(read(f"{base}/run")[1])["findings"] == told["findings"]
    assert {"file": "diagnostics.jsonl", "found": "a line is damaged"}.items() <= json.loads(
        read(f"{base}/damage")[1]
    )[0].items()


def test_a_thousand_rewards_of_1e308_leave_the_curve_out(session, serve):
    lines = [
        {"num_timesteps": n, "metrics": {"rollout/ep_rew_mean": 1e308, "train/approx_kl": n}}
        for n in range(1000)
    ]
    session.diagnostics.write_text("".join(json.dumps(line) + "\n" for line in lines))
    base = f"{serve(session.folder.parent)}s/{session.folder.name}"
    curves = {c["name"]: c["points"] for c in json.loads(read(f"{base}/run")[1])["curves"]}
    assert curves["rollout/ep_rew_mean"] == []
    points = curves["train/approx_kl"]
    assert 200 <= len(points) <= 400 and points[-1][0] == 999
    assert np.mean([value for _, value in points]) == pytest.approx(499.5, abs=5)


@pytest.mark.parametrize("what", ["clips", "recordings", "session", "archive", "photographs"])
def test_no_link_is_followed_in_any_part_of_a_path(session, serve, tmp_path, what):
    address, name = serve(session.folder.parent), session.folder.name
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.mp4").write_bytes(b"secret")
    (elsewhere / "secret.recording").write_bytes(b"secret")
    if what == "session":
        (elsewhere / "config.json").write_text("{}")
        session.folder.rename(tmp_path / "moved")
        session.folder.symlink_to(elsewhere)
        assert read(f"{address}s/{name}/world")[0] == 404
        assert json.loads(read(f"{address}sessions")[1])["sessions"] == []
    elif what == "photographs":
        target = session.photographs.rename(tmp_path / "photographs")
        session.photographs.symlink_to(target)
        assert json.loads(read(f"{address}s/{name}/world")[1])["maps"][0]["since"] == []
        assert "links are not followed" in read(f"{address}s/{name}/damage")[1].decode()
    else:
        (session.folder / what).symlink_to(elsewhere)
        for path in ("clips/secret.mp4", "recordings/secret.recording", "layer?name=archive"):
            status, content = read(f"{address}s/{name}/{path}")
            assert b"secret" != content and (status != 200 or content == b"[]")
        run = json.loads(read(f"{address}s/{name}/run")[1])
        assert run["recordings"] == [] and run["clips"] == []


def read(address, method="GET", headers=None):
    _, _, host, path = address.split("/", 3)
    with closing(http.client.HTTPConnection(host)) as connection:
        connection.request(method, "/" + path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()


def raw(address, content):
    """What the server answers to bytes, b"" if it just closes the connection."""
    host, port = address.split("/")[2].split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        with suppressed():
            return b"".join(iter(lambda: connection.recv(1 << 16), b""))
    return b""


def suppressed():
    stack = ExitStack()
    stack.push(lambda kind, error, trace: isinstance(error, OSError))
    return stack


def test_another_site_starts_nothing(session, serve):
    address = serve(session.folder.parent)
    film = f"{address}s/{session.folder.name}/map.mp4"
    for site in ("cross-site", "same-site"):
        for mode in ("no-cors", "navigate", "cors"):
            assert read(film, headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode})[0] == 403
        leads = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
        assert read(address, headers=leads)[0] == 200
    for site in ("same-origin", "none"):
        assert read(f"{address}sessions", headers={"Sec-Fetch-Site": site})[0] == 200


@pytest.mark.parametrize("token", ["", "secret"])
def test_a_request_for_everything_is_answered(session, serve, token):
    answer = raw(
        serve(session.folder.parent, token), b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n"
    )
    assert answer.split()[1] in (b"403", b"404", b"405")


def test_half_requests_keep_nobody_out(session, serve):
    address = serve(session.folder.parent, "secret")
    host, port = address.split("/")[2].split(":")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    opened = 0
    try:
        with ExitStack() as stack:
            for _ in range(3 * MAX_CONNECTIONS):
                connection = socket.create_connection((host, int(port)))
                stack.enter_context(connection)
                with suppressed():
                    connection.sendall(b"GET /secret/ HTTP/1.1\r\nHost: loc")
                opened += 1
                if opened % 50 == 0:
                    assert read(f"{address}secret/sessions")[0] == 200
            here = [
                os.readlink(entry)
                for entry in map(str, Path("/proc/self/fd").iterdir())
                if os.path.islink(entry)
            ]
            sockets = sum(link.startswith("socket:") for link in here)
            assert sockets < opened + 2 * MAX_CONNECTIONS  # both ends are in this process
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


ODD = st.text(st.characters(codec="utf-8"), max_size=20)
NUMBERS = st.sampled_from(["-1", "0", "1", "99999999999999999999", "1e9", "NaN", "٣", "%00", "../"])


@given(
    method=st.sampled_from([b"GET", b"HEAD", b"OPTIONS", b"TRACE", b"CONNECT", b"get", b"G\0T"]),
    path=st.lists(
        st.one_of(
            ODD,
            NUMBERS,
            st.sampled_from(
                ["s", "NAME", "world", "map", "layer", "clips", "recordings", "live", "static"]
            ),
        ),
        max_size=6,
    ),
    query=st.one_of(ODD, NUMBERS.map("from={0}&to={0}&game={0}&pictures={0}&name={0}".format)),
    headers=st.lists(st.tuples(ODD, ODD), max_size=3),
    version=st.sampled_from([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/9.9", b""]),
)
@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_request_is_answered_with_an_error_of_the_server(
    serving, method, path, query, headers, version
):
    address, name = serving
    target = "/" + "/".join(name if part == "NAME" else part for part in path if part != "live")
    lines = [method + b" " + f"{target}?{query}".encode() + b" " + version, b"Host: localhost"]
    lines += [f"{key}: {value}".encode() for key, value in headers] + [
        b"Connection: close",
        b"",
        b"",
    ]
    answer = raw(address, b"\r\n".join(lines))
    assert not answer.startswith(b"HTTP/1.1 5"), answer[:200]


@pytest.fixture
def serving(session, serve):
    return serve(session.folder.parent), session.folder.name


def test_a_session_that_is_read_in_parts_ends_as_one_that_is_read_at_once(walked, monkeypatch):
    from baselines.viewer import tail

    whole = World(walked), Layers(walked)
    for part in whole:
        part.update()
        assert not part.tail.more
    monkeypatch.setattr(tail, "SECONDS", 1e-9)
    parts = World(walked), Layers(walked)
    for part in parts:
        part.tail.more = True
        while part.tail.more:
            part.update()
    assert parts[1].rows("visits") == whole[1].rows("visits")
    assert {at: g.rows() for at, g in parts[0].maps.items()} == {
        at: g.rows() for at, g in whole[0].maps.items()
    }
