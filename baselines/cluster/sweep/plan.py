"""A sweep's plan, read from its TOML file."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from math import prod
from pathlib import Path
from typing import Any

from baselines.checkpoints.downloads import is_address
from baselines.training.command_line import parse
from emerald_env.env.setting_types import Count, checked
from emerald_env.files.data import is_number, read_toml
from emerald_env.files.own_code import parse_address

Value = str | int | float | bool
Choice = list[Value] | dict[str, Value]  # each of these, or a range: low, high, log
WEIGHT = "weight "  # prefix of a reward term among the names of settings
# what a file that somebody else wrote must not decide
NOT_BY_FILE = {"--alert", "--wandb", "--use-wandb-logging", "--ray", "--resume", "--sessions"}
NOT_BY_FILE |= {"--reward-code"}  # it runs Python files
NOT_BY_FILE |= {"--tyro-write-completion"}  # it writes any file
PLAIN_NAME = re.compile(r"[A-Za-z][\w.-]*")  # of a flag, or a reward term
OPTION = "option"  # among the names of settings: which of the options is tried
MAX_RUNS = 10_000
MAX_LISTED = 200  # values or options: the command line of each is read, which takes a while
RANGE = {"low", "high", "log"}


@checked
@dataclass(frozen=True)
class Plan:
    """Trainings with different settings, several seeds each; the fields are the file's keys."""

    flags: str = ""  # of the training command, for every run
    seeds: Count = 3  # runs of each settings, seeds 0, 1, 2, ...
    settings: dict[str, Choice] = field(default_factory=dict)  # by the flag's name
    weights: dict[str, Choice] = field(default_factory=dict)  # by the reward term's name
    options: dict[str, str] = field(default_factory=dict)  # by name, more flags: each is tried
    trials: Count | None = None  # settings that Optuna proposes; None: all combinations of lists
    cpus: Count = 1  # of one run
    score: str = "milestones"  # or "reward": what is compared, and what Optuna maximises
    stop_after: Count | None = None  # steps after which worse runs may be stopped; None: never
    stop_share: float = 0.5  # share of runs stopped there, and after each doubling of the steps

    def __post_init__(self) -> None:
        """Raises ValueError for an impossible value or combination."""
        if self.score not in ("milestones", "reward"):
            raise ValueError(f"score is {self.score!r}: it must be milestones or reward")
        if not 0 < self.stop_share < 1:
            raise ValueError(f"stop_share is {self.stop_share}: it must be between 0 and 1")
        for name in (*self.settings, *self.weights):
            if not PLAIN_NAME.fullmatch(name) or name == OPTION:
                raise ValueError(f"{name!r:.60} is no name of a flag or of a reward's term")
        for name, choice in self.choices.items():
            _check_choice(name, choice)
        ranges = [name for name, choice in self.choices.items() if isinstance(choice, dict)]
        if ranges and self.trials is None:
            raise ValueError(f"{', '.join(ranges)}: searching a range needs trials")
        if self.options and (self.choices or self.trials):
            raise ValueError("options are tried one by one: leave out settings, weights and trials")
        if not self.options and not self.choices:
            raise ValueError("a sweep needs settings, weights or options to try")

    @property
    def choices(self) -> dict[str, Choice]:
        """Everything that is tried, by name."""
        weights = {WEIGHT + term: choice for term, choice in self.weights.items()}
        return dict(self.settings) | weights

    def all_settings(self) -> list[dict[str, Value]]:
        """Returns every combination of the lists' values, or each of the options."""
        if self.options:
            return [{OPTION: name} for name in self.options]
        values = [choice for choice in self.choices.values() if isinstance(choice, list)]
        return [dict(zip(self.choices, each, strict=True)) for each in itertools.product(*values)]

    def command(self, settings: Mapping[str, Value], seed: int) -> list[str]:
        """Returns the flags of the training command for a run.

        Raises:
            ValueError: one is not for a file to set.
        """
        flags = self.flags.split()
        weights = []
        for name, value in settings.items():
            if name.startswith(WEIGHT):
                weights.append(f"{name.removeprefix(WEIGHT)}={value}")
            elif name == OPTION:
                flags += self.options[str(value)].split()
            elif isinstance(value, bool):
                flags.append(f"--{name}" if value else f"--no-{name}")
            else:
                flags += [f"--{name}", *str(value).split()]
        if weights:
            flags += ["--reward-weights", *weights]
        _check_words(flags)
        if "--n-workers" not in flags:
            flags += ["--n-workers", str(self.cpus)]
        return [*flags, "--seed", str(seed)]

    def check(self) -> None:
        """Checks the flags of a run with each value of each choice, and the number of runs.

        Raises:
            SystemExit, ValueError: the training command refuses them, or there are too many.
        """
        lists = [len(choice) for choice in self.choices.values() if isinstance(choice, list)]
        runs = self.seeds * (self.trials or max(prod(lists), len(self.options)))
        if runs > MAX_RUNS or 0 in lists:
            raise ValueError(
                f"a sweep of {runs:,} runs: at least one is needed, at most {MAX_RUNS:,}"
            )
        if (listed := sum(lists) + len(self.options)) > MAX_LISTED:
            raise ValueError(
                f"a sweep that lists {listed:,} values or options: at most {MAX_LISTED} in all, "
                "since each is checked before anything runs"
            )
        for settings in self._samples():
            parse(self.command(settings, 0)).env.preset()

    def _samples(self) -> list[dict[str, Value]]:
        """Returns settings in which each listed value, range's end and option is at least once."""
        if self.options:
            return self.all_settings()
        values = {
            name: choice if isinstance(choice, list) else [choice["low"], choice["high"]]
            for name, choice in self.choices.items()
        }
        first, last = ({name: each[end] for name, each in values.items()} for end in (0, -1))
        between = [{**first, name: value} for name, each in values.items() for value in each[1:-1]]
        return [first, *between, last]


def _check_choice(name: str, choice: Choice) -> None:
    """Raises ValueError for a list with a value twice, and for an impossible range."""
    if isinstance(choice, list):
        counts = Counter(map(str, choice))  # as on the command line, and in a run's folder
        if twice := [value for value, count in counts.items() if count > 1]:
            raise ValueError(f"{name} lists {', '.join(twice):.60} more than once: once is enough")
        return
    if set(choice) - RANGE or not {"low", "high"} <= set(choice):
        raise ValueError(f"{name} is {choice}: a list of values, or low, high and log")
    low, high = choice["low"], choice["high"]
    if not is_number(low) or not is_number(high) or low > high:  # type: ignore[operator]
        raise ValueError(f"{name} is {choice}: low and high are numbers, and low is not above high")
    if choice.get("log") and low <= 0:  # type: ignore[operator]
        raise ValueError(f"{name} is {choice}: low must be above 0 where log is true")


def _check_words(words: Iterable[str]) -> None:
    """Raises ValueError for what a file that may be a stranger's must not ask for."""
    for word in words:
        flag, _, value = word.partition("=")
        if flag.replace("_", "-") in NOT_BY_FILE or any(
            parse_address(each) is not None or is_address(each) for each in (word, flag, value)
        ):
            raise ValueError(
                f"a sweep's file may not set {flag}: it could be a stranger's, and that runs "
                "code, uses the network or writes elsewhere; give it to a single training"
            )


def read_plan(path: Path) -> Plan:
    """Reads a sweep's file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not TOML, has an unknown key, or an impossible value.
    """
    values = read_toml(path)
    known = [each.name for each in fields(Plan)]
    if unknown := sorted(set(values) - set(known)):
        raise ValueError(f"{path}: no key {', '.join(unknown)}; there are {', '.join(known)}")
    try:
        plan = Plan(**values)
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from error
    plan.check()
    return plan


def name_of(settings: Mapping[str, Value]) -> str:
    """Returns the name of settings in a table."""
    if OPTION in settings:
        return str(settings[OPTION])
    return ", ".join(f"{name} {_short(value)}" for name, value in settings.items())


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
