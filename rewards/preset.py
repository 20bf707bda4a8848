"""Presets: a reward's terms and their weights."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from emerald_env.env.reward_function import MAX_AMOUNT
from emerald_env.files.data import DataError, is_number, read_toml
from emerald_env.files.own_code import PLAIN_ADDRESS, OwnCode, OwnName, parse_address
from emerald_env.files.printable import printable
from emerald_env.game.tables import milestones
from rewards.kinds import Events, Marks
from rewards.original_2023 import TERMS as ORIGINAL_TERMS
from rewards.own.own_terms import OwnTerm, StepReward
from rewards.terms import TERMS

FOLDER = Path(__file__).parent / "presets"
FORMULAS: dict[str, tuple[str, ...]] = {"once": tuple(TERMS), "original_2023": ORIGINAL_TERMS}
DECAYING = tuple(term.name for term in TERMS.values() if isinstance(term, Events))
TABLES = ("weights", "decay", "limits")
SHA256 = re.compile("[0-9a-f]{64}")
CODE = "code"  # the table of own terms' hashes
LISTED = (
    "the package's terms are listed in rewards/terms/__init__.py; your own are FILE.py:NAME, "
    "where FILE has letters, digits, '_', '-' and '.' only"
)
FIELDS = ("about", "formula", *TABLES, CODE)


@dataclass(frozen=True)
class Preset:
    """A named choice of terms and weights; equal presets give equal rewards.

    A term may be the user's own, FILE.py:NAME. `code` has the hash of its file, and only `own` the
    code itself, which is never stored: a preset from a file or a checkpoint has none, and no
    `Reward` can be made of it.

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
    code: Mapping[str, str] = field(default_factory=dict)  # own term -> SHA-256 of its file
    own: Mapping[str, OwnTerm] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        # the values may come from an untrusted file, so their types are checked
        for kind, names in ((str, ("name", "formula", "about")), (Mapping, (*TABLES, CODE))):
            for name in names:
                if not isinstance(value := getattr(self, name), kind):
                    raise ValueError(f"preset: {name} is {value!r:.60}, not a {kind.__name__}")
        own = tuple(filter(self.is_own, self.weights))
        self._check_formula(own)
        terms = FORMULAS[self.formula]
        _check_terms(self.name, "weights", self.weights, (*terms, *own))
        kinds = tuple(term for term in own if self.term(term) is not None or not self.is_loaded)
        _check_terms(self.name, "decay", self.decay, (*DECAYING, *kinds))
        _check_terms(self.name, "limits", self.limits, (*TERMS, *kinds))
        _check_hashes(self.name, self.code, own)
        if not self.weights:
            raise ValueError(f"preset {self.name} has no weights; terms: {', '.join(terms)}")
        for term, weight in self.weights.items():
            _check_number(f"preset {self.name}: weight of {term}", weight, 0.0, MAX_AMOUNT)
        for term, decay in self.decay.items():
            _check_number(f"preset {self.name}: decay of {term}", decay, 1e-6, 1.0)
        for term, limit in self.limits.items():
            _check_number(f"preset {self.name}: limit of {term}", limit, 0.0, MAX_AMOUNT)
        if self.formula == "once":
            self._check_bounds()

    def _check_formula(self, own: tuple[str, ...]) -> None:
        if self.formula not in FORMULAS:
            raise ValueError(
                f"preset {self.name}: unknown formula {self.formula!r}; "
                f"there are: {', '.join(FORMULAS)}"
            )
        if self.formula == "once":
            return
        if own:
            raise ValueError(
                f"preset {self.name}: the formula {self.formula} pays its own terms only, not "
                f"{', '.join(own)}: a term of your own needs the formula once"
            )
        if ignored := [f"[{name}]" for name in ("decay", "limits") if getattr(self, name)]:
            raise ValueError(
                f"preset {self.name}: the formula {self.formula} has no {' or '.join(ignored)}: "
                "leave it out"
            )

    def _check_bounds(self) -> None:
        for term, weight in self.weights.items():
            endless = weight and self.term(term) is not None and math.isinf(self.bound_of(term))
            if endless:
                raise ValueError(
                    f"preset {self.name}: {term} has no end of keys, so its "
                    f"decay must be below 1, got {self.decay_of(term):g}, or it needs a limit"
                )

    def is_own(self, term: str) -> bool:
        """Returns whether a term is not of the package, but the user's own."""
        return term in self.own or (term not in TERMS and bool(PLAIN_ADDRESS.fullmatch(term)))

    @property
    def unloaded(self) -> list[str]:
        """The user's own terms whose code is not here."""
        return [term for term in self.weights if self.is_own(term) and term not in self.own]

    @property
    def is_loaded(self) -> bool:
        """Whether all code is here that a `Reward` needs."""
        return not self.unloaded

    def term(self, name: str) -> Events | Marks | None:
        """Returns a term; None for a function of two states, or if its code is not here."""
        if name in self.own:
            return self.own[name].term
        return TERMS.get(name)

    def decay_of(self, term: str) -> float:
        """Returns the decay of an events term: the preset's, or else the term's own."""
        return self.decay.get(term, getattr(self.term(term), "decay", 1.0))

    def limit_of(self, term: str) -> float:
        """Returns the preset's limit on what a term pays between two milestones, or infinity."""
        return self.limits.get(term, math.inf)

    def most_between_milestones(self, term: str) -> float:
        """Returns the most that a term can pay from one milestone to the next."""
        return min(self.bound_of(term), self.limit_of(term))

    def bound_of(self, term: str) -> float:
        """Returns the most that a term pays in an episode; infinite for a function."""
        found = self.term(term)
        if found is None:
            return math.inf
        bound = found.bound(self.weights[term], self.decay_of(term))
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
            **({CODE: dict(self.code)} if self.code else {}),
        }

    def to_toml(self) -> str:
        """Returns the text of a TOML file that `load_preset` reads back, except for the name."""
        head = [f"{name} = {_toml_text(getattr(self, name))}" for name in ("about", "formula")]
        tables = [
            f"\n[{name}]\n"
            + "".join(
                f"{_toml_key(term)} = {_toml_value(value)}\n" for term, value in table.items()
            )
            for name in (*TABLES, CODE)
            if (table := getattr(self, name))
        ]
        return "\n".join(head) + "\n" + "".join(tables)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Preset:
        """Returns the preset that `as_dict` described, for instance out of a checkpoint."""
        return cls(**{key: values[key] for key in ("name", *FIELDS) if key in values})


def pay_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Returns whether two presets, as `as_dict` describes them, pay the same, whatever their names.

    Totals of episodes can be compared only if they do.
    """
    return all((one.get(key) or None) == (other.get(key) or None) for key in FIELDS[1:])


def preset_names() -> list[str]:
    """Returns the names of the presets that come with the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def load_preset(
    name_or_path: str | Path = "default",
    overrides: Mapping[str, float] | None = None,
    code: Iterable[str | Path] = (),
) -> Preset:
    """Returns a preset of the package by name, of a TOML file by path, or a reward of your own.

    It runs the Python files that the arguments name; so no argument may come from a stranger.

    Args:
        name_or_path: a name in `preset_names()`, the path of a file that ends in .toml, or
            FILE.py:NAME: a function of two states, or a class as in `rewards.terms`.
        overrides: weights that replace the preset's, by term.
        code: Python files of your own that have the terms FILE.py:NAME of the preset.

    Raises:
        FileNotFoundError: no such preset or file; the message lists the presets.
        ValueError: a file is malformed or fails, or names what does not exist.
    """
    address = parse_address(str(name_or_path))
    files = _own_files(code if address is None else [*code, address[0]])
    if address is None:
        preset = _read(_find(name_or_path))
    else:
        own = OwnName(files[address[0].name], address[1]).address
        preset = Preset(own, {own: 1.0})
    return _loaded(preset.with_weights(overrides) if overrides else preset, files)


def load_presets(
    names: Sequence[str],
    overrides: Mapping[str, float] | None = None,
    code: Iterable[str | Path] = (),
) -> list[Preset]:
    """Returns several presets, see `load_preset`; those of one name are called as they were given.

    Raises:
        FileNotFoundError, ValueError: as `load_preset`.
    """
    files = tuple(code)
    presets = [load_preset(name, overrides, files) for name in names]
    own = distinct([preset.name for preset in presets], [printable(name) for name in names])
    return [replace(preset, name=name) for name, preset in zip(own, presets, strict=True)]


def distinct(names: Sequence[str], given: Sequence[str]) -> list[str]:
    """Returns names, but where several are the same, how they were given."""
    count = Counter(names)
    return [own if count[name] > 1 else name for name, own in zip(names, given, strict=True)]


def own_preset(reward: StepReward) -> Preset:
    """Returns the preset of a function of two states, `(before, after) -> float | dict`."""
    name = getattr(reward, "__name__", type(reward).__name__)
    name = name if name.isidentifier() and name not in TERMS else "own_reward"
    return Preset(name, {name: 1.0}, own={name: OwnTerm(name, function=reward)})


def _own_files(paths: Iterable[str | Path]) -> dict[str, OwnCode]:
    """Reads Python files; returns them by their names without folders, as terms name them.

    Raises:
        OSError, DataError: one cannot be read.
        ValueError: no term can name one, or a term could mean two.
    """
    files: dict[str, OwnCode] = {}
    for path in map(Path, paths):
        file = OwnCode.read(path)
        if not PLAIN_ADDRESS.fullmatch(f"{path.name}:term"):
            raise ValueError(
                f"{path.name!r:.80} cannot be the file of a reward: its name must end in .py and "
                "have letters, digits, '_', '-' and '.' only: rename it"
            )
        if files.setdefault(path.name, file) != file:
            raise ValueError(
                f"two different files are named {path.name}, and terms name a file without its "
                "folder: rename one"
            )
    return files


def _loaded(preset: Preset, files: Mapping[str, OwnCode]) -> Preset:
    """Returns a preset with the code of its own terms.

    Raises:
        ValueError: a file is not given, is not the one that the preset names, or lacks the term.
    """
    own = {}
    for term in preset.unloaded:
        file = term.partition(":")[0]
        if file not in files:
            raise ValueError(
                f"the reward {preset.name} has the term {term}, which is Python code: if it is "
                f"yours, name its file, too: --reward-code {file}"
            )
        if preset.code.get(term, files[file].sha256) != files[file].sha256:
            raise ValueError(
                f"{file} has the SHA-256 {files[file].sha256}, and the reward {preset.name} was "
                f"made with {preset.code[term]:.64}: give that file, or leave [code] out"
            )
        own[term] = OwnTerm(term, files[file])
    hashes = {term: files[term.partition(":")[0]].sha256 for term in own}
    return replace(preset, own=own, code=hashes) if own else preset


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
    if unknown := [t for t in weights if t not in known and not PLAIN_ADDRESS.fullmatch(t)]:
        close = difflib.get_close_matches(unknown[0], known, 1)
        hint = f"; did you mean {close[0]}?" if close else "."
        raise ValueError(
            f"unknown term {unknown[0]!r}{hint} There are: {', '.join(sorted(known))} ({LISTED})"
        )
    return weights


def _find(name_or_path: str | Path) -> Path:
    path = Path(name_or_path)
    if path.suffix != ".toml":
        path = FOLDER / f"{name_or_path}.toml"
    if not path.is_file():
        raise FileNotFoundError(
            f"no reward preset {str(name_or_path)!r}: give the path of a .toml file, FILE.py:NAME "
            f"for a function or class of your own, or one of: {', '.join(preset_names())}"
        )
    return path


def _read(path: Path) -> Preset:
    try:
        values = read_toml(path)
    except DataError as error:
        raise ValueError(f"{path}: {error}") from error
    _check_fields(path, values)
    return Preset(name=printable(path.stem), **values)


def _toml_key(term: str) -> str:
    return term if term.isidentifier() else _toml_text(term)


def _toml_value(value: float | str) -> str:
    return _toml_text(value) if isinstance(value, str) else repr(float(value))


def _toml_text(text: str) -> str:
    # JSON's escapes are TOML's, but that TOML wants one for the delete character too
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _check_fields(path: Path, values: Mapping[str, Any]) -> None:
    unknown = [key for key in values if key not in FIELDS]
    if unknown:
        raise ValueError(f"{path}: unknown {', '.join(unknown)}; a preset has: {', '.join(FIELDS)}")
    for table in (*TABLES, CODE):
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
            f"there are: {', '.join(known)} ({LISTED})"
        )


def _check_hashes(name: str, hashes: Mapping[str, str], own: Iterable[str]) -> None:
    for term, value in hashes.items():
        if term not in own or not isinstance(value, str) or not SHA256.fullmatch(value):
            raise ValueError(
                f"preset {name}: code of {term} is {value!r:.80}, which is not the SHA-256 of one "
                "of its own terms"
            )


def _check_number(what: str, value: object, low: float, high: float) -> None:
    if type(value) not in (int, float):
        raise ValueError(f"{what} must be a number, got {value!r:.60}")
    if not is_number(value, low, high):
        raise ValueError(f"{what} must be finite and from {low:g} to {high:g}, got {value!r:.60}")
