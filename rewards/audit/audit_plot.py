"""A picture of what a walk paid."""

from __future__ import annotations

from pathlib import Path

from matplotlib.figure import Figure

from emerald_env.files.printable import for_matplotlib
from rewards.audit.auditor import AuditReport


def plot(report: AuditReport, path: Path) -> None:
    """Draws what each term has paid up to each step into a file, whose ending gives the format.

    Raises:
        ValueError: matplotlib knows no format with the path's ending.
    """
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.subplots()
    lines = {
        term: axes.step(steps, sums, where="post")[0]
        for term, (steps, sums) in _curves(report).items()
    }
    title = f"{report.walk} under {report.preset}: {report.verdict.name.lower()}"
    axes.set_title(for_matplotlib(title))
    axes.set_xlabel("step")
    axes.set_ylabel("paid so far")
    if report.payments:
        names = list(map(for_matplotlib, lines))
        figure.legend(list(lines.values()), names, loc="outside right upper", fontsize="small")
    figure.savefig(path, dpi=120)


def _curves(report: AuditReport) -> dict[str, tuple[list[int], list[float]]]:
    """Returns (steps, sums) of each term that paid, and of all together."""
    curves: dict[str, tuple[list[int], list[float]]] = {"all": ([0], [0.0])}
    for payment in report.payments:
        term, _, amount = payment.paid
        for name in ("all", term):
            steps, sums = curves.setdefault(name, ([0], [0.0]))
            steps.append(payment.step)
            sums.append(sums[-1] + amount)
    for steps, sums in curves.values():
        steps.append(report.steps)
        sums.append(sums[-1])
    return curves
