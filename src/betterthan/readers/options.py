"""What readers are told: one value of all that was declared of a source."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from betterthan.data.missing import Missing
from betterthan.errors import UsageError, quote
from betterthan.metrics import Metric

Names = str | Sequence[str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was declared of a table or log; None where it is left to the contract.

    ``item``, ``score``, ``cluster``, ``label`` and ``systems`` may be several names; ``tasks`` is
    the column of tasks, ``task`` and ``filter`` choose among those of a log, and ``where`` among
    the rows of a table. ``header`` and ``decimal_comma`` are of delimited text.
    """

    input_format: str | None = None
    header: bool | None = None
    decimal_comma: bool = False
    item: Names = None
    system: str | None = None
    score: Names = None
    response: str | None = None
    cluster: str | None = None
    label: Names = None
    systems: Names = None
    missing: Missing = "error"
    lower_is_better: bool = False
    metric: str | Metric | Sequence[str | Metric] | None = None
    tasks: str | None = None
    task: Names = None
    filter: str | None = None
    where: Mapping[str, str] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that were declared, one by one; systems may be columns as well."""
        lists = (self.item, self.score, self.label, self.systems, self.cluster)
        single = (self.system, self.response, self.tasks)
        named = (name for names in lists for name in names_given(names, ()))
        return (*named, *filter(None, single), *(self.where or ()))

    @property
    def metrics(self) -> tuple[str | Metric, ...]:
        """The metrics that were asked for."""
        if self.metric is None:
            return ()
        return (self.metric,) if isinstance(self.metric, str | Metric) else tuple(self.metric)


def names_given(names: Names, known: Collection[str]) -> list[str]:
    """Split declared names: one of those known, or several joined by ``+`` or commas.

    >>> names_given(["a, b", "c"], {"a", "b"}), names_given("law,model=x", {"law,model=x"})
    (['a', 'b', 'c'], ['law,model=x'])
    >>> names_given("passage+question", {"passage", "question"}), names_given(None, ())
    (['passage', 'question'], [])
    """
    if names is None:
        return []
    if isinstance(names, int):
        return [str(names)]  # as pandas calls columns that have no names
    if not isinstance(names, str):
        if not hasattr(names, "__iter__"):
            raise UsageError(f"names must be text, got {quote(names)}")
        return [name for part in names for name in names_given(part, known)]
    if names in known or not ("+" in names or "," in names):
        return [names if names in known else names.strip()]
    sign = "+" if "+" in names else ","
    return [name for part in names.split(sign) for name in names_given(part.strip(), known)]
