"""What readers are asked for: roles of columns, rows, systems, metrics and a format.

``columns`` and ``where`` are mappings, or text as it is typed in a shell: ``item=id,score=acc``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, ClassVar, Literal

from betterthan.checks import several
from betterthan.data.missing import Missing
from betterthan.errors import Choice, Remedy, UsageError, closest, not_one_of, quote
from betterthan.grammar import Spelled, call_of, pairs_of, value_of
from betterthan.metrics import Metric
from betterthan.readers.options import Options

Roles = str | Mapping[str, str | Sequence[str] | None] | None
Paths = str | PathLike[str] | Sequence[str | PathLike[str]]

ROLES = {
    "item": "what was asked: rows of one item are paired",
    "system": "whose result it is; of logs, 'file' names systems by their files",
    "score": "how good it is",
    "response": "which repeat of an item it is: seed, run, rater",
    "cluster": "items that belong together: document, user, dialogue",
    "label": "what describes an item and is no score: year, level",
    "task": "tasks, which are measured one by one and weigh the same",
    "left": "of judgments, the system on the left",
    "right": "of judgments, the system on the right",
    "winner": "of judgments, who won",
    "judge": "of judgments, who judged",
    "ref": "of a table of labels, the right ones: its other columns are scored against them",
}
"""What a column can be."""

SIDES = ("left", "right", "winner")
OF_SCORES = ("item", "system", "score", "response", "cluster", "label", "task")
OF_JUDGMENTS = ("item", "cluster", "judge", "response", *SIDES)
OF_OUTPUTS = ("cluster",)
OF_LABELS = ("ref", "item", "cluster", "label", "task")
OF_COUNTED = ("item", "system", "score", "cluster", "label")
MISSING = ("error", "drop", "worst", "pairwise")


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading may take.

    Attributes
    ----------
    memory : str or int, optional
        As in ``"8G"``; half of the machine's by default. If it is set, files may also swell as
        much as they like when they are decompressed.
    """

    memory: str | int | None = None


@dataclass(frozen=True, slots=True, repr=False)
class _Table(Spelled):
    """How a table is written, where detection cannot tell."""

    transposed: bool = False


@dataclass(frozen=True, slots=True, repr=False)
class _Text(_Table):
    """Delimited text may lack a line of names."""

    header: bool | None = None
    decimal: Literal["point", "comma"] = "point"


class _Csv(_Text):
    name: ClassVar[str] = "csv"


class _Tsv(_Text):
    name: ClassVar[str] = "tsv"


class _Json(_Table):
    name: ClassVar[str] = "json"


class _JsonLines(_Table):
    name: ClassVar[str] = "jsonl"


class _Parquet(_Table):
    name: ClassVar[str] = "parquet"


_TABLES: dict[str, type[_Table]] = {
    kind.name: kind for kind in (_Csv, _Tsv, _Json, _JsonLines, _Parquet)
}


def columns_of(given: Roles) -> dict[str, str]:
    """Return the column of each role, from a mapping or as it is typed in a shell.

    >>> columns_of("item=passage+question,score=acc")
    {'item': 'passage+question', 'score': 'acc'}
    """
    columns = _pairs(given, "columns")
    for role, name in columns.items():
        if role not in ROLES:
            close = closest(role, ROLES)
            remedies = [Remedy("", "columns", {close: name})] if close else []
            raise UsageError(
                f"columns have no role {quote(role)}; there are {', '.join(ROLES)}", *remedies
            )
    return columns


def where_of(given: Roles) -> dict[str, str]:
    """Return the values that rows must have, from a mapping or as it is typed in a shell.

    >>> where_of({"task": ["mmlu_*", "gsm8k"]}), where_of("task=mmlu_*,filter=strict-match")
    ({'task': 'mmlu_*+gsm8k'}, {'task': 'mmlu_*', 'filter': 'strict-match'})
    """
    return _pairs(given, "where")


def systems_of(given: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """Return names of systems, one by one; in a text they are separated by commas."""
    if isinstance(given, str):
        given = [name.strip() for name in given.split(",")]
    return None if given is None else several("systems", given)


def format_of(given: str | None) -> tuple[str | None, dict[str, Any]]:
    """Return the readers' name of a format, and how a table is written.

    >>> format_of("csv(header=no)")
    ('csv', {'header': False, 'decimal_comma': False})
    >>> format_of("tsv(transposed=yes)")[0], format_of("lm-eval")
    ('transposed', ('lm-eval', {}))
    """
    if given is None or "(" not in given:
        return given, {}
    name, _ = call_of(given)
    if name not in _TABLES:
        raise UsageError(f"the format {name} has no options; {', '.join(_TABLES)} have")
    table = value_of(given, _TABLES, "input_format")
    written = {}
    if isinstance(table, _Text):
        written = {"header": table.header, "decimal_comma": table.decimal == "comma"}
    return "transposed" if table.transposed else name, written


def _pairs(given: Roles, parameter: Literal["columns", "where"]) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, str):
        return pairs_of(given)
    if not isinstance(given, Mapping):
        example = '{"item": "id"}' if parameter == "columns" else '{"split": "test"}'
        raise UsageError(
            f"{parameter} must be a mapping or text, not {quote(given)}",
            Remedy("for example", parameter, Choice(example)),
        )
    return {
        str(name): "+".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in given.items()
        if value is not None and not (isinstance(value, list | tuple | str) and len(value) == 0)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a reader was asked for, checked; one field per keyword of :func:`betterthan.read`."""

    columns: dict[str, str]
    where: dict[str, str]
    systems: tuple[str, ...] | None = None
    metric: str | Metric | Sequence[str | Metric] | None = None
    ref: Paths | None = None
    missing: Missing = "error"
    input_format: str | None = None
    lower_is_better: bool | None = None
    items: Literal["auto"] | bool = "auto"

    def __post_init__(self) -> None:
        if self.missing not in MISSING:
            raise not_one_of("missing", self.missing, MISSING)
        if self.lower_is_better not in (None, True, False):
            raise UsageError(
                f"lower_is_better must be True, False or None, not {quote(self.lower_is_better)}"
            )
        if self.items not in ("auto", True, False):
            raise UsageError(f"items must be True, False or 'auto', not {quote(self.items)}")

    @property
    def metrics(self) -> str | Metric | Sequence[str | Metric] | None:
        """Metrics whose columns are needed; None where those of all classes are."""
        one = isinstance(self.metric, str | Metric) or self.metric is None
        listed = [self.metric] if one else list(several("metric", self.metric))
        every = any(isinstance(name, str) and "*" in name for name in listed)
        return None if every else self.metric

    @property
    def sides(self) -> dict[str, str]:
        """Columns that were declared to hold the two systems of judgments, and the winner."""
        return {role: name for role, name in self.columns.items() if role in SIDES}

    @property
    def is_countable(self) -> bool:
        """Whether tables can be counted in place so that all of this is heeded."""
        usual = self.missing == "error" and self.input_format is None and not self.sides
        return usual and {*self.columns} <= {*OF_COUNTED} and self.cluster_file is None

    @property
    def metric_names(self) -> list[str]:
        """Metrics as they are written."""
        listed = () if self.metric is None else several("metric", self.metric)
        return [name if isinstance(name, str) else repr(name) for name in listed]

    @property
    def cluster_file(self) -> str | None:
        """File with a cluster per line, ``cluster=@FILE``."""
        column = self.columns.get("cluster", "")
        return column.removeprefix("@") if column.startswith("@") else None

    def options(self, *, of_logs: bool = False, **more: Any) -> Options:
        """Options of the readers inside; ``more`` are those that a request does not have."""
        form, written = format_of(self.input_format)
        roles = {role: self.columns.get(role) for role in ("item", "system", "score", "label")}
        told = {
            **roles,
            "response": self.columns.get("judge") or self.columns.get("response"),
            "cluster": None if self.cluster_file else self.columns.get("cluster"),
            "tasks": self.columns.get("task"),
            "systems": self.systems,
            "metric": self.metrics,
            "missing": self.missing,
            "lower_is_better": self.lower_is_better is True,
            "input_format": form,
            **written,
        }
        return Options(**told | (self._of_logs() if of_logs else self._of_tables()) | more)

    def _of_tables(self) -> dict[str, Any]:
        return {"where": self.where or None}

    def _of_logs(self) -> dict[str, Any]:
        """Tasks and answer filters, which are what can be chosen of logs."""
        for name, value in self.where.items():
            if name not in ("task", "filter"):
                close = closest(name, ("task", "filter"))
                raise UsageError(
                    f"of logs, where takes task and filter, not {quote(name)}",
                    *([Remedy("", "where", {close: value})] if close else []),
                )
        return {name: self.where.get(name) for name in ("task", "filter")}

    def check_roles(self, allowed: Sequence[str], what: str) -> None:
        """Raise an error for columns of roles that this kind of data does not have."""
        for role in self.columns:
            if role not in allowed:
                raise UsageError(
                    f"{what} have no column of the role {role!r}; they have {', '.join(allowed)}"
                )

    def check_unused(self, what: str, *names: str) -> None:
        """Raise an error for what was asked for and has no use for this kind of data."""
        usual = {"missing": "error", "items": "auto", "where": {}, "columns": {}}
        for name in names:
            if getattr(self, name) not in (usual.get(name), None):
                raise UsageError(f"{name} has no meaning for {what}")


def request_of(
    *, columns: Roles = None, where: Roles = None, systems: Any = None, **more: Any
) -> Request:
    """Make a request of the keywords of :func:`betterthan.read`."""
    return Request(
        columns=columns_of(columns), where=where_of(where), systems=systems_of(systems), **more
    )
