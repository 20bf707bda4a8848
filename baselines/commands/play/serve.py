"""Lets a language model play, by the Model Context Protocol: `emerald serve`."""

import hmac
import json
import os
import re
import secrets
import signal
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.files.printable import complain, reason, warn
from emerald_env.game.choice import GameChoice
from emerald_env.jade.cartridge import world_of

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from starlette.types import ASGIApp, Receive, Scope, Send

    from baselines.playing.benchmark.served_game import ServedGame

HOST, PATH = "127.0.0.1", "/mcp"
INSTRUCTIONS = """A Game Boy Advance game. `press` holds keys, each for a step of 0.4 seconds (24
frames), `look` shows the screen. The episode is recorded from a new game on."""


@checked
@dataclass(frozen=True)
class ServeConfig(GameChoice):
    """Serve a game to a language model as an MCP server; what it plays is recorded."""

    out: Path | None = None
    """The result's file, which must be a new one; the recording goes beside it. `emerald benchmark
    verify` checks it; with a ROM only the recording is written, which `emerald replay` checks.
    Left out: served.json, or the first of served-2.json, served-3.json, ... that is not there yet.
    Nothing is written before the first key."""
    name: str = "served"
    """The player's name in the result."""
    assists: tuple[str, ...] = ()
    """memory: the model may ask for the game's state as JSON, too."""
    http: Count | None = None
    """Listen on this port of this machine, with a token, instead of standard input and output."""
    seed: Seed = 0
    """Of the wait before the episode, with a ROM."""

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible setting."""
        if self.out is not None and not re.fullmatch(r"[\w-]{1,70}\.json", self.out.name):
            raise ValueError(f"--out must be letters and digits and end in .json, got {self.out}")
        if self.http is not None and self.http > 65535:
            raise ValueError(f"http must be a port up to 65535, got {self.http}")


@reports_user_errors()
def main(arguments: Sequence[str] | None = None) -> int:
    """Serves with a command line's settings until the client leaves; returns the exit status."""
    config = read_flags(ServeConfig, arguments)
    from baselines.playing.benchmark.result_file import Claim
    from baselines.playing.benchmark.served_game import ServedGame

    worlds = only_world(config.world) if config.world not in (None, "0") else None
    claim = Claim("Jade-v1", config.name, 0, config.assists, worlds)
    with (
        nullcontext() if config.http is None else open_port(config.http) as listener,
        recorded(ServedGame(claim, config.choice, config.out, config.seed)) as game,
    ):
        server = make_server(game)
        if listener is None:
            end_at_signals(game)
            server.run("stdio")
        else:
            listen(server, listener)
    return 0


@contextmanager
def recorded(game: "ServedGame") -> Iterator["ServedGame"]:
    """Ends a game and says where its recording is, however the block ends."""
    try:
        yield game
    finally:
        end(game)


def end(game: "ServedGame") -> None:
    """Saves a game, switches it off and says where its recording is."""
    game.close()
    path = game.save()
    warn(f"recorded {path}" if path else "no key was pressed: nothing is recorded")


def end_at_signals(game: "ServedGame") -> None:
    """Lets Ctrl-C, SIGTERM and SIGHUP end a game as `end` does, and then this process.

    An exception would not: the thread that waits for standard input cannot be interrupted.
    """

    def save_and_end(number: int, frame: FrameType | None) -> None:
        # a second one ends the process at once; but a closed terminal sends SIGHUP twice by itself
        signal.signal(number, signal.SIG_IGN if number == signal.SIGHUP else signal.SIG_DFL)
        try:
            end(game)
        except OSError as error:
            complain(error)
        finally:  # even if nothing can be printed: the terminal may be gone
            os._exit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, save_and_end)


def only_world(name: str) -> str:
    """Returns the range of worlds in which there is only this one: 7..7:large for 7:large."""
    world = world_of(name)
    return f"{world.seed}..{world}"


def make_server(game: "ServedGame") -> "MCPServer":
    """Returns a server with the game's tools, those that its assists allow."""
    from mcp.server.mcpserver import Image, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError

    from baselines.commands.check.state_report import report, unknown_report

    server = MCPServer("emerald", instructions=INSTRUCTIONS, log_level="WARNING")

    @server.tool(description=f"Press keys one after another: any of {', '.join(game.keys)}.")
    def press(keys: list[str]) -> dict[str, Any]:
        try:
            return game.press(keys)
        except (OSError, ValueError) as error:
            raise ToolError(reason(error)) from error

    @server.tool(description="See the screen, 480 x 320 pixels.")
    def look() -> Image:
        return Image(data=game.look(), format="png")

    if game.shows_memory:

        @server.tool(description="Read the game's state: place, party, story, bag, battle.")
        def state() -> str:
            found = game.state
            return json.dumps(unknown_report() if found is None else report(found))

    return server


def open_port(port: int) -> socket.socket:
    """Returns a socket that listens on a port of this machine.

    Raises:
        OSError: it cannot be used.
    """
    try:
        return socket.create_server((HOST, port))
    except OSError as error:
        problem = os.strerror(error.errno or 0)
        raise OSError(f"cannot listen on port {port}: {problem}; give another --http") from error


def listen(server: "MCPServer", listener: socket.socket) -> None:
    """Serves on a port of this machine until Ctrl-C, to those who have the token."""
    import uvicorn

    token = secrets.token_urlsafe(24)
    app = WithToken(server.streamable_http_app(streamable_http_path=PATH, host=HOST), token)
    warn(f"http://{HOST}:{listener.getsockname()[1]}{PATH}\nAuthorization: Bearer {token}")
    with suppress(KeyboardInterrupt):
        uvicorn.Server(uvicorn.Config(app, log_level="warning")).run([listener])


class WithToken:
    """Refuses requests without the token.

    Args:
        app: the protected application.
        token: that requests need as `Authorization: Bearer TOKEN`.
    """

    def __init__(self, app: "ASGIApp", token: str) -> None:
        self._app, self._wanted = app, f"Bearer {token}".encode()

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Answers a request, or refuses it with status 401."""
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "http" and not hmac.compare_digest(given, self._wanted):
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b"the token is missing or wrong\n"})
            return
        await self._app(scope, receive, send)
