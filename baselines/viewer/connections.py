"""Limits the page's connections, and drops those that never finish a request."""

from asyncio import Transport
from typing import Any

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 100
HEAD_SECONDS = 10.0  # from the connection, or the last answer, to a complete request's head
BACKLOG = 32  # accepted at once, before any of them can be closed


class BoundedConnection(H11Protocol):
    """A connection that is closed in favour of newer ones until it has sent a request's head."""

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Begins; closes the oldest waiting connection if there are too many."""
        super().connection_made(transport)
        self._answered: Any = None
        self.began = self.loop.time()
        others: set[Any] = self.connections
        here = [one for one in others if not one.transport.is_closing()]
        if len(here) > MAX_CONNECTIONS:
            waiting = [one for one in here if not one.is_answering]
            min(waiting, key=lambda one: one.began).transport.abort()
        self._timer = self.loop.call_later(HEAD_SECONDS, self._check)

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends."""
        self._timer.cancel()
        super().connection_lost(exc)

    @property
    def is_answering(self) -> bool:
        """Whether a complete request is being answered."""
        return self.cycle is not None and not self.cycle.response_complete

    def _check(self) -> None:
        if not self.is_answering and self.cycle is self._answered:
            self.transport.abort()
            return
        self._answered = self.cycle
        self._timer = self.loop.call_later(HEAD_SECONDS, self._check)


def settings(app: ASGIApp, seconds_to_end: int) -> uvicorn.Config:
    """Returns how the page is served.

    Args:
        app: the page.
        seconds_to_end: how long open answers may take when the server ends.
    """
    return uvicorn.Config(
        app,
        http=BoundedConnection,
        ws="none",
        lifespan="off",
        backlog=BACKLOG,
        log_level="critical",  # streams interrupted by Ctrl-C are not errors
        access_log=False,  # which would print the token
        server_header=False,
        timeout_graceful_shutdown=seconds_to_end,
    )
