"""Audits walks: ``python -m rewards.audit [WALK ...] [--reward PRESET ...]``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from rewards.audit.auditor import ROUNDS, AuditReport, audit
from rewards.audit.scripted import walk_names
from rewards.audit.sources import open_walk
from rewards.audit.tables import detail, summary, terms_table
from rewards.preset import Preset, load_preset, parse_weights, preset_names

EPILOG = """\
A WALK is the name of a walk that comes with the package ({walks}), a file of JSON lines (see
rewards/audit/scripted.py), or a save state of mGBA. Without any, all walks of the package are
audited. The exit status is 1 if a loop can be farmed, 2 if something cannot be read.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    options = _parser().parse_args(arguments)
    try:
        presets = [load_preset(name, parse_weights(options.weight)) for name in options.reward]
        if options.terms:
            _console().print(*(terms_table(preset) for preset in presets))
            return 0
        reports = _audit(options, presets)
        if options.plot:
            _plot(reports, options.plot)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    _show(reports, options.json)
    return int(any(report.farmable for report in reports))


def _audit(options: argparse.Namespace, presets: Sequence[Preset]) -> list[AuditReport]:
    return [
        audit(open_walk(name), preset, options.rounds)
        for name in options.walks or walk_names()
        for preset in presets
    ]


def _plot(reports: Sequence[AuditReport], path: Path) -> None:
    if len(reports) != 1:
        raise ValueError(f"--plot draws one walk under one preset, got {len(reports)} of them")
    # Only those who want a picture wait for matplotlib.
    from rewards.audit.plot import plot

    plot(reports[0], path)


def _show(reports: Sequence[AuditReport], as_json: bool) -> None:
    if as_json:
        print(json.dumps([report.as_dict() for report in reports], indent=2))
    elif len(reports) == 1:
        _console().print(detail(reports[0]))
    else:
        _console().print(summary(reports))


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else 120)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rewards.audit",
        description="Follows walks through states of the game and says what paid, for which keys, "
        "what a loop pays round after round, and whether it can be farmed.",
        epilog=EPILOG.format(walks=", ".join(walk_names())),
    )
    parser.add_argument("walks", nargs="*", metavar="WALK", help="what to follow")
    parser.add_argument(
        "--reward",
        nargs="+",
        default=["default"],
        metavar="PRESET",
        help=f"{', '.join(preset_names())}, or TOML files (default: default)",
    )
    parser.add_argument(
        "--weight",
        "--reward-weights",
        nargs="+",
        action="extend",
        default=[],
        metavar="TERM=WEIGHT",
        help="weights in place of the presets'",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        help=f"how often to go round the loop (default: {ROUNDS})",
    )
    parser.add_argument("--json", action="store_true", help="print reports for machines")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw what was paid over time")
    parser.add_argument("--terms", action="store_true", help="only list the presets' terms")
    return parser


if __name__ == "__main__":
    sys.exit(main())
