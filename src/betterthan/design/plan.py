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
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from betterthan.data.arguments import is_number
from betterthan.design.checks import GOALS, Check
from betterthan.design.gate import GATE_CORRECTIONS
from betterthan.errors import FormatError, UsageError, did_you_mean, quote
from betterthan.metrics.spelling import is_imported
from betterthan.readers.toml_files import parsed_toml, toml_text
from betterthan.results.whole_files import stream_of, write_whole

FILE = "betterthan.toml"
_FURTHER = ("cluster", "missing", "baseline", "candidate", "by", "task")
_MISSING = ("error", "drop", "worst")
_KEYS = {
    *("alpha", "correction", "lower_is_better", "checks", "metric", "margin", "goal", "sealed"),
    *("bounds", "assume", *_FURTHER),
}
_CHECK_KEYS = {"metric", "margin", "goal", "bounds", "assume"}
_SEAL = re.compile(r"""[ \t]*(sealed|"sealed"|'sealed')[ \t]*=""")
_REMARK = re.compile(r"""(?<=["'])[ \t]*#[^\r\n]*""")
_GATE = re.compile(r"""[ \t]*\[[ \t]*(gate|"gate"|'gate')[ \t]*\][ \t]*(#.*)?""")
_TABLE = re.compile(r"[ \t]*\[")
_TRIED = 20  # lines that may be the header of the table, or stand in a text


@dataclass(frozen=True, slots=True)
class Plan:
    """What is checked, at which level, adjusted how, in which direction; of what.

    ``cluster``, ``missing`` and ``task`` are those of :func:`betterthan.read`, ``by`` that of
    :func:`betterthan.gate`; ``baseline`` and ``candidate`` are left open where they are None.
    """

    checks: tuple[Check, ...]
    alpha: float = 0.05
    correction: str = "holm"
    lower_is_better: bool = False
    cluster: str | None = None
    missing: str = "error"
    baseline: str | None = None
    candidate: str | None = None
    by: str | None = None
    task: str | None = None

    @property
    def hash(self) -> str:
        """Eight hexadecimal digits that change with anything that the plan says.

        Comments, order of the keys and the way numbers are written do not matter.
        """
        said: dict[str, object] = {
            "alpha": float(self.alpha),
            "correction": self.correction,
            "checks": [_said(c) for c in self.checks],
        }
        if self.lower_is_better:
            said["lower_is_better"] = True
        further = {name: getattr(self, name) for name in _FURTHER if name != "missing"}
        said |= {name: value for name, value in further.items() if value is not None}
        if self.missing != "error":
            said["missing"] = self.missing
        text = json.dumps(said, sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=4).hexdigest()


def read_plan(path: str | Path = FILE) -> Plan:
    """Read a plan; one that was changed after it was sealed is an error.

    Raises
    ------
    FormatError
        If the file cannot be read as TOML.
    UsageError
        If it is no plan, or does not fit its own seal.
    """
    path = Path(path)
    table = _gate(parsed_toml(toml_text(path), path), path)
    plan = _plan(table, path)
    sealed = table.get("sealed")
    if sealed is not None and sealed != plan.hash:
        raise UsageError(
            f"{path} was changed after it was sealed: the seal is {sealed}, the plan now "
            f"{plan.hash}. Restore it, or seal the new plan before new data are seen"
        )
    return plan


def has_plan() -> bool:
    """Whether there is a plan in this folder; a file may hold defaults of other commands alone."""
    path = Path(FILE)
    return path.is_file() and "gate" in parsed_toml(toml_text(path), path)


def check_hash(plan: Plan, expected: str | None) -> None:
    """Refuse a plan other than the one that was registered."""
    if expected is not None and plan.hash != expected:
        raise UsageError(
            f"the plan is {plan.hash}, not {expected}: it was changed after it was registered"
        )


def refuse_imports(plan: Plan, name: str) -> None:
    """Refuse a plan that nobody named and that would have code imported."""
    for check in plan.checks:
        if is_imported(check.metric or ""):
            raise UsageError(
                f"{name}, found in this folder, asks for the metric {check.metric}, whose code "
                f'would be run: if you trust it, name the plan with plan="{name}"'
            )


def seal(path: str | Path = FILE) -> str:
    """Write the plan's hash into the plan, in one step, and return it.

    Nothing else in the file changes: not its comments, nor its other tables.
    """
    path = Path(path)
    if not path.is_file():
        raise FormatError(f"there is no file {path} to seal")
    if stream_of(path) is not None:
        raise FormatError(f"{path} is a stream, which cannot be sealed: name the file")
    text = toml_text(path)
    meant = parsed_toml(text, path)
    table = _gate(meant, path)
    table.pop("sealed", None)
    made = table["sealed"] = _plan(table, path).hash
    bare = text.removeprefix("\ufeff")  # Notepad's mark stays before all else
    for sealed in _sealed(bare, made):
        with suppress(FormatError):  # what looked like the header was in the middle of something
            if parsed_toml(sealed, path) == meant:
                write_whole(path, text[: len(text) - len(bare)] + sealed)
                return made
    raise FormatError(
        f"{path} was left as it is, since no line can surely be made its seal: write [gate] on a "
        f'line of its own, sealed = "{made}" below it, and no other seal'
    )


def _sealed(text: str, made: str) -> Iterator[str]:
    """Texts with the seal below what may be the header of the table, each with one such line."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)  # as TOML does: other ends of lines are text
    tops = (k for k, line in enumerate(lines) if _GATE.fullmatch(line.rstrip("\r\n")))
    for top in islice(tops, _TRIED):
        yield _sealed_below(top, lines, made)


def _sealed_below(top: int, lines: list[str], made: str) -> str:
    """Put the seal below a header, with the comment of the old one."""
    end = next((k for k in range(top + 1, len(lines)) if _TABLE.match(lines[k])), len(lines))
    table = lines[top + 1 : end]
    body = [line for line in table if not _SEAL.match(line)]
    comments = [found[0] for line in table if _SEAL.match(line) and (found := _REMARK.search(line))]
    line_end = "\r\n" if lines[top].endswith("\r\n") else "\n"
    seal_line = f'sealed = "{made}"{"".join(comments)}{line_end}'
    return "".join([*lines[: top + 1], seal_line, *body, *lines[end:]])


def _gate(whole: dict[str, Any], path: Path) -> dict[str, Any]:
    table = whole.get("gate")
    if not isinstance(table, dict):
        raise UsageError(f"{path} has no [gate] table: see docs/design.md for what a plan holds")
    return table


def _plan(table: dict[str, Any], path: Path) -> Plan:
    _known(table, _KEYS, f"{path}: [gate]")
    listed = table.get("checks")
    if listed is None:
        listed = [{key: table[key] for key in _CHECK_KEYS & set(table)}]
    elif _CHECK_KEYS & set(table):
        raise UsageError(f"{path}: give a metric and a margin, or [[gate.checks]], not both")
    if not isinstance(listed, list) or not listed:
        raise UsageError(f"{path}: checks is a list of tables, [[gate.checks]], with one or more")
    alpha, correction = table.get("alpha", 0.05), table.get("correction", "holm")
    if not _is_number(alpha) or not 0.0 < alpha < 0.5:
        raise UsageError(f"{path}: alpha lies between 0 and one half, not {quote(alpha)}")
    if not isinstance(correction, str) or correction not in GATE_CORRECTIONS:
        known = ", ".join(GATE_CORRECTIONS)
        raise UsageError(f"{path}: correction is one of {known}, not {quote(correction)}")
    lower = table.get("lower_is_better", False)
    if not isinstance(lower, bool):
        raise UsageError(f"{path}: lower_is_better is true or false, not {quote(lower)}")
    further = {name: table[name] for name in _FURTHER if name in table}
    for name, value in further.items():
        if not isinstance(value, str):
            raise UsageError(f"{path}: {name} is a name in quotes, not {quote(value)}")
    if further.get("missing", "error") not in _MISSING:
        known = ", ".join(_MISSING)
        raise UsageError(f"{path}: missing is one of {known}, not {quote(further['missing'])}")
    checks = tuple(_check(c, path) for c in listed)
    return Plan(checks, float(alpha), correction, lower, **further)


def _check(table: Any, path: Path) -> Check:
    if not isinstance(table, dict):
        raise UsageError(
            f"{path}: a check is a table with a metric and a margin, not {quote(table)}"
        )
    _known(table, _CHECK_KEYS, f"{path}: [[gate.checks]]")
    metric, margin = table.get("metric"), table.get("margin")
    goal = table.get("goal", "non-inferior")
    if metric is not None and not isinstance(metric, str):
        raise UsageError(f"{path}: a metric is a name in quotes, not {quote(metric)}")
    if margin is None or not _is_number(margin):
        raise UsageError(f"{path}: every check needs a margin, a number, not {quote(margin)}")
    if goal not in GOALS:
        raise UsageError(f"{path}: a goal is one of {', '.join(GOALS)}, not {quote(goal)}")
    bounds, assume = table.get("bounds"), table.get("assume")
    if bounds is not None:
        if not isinstance(bounds, list) or not all(map(_is_number, bounds)) or len(bounds) != 2:
            raise UsageError(f"{path}: bounds are two numbers, [1, 5], not {quote(bounds)}")
        bounds = (float(bounds[0]), float(bounds[1]))
    try:
        return Check(metric, float(margin), goal, bounds, assume)
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


def _said(check: Check) -> dict[str, object]:
    """What a check says; bounds and models only where there are any."""
    said = asdict(check) | {"margin": float(check.margin)}
    extra = ("bounds", "assume")
    return {name: value for name, value in said.items() if name not in extra or value is not None}


def _known(table: dict[str, Any], keys: set[str], where: str) -> None:
    unknown = sorted(set(table) - keys)
    if unknown:
        told = did_you_mean(unknown[0], keys)
        raise UsageError(f"{where} has {quote(unknown[0])}, which means nothing here ({told})")


def _is_number(value: Any) -> bool:
    return is_number(value) and abs(value) < 1e300
