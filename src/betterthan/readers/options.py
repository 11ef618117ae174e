"""What was declared of a source: one value, made once of the keywords of :func:`betterthan.read`.

``columns`` and ``where`` are mappings, or text as it is typed in a shell: ``item=id,score=acc``.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any, Literal, get_args

from betterthan.checks import several
from betterthan.data.scores import Missing
from betterthan.errors import Choice, Remedy, UsageError, not_one_of, quote
from betterthan.grammar import call_of, names_of, pairs_of, value_of
from betterthan.metrics import Metric
from betterthan.tables.declared import Declared, Layout, columns_of_metric
from betterthan.tables.opening import ENCODINGS, Written

Names = str | Sequence[str] | None
Roles = str | Mapping[str, str | Sequence[str] | None] | None
Paths = str | PathLike[str] | Sequence[str | PathLike[str]]
SIDES = ("left", "right", "winner")
LAYOUTS: tuple[Layout, ...] = ("wide", "long", "single")
CHOICES = {
    "missing": get_args(Missing),
    "lower_is_better": (None, True, False),
    "items": ("auto", True, False),
}
_PLAIN = Written()


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was declared, one field per keyword of :func:`betterthan.read`; see :meth:`of`.

    ``input_format`` is the name of a format, ``written`` what was said of a table's form.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    where: Mapping[str, str] = field(default_factory=dict)
    systems: tuple[str, ...] | None = None
    metric: tuple[str | Metric, ...] = ()
    ref: tuple[str | PathLike[str], ...] = ()
    missing: Missing = "error"
    input_format: str | None = None
    written: Written = _PLAIN
    lower_is_better: bool | None = None
    items: Literal["auto"] | bool = "auto"

    @classmethod
    def of(
        cls,
        *,
        columns: Roles = None,
        where: Roles = None,
        systems: Names = None,
        metric: str | Metric | Sequence[str | Metric] | None = None,
        ref: Paths | None = None,
        input_format: str | None = None,
        **others: Any,
    ) -> "Options":
        """Check keywords of :func:`betterthan.read`.

        >>> Options.of(columns="item=passage+question,score=acc", systems="a, b").systems
        ('a', 'b')
        >>> Options.of(where={"task": ["mmlu_*", "gsm8k"]}).where
        {'task': 'mmlu_*+gsm8k'}
        >>> Options.of(input_format="csv(header=no)").written
        table(header=no)
        """
        for name, value in others.items():
            if not isinstance(value, str | bool | None) or value not in CHOICES[name]:
                raise not_one_of(name, value, map(str, CHOICES[name]))
        if isinstance(systems, str):
            systems = names_of(systems) or [systems]
        form, written = input_format, Written(transposed=input_format == "transposed")
        if isinstance(input_format, str) and "(" in input_format:
            kinds: dict[str, type[Written]] = dict.fromkeys(ENCODINGS, Written)
            form, written = call_of(input_format)[0], value_of(input_format, kinds, "input_format")
        return cls(
            columns=_pairs(columns, "columns"),
            where=_pairs(where, "where"),
            systems=_all("systems", systems, str | int) or None,
            metric=_all("metric", metric, str | Metric),
            ref=_all("ref", ref, str | PathLike),
            input_format=form,
            written=written,
            **others,
        )

    @property
    def named(self) -> tuple[str, ...]:
        """Columns that were declared, one by one; systems may be columns as well."""
        listed = [name for role in self.columns for name in self.columns_of(role)]
        return (*listed, *(self.systems or ()), *self.where)

    def columns_of(self, role: str) -> tuple[str, ...]:
        """Columns of a role, one by one; a file of clusters is not a column."""
        named = self.columns.get(role)
        return () if role == "cluster" and self.cluster_file else tuple(names_given(named, ()))

    @property
    def cluster_file(self) -> str | None:
        """File with a cluster per line, ``cluster=@FILE``."""
        column = self.columns.get("cluster", "")
        return column.removeprefix("@") if column.startswith("@") else None

    @property
    def cluster(self) -> str | None:
        """Column or label of clusters."""
        return None if self.cluster_file else self.columns.get("cluster")

    @property
    def metrics(self) -> tuple[str | Metric, ...]:
        """Metrics whose columns are needed; none where those of all classes are."""
        return () if any("*" in str(metric) for metric in self.metric_names) else self.metric

    @property
    def metric_names(self) -> list[str]:
        """Metrics as they are written."""
        return [name if isinstance(name, str) else repr(name) for name in self.metric]

    def declared(self, *, many: bool = False) -> Declared:
        """What a table is told of its columns; of ``many``, systems are not columns."""
        joint = {role: self.columns_of(role) for role in ("item", "score", "cluster", "label")}
        judge = self.columns.get("judge") or self.columns.get("response")
        own = {role: self.columns.get(role) for role in ("system", "task")} | {"response": judge}
        return Declared(
            columns=joint | {role: (name,) for role, name in own.items() if name is not None},
            systems=() if many else self.systems or (),
            metrics=tuple(map(columns_of_metric, self.metrics)),
            where=self.where,
            transposed=self.written.transposed,
            layout=next((x for x in LAYOUTS if x == self.input_format), None),
            header=self.written.header,
            many=many,
        )


def _all(name: str, value: Any, kinds: Any) -> tuple[Any, ...]:
    """Return one value or several as a tuple, each of the right type; none if there is none."""
    values = () if value is None else several(name, value)
    for each in values:
        if not isinstance(each, kinds) or isinstance(each, bool):
            raise UsageError(f"{name} must be text or a list of it, got {quote(value)}")
    return tuple(str(each) if isinstance(each, int) else each for each in values)


def _pairs(given: Roles, parameter: Literal["columns", "where"]) -> dict[str, str]:
    """Read a mapping, or one as it is typed; several values are joined."""
    if given is None or isinstance(given, str):
        return pairs_of(given or "")
    if not isinstance(given, Mapping):
        raise UsageError(
            f"{parameter} must be a mapping or text, not {quote(given)}",
            Remedy("for example", parameter, Choice("{ROLE: COLUMN}")),
        )
    joined = {
        str(name): "+".join(map(str, value)) if isinstance(value, list | tuple) else value
        for name, value in given.items()
    }
    return {name: str(value) for name, value in joined.items() if value not in (None, "")}


def names_given(names: Names, known: Collection[str]) -> list[str]:
    """Split declared names: one of those known, or several joined by ``+`` or commas.

    >>> names_given(["a, b", "c"], {"a", "b"}), names_given("law,model=x", {"law,model=x"})
    (['a', 'b', 'c'], ['law,model=x'])
    >>> names_given("passage+question", {"passage", "question"}), names_given(None, ())
    (['passage', 'question'], [])
    """
    if names is None:
        return []
    if not isinstance(names, str):
        return [name for part in names for name in names_given(part, known)]
    if names in known or not ("+" in names or "," in names):
        return [names if names in known else names.strip()]
    sign = "+" if "+" in names else ","
    return [name for part in names.split(sign) for name in names_given(part.strip(), known)]
