"""What the user may say about files and frames: the one list of the readers' options."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import Parameter, signature
from textwrap import fill
from typing import Annotated, Any, ParamSpec, TypeVar

from betterthan.blame import has_parts
from betterthan.data.missing import Missing
from betterthan.errors import UsageError, quote
from betterthan.metrics import Metric

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
_SEE = "The fields of :class:`betterthan.data.frames.reader_options.Options`."


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the user said about a table or log; None where it is left to detection.

    The fields are the keywords of :func:`betterthan.read` and its kin, and options of the command
    line; :meth:`docs` says what each means.
    """

    input_format: Annotated[
        str | None,
        "What detection cannot tell: a layout (wide, long, single, counts; transposed, a row per "
        "system), an encoding (csv, tsv, json, jsonl, parquet) or a kind of log.",
    ] = None
    no_header: Annotated[
        bool,
        "The first line of text files holds data, not names: columns are called column_1, "
        "column_2 ...",
    ] = False
    header: Annotated[bool | None, "Whether the first line of text files has the names."] = None
    decimal_comma: Annotated[bool, "Whether numbers have a decimal comma."] = False
    item: Annotated[
        str | Sequence[str] | None,
        "Column that names the item, or several that do together, separated by commas.",
    ] = None
    system: Annotated[
        str | None,
        "Column that names the system; of logs, 'file' names systems by their files.",
    ] = None
    score: Annotated[
        str | Sequence[str] | None, "Column with the scores, or several, separated by commas."
    ] = None
    response: Annotated[
        str | None,
        "Column that tells repeats of an item apart (seed, rater ...); of judgments, the judge.",
    ] = None
    cluster: Annotated[str | None, "Column whose items belong together (document, user ...)."] = (
        None
    )
    label: Annotated[
        str | Sequence[str] | None,
        "Column of numbers that describes the items (year, level ...) and is no score; several by "
        "commas. Columns of text are labels without being named.",
    ] = None
    systems: Annotated[
        str | Sequence[str] | None,
        "Only these systems, in this order; of a table with a column per system, its columns. "
        "Several by commas.",
    ] = None
    missing: Annotated[
        Missing,
        "Items that a system has no score for: an error, dropped, counted as the worst value, or "
        "kept for methods that compare pairwise.",
    ] = "error"
    lower_is_better: Annotated[bool, "Smaller scores are better."] = False
    metric: Annotated[
        str | Metric | Sequence[str | Metric] | None,
        "Keep only the columns that these metrics need; of a log, its first metric by default.",
    ] = None
    tasks: Annotated[
        str | None,
        "Column of tasks, which are measured each by itself and weigh the same; of a log of "
        "several tasks, its tasks by default.",
    ] = None
    task: Annotated[
        str | Sequence[str] | None,
        "Only these tasks of the logs, or patterns such as mmlu_*; several by commas.",
    ] = None
    filter: Annotated[str | None, "Answer filter, of logs that hold several."] = None
    where: Annotated[
        Mapping[str, str] | None,
        "Of tables, columns and the values (or patterns, joined by +) of the rows to be kept.",
    ] = None
    baseline: Annotated[
        str | None, "Of pairwise judgments, the system that the others were judged against."
    ] = None
    opponents: Annotated[
        Sequence[str] | None, "Of pairwise judgments, only these of the others."
    ] = None

    @classmethod
    def docs(cls) -> dict[str, str]:
        """Say what each option means, by its name."""
        return {option.name: option.type.__metadata__[0] for option in fields(cls)}  # type: ignore[union-attr]

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns that were named, one by one; systems may be columns as well."""
        lists = (self.item, self.score, self.label, self.systems, self.baseline, self.opponents)
        single = (self.system, self.response, self.cluster, self.tasks)
        named = (name for some in lists for name in names_given(some, ()))
        return (*named, *filter(None, single), *(self.where or ()))

    @property
    def metrics(self) -> tuple[str | Metric, ...]:
        """The metrics asked for; empty where it is left to detection."""
        if self.metric is None:
            return ()
        metric: Any = self.metric  # what is no metric is told as one that is unknown
        one = isinstance(metric, str | Metric) or not has_parts(metric)
        return (metric,) if one else tuple(metric)


def names_given(asked: str | Sequence[str] | None, known: Collection[str]) -> list[str]:
    """Names that the user gave: one of those known, or several joined by ``+`` or commas.

    >>> names_given(["a, b", "c"], {"a", "b"}), names_given("law,model=x", {"law,model=x"})
    (['a', 'b', 'c'], ['law,model=x'])
    >>> names_given("passage+question", {"passage", "question"})
    ['passage', 'question']
    >>> names_given(None, ())
    []
    """
    if asked is None:
        return []
    if isinstance(asked, int):
        return [str(asked)]  # as pandas calls columns that nobody named
    if not isinstance(asked, str) and not has_parts(asked):
        raise UsageError(f"columns, systems and tasks are named by text, not by {quote(asked)}")
    if not isinstance(asked, str):
        return [name for part in asked for name in names_given(part, known)]
    if asked in known or not ("+" in asked or "," in asked):
        return [asked if asked in known else asked.strip()]
    sign = "+" if "+" in asked else ","
    return [name for part in asked.split(sign) for name in names_given(part.strip(), known)]


def documented(call: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
    """Say in a function's docstring what each of the options means that it takes as keywords."""
    taken = signature(call).parameters
    every = any(one.kind is Parameter.VAR_KEYWORD for one in taken.values())
    docs = {name: doc for name, doc in Options.docs().items() if every or name in taken}
    before, mark, after = (call.__doc__ or "").partition("**options\n")
    if mark:
        indent = after[: len(after) - len(after.lstrip())]
        listed = f"\n{indent[:-4]}".join(
            f"{name}\n{fill(doc, 100, initial_indent=indent, subsequent_indent=indent)}"
            for name, doc in docs.items()
        )
        call.__doc__ = before + listed + after.lstrip().removeprefix(_SEE)
    return call
