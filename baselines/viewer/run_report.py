"""The run as numbers: curves, the funnel of milestones, findings, clips and recordings."""

import math
import os
import re
from contextlib import closing
from itertools import groupby, islice
from pathlib import Path
from statistics import fmean
from typing import Any

from baselines.runs.log_lines import DiagnosisLine
from baselines.runs.run_health import RunHealth
from baselines.runs.session_folder import Session
from baselines.viewer.folder import open_live
from baselines.viewer.tail import Tail
from emerald_env.files.data import DataError, check_no_links
from emerald_env.game.tables import milestones
from emerald_env.recordings.recording import Recording
from emerald_env.state import milestone_bits

POINTS = 200  # of a curve, at least, and up to twice as many
MAX_VALUE = 1e30  # of a curve
MAX_FINDINGS, MAX_FILES = 500, 5000
MAX_TRACK_STEPS = 50_000  # steps of a recording that are shown
CURVES = {
    "reward of an episode": "rollout/ep_rew_mean",
    "milestones of an episode": "milestones/per_episode",
    "entropy, share of its maximum": "diagnostics/entropy_share",
    "KL divergence of an update": "train/approx_kl",
    "explained variance of the value": "train/explained_variance",
    "steps a second": "time/steps_per_second",
}
CLIP = re.compile(r"[a-z0-9_]{1,80}\.mp4")
RECORDING = re.compile(r"[a-z0-9_]{1,100}\.recording")
MILESTONE = "milestones/"


class Curve:
    """A metric's finite values, thinned to `POINTS` means of neighbours while they are read."""

    def __init__(self) -> None:
        self._points: list[tuple[int, float]] = []
        self._waiting: list[tuple[int, float]] = []
        self._together = 1  # values in a point

    def add(self, num_timesteps: int, value: float) -> None:
        """Adds a value, unless it is NaN or too large to be drawn."""
        if not abs(value) <= MAX_VALUE:
            return
        self._waiting.append((num_timesteps, value))
        if len(self._waiting) == self._together:
            self._points.append(_mean(self._waiting))
            self._waiting = []
        if len(self._points) == 2 * POINTS:
            self._points = [_mean(self._points[at : at + 2]) for at in range(0, 2 * POINTS, 2)]
            self._together *= 2

    def points(self) -> list[tuple[int, float]]:
        """Returns (env steps, value) for each point."""
        return self._points + ([_mean(self._waiting)] if self._waiting else [])


class Report:
    """What a session's diagnostics say, read line by line.

    Args:
        session: whose diagnostics are read.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self.tail = Tail(session.diagnostics, session.folder, DiagnosisLine)
        self._forget()

    def _forget(self) -> None:
        self._steps = 0
        self._curves = {name: Curve() for name in CURVES.values()}
        self._first: dict[str, int] = {}  # milestone -> env steps at which it was reached
        self._latest: dict[str, float] = {}
        self._health = RunHealth()
        self._findings: dict[tuple[str, int], dict[str, Any]] = {}

    def update(self) -> dict[str, Any]:
        """Returns everything as JSON values, after reading as much as `Tail` allows."""
        for line in self.tail.new_lines(self._forget):
            steps = line["num_timesteps"]
            self._health.take(line)
            if not self._health.open:  # judged afresh, or all is over
                self._close(steps)
            if "metrics" in line:
                self._steps, self._latest = steps, line["metrics"]
                self._measure(steps, line["metrics"])
            for finding in line.get("findings", ()):
                kept = as_shown(finding, steps)
                if len(self._findings) < MAX_FINDINGS:
                    self._findings[kept["code"], kept["since"]] = kept
        return {
            "steps": self._steps,
            "more": self.tail.more,
            "curves": [
                {"title": title, "name": name, "points": self._curves[name].points()}
                for title, name in CURVES.items()
            ],
            "under_way": {} if self._ended else under_way(self._session),
            "funnel": self._funnel(),
            "health": self._health.health,
            "wrong": self._health.findings,
            "lacking": self._health.lacking,
            "findings": sorted(self._findings.values(), key=lambda finding: finding["since"]),
            "clips": clips(self._session),
            "recordings": recordings(self._session),
        }

    def _close(self, steps: int) -> None:
        """Ends the findings of a run that was judged afresh from here on."""
        for finding in self._findings.values():
            if finding["until"] is None:
                finding["until"] = steps

    @property
    def _ended(self) -> bool:
        """Whether an episode has ended."""
        return bool(self._curves["rollout/ep_rew_mean"].points())

    def _measure(self, steps: int, metrics: dict[str, float]) -> None:
        for name, curve in self._curves.items():
            if name in metrics:
                curve.add(steps, metrics[name])
        for entry in milestones():
            if metrics.get(MILESTONE + entry.slug, 0.0) > 0:
                self._first.setdefault(entry.slug, steps)

    def _funnel(self) -> list[dict[str, Any]]:
        """Returns each milestone that was reached: share of the latest episodes, first seen at."""
        return [
            {
                "milestone": entry.slug,
                "what": entry.description,
                "share": min(1.0, max(0.0, self._latest.get(MILESTONE + entry.slug, 0.0))),
                "first": self._first[entry.slug],
            }
            for entry in milestones()
            if entry.slug in self._first
        ]


def under_way(session: Session) -> dict[str, float]:
    """Returns the mean score so far of the episodes under way, by the name of its curve.

    It is empty where no game is shown.
    """
    try:
        with closing(open_live(session)) as file:
            records = [file.record(game) for game in range(file.n_games)]
            details = [file.details(game) for game in range(file.n_games)]
    except (OSError, DataError):
        return {}
    rewards = [record.reward for record in records if record and math.isfinite(record.reward)]
    reached = [milestone_bits(one.state).bit_count() for one in details if one and one.state]
    means = {"rollout/ep_rew_mean": fmean(rewards)} if rewards else {}
    return means | ({"milestones/per_episode": fmean(reached)} if reached else {})


def _mean(points: list[tuple[int, float]]) -> tuple[int, float]:
    return points[-1][0], sum(value for _, value in points) / len(points)


def as_shown(finding: dict[str, Any], num_timesteps: int) -> dict[str, Any]:
    """Returns a finding as the page shows it, with its end so far."""
    kept = {name: finding.get(name) for name in ("code", "severity", "until")}
    texts = {name: finding.get(name, "") for name in ("evidence", "meaning")}
    told = {"since": finding.get("since", num_timesteps), "advice": finding.get("advice", [])}
    return kept | texts | told


def clips(session: Session) -> list[dict[str, str]]:
    """Returns the videos of first milestones, in the story's order."""
    there = {name.removesuffix(".mp4"): name for name in _names(session, session.clips, CLIP)}
    return [
        {"milestone": entry.slug, "what": entry.description, "file": there[entry.slug]}
        for entry in milestones()
        if entry.slug in there
    ]


def recordings(session: Session) -> list[str]:
    """Returns the names of the recorded episodes."""
    return _names(session, session.recordings, RECORDING)


def _names(session: Session, folder: Path, kind: re.Pattern[str]) -> list[str]:
    """Returns the names of a folder's files that the page may request."""
    try:
        check_no_links(session.folder, folder)
        with os.scandir(folder) as entries:
            some = list(islice(entries, MAX_FILES))
    except (OSError, DataError):
        return []
    return sorted(entry.name for entry in some if kind.fullmatch(entry.name))


def track(session: Session, name: str) -> dict[str, Any]:
    """Returns where a recorded episode went: [steps, map group, number, x, y] for each stay.

    Raises:
        FileNotFoundError, DataError, RecordingError: it cannot be used.
    """
    if not RECORDING.fullmatch(name):
        raise FileNotFoundError(f"no recording {name!r}")
    check_no_links(session.folder, session.recordings / name)
    recording = Recording.load(session.recordings / name)
    states = islice(recording.states(), MAX_TRACK_STEPS)
    places = [(*s.location, *s.position) if s is not None else None for s in states]
    stays = [(place, len(list(same))) for place, same in groupby(places)]
    return {
        "stays": [[count, *place] if place is not None else [count] for place, count in stays],
        "total": recording.total,
        "steps": recording.n_steps,
        "milestones": list(recording.milestones),
    }
