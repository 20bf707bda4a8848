"""The run as numbers: curves, the funnel of milestones, findings, clips and recordings."""

import math
import re
from collections.abc import Iterable
from itertools import groupby
from typing import Any

from baselines.runs.session_folder import Session
from emerald_env.game.tables import milestones
from emerald_env.recordings.recording import Recording

POINTS = 400  # of a curve, at most
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


def report(session: Session) -> dict[str, Any]:
    """Returns everything as JSON values.

    Raises:
        OSError, DataError: the diagnostics cannot be read.
    """
    log = session.read_diagnostics()
    lines = list(log)
    measured = [(line["num_timesteps"], line["metrics"]) for line in lines if "metrics" in line]
    steps = measured[-1][0] if measured else 0
    return {
        "steps": steps,
        "bad": log.bad,
        "curves": [
            {"title": title, "name": name, "points": thin(points_of(measured, name))}
            for title, name in CURVES.items()
        ],
        "funnel": funnel(measured),
        "findings": findings(lines),
        "clips": clips(session),
        "recordings": recordings(session),
    }


def points_of(measured: Iterable[tuple[int, dict[str, float]]], name: str) -> list[list[float]]:
    """Returns a metric's finite values as (env steps, value)."""
    return [
        [steps, metrics[name]]
        for steps, metrics in measured
        if name in metrics and math.isfinite(metrics[name])
    ]


def thin(points: list[list[float]]) -> list[list[float]]:
    """Returns a curve of up to `POINTS` points: means of neighbours."""
    size = -(-len(points) // POINTS)
    if size <= 1:
        return points
    groups = [points[start : start + size] for start in range(0, len(points), size)]
    return [[group[-1][0], sum(y for _, y in group) / len(group)] for group in groups]


def funnel(measured: list[tuple[int, dict[str, float]]]) -> list[dict[str, Any]]:
    """Returns each milestone that was reached: share of the latest episodes, first seen at."""
    first: dict[str, int] = {}
    for steps, metrics in measured:
        for name, share in metrics.items():
            if name.startswith(MILESTONE) and share > 0:
                first.setdefault(name.removeprefix(MILESTONE), steps)
    latest = measured[-1][1] if measured else {}
    return [
        {
            "milestone": entry.slug,
            "what": entry.description,
            "share": min(1.0, max(0.0, latest.get(MILESTONE + entry.slug, 0.0))),
            "first": first[entry.slug],
        }
        for entry in milestones()
        if entry.slug in first
    ]


def findings(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the diagnostics' findings, each once with its end, oldest first."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for line in lines:
        for finding in line.get("findings", ()):
            since = finding.get("since", line["num_timesteps"])
            kept = {name: finding.get(name) for name in ("code", "severity", "until")}
            texts = {name: str(finding.get(name, "")) for name in ("evidence", "meaning")}
            advice = finding.get("advice", [])
            told = {"since": since, "advice": [str(one) for one in advice]}
            found[finding["code"], since] = kept | texts | told
    return sorted(found.values(), key=lambda finding: finding["since"])


def clips(session: Session) -> list[dict[str, str]]:
    """Returns the videos of first milestones, in the story's order."""
    if not session.clips.is_dir():
        return []
    there = {p.stem: p.name for p in session.clips.iterdir() if CLIP.fullmatch(p.name)}
    return [
        {"milestone": entry.slug, "what": entry.description, "file": there[entry.slug]}
        for entry in milestones()
        if entry.slug in there
    ]


def recordings(session: Session) -> list[str]:
    """Returns the names of the recorded episodes."""
    if not session.recordings.is_dir():
        return []
    return sorted(p.name for p in session.recordings.iterdir() if RECORDING.fullmatch(p.name))


def track(session: Session, name: str) -> dict[str, Any]:
    """Returns where a recorded episode went: [steps, map group, number, x, y] for each stay.

    Raises:
        FileNotFoundError, RecordingError: it cannot be used.
    """
    if not RECORDING.fullmatch(name):
        raise FileNotFoundError(f"no recording {name!r}")
    recording = Recording.load(session.recordings / name)
    places = [(*s.location, *s.position) if s is not None else None for s in recording.states()]
    stays = [(place, len(list(same))) for place, same in groupby(places)]
    return {
        "stays": [[count, *place] if place is not None else [count] for place, count in stays],
        "total": recording.total,
        "steps": recording.n_steps,
        "milestones": list(recording.milestones),
    }
