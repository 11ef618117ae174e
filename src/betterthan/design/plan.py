"""The plan of a gate, written down before the data are seen: ``betterthan.toml``.

::

    [gate]
    alpha = 0.05
    correction = "holm"

    [[gate.checks]]
    metric = "accuracy"
    margin = 2            # points: the metric is a rate

A plan has a hash, which goes into every signature. ``sealed`` records the hash in the plan itself,
so that a plan changed afterwards no longer fits its own seal.
"""

import hashlib
import json
import re
import tomllib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from betterthan.design.gate import CORRECTIONS, GOALS, Check
from betterthan.errors import FormatError, UsageError

FILE = "betterthan.toml"
_KEYS = {
    *("alpha", "correction", "lower_is_better", "checks", "metric", "margin", "goal", "sealed"),
}
_CHECK_KEYS = {"metric", "margin", "goal"}
_SEAL = re.compile(r"^[ \t]*sealed[ \t]*=.*\n?", re.MULTILINE)
_TABLE = re.compile(r"^[ \t]*\[[ \t]*gate[ \t]*\][^\n]*\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is checked, at which level, adjusted how, in which direction."""

    checks: tuple[Check, ...]
    alpha: float = 0.05
    correction: str = "holm"
    lower_is_better: bool = False

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that change with anything that the plan says.

        Comments, order of the keys and the way numbers are written do not matter.
        """
        said: dict[str, object] = {
            "alpha": float(self.alpha),
            "correction": self.correction,
            "checks": [asdict(c) | {"margin": float(c.margin)} for c in self.checks],
        }
        if self.lower_is_better:
            said["lower_is_better"] = True
        text = json.dumps(said, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def read_plan(path: str | Path = FILE) -> Plan:
    """Read a plan; one that was changed after it was sealed is an error.

    Raises
    ------
    FormatError
        If the file is no plan.
    UsageError
        If the plan does not fit its own seal.
    """
    path = Path(path)
    table = _table(_text(path), path)
    plan = _plan(table, path)
    sealed = table.get("sealed")
    if sealed is not None and sealed != plan.hash:
        raise UsageError(
            f"{path} was changed after it was sealed: the seal is {sealed}, the plan now "
            f"{plan.hash}. Restore it, or seal the new plan before new data are seen "
            "(betterthan gate --seal)"
        )
    return plan


def check_hash(plan: Plan, expected: str | None) -> None:
    """Refuse a plan other than the one that was registered."""
    if expected is not None and plan.hash != expected:
        raise UsageError(
            f"the plan is {plan.hash}, not {expected}: it was changed after it was registered"
        )


def seal(path: str | Path = FILE) -> str:
    """Write the plan's hash into the plan, and return it."""
    path = Path(path)
    text = _SEAL.sub("", _text(path))
    made = _plan(_table(text, path), path).hash
    found = _TABLE.search(text)
    if found is None:
        raise FormatError(f"{path} has no [gate] table of its own line to seal")
    path.write_text(f'{text[: found.end()]}sealed = "{made}"\n{text[found.end() :]}', "utf-8")
    return made


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path} is not a TOML file: {error}") from error


def _table(text: str, path: Path) -> dict[str, Any]:
    try:
        table = tomllib.loads(text).get("gate")
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"{path} is not a TOML file: {error}") from error
    if not isinstance(table, dict):
        raise FormatError(f"{path} has no [gate] table: see docs/design.md for what a plan holds")
    return table


def _plan(table: dict[str, Any], path: Path) -> Plan:
    _known(table, _KEYS, f"{path}: [gate]")
    listed = table.get("checks")
    if listed is None:
        listed = [{key: table[key] for key in _CHECK_KEYS & set(table)}]
    elif _CHECK_KEYS & set(table):
        raise FormatError(f"{path}: give a metric and a margin, or [[gate.checks]], not both")
    if not isinstance(listed, list) or not listed:
        raise FormatError(f"{path}: checks is a list of tables, [[gate.checks]], with one or more")
    alpha, correction = table.get("alpha", 0.05), table.get("correction", "holm")
    if not _is_number(alpha) or not 0.0 < alpha < 0.5:
        raise FormatError(f"{path}: alpha lies between 0 and one half, not {alpha!r}")
    if correction not in CORRECTIONS:
        known = ", ".join(CORRECTIONS)
        raise FormatError(f"{path}: correction is one of {known}, not {correction!r}")
    lower = table.get("lower_is_better", False)
    if not isinstance(lower, bool):
        raise FormatError(f"{path}: lower_is_better is true or false, not {lower!r}")
    return Plan(tuple(_check(c, path) for c in listed), float(alpha), correction, lower)


def _check(table: Any, path: Path) -> Check:
    if not isinstance(table, dict):
        raise FormatError(f"{path}: a check is a table with a metric and a margin, not {table!r}")
    _known(table, _CHECK_KEYS, f"{path}: [[gate.checks]]")
    metric, margin = table.get("metric"), table.get("margin")
    goal = table.get("goal", "non-inferior")
    if metric is not None and not isinstance(metric, str):
        raise FormatError(f"{path}: a metric is a name in quotes, not {metric!r}")
    if margin is None or not _is_number(margin):
        raise FormatError(f"{path}: every check needs a margin, a number, not {margin!r}")
    if goal not in GOALS:
        raise FormatError(f"{path}: a goal is one of {', '.join(GOALS)}, not {goal!r}")
    return Check(metric, float(margin), goal)


def _known(table: dict[str, Any], keys: set[str], where: str) -> None:
    unknown = sorted(set(table) - keys)
    if unknown:
        raise FormatError(
            f"{where} has {unknown[0]!r}, which means nothing here (known: "
            f"{', '.join(sorted(keys))})"
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
