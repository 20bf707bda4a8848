"""The page's server: it only reads sessions, and only answers GET."""

import asyncio
import hmac
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from time import monotonic
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from baselines.runs.session_folder import Session
from baselines.viewer import run_report as reports
from baselines.viewer.damage import find_damage
from baselines.viewer.feed import SIZES, Feed, Viewer
from baselines.viewer.folder import Sessions
from baselines.viewer.world_map.board import Board, bounds, lay_out
from baselines.viewer.world_map.film import (
    FILM_SIDE,
    MAX_SIDE_PIXELS,
    Canvas,
    encode_png,
    write_film,
)
from baselines.viewer.world_map.layers import Layers
from baselines.viewer.world_map.world import World
from emerald_env.files.data import DataError, check_no_links, open_regular
from emerald_env.files.printable import printable
from emerald_env.game.place_names import room_and_town

PAGE = Path(__file__).parent / "page"
LOOPBACK = ["localhost", "127.0.0.1", "[::1]"]
HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; "
    b"img-src 'self' blob: data:; media-src 'self'; connect-src 'self'; base-uri 'none'; "
    b"form-action 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-cache",
}
# Sessions kept in memory, of up to 90 MB each: a page's own and three beside it. Where three pages
# are read in turns none may displace another's; on a busy machine a turn takes minutes.
MIN_OPEN_SESSIONS, MAX_OPEN_SESSIONS = 4, 12
KEPT_SECONDS = 300.0  # since one was last asked for
Answer = Callable[[Request], Awaitable[Response]]


class Protected:
    """Adds the security headers, and rejects requests without the token.

    Args:
        app: the protected application.
        token: the first part of every path; "": no token is needed.
    """

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        given = scope["path"].lstrip("/").partition("/")[0].encode()
        if self._token and not hmac.compare_digest(given, self._token):
            text = "this page needs the complete address that the program printed"
            await Response(text, 403)(scope, receive, send)
            return
        if is_from_another_site(scope):
            await Response("other sites get nothing from here", 403)(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                more = [pair for pair in HEADERS.items() if pair[0] not in known]
                message["headers"] = [*message["headers"], *more]
            await send(message)

        await self._app(scope, receive, guarded)


def is_from_another_site(scope: Scope) -> bool:
    """Returns whether another site's page sent the request; it may only link to ours."""
    headers = dict(scope["headers"])
    own = headers.get(b"sec-fetch-site", b"none") in (b"none", b"same-origin")
    leads = headers.get(b"sec-fetch-mode") == b"navigate" and scope["path"].endswith("/")
    return not own and not leads


class Watched:
    """A session's files, as read while it is viewed.

    Args:
        session: the session.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.feed = Feed(session)
        self.world = World(session)
        self.layers = Layers(session)
        self.report = reports.Report(session)
        self.board = Board()
        self.lock = asyncio.Lock()  # one at a time reads, paints or films
        self.asked_for = monotonic()  # seconds

    def update(self) -> None:
        """Reads what was added to the session's files."""
        self.world.update()
        self.layers.update()
        for location in self.layers.locations:
            self.world.add_unseen(location)
        sizes = {at: ground.size for at, ground in self.world.maps.items()}
        self.board = lay_out(sizes, self.layers.doors)

    def as_json(self) -> dict[str, Any]:
        """Returns the map as JSON values for the page."""
        sizes = {at: ground.size for at, ground in self.world.maps.items()}
        return {
            "maps": [
                {
                    "id": f"{at[0]}.{at[1]}",
                    "name": room_and_town(at)[0],
                    "town": room_and_town(at)[1],
                    "corner": self.board.corners[at],
                    "size": ground.size,
                    "outdoor": at in self.board.outdoor,
                    "version": ground.version,
                    "since": ground.rows(),
                }
                for at, ground in self.world.maps.items()
            ],
            "lines": self.board.lines,
            "box": bounds(self.board, sizes),
            "layers": self.layers.names,
            "times": self.layers.times,
            "more": self.world.tail.more or self.layers.tail.more,
        }

    def damage(self) -> list[dict[str, str]]:
        """Returns which files cannot be used, and what the page lacks because of them.

        The map's files are only judged as far as they were read for the map.
        """
        bad = self.report.tail.bad, self.world.bad, self.layers.bad
        return [asdict(one) for one in find_damage(self.session, *bad)]


class Server:
    """Answers the page's requests about sessions.

    Args:
        sessions: the sessions.
    """

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions
        self._watched: dict[str, Watched] = {}  # the one asked for last comes last

    def _open(self, request: Request) -> Watched:
        session = self._sessions.find(request.path_params["session"])
        name = session.folder.name
        watched = self._watched.pop(name) if name in self._watched else Watched(session)
        self._watched[name] = watched
        watched.asked_for = monotonic()
        self._forget_old()
        return watched

    def _forget_old(self) -> None:
        """Forgets sessions that no page asks for any more, or of too many the oldest."""
        long_ago = monotonic() - KEPT_SECONDS
        for name, watched in list(self._watched.items()):
            count = len(self._watched)
            is_old = watched.asked_for < long_ago and count > MIN_OPEN_SESSIONS
            if not is_old and count <= MAX_OPEN_SESSIONS:
                return
            del self._watched[name]

    async def list(self, request: Request) -> Response:
        """The sessions, and which one to show first."""
        found = await asyncio.to_thread(self._sessions.list)
        rows = [asdict(status) for status in found]
        return JSONResponse({"first": self._sessions.first, "sessions": rows})

    async def live(self, request: Request) -> Response:
        """The wall, as an endless stream."""
        query = request.query_params
        game = query.get("game", "")
        every = SIZES.get(query.get("pictures", ""), 1)
        viewer = Viewer(every, int(game) if game.isdecimal() and len(game) < 6 else None)
        stream: AsyncIterator[bytes] = self._open(request).feed.watch(viewer)
        return StreamingResponse(stream, media_type="application/octet-stream")

    async def world(self, request: Request) -> Response:
        """The maps, their positions, and when each tile was first seen."""
        watched = self._open(request)
        async with watched.lock:
            await asyncio.to_thread(watched.update)
            return JSONResponse(await asyncio.to_thread(watched.as_json))

    async def picture(self, request: Request) -> Response:
        """One map's picture."""
        watched = self._open(request)
        location = (request.path_params["group"], request.path_params["number"])
        async with watched.lock:
            content = await asyncio.to_thread(watched.world.png, location)
        return Response(content, media_type="image/png")

    async def layer(self, request: Request) -> Response:
        """The sums of a layer between two env steps."""
        watched = self._open(request)
        first, last = (_whole(request, name, default) for name, default in SPAN)
        name = request.query_params.get("name", "visits")
        async with watched.lock:
            rows = await asyncio.to_thread(watched.layers.rows, name, first, last)
        return JSONResponse([[*tile, round(amount, 4)] for tile, amount in rows.items()])

    async def run(self, request: Request) -> Response:
        """Curves, findings, clips and recordings."""
        watched = self._open(request)
        async with watched.lock:
            return JSONResponse(await asyncio.to_thread(watched.report.update))

    async def damage(self, request: Request) -> Response:
        """Which of the session's files cannot be used."""
        watched = self._open(request)

        def judge() -> list[dict[str, str]]:
            watched.report.update()
            return watched.damage()

        async with watched.lock:
            return JSONResponse(await asyncio.to_thread(judge))

    async def clip(self, request: Request) -> Response:
        """A video of a first milestone."""
        name = request.path_params["name"]
        if not reports.CLIP.fullmatch(name):
            raise FileNotFoundError("no such clip")
        session = self._open(request).session
        path = session.clips / name
        try:
            check_no_links(session.folder, path)
        except DataError as error:
            raise FileNotFoundError(str(error)) from error
        open_regular(path).close()
        return FileResponse(path, media_type="video/mp4")

    async def track(self, request: Request) -> Response:
        """Where a recorded episode went."""
        session = self._open(request).session
        name = request.path_params["name"]
        return JSONResponse(await asyncio.to_thread(reports.track, session, name))

    async def map_png(self, request: Request) -> Response:
        """The whole map as a picture, as it was at an env step."""
        watched = self._open(request)
        name, until = request.query_params.get("layer", ""), _whole(request, *SPAN[1])

        def paint() -> bytes:
            watched.update()
            heat = watched.layers.rows(name, last=until) if name else Counter[Any]()
            canvas = Canvas(watched.world, watched.board, MAX_SIDE_PIXELS)
            return encode_png(canvas.paint(heat, until))

        async with watched.lock:
            content = await asyncio.to_thread(paint)
        return _download(content, "image/png", "map.png")

    async def map_mp4(self, request: Request) -> Response:
        """A film of the map's growth."""
        watched = self._open(request)
        name = request.query_params.get("layer", "visits")

        def film() -> bytes:
            watched.update()
            canvas = Canvas(watched.world, watched.board, FILM_SIDE)
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "map.mp4"
                write_film(path, canvas, watched.layers, name)
                return path.read_bytes()

        async with watched.lock:
            content = await asyncio.to_thread(film)
        return _download(content, "video/mp4", "map.mp4")


SPAN = (("from", -1), ("to", 10**15))


def _whole(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= 15 else default


def _download(content: bytes, kind: str, name: str) -> Response:
    disposition = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=kind, headers=disposition)


async def page(request: Request) -> Response:
    """The page itself."""
    return FileResponse(PAGE / "index.html")


async def static(request: Request) -> Response:
    """A script or a style of the page."""
    name = request.path_params["name"]
    if name not in {path.name for path in PAGE.iterdir()}:
        return Response("no such file", 404)
    return FileResponse(PAGE / name)


async def refused(request: Request, error: Exception) -> Response:
    """Says why something cannot be shown."""
    status = 404 if isinstance(error, (FileNotFoundError, KeyError)) else 422
    return JSONResponse({"error": printable(error, 300)}, status)


def make_app(sessions: Sessions, token: str = "") -> ASGIApp:
    """Returns the page's application.

    Args:
        sessions: the sessions.
        token: the first part of every path, for other machines; "": only browsers of this machine
        are answered.
    """
    server = Server(sessions)
    one = "/s/{session}"
    paths: dict[str, Answer] = {
        "/": page,
        "/static/{name}": static,
        "/sessions": server.list,
        f"{one}/world": server.world,
        f"{one}/map/{{group:int}}.{{number:int}}.png": server.picture,
        f"{one}/layer": server.layer,
        f"{one}/run": server.run,
        f"{one}/damage": server.damage,
        f"{one}/clips/{{name}}": server.clip,
        f"{one}/recordings/{{name}}": server.track,
        f"{one}/map.png": server.map_png,
        f"{one}/map.mp4": server.map_mp4,
    }
    routes: list[Any] = [Route(path, answer, methods=["GET"]) for path, answer in paths.items()]
    live = [Route(f"{one}/live", server.live, methods=["GET"])]
    errors = {kind: refused for kind in (OSError, DataError, ValueError, KeyError)}
    packed = Starlette(routes=routes, middleware=[Middleware(GZipMiddleware)])
    inner = [*live, Mount("/", packed)]
    if token:
        inner = [Mount(f"/{token}", routes=inner)]
    hosts = ["*"] if token else LOOPBACK
    guard = [Middleware(Protected, token=token)]
    guard.append(Middleware(TrustedHostMiddleware, allowed_hosts=hosts, www_redirect=False))
    packed.exception_handlers.update(errors)
    return Starlette(routes=inner, middleware=guard, exception_handlers=errors)
