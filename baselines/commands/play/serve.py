"""Lets a language model play, by the Model Context Protocol: `emerald serve`."""

import hmac
import json
import re
import secrets
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baselines.commands.command import reports_user_errors
from baselines.settings.read_flags import read_flags
from emerald_env.env.setting_types import Count, Seed, checked
from emerald_env.files.printable import warn
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

    out: Path = Path("served.json")
    """The result's file; the recording goes beside it. `emerald benchmark verify` checks it; with
    a ROM only the recording is written, which `emerald replay` checks."""
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
        if not re.fullmatch(r"[\w-]{1,70}\.json", self.out.name):
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
    config.out.parent.mkdir(parents=True, exist_ok=True)
    with closing(ServedGame(claim, config.choice, config.out, config.seed)) as game:
        server = make_server(game)
        if config.http is None:
            server.run("stdio")
        else:
            listen(server, config.http)
    warn(f"recorded {game.save()}")
    return 0


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
        except ValueError as error:
            raise ToolError(str(error)) from error

    @server.tool(description="See the screen, 480 x 320 pixels.")
    def look() -> Image:
        return Image(data=game.look(), format="png")

    if game.shows_memory:

        @server.tool(description="Read the game's state: place, party, story, bag, battle.")
        def state() -> str:
            found = game.state
            return json.dumps(unknown_report() if found is None else report(found))

    return server


def listen(server: "MCPServer", port: int) -> None:
    """Serves on a port of this machine until Ctrl-C, to those who have the token."""
    import uvicorn

    token = secrets.token_urlsafe(24)
    app = WithToken(server.streamable_http_app(streamable_http_path=PATH, host=HOST), token)
    warn(f"http://{HOST}:{port}{PATH}\nAuthorization: Bearer {token}")
    uvicorn.run(app, host=HOST, port=port, log_level="warning")


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
