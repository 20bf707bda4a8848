"""Whether healthy runs of our own are called healthy, and their sick twins found.

    python -m experiments.own_runs.twins OUT [--kept KIND=SESSION ...] [-- FLAGS]

trains what is missing, with FLAGS of `emerald train` for all runs, and prints a row for each: what
its episodes reached in the first and in the last quarter of them, and every warning that was ever
said. `--kept` takes a session in place of a training.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import tyro

from baselines.commands.learn.diagnose import RunReport, examine
from baselines.diagnostics import Severity
from baselines.diagnostics.logs import read_runs
from baselines.runs.session_folder import Session
from emerald_env.recordings.find_recordings import session_folders
from experiments.own_runs.faults import AFTER
from experiments.own_runs.kinds import KINDS, SESSION, TWINS, Kind

SAID = {0: "healthy", 1: "sick", 2: "collapsed", 4: "too little to judge"}


@dataclass(frozen=True)
class Plan:
    """Where runs are, and how long they are trained.

    Args:
        out: a folder for each.
        kept: kind -> the session that is taken for it.
        steps: of a run.
        n_envs: games of a run.
        flags: of `emerald train`, for all.
    """

    out: Path
    kept: Mapping[str, Path]
    steps: int
    n_envs: int
    flags: Sequence[str] = ()

    def healthy(self, name: str) -> Path:
        """Returns the session of a kind, trained if it is missing."""
        return self.kept.get(name) or self._trained(name, KINDS[name], KINDS[name].flags)

    def sick(self, name: str) -> Path:
        """Returns the session of a twin, trained if it is missing."""
        twin = TWINS[name]
        kind = KINDS[twin.kind]
        return self._trained(name, kind, (*kind.flags, *twin.flags), twin.at)

    def _trained(self, name: str, kind: Kind, flags: Sequence[str], at: float = 0.0) -> Path:
        folder = self.out / name.replace(" ", "_")
        if not session_folders(folder):
            if kind.begins_with is not None:
                weights = str(self.healthy(kind.begins_with))
                flags = [weights if flag == SESSION else flag for flag in flags]
            env = os.environ | {AFTER: str(int(at * self.steps / self.n_envs))}
            parts = kind.resumed + 1
            first = (*flags, "--n-envs", str(self.n_envs), "--sessions", str(folder), *self.flags)
            _train((*first, "--total-timesteps", str(self.steps // parts)), env)
            for part in range(2, parts + 1):
                (session,) = session_folders(folder)
                total = str(self.steps * part // parts)
                _train(("--resume", str(session), "--total-timesteps", total), env)
        return session_folders(folder)[0]


def _train(flags: Sequence[str], env: Mapping[str, str]) -> None:
    print("emerald train", *flags, file=sys.stderr, flush=True)
    subprocess.run((sys.executable, "-m", "baselines", "train", *flags), env=env, check=True)


def ever_said(report: RunReport) -> list[str]:
    """Returns the codes of all warnings; in brackets those that are over, or a note by now."""
    found = [f for f in report.diagnosis.findings if f.worst > Severity.NOTE]
    still = {f.code for f in found if f.until is None and f.severity > Severity.NOTE}
    return list(dict.fromkeys(f.code if f.code in still else f"({f.code})" for f in found))


def row(name: str, session: Path) -> str:
    """Returns a run's line of Markdown."""
    (report,) = [examine(run) for run in read_runs([session])]
    episodes = list(Session(session).read_episodes())
    scores = [(float(len(e.get("milestones", ()))), e["reward"]) for e in episodes]
    scores = scores or [(np.nan, np.nan)]
    quarter = max(1, len(scores) // 4)
    (first, paid), (last, pays) = (
        np.mean(part, 0) for part in (scores[:quarter], scores[-quarter:])
    )
    said = ", ".join(ever_said(report)) or "–"
    return (
        f"| {name} | {report.steps[-1]:,} | {len(episodes)} | {first:.2f} → {last:.2f} | "
        f"{paid:.1f} → {pays:.1f} | {SAID[report.status]} | {said} |"
    )


def rows(plan: Plan) -> Iterator[str]:
    """Yields the table's lines."""
    yield "| run | steps | episodes | milestones | reward | verdict | warnings ever |"
    yield "|---|---|---|---|---|---|---|"
    runs = [(name, plan.healthy(name)) for name in KINDS]
    runs += [(f"{name} ({twin.kind})", plan.sick(name)) for name, twin in TWINS.items()]
    for name, session in runs:
        yield row(name, session)


def main() -> None:
    """Trains what is missing, and prints the table."""
    arguments = sys.argv[1:]
    end = arguments.index("--") if "--" in arguments else len(arguments)
    plan = tyro.cli(planned, args=arguments[:end], description=__doc__)
    for line in rows(replace(plan, flags=arguments[end + 1 :])):
        print(line, flush=True)


def planned(
    out: Path, /, kept: tuple[str, ...] = (), steps: int = 1_048_576, n_envs: int = 32
) -> Plan:
    """Returns a plan without more flags.

    Args:
        out: folder of the runs.
        kept: KIND=SESSION each, runs that are there already.
        steps: of a run.
        n_envs: games of a run.
    """
    sessions = {name: Path(path) for name, _, path in (each.partition("=") for each in kept)}
    if unknown := sessions.keys() - KINDS.keys():
        raise SystemExit(f"--kept: no kind {', '.join(unknown)}: there are {', '.join(KINDS)}")
    return Plan(out, sessions, steps, n_envs)


if __name__ == "__main__":
    main()
