"""The wrapper through which `emerald watch` sees a game."""

from math import inf
from pathlib import Path
from time import monotonic
from typing import Any

import gymnasium

from emerald_env.env.env import EmeraldEnv
from emerald_env.files.data import DataError
from emerald_env.game.place_names import place_name
from emerald_env.watching.game_sightings import Sighted, Sightings
from emerald_env.watching.host import (
    ASK_SECONDS,
    DETAILS_SECONDS,
    FRAME_SECONDS,
    UNWATCHED_SECONDS,
)
from emerald_env.watching.live_file import SMALL, LiveFile
from emerald_env.watching.record import pack_details, pack_record


class Publisher(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Shows a game to viewers, and remembers where it has been, without affecting the game.

    While there are none it leaves a small picture every `UNWATCHED_SECONDS`, for a viewer who comes
    while the network learns and the game waits.

    Args:
        env: a game.
        number: its slot in the live file.
    """

    def __init__(self, env: gymnasium.Env[Any, Any], number: int) -> None:
        super().__init__(env)
        self._game: EmeraldEnv = env.unwrapped  # type: ignore[assignment]
        self._number = number
        self._file: LiveFile | None = None
        self._next = self._ask_next = self._tell_next = inf  # monotonic seconds
        self._unwatched_next = 0.0
        self._sightings = Sightings(self._game.config.frame_skip)
        self._count = self._episode = 0
        self._every = 0  # every how many pixels are shown in each direction; 0: no viewers
        self._terms = self._game.reward.terms
        self._begin()

    def _begin(self) -> None:
        self._step = self._paid_at = 0
        self._total = 0.0
        self._paid: list[float] = [0.0] * len(self._terms)
        self._sums: list[float] = [0.0] * len(self._terms)

    def publish_to(self, path: str) -> None:
        """Shows the game in a live file from now on, if it can be opened."""
        if self._file is not None:
            self._file.close()
        try:
            self._file = LiveFile(Path(path))
            self._next = self._ask_next = self._tell_next = 0.0
        except (OSError, DataError):
            self._file, self._next = None, inf

    def caption(self) -> str:
        """Returns a caption with the game's number, place and reward so far."""
        state = self._game.state
        place = "" if state is None else place_name(state.location).replace("é", "e")
        return f"{self._number} {place[:24]}  {self._total:.1f}"

    def take_sightings(self) -> Sighted:
        """Returns where the game has been since the last call, see `Sightings`."""
        return self._sightings.take()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        result = self.env.reset(seed=seed, options=options)
        self._episode += 1
        self._begin()
        practises = self.has_wrapper_attr("practises") and self.get_wrapper_attr("practises")
        self._sightings.begin(self._game.state, practises)
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Steps, and shows the game if there are viewers."""
        result = self.env.step(action)
        _, reward, terminated, truncated, info = result
        self._step += 1
        self._sightings.see(self._game.state, self._game.picture)
        if reward:
            self._pay(float(reward), info["reward_terms"])
        if terminated or truncated:
            self._sightings.end()
        if (now := monotonic()) >= self._next:
            self._show(now)
        return result

    def _pay(self, reward: float, terms: dict[str, float]) -> None:
        self._sightings.pay(terms)
        self._total += reward
        self._paid_at = self._step
        self._paid = self._by_term(terms)
        self._sums = [old + new for old, new in zip(self._sums, self._paid, strict=True)]

    def _by_term(self, paid: dict[str, float]) -> list[float]:
        """Returns what each term paid.

        Viewers know the terms from before the first step. What a function has named since then is
        shown under its own name, which is the last of them.
        """
        amounts = [paid.get(name, 0.0) for name in self._terms]
        if later := paid.keys() - self._terms:
            amounts[-1] += sum(paid[name] for name in later)
        return amounts

    def _show(self, now: float) -> None:
        assert self._file is not None
        try:
            if now >= self._ask_next:
                self._ask_next = now + ASK_SECONDS
                self._every = self._file.wanted
                self._game.is_watched = bool(self._every)
            if not self._every and now < self._unwatched_next:
                self._next = self._ask_next
                return
            self._unwatched_next = now + UNWATCHED_SECONDS
            # a rhythm that does not drift, restarted after a pause
            late = now - self._next
            self._next = now + FRAME_SECONDS - (late if late < FRAME_SECONDS else 0.0)
            self._count = self._count % 0xFFFF_FFFF + 1
            if now >= self._tell_next:
                self._tell(self._file, now)
            moment = (self._count, self._episode, self._step, self._total, self._game.state)
            every = self._every or SMALL
            colours = self._game.gba.colours(every)
            self._file.show_game(self._number, pack_record(*moment, every), colours)
        except (OSError, DataError):  # the file is gone or full: nobody can see it
            self._next = inf

    def _tell(self, file: LiveFile, now: float) -> None:
        self._tell_next = now + DETAILS_SECONDS
        paid = (self._paid_at, self._paid, self._sums)
        file.show_details(self._number, pack_details(self._count, *paid, self._game.state))

    def close(self) -> None:
        """Closes the game and the file."""
        if self._file is not None:
            self._file.close()
        super().close()
