"""A language model's game, played by the SDK's own client."""

import base64
import json
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio
import cv2
import numpy as np
import pytest

from baselines.commands.play.serve import main, only_world
from baselines.playing.benchmark.protocol import BenchmarkError
from baselines.playing.benchmark.result_file import Claim, verify
from baselines.playing.benchmark.served_game import ServedGame
from emerald_env.game.choice import GameChoice

pytest.importorskip("mcp", reason="`pip install .[serve]` brings it")
import httpx2  # noqa: E402
from mcp import Client, StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SERVE = ["-m", "baselines", "serve"]


def served(out, *options):
    """A server on its standard input and output."""
    command = [*SERVE, "--out", str(out), *options]
    return stdio_client(StdioServerParameters(command=sys.executable, args=command, cwd=ROOT))


def play(transport, calls):
    """Returns the tools' names, and the answers to calls of them."""

    async def run():
        async with Client(transport) as client:
            tools = [tool.name for tool in (await client.list_tools()).tools]
            return tools, [await client.call_tool(name, given) for name, given in calls]

    return anyio.run(run)


def text(answer):
    return answer.content[0].text


def test_what_a_model_plays_is_a_result_that_can_be_verified(tmp_path):
    out = tmp_path / "model.json"
    keys = ["a", "wait", "right", "up+b"]
    tools, (looked, pressed, *_, wrong) = play(
        served(out, "--name", "somebody"),
        [
            ("look", {}),
            ("press", {"keys": keys}),
            *[("press", {"keys": ["right"] * 8})] * 2,
            ("press", {"keys": ["a", "jump"]}),
        ],
    )
    assert tools == ["press", "look"]
    picture = cv2.imdecode(np.frombuffer(base64.b64decode(looked.content[0].data), np.uint8), 1)
    assert picture.shape == (320, 480, 3) and picture.any()
    assert json.loads(text(pressed)) == {"steps": 4, "left": 8188, "minutes": 0.03, "over": False}
    assert wrong.is_error and "no key 'jump': there are wait, a, b, up" in text(wrong)
    result = verify(out)
    assert result["agent"] == "somebody" and result["assists"] == []
    assert [episode["steps"] for episode in result["episodes"]] == [20]


def test_the_state_can_be_read_where_that_is_declared(tmp_path):
    out = tmp_path / "model.json"
    tools, (first, _, then) = play(
        served(out, "--assists", "memory"),
        [("state", {}), ("press", {"keys": ["right"] * 12}), ("state", {})],
    )
    assert tools == ["press", "look", "state"]
    before, after = json.loads(text(first)), json.loads(text(then))
    assert before["controllable_now"] and before["map"]["name"] and after["party"] == []
    result = json.loads(out.read_text())
    assert verify(out)["assists"] == ["memory"]
    out.write_text(json.dumps(result | {"assists": []}))
    with pytest.raises(BenchmarkError, match="an assist that is not declared: memory"):
        verify(out)


def test_over_http_only_those_who_have_the_token_play(tmp_path, unused_port):
    command = [sys.executable, *SERVE, "--out", str(tmp_path / "model.json"), "--http"]
    with subprocess.Popen([*command, unused_port], stderr=subprocess.PIPE, cwd=ROOT) as server:
        address = server.stderr.readline().decode().strip()
        (token,) = re.findall("Bearer (.+)", server.stderr.readline().decode())
        wait_for(address)

        def client(given):
            headers = {"Authorization": f"Bearer {given}"}
            return streamable_http_client(address, http_client=httpx2.AsyncClient(headers=headers))

        assert httpx2.post(address).status_code == 401
        with pytest.raises(BaseException):  # noqa: B017, PT011
            play(client("guessed"), [])
        _, (pressed,) = play(client(token), [("press", {"keys": ["a"]})])
        server.terminate()
    assert json.loads(text(pressed))["steps"] == 1
    assert verify(tmp_path / "model.json")["episodes"][0]["steps"] == 1


@pytest.fixture
def unused_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def wait_for(address):
    for _ in range(200):
        try:
            return httpx2.get(address)
        except httpx2.ConnectError:
            time.sleep(0.05)
    raise TimeoutError(address)


def test_another_world_is_played_too(tmp_path):
    out = tmp_path / "model.json"
    claim = Claim("Jade-v1", "model", 0, (), only_world("7:large"))
    with closing(ServedGame(claim, GameChoice(world="7:large"), out)) as game:
        game.press(["a", "up"])
        with pytest.raises(BenchmarkError, match="memory may not be read"):
            game.state  # noqa: B018
    assert verify(out)["worlds"] == "7..7:large"


def test_calls_at_the_same_time_are_played_one_after_the_other(tmp_path):
    out = tmp_path / "model.json"
    claim = Claim("Jade-v1", "model", 0, ("memory",), None)
    with closing(ServedGame(claim, GameChoice(), out)) as game:
        with ThreadPoolExecutor(6) as pool:
            calls = [pool.submit(game.press, [key] * 48) for key in ("a", "right", "b", "down")]
            calls += [pool.submit(game.look), pool.submit(lambda: game.state)]
        pressed = [call.result() for call in calls[:4]]
    assert sorted(time["steps"] for time in pressed) == [48, 96, 144, 192]
    assert [episode["steps"] for episode in verify(out)["episodes"]] == [192]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_and_ends_it_while_it_waits_for_input(tmp_path, number):
    out, keys = tmp_path / "model.json", {"keys": ["a", "right", "b"]}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}}
    begin["clientInfo"] = {"name": "test", "version": "1"}
    messages = [
        {"id": 1, "method": "initialize", "params": begin},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "press", "arguments": keys}},
    ]
    command = [sys.executable, *SERVE, "--out", str(out)]
    pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    heard = partial(signal.signal, number, signal.SIG_DFL)  # what runs in the background ignores it
    with subprocess.Popen(
        command, cwd=ROOT, text=True, bufsize=1, preexec_fn=heard, **pipes
    ) as server:
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0"} | message) + "\n")
        answers = [json.loads(server.stdout.readline())["id"] for _ in range(2)]
        server.send_signal(number)
        assert server.wait(60) == 128 + number
        assert server.stderr.read() == f"recorded {tmp_path / 'model_0000.recording'}\n"
    assert answers == [1, 2]
    assert [episode["steps"] for episode in verify(out)["episodes"]] == [3]


CLAIM = Claim("Jade-v1", "model", 0, (), None)


def test_nothing_is_written_before_the_first_key(tmp_path):
    play(served(tmp_path / "model.json"), [("look", {}), ("press", {"keys": ["jump"]})])
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_made_is_said_before_a_key_is_pressed(tmp_path):
    folder = tmp_path / "results"

    async def run():
        async with Client(served(folder / "model.json")) as client:
            folder.rmdir()
            refused = await client.call_tool("press", {"keys": ["a"]})
            folder.mkdir()
            return refused, await client.call_tool("press", {"keys": ["a"]})

    refused, pressed = anyio.run(run)
    assert refused.is_error and "model_0000.recording: No such file or directory" in text(refused)
    assert json.loads(text(pressed))["steps"] == 1


def test_without_a_name_each_episode_gets_files_of_its_own(tmp_path, monkeypatch):
    # one of them opens its game before the other's first key
    monkeypatch.chdir(tmp_path)
    (tmp_path / "served-2.json").write_text("another program's")
    with (
        closing(ServedGame(CLAIM, GameChoice())) as first,
        closing(ServedGame(CLAIM, GameChoice())) as second,
    ):
        first.press(["a"])
        second.press(["a", "b"])
    names = {path.name for path in tmp_path.iterdir()}
    results = {"served.json", "served-2.json", "served-3.json"}
    assert names == results | {"served_0000.recording", "served-3_0000.recording"}
    assert (tmp_path / "served-2.json").read_text() == "another program's"
    for name, steps in (("served.json", 1), ("served-3.json", 2)):
        assert [episode["steps"] for episode in verify(tmp_path / name)["episodes"]] == [steps]


def test_a_name_that_another_server_took_before_the_first_key_is_refused(tmp_path):
    out = tmp_path / "model.json"
    with closing(ServedGame(CLAIM, GameChoice(), out)) as first:
        with closing(ServedGame(CLAIM, GameChoice(), out)) as second:
            first.press(["a"])
            with pytest.raises(FileExistsError, match="model_0000.recording already exists"):
                second.press(["b"])
            assert second.time()["steps"] == 0
    assert [episode["steps"] for episode in verify(out)["episodes"]] == [1]


@pytest.mark.parametrize("there", ["model.json", "model_0000.recording"])
def test_files_that_are_there_already_are_left(tmp_path, there, capsys):
    (tmp_path / there).symlink_to("nowhere")
    assert main(["--out", str(tmp_path / "model.json")]) == 1
    assert f"{there} already exists: give another --out" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [there]


def test_a_port_in_use_is_said_before_an_address_and_a_token(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as one:
        port = str(one.getsockname()[1])
        assert main(["--out", str(tmp_path / "model.json"), "--http", port]) == 1
    reason = f"error: cannot listen on port {port}: Address already in use; give another --http\n"
    assert capsys.readouterr().err == reason


@pytest.mark.parametrize(
    "arguments, reason",
    [
        (["--assists", "luck"], "error: no assist 'luck'"),
        (["--rom", "missing.gba"], "error: .*missing.gba"),
        (["--out", "/dev/null/model.json"], "error: the folder /dev/null cannot be made"),
    ],
)
def test_what_cannot_be_served_is_refused_in_a_line(tmp_path, arguments, reason, capsys):
    assert main(["--out", str(tmp_path / "a.json"), *arguments]) == 1  # a flag's last value counts
    said = capsys.readouterr().err
    assert re.match(reason, said) and said.count("\n") == 1
