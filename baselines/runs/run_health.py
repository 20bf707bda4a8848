"""How a run is by what its diagnosis wrote down, update by update."""

from collections.abc import Mapping
from typing import Any

TOO_LITTLE = "too little to judge"
WENT_BACK = "no update has ended since the run went back to an earlier policy"


def is_rollback(line: Mapping[str, Any]) -> bool:
    """Whether a line of `diagnostics.jsonl` says that an earlier policy came back."""
    return line.get("action") == "rollback" and "failed" not in line


class RunHealth:
    """The findings that still hold, followed line by line of `diagnostics.jsonl`."""

    def __init__(self) -> None:
        self.steps = 0
        self.lacking: str | None = None  # for a verdict, where nothing is wrong
        self.open: dict[str, str] = {}  # code -> severity

    def take(self, line: dict[str, Any]) -> None:
        """Takes the next line."""
        # a run that was resumed or rolled back was judged afresh from there on
        if line["num_timesteps"] < self.steps or is_rollback(line):
            self.open.clear()
        if is_rollback(line):
            self.lacking = WENT_BACK
        elif "metrics" in line:
            self.lacking = line.get("lacking")  # earlier versions did not write it
        self.steps = line["num_timesteps"]
        for finding in line.get("findings", ()):
            if finding.get("until") is None:
                self.open[finding["code"]] = finding["severity"]
            else:
                self.open.pop(finding["code"], None)

    @property
    def findings(self) -> tuple[str, ...]:
        """The codes of the findings that are more than notes, the worst first."""
        return tuple(
            code
            for worst in ("critical", "warning")
            for code, severity in self.open.items()
            if severity == worst
        )

    @property
    def health(self) -> str | None:
        """Collapsed, warnings, too little to judge or healthy; None before the first update."""
        if not self.steps:
            return None
        if self.findings:
            return "collapsed" if "critical" in self.open.values() else "warnings"
        return TOO_LITTLE if self.lacking else "healthy"
