"""The columns of every kind of document, and the JSON Schema that follows from them.

A column has one name, one type and one meaning in all kinds. Columns may be added to a kind; one
that is there keeps its meaning as long as the number behind ``betterthan/KIND/`` stays.
"""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, NamedTuple, Union

from betterthan.errors import not_one_of

VERSION = 1

_TYPES: dict[Any, str] = {
    str: "about baseline candidate cell engine exhibit first given goal "
    "group interval_method item kind kind_adjusted metric name null paper printed ruling "
    "sampling second series set similarity solved_for system test test_set threshold_source truth "
    "verdict where",
    str | None: "beats example fraction interval_of needs notes reason subset",
    bool: "agrees clear pvalue_is_bound regression_is_bound",
    bool | None: "exceeds",
    int: "agreeing alarms copy in_band n pairs rank_high rank_low raters repeats response setups "
    "simulations size tests tier",
    int | None: "clusters items items_needed losses resamples ties wins",
    float: "cost delta detectable effect eps error estimated gain high interval_error log10_pvalue "
    "log10_pvalue_adjusted low margin outliers power published pvalue pvalue_adjusted "
    "pvalue_adjusted_high pvalue_adjusted_low pvalue_high pvalue_low pvalue_regression "
    "pvalue_regression_adjusted rate rescaled tolerance true x y",
    float | None: "comes_first comparison_high comparison_low early interval_high interval_level "
    "interval_low mde missed order_spread other_top3 other_winner ours rating rating_high "
    "rating_low score score_baseline score_candidate share sigma solved_high solved_low statistic "
    "tau threshold type_m type_s value",
}
COLUMNS = {name: kind for kind, names in _TYPES.items() for name in names.split()}
"""The type of every column."""

ABOUT = {
    "baseline": "the system that others are compared with",
    "beats": "the systems that it beats significantly",
    "comes_first": "share of resamples in which it came first",
    "comparison_low": "intervals that do not overlap tell systems apart, approximately",
    "delta": "candidate minus baseline, in the direction of better",
    "early": "share of the pairs with a smaller gain that are significant",
    "fraction": "the p-value as a fraction, where the engine counts in integers",
    "interval_error": "how far sampling may have moved an end",
    "interval_of": "what the interval is an interval of",
    "items_needed": "about how many would show the goal 4 times out of 5, if systems were equal",
    "log10_pvalue": "decimal logarithm, finite where the p-value underflows",
    "margin": "the loss that is accepted, in the unit of the metric (0.02 is two points)",
    "mde": "the smallest gain that is found 4 times out of 5, approximately",
    "missed": "share of the pairs with a larger gain that are not significant",
    "order_spread": "standard deviation of the rating over orders of the games",
    "pvalue_adjusted": "adjusted for the number of comparisons: what the verdict rests on",
    "pvalue_low": "rigorous bound; where p is sampled, the end of its 99 % interval",
    "rank_low": "the best rank that it may have",
    "subset": "which items; null for all of them",
    "tier": "systems of different tiers are all separable",
    "tolerance": "how far ours may be from the printed number",
    "type_m": "how much larger an effect looks that earned a verdict",
    "type_s": "share of the verdicts that name the wrong system",
}
"""What columns hold whose name does not say it."""

_INTERVAL = "interval_low interval_high interval_level interval_of interval_method"
_P = "pvalue pvalue_low pvalue_high log10_pvalue"
_TEST = f"delta {_P}"
_SYSTEM = f"system metric subset n clusters score {_INTERVAL}"
_PAIR = (
    f"baseline candidate metric subset n clusters score_baseline score_candidate delta {_INTERVAL}"
)


class Kind(NamedTuple):
    """What a document is, its columns, and what it holds beside its rows."""

    about: str
    columns: str
    facts: str = ""


KINDS = {
    "comparisons": Kind(
        "compare: systems against a baseline, or every pair",
        f"{_PAIR} {_P} pvalue_adjusted pvalue_adjusted_low pvalue_adjusted_high "
        "log10_pvalue_adjusted wins ties losses mde verdict kind kind_adjusted engine reason notes",
        "items",
    ),
    "scores": Kind("score: what each system scores, with an interval", f"{_SYSTEM} notes"),
    "board": Kind(
        "rank: a board of systems, and of each part of the items",
        f"{_SYSTEM} rating rating_low rating_high order_spread comparison_low "
        "comparison_high rank_low rank_high comes_first tier beats",
        "method lower_is_better decided_by test converged pairs",
    ),
    "gate": Kind(
        "gate: may the candidate be released?",
        f"{_PAIR} pvalue pvalue_regression pvalue_regression_adjusted pvalue_is_bound "
        "regression_is_bound margin goal ruling kind items_needed notes",
        "ruling exit_code baseline candidate items",
    ),
    "power": Kind(
        "power: designs of a test set",
        "items effect power error solved_for solved_low solved_high type_s type_m kind engine "
        "given",
        "comparisons",
    ),
    "allocations": Kind(
        "power --budget: ways to spend it", "items repeats raters cost power detectable"
    ),
    "responses": Kind(
        "responses compare: a test of items and responses",
        f"baseline candidate metric test n {_TEST} verdict resamples kind engine reason notes",
    ),
    "responses-study": Kind(
        "responses study: estimated against true p",
        "eps sampling metric estimated true error",
        "items responses resamples repeats splits recommendation",
    ),
    "simulation": Kind("responses simulate: drawn responses", "item system response score"),
    "gains": Kind(
        "study gains: gains that are usually significant",
        "set n metric group value interval_low interval_high pairs in_band missed early",
        "band percentile test decay gains",
    ),
    "calibration": Kind(
        "study calibration: how often p-values name the better system",
        "truth n low high tests agreeing share interval_low interval_high",
        "test test_sets band near",
    ),
    "false-alarms": Kind(
        "study false-alarms: tests of equal systems",
        "test metric n null simulations alarms rate interval_low interval_high",
    ),
    "training": Kind(
        "study training: training sets that were drawn", "set size copy", "folder examples unit"
    ),
    "aggregation": Kind(
        "study aggregation: how often aggregations disagree",
        "items first second tau share other_winner other_top3 setups",
        "setups repeats spreads",
    ),
    "spread": Kind(
        "how scores spread", "system outliers", "outliers within_items of_ranks between_items n"
    ),
    "published": Kind(
        "study published: thresholds from the literature",
        "metric similarity value test_set n where rescaled",
    ),
    "against-published": Kind(
        "study published: a score against a published one",
        f"metric n score {_INTERVAL} published gain clear threshold threshold_source exceeds",
    ),
    "reproduction": Kind(
        "reproduce: numbers of a paper beside ours",
        "paper exhibit cell printed ours error tolerance agrees ruling reason",
        "title quick seed holds claims unavailable",
    ),
    "curves": Kind("curves of a figure", "series x y", "title x y"),
    "list": Kind("list: metrics, tests, formats or plots", "name about needs example"),
    "test": Kind(
        "a single test",
        f"test metric n clusters {_TEST} fraction statistic resamples kind engine reason notes",
    ),
    "interval": Kind("a confidence interval", f"{_INTERVAL} interval_error"),
    "items": Kind(
        "two systems, item by item",
        "item score_baseline score_candidate delta",
        "baseline candidate metric",
    ),
    "ranking": Kind(
        "one ranking by itself",
        f"system n score {_INTERVAL} rank_low rank_high comes_first order_spread sigma",
        "method lower_is_better decided_by converged",
    ),
    "pairs": Kind(
        "every two systems",
        "first second effect pvalue log10_pvalue pvalue_adjusted log10_pvalue_adjusted wins ties "
        "losses",
        "method test",
    ),
}
"""Every kind of document."""


@cache
def columns_of(kind: str) -> tuple[str, ...]:
    """Return the columns of a kind of document.

    >>> columns_of("allocations")
    ('items', 'repeats', 'raters', 'cost', 'power', 'detectable')
    """
    return tuple(KINDS[kind].columns.split())


def json_schema(kind: str | None = None) -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of all documents, or of one kind.

    >>> sorted(json_schema("curves")["$defs"])
    ['Curves', 'CurvesRow']
    """
    import msgspec  # noqa: PLC0415 (slow to import)

    if kind is not None and kind not in KINDS:
        raise not_one_of("kind", kind, KINDS)
    known: Any = Union[tuple(map(_document, KINDS))] if kind is None else _document(kind)  # noqa: UP007
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(known)}


@cache
def _document(kind: str) -> Any:
    """Return the struct of a kind of document; its rows are structs of their own."""
    from msgspec import Meta, defstruct  # noqa: PLC0415 (slow to import)

    def field(name: str) -> tuple[str, Any]:
        about = Meta(description=ABOUT[name]) if name in ABOUT else Meta()
        return name, Annotated[COLUMNS[name], about]

    name = "".join(map(str.capitalize, kind.split("-")))
    about, _, facts = KINDS[kind]
    row = defstruct(f"{name}Row", map(field, columns_of(kind)))
    shared: Mapping[str, Any] = {
        "version": str,
        "rows": list[row],  # type: ignore[valid-type]
        "alpha": float | None,
        "correction": str | None,
        "alternative": str | None,
        "source": str | None,
        "notes": list[str],
        "signature": str | None,
    }
    return defstruct(
        name,
        [*shared.items(), *((fact, Any) for fact in facts.split())],
        tag_field="schema",
        tag=f"betterthan/{kind}/{VERSION}",
        namespace={"__doc__": about},
    )
