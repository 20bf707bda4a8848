"""Presets: a reward's terms and their weights."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from emerald_env.files.data import DataError, is_number, read_toml
from emerald_env.files.printable import printable
from emerald_env.game.tables import milestones
from rewards.kinds import Events
from rewards.original_2023 import TERMS as ORIGINAL_TERMS
from rewards.terms import TERMS

FOLDER = Path(__file__).parent / "presets"
MAX_WEIGHT = 1e18  # weight
FORMULAS: dict[str, tuple[str, ...]] = {"once": tuple(TERMS), "original_2023": ORIGINAL_TERMS}
DECAYING = tuple(term.name for term in TERMS.values() if isinstance(term, Events))
TABLES = ("weights", "decay", "limits")
FIELDS = ("about", "formula", *TABLES)


@dataclass(frozen=True)
class Preset:
    """A named choice of terms and weights; equal presets give equal rewards.

    Raises:
        ValueError: an unknown term, or an impossible weight or decay; the message lists what is
        possible.
    """

    name: str
    weights: Mapping[str, float]  # term -> weight; its terms are the reward's terms
    decay: Mapping[str, float] = field(default_factory=dict)  # term -> decay, where not its own
    limits: Mapping[str, float] = field(default_factory=dict)  # term -> most between 2 milestones
    formula: str = "once"  # key of FORMULAS
    about: str = ""

    def __post_init__(self) -> None:
        # the values may come from an untrusted file, so their types are checked
        for kind, names in ((str, ("name", "formula", "about")), (Mapping, TABLES)):
            for name in names:
                if not isinstance(value := getattr(self, name), kind):
                    raise ValueError(f"preset: {name} is {value!r:.60}, not a {kind.__name__}")
        if self.formula not in FORMULAS:
            raise ValueError(
                f"preset {self.name}: unknown formula {self.formula!r}; "
                f"there are: {', '.join(FORMULAS)}"
            )
        terms = FORMULAS[self.formula]
        _check_terms(self.name, "weights", self.weights, terms)
        _check_terms(self.name, "decay", self.decay, DECAYING)
        _check_terms(self.name, "limits", self.limits, tuple(TERMS))
        if not self.weights:
            raise ValueError(f"preset {self.name} has no weights; terms: {', '.join(terms)}")
        for term, weight in self.weights.items():
            _check_number(f"preset {self.name}: weight of {term}", weight, 0.0, math.inf)
        for term, decay in self.decay.items():
            _check_number(f"preset {self.name}: decay of {term}", decay, 1e-6, 1.0)
        for term, limit in self.limits.items():
            _check_number(f"preset {self.name}: limit of {term}", limit, 0.0, math.inf)
        if self.formula == "once":
            self._check_bounds()

    def _check_bounds(self) -> None:
        for term, weight in self.weights.items():
            if weight and math.isinf(self.bound_of(term)):
                raise ValueError(
                    f"preset {self.name}: {term} has no end of keys, so its "
                    f"decay must be below 1, got {self.decay_of(term):g}, or it needs a limit"
                )

    def decay_of(self, term: str) -> float:
        """Returns the decay of an events term: the preset's, or else the term's own."""
        return self.decay.get(term, getattr(TERMS[term], "decay", 1.0))

    def limit_of(self, term: str) -> float:
        """Returns the preset's limit on what a term pays between two milestones, or infinity."""
        return self.limits.get(term, math.inf)

    def most_between_milestones(self, term: str) -> float:
        """Returns the most that a term can pay from one milestone to the next."""
        return min(self.bound_of(term), self.limit_of(term))

    def bound_of(self, term: str) -> float:
        """Returns the most that a term pays in an episode."""
        bound = TERMS[term].bound(self.weights[term], self.decay_of(term))
        return min(bound, self.limit_of(term) * (len(milestones()) + 1))

    def with_weights(self, overrides: Mapping[str, float]) -> Preset:
        """Returns the preset with some weights replaced; a term it lacks is added.

        Raises:
            ValueError: an override names a term that does not exist, or is not a weight.
        """
        return replace(self, weights={**self.weights, **overrides})

    def as_dict(self) -> dict[str, Any]:
        """Returns what `from_dict` takes back: plain values, fit for JSON and TOML."""
        return {
            "name": self.name,
            "about": self.about,
            "formula": self.formula,
            "weights": dict(self.weights),
            "decay": dict(self.decay),
            "limits": dict(self.limits),
        }

    def to_toml(self) -> str:
        """Returns the text of a TOML file that `load_preset` reads back, except for the name."""
        head = [f"{name} = {_toml_text(getattr(self, name))}" for name in ("about", "formula")]
        tables = [
            f"\n[{name}]\n"
            + "".join(f"{term} = {float(value)!r}\n" for term, value in table.items())
            for name in TABLES
            if (table := getattr(self, name))
        ]
        return "\n".join(head) + "\n" + "".join(tables)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Preset:
        """Returns the preset that `as_dict` described, for instance out of a checkpoint."""
        return cls(**{key: values[key] for key in ("name", *FIELDS) if key in values})


def preset_names() -> list[str]:
    """Returns the names of the presets that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_preset(
    name_or_path: str | Path = "default", overrides: Mapping[str, float] | None = None
) -> Preset:
    """Returns a preset of the package by name, or of a TOML file by path.

    Args:
        name_or_path: a name in `preset_names()`, or the path of a file that ends in .toml.
        overrides: weights that replace the preset's, by term.

    Raises:
        FileNotFoundError: no such preset or file; the message lists the presets.
        ValueError: the file is malformed, or names what does not exist.
    """
    preset = _read(_find(name_or_path))
    return preset.with_weights(overrides) if overrides else preset


def parse_weights(texts: Iterable[str]) -> dict[str, float]:
    """Returns the weights that texts like "badge=2" name, by term.

    Raises:
        ValueError: a text is not of that form, or names a term that no preset knows.
    """
    weights = {}
    for text in texts:
        term, equals, value = text.partition("=")
        try:
            weights[term.strip()] = float(value)
        except ValueError:
            raise ValueError(
                f"{text!r} is not a weight: give TERM=NUMBER, for instance badge=2"
            ) from None
    known = {term for terms in FORMULAS.values() for term in terms}
    if unknown := [term for term in weights if term not in known]:
        close = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise ValueError(f"unknown term {unknown[0]!r}{hint} There are: {', '.join(sorted(known))}")
    return weights


def _find(name_or_path: str | Path) -> Path:
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = FOLDER / f"{name_or_path}.toml"
    if not path.is_file():
        raise FileNotFoundError(
            f"no reward preset {str(name_or_path)!r}: give the path of a .toml "
            f"file or one of: {', '.join(preset_names())}"
        )
    return path


def _read(path: Path) -> Preset:
    try:
        values = read_toml(path)
    except DataError as error:
        raise ValueError(f"{path}: {error}") from error
    _check_fields(path, values)
    return Preset(name=printable(path.stem), **values)


def _toml_text(text: str) -> str:
    # JSON's escapes are TOML's, but that TOML wants one for the delete character too
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _check_fields(path: Path, values: Mapping[str, Any]) -> None:
    unknown = [key for key in values if key not in FIELDS]
    if unknown:
        raise ValueError(f"{path}: unknown {', '.join(unknown)}; a preset has: {', '.join(FIELDS)}")
    for table in TABLES:
        if not isinstance(values.get(table, {}), dict):
            raise ValueError(f"{path}: {table} must be a table, [{table}] with a line a term")
    for text in ("about", "formula"):
        if not isinstance(values.get(text, ""), str):
            raise ValueError(f"{path}: {text} must be a text")
    if "weights" not in values:
        raise ValueError(f"{path}: no [weights]; give one line a term, for instance badge = 5.0")


def _check_terms(name: str, table: str, terms: Mapping[str, float], known: Iterable[str]) -> None:
    unknown = [term for term in terms if term not in known]
    if unknown:
        raise ValueError(
            f"preset {name}: unknown term {', '.join(map(repr, unknown))} in {table}; "
            f"there are: {', '.join(known)}"
        )


def _check_number(what: str, value: object, low: float, high: float) -> None:
    if type(value) not in (int, float):
        raise ValueError(f"{what} must be a number, got {value!r:.60}")
    if not is_number(value, low, min(high, MAX_WEIGHT)):
        raise ValueError(f"{what} must be finite and from {low:g} to {high:g}, got {value!r:.60}")
