"""How a run is by what its diagnosis wrote down, update by update."""

from typing import Any

TOO_LITTLE = "too little to judge"


class RunHealth:
    """The findings that still hold, followed line by line of `diagnostics.jsonl`."""

    def __init__(self) -> None:
        self.steps = 0
        self.lacking: str | None = None  # for a verdict, where nothing is wrong
        self.open: dict[str, str] = {}  # code -> severity

    def take(self, line: dict[str, Any]) -> None:
        """Takes the next line."""
        # a run that was resumed or rolled back was judged afresh from there on
        rolled_back = line.get("action") == "rollback" and "failed" not in line
        if line["num_timesteps"] < self.steps or rolled_back:
            self.open.clear()
        self.steps = line["num_timesteps"]
        self.lacking = line.get("lacking", self.lacking)
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
