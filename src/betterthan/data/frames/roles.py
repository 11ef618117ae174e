"""Which column is what: roles of a table's columns, from the user's word or from their names.

A pure function of names. What the user names wins; then the aliases below; then a lone ``*_id``
column is the item. Two columns that could both play a part are an error that says which option
decides, never a guess.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from betterthan.data.frames.reader_options import Options, names_given
from betterthan.errors import (
    COLUMN,
    BetterthanError,
    FormatError,
    Remedy,
    UsageError,
    closest,
    first_few,
)
from betterthan.metrics import parse
from betterthan.metrics.measures import MEASURE
from betterthan.metrics.named import LAYOUTS

TableLayout = Literal["wide", "long", "single"]

_ALIASES = {
    "item": "item|id|item_id|example|example_id|doc_id|instance|instance_id|sample_id|question_id|"
    "qid|segment|seg_id|segment_id|query_id|index|idx|uid|uuid",
    "system": "(system|model)(_id|_name)?|sys|run_name",
    "metric": "(metric|measure)(_id|_name)?",
    "response": "(response|run|trial|rater|annotator|worker|reviewer|judge)(_id)?|"
    "seed|epoch|replicate|repeat",
    "cluster": "(cluster|document|passage|paragraph|group|article|story|dialogue|dialog|"
    "conversation|thread|context|speaker)(_id)?|doc|page|book",
    # What one system got, not a system: `score` and its kin, the metrics and their counts.
    "score": "score|value|is_correct|reward|rating|result|"
    + "|".join(
        re.escape(name.replace("-", "_").lower())
        for metric, layouts in LAYOUTS.items()
        for name in {metric, *(column for layout in layouts for column in layout.columns)}
    ),
}
ALIASES = {role: re.compile(pattern) for role, pattern in _ALIASES.items()}
# Responses that are runs of a system, not people.
_RERUN = re.compile(r"(response|run|trial)(_id)?|seed|epoch|replicate|repeat")
_SUGGESTIONS = ALIASES | {
    # What the index of a data frame is called where it was written out.
    "unnamed": re.compile(r"|unnamed:_\d+.*|__index_level_\d+__|level_0|column_0|row_?names?"),
    # Names of items, where the values fit: none of them is said twice.
    "weak item": re.compile(
        r"((sample|line|row|sentence|sent|problem|task|case|test|test_case|question|query|prompt|"
        r"example|item|document)_?)?(no|nr|num|number|#|key)|sample|line|row|n|sentence|sent|"
        r"problem|task|case|test|test_case|question|query|prompt|instruction|utterance|name"
    ),
    "id": re.compile(r".*_id"),
    # Numbers that describe items: no system is called so.
    "property": re.compile(
        r"(.*_)?(len|length|lengths|level|section|year|month|day|date|timestamp|age|tokens?|"
        r"words?|chars?|characters|difficulty|fold|turns?|position|offset|page|chapter|grade|"
        r"weight|freq|frequency|count|duration|latency|runtime|seconds|cost|price|rank|"
        r"temperature|top_p|conf|confidence|prob|probability|logprob|std|stderr|variance|diff|"
        r"difference|pvalue|p_value|step|iteration|attempts?|retries|batch|shard|threshold|hour|"
        r"minute)|(num|len|length|has)_.*|is_(?!correct$).*|"
        r"gold|golden|label|labels|target|truth|y_true|expected|split"
    ),
    # What is no system beside others, though it may well be the score of a long table: answers
    # to compare with, what sums up the other columns, and parts of the data.
    "aside": re.compile(
        r"(gold|golden|true|target|reference|expected|correct)_(label|labels|answer|score|value)|"
        r"reference|references|ref|refs|answer|answers|ground_truth|groundtruth|gt|"
        r"delta|delta_.*|gap|gain|improvement|agreement|iaa|winner|"
        r"(avg|average|mean|median|best|worst|max|maximum|min|minimum|sum|total|overall)"
        r"(_(score|scores|value))?|"
        r"actual|actuals|true|answer_key|(human|manual|annotated)_labels?|annotation|"
        r"version|chunk|part|k|(n|k|num)_?shots?|bin|bucket|block|round|phase|stratum|quartile|"
        r"decile|category|class|topic|domain|type|language|dataset|subset|subject|severity|priority"
    ),
}
_SAID = (
    r"(preds?|predictions?|predicted|yhat|y_hat|answers?|outputs?|choice|guess|class|decision|"
    r"generated|generation|completion|hypothesis|hyp)"
)
# What a system answered, be it the number of a class: not how good that is.
_SUGGESTIONS["said"] = re.compile(
    rf"((y|model|system|final|parsed|extracted|predicted)_)?{_SAID}"
    r"(_(label|class|answer|value|id|idx|index))?"
)
_SAID_BY = re.compile(rf"{_SAID}_(?P<after>.+)|(?P<before>.+)_{_SAID}")
IDS = {"id", "cluster", "item"}
"""What columns of labels may be, though they hold numbers."""


@dataclass(frozen=True, slots=True)
class Roles:
    """The part each column plays; the empty tuple and None are parts nobody plays."""

    item: tuple[str, ...] = ()
    system: str | None = None
    metric: str | None = None
    response: str | None = None
    cluster: str | None = None
    scores: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    """Labels that the user named."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Columns that say which cell a row fills."""
        known = (*self.item, self.system, self.metric, self.response)
        return tuple(name for name in known if name is not None)


def keys_of(names: Sequence[str], options: Options, where: str) -> Roles:
    """Find item, system, metric, response and cluster among a table's column names."""
    table = _Names(tuple(names), where)
    named = {"system": options.system, "response": options.response}
    asked = {role: table.one(name, role) for role, name in named.items() if name is not None}
    item = named_columns(names, options, where, "item")
    scored = named_columns(names, options, where, "score")
    taken = {*item, *scored, *filter(None, asked.values())}
    found: dict[str, str | None] = {}
    for role in ("system", "metric", "response"):
        found[role] = name = asked.get(role) or table.alias(role, taken)
        taken |= {name} if name is not None else set()
    cluster = table.one(options.cluster, "cluster")
    if cluster is None:
        cluster = next((c for c in names if c not in taken and plain(c) == "cluster"), None)
    item = item or table.item(taken | ({cluster} if cluster is not None else set()))
    return Roles(item, found["system"], found["metric"], found["response"], cluster)


def named_columns(
    names: Sequence[str], options: Options, where: str, *roles: str
) -> tuple[str, ...]:
    """Columns that the user named in these roles."""
    table = _Names(tuple(names), where)
    known = {role: asked for role in roles if (asked := getattr(options, role)) is not None}
    every = {role: names_given(asked, names) for role, asked in known.items()}
    found = (table.one(name, role, some) for role, some in every.items() for name in some)
    return tuple(filter(None, found))


def chosen_columns(names: Sequence[str], options: Options) -> tuple[str, ...]:
    """Columns of a log that the user chose, by ``score`` or by a ``metric`` that reads them."""
    if options.score is not None:
        return named_columns(names, options, "the log", "score")
    found: dict[str, None] = {}
    for asked in options.metrics:
        if asked in names:
            found[str(asked)] = None
            continue
        try:
            metric = parse(asked) if isinstance(asked, str) else asked
        except UsageError as error:
            close = closest(str(asked), names)
            raise UsageError(
                f"the log has no metric {asked!r}; it has {first_few(names)}",
                *([Remedy("", "metric", close)] if close else []),
            ) from error
        found |= dict.fromkeys(column for column in metric.columns if column in names)
    return tuple(found)


def possible_scores(names: Sequence[str], options: Options, where: str) -> set[str]:
    """Columns whose spelling nobody will ask for: neither keys, nor clusters, nor named as ids."""
    roles = ("item", "system", "response", "cluster", "label", "tasks")
    try:
        taken = named_columns(names, options, where, *roles)
    except BetterthanError:
        return set()  # to be complained about once the table is read
    others = {"weak item", "unnamed", "system", "metric", "response", *IDS}
    kept = {plain(name) for name in options.where or ()}
    return {
        name
        for name in names
        if name not in taken and plain(name) not in kept and suggested(name).isdisjoint(others)
    }


def layout_of(roles: Roles, options: Options, where: str) -> TableLayout:
    """Tell whether a table is long, has a column per system, or holds one system's scores."""
    if roles.system is not None:
        return "long"
    if options.score is not None:
        return "single"
    known = [c for c in roles.scores if "score" in suggested(c)]
    wanted = [asked for asked in (options.baseline, options.opponents) if asked is not None]
    named = {name for asked in wanted for name in names_given(asked, roles.scores)}
    named &= {*roles.scores}
    # Without a baseline the first column is one, and nobody named it as a system.
    unnamed = options.baseline is None and roles.scores[0] in {*known} - named
    if not known or options.systems or (len(named) > 1 and not unnamed):
        return "wide"
    if len(known) == len(roles.scores):
        return "single"
    others = [c for c in roles.scores if c not in known]
    systems = list(others if len(others) > 1 else roles.scores)
    raise FormatError(
        f"{where}: are {first_few(roles.scores)} systems, or scores of one system?",
        Remedy("these are systems", "systems", systems),
        Remedy("it is the score of one", "columns", {"score": known[0]}),
    )


def labels_remedy(names: Sequence[str]) -> Remedy:
    """Say that columns describe the items."""
    does = "they describe the items" if len(names) > 1 else "it describes the items"
    return Remedy(does, "columns", {"label": "+".join(names)})


@cache
def suggested(name: str) -> frozenset[str]:
    """What a column's name says that it may be.

    >>> [name for name in ("sample", "#", "line_no", "base", "n") if "weak item" in suggested(name)]
    ['sample', '#', 'line_no', 'n']
    >>> names = ("avg_length", "n_tokens", "base", "year", "newton", "is_long", "is_correct")
    >>> [name for name in names if "property" in suggested(name)]
    ['avg_length', 'n_tokens', 'year', 'is_long']
    >>> [name for name in ("Average", "gold label", "k", "k-best") if "aside" in suggested(name)]
    ['Average', 'gold label', 'k']
    >>> names = ("score", "macro_f1", "ROUGE-L", "hits@10", "f1-mini", "bert_loss")
    >>> [name for name in names if "score" in suggested(name)]
    ['score', 'macro_f1', 'ROUGE-L', 'hits@10']
    """
    spelled = plain(name)
    roles = [role for role, alias in _SUGGESTIONS.items() if alias.fullmatch(spelled)]
    return frozenset([*roles, "score"] if MEASURE.fullmatch(name.strip()) else roles)


@cache
def is_known(name: str) -> bool:
    """Whether a column's name says anything about its role."""
    return bool(suggested(name) - {"unnamed", "property", "aside", "said"})


def is_said_by(name: str) -> bool:
    """Whether a column is named as what a system answered, and the system's name beside it.

    >>> [name for name in ("pred_base", "new-prediction", "base", "answerer") if is_said_by(name)]
    ['pred_base', 'new-prediction']
    """
    return _SAID_BY.fullmatch(plain(name)) is not None


def is_rerun(name: str) -> bool:
    """Whether a column that tells responses apart numbers runs, not raters."""
    return _RERUN.fullmatch(plain(name)) is not None


@cache
def plain(name: str) -> str:
    """Spell a column name so that ``Doc ID``, ``doc-id`` and ``doc_id`` are the same."""
    return name.strip().lower().replace("-", "_").replace(" ", "_")


@dataclass(frozen=True, slots=True)
class _Names:
    """The column names of one table, and where it came from, for the messages."""

    names: tuple[str, ...]
    where: str

    def one(self, asked: str | None, role: str, every: Sequence[str] = ()) -> str | None:
        if asked is None or (asked := str(asked)) in self.names:
            return asked
        close = [c for c in self.names if plain(c) == plain(asked)]
        if len(close) == 1:
            return close[0]
        told = f"{self.where} has no column {asked!r}; it has {first_few(self.names)}"
        nearest = closest(asked, self.names)
        if role == "systems":
            meant = [nearest if name == asked else name for name in every]
            raise UsageError(told, *([Remedy("", "systems", meant)] if nearest else []))
        role = {"tasks": "task"}.get(role, role)
        raise UsageError(told, Remedy("", "columns", {role: nearest or COLUMN}))

    def item(self, taken: Iterable[str]) -> tuple[str, ...]:
        found = self.alias("item", taken)
        if found is None:
            others = {*taken, *(name for name in self.names if "cluster" in suggested(name))}
            found = self.alias("item", others, known="id")
        return () if found is None else (found,)

    def alias(self, role: str, taken: Iterable[str], known: str | None = None) -> str | None:
        fitting = [c for c in self.names if c not in taken and (known or role) in suggested(c)]
        exact = [name for name in fitting if plain(name) == role]
        if len(exact or fitting) <= 1:
            return next(iter(exact or fitting), None)
        likely = sorted(fitting, key=lambda name: plain(name) in ("index", "idx"))  # of the rows
        remedies = [Remedy("", "columns", {role: name}) for name in likely[:3]]
        if role == "item":
            both = "+".join(fitting[:2])
            remedies.append(Remedy("none names it alone", "columns", {role: both}))
        raise FormatError(f"{self.where}: {first_few(fitting)} could each be the {role}", *remedies)
