"""The columns of every kind of document, and the JSON Schema that follows from them.

A column has one name, one type and one meaning in all kinds, and is null where there is nothing to
say. Columns may be added to a kind; one that is there keeps its meaning as long as the number
behind ``betterthan/KIND/`` stays.
"""

import re
from functools import cache
from typing import Any, Union

from betterthan.errors import not_one_of

_SHARED = {
    "INTERVAL": "interval_low interval_high interval_level interval_of interval_method",
    "PVALUE": "pvalue pvalue_low pvalue_high log10_pvalue",
    "SYSTEM": "system metric subset n clusters score INTERVAL",
    "PAIR": "baseline candidate metric subset n clusters score_baseline score_candidate",
    "COMPARISON": "PAIR delta INTERVAL PVALUE pvalue_adjusted log10_pvalue_adjusted wins ties "
    "losses mde turned verdict kind engine reason notes",
}
_KINDS = """
comparisons: COMPARISON pvalue_adjusted_low pvalue_adjusted_high kind_adjusted
scores: SYSTEM
board: SYSTEM rating rating_low rating_high order_spread comparison_low comparison_high rank_low
    rank_high comes_first tier beats
gate: COMPARISON ruling margin goal pvalue_regression pvalue_regression_adjusted pvalue_is_bound
    regression_is_bound items_needed
power: items effect power error solved_for solved_low solved_high type_s type_m kind engine given
allocations: items repeats raters cost power detectable
responses: baseline candidate metric test n delta PVALUE verdict resamples kind engine reason notes
responses-study: eps sampling metric estimated true error
simulation: item system response score
gains: set n metric group value interval_low interval_high pairs in_band missed early
calibration: truth n low high tests agreeing share interval_low interval_high
false-alarms: test metric n null simulations alarms rate interval_low interval_high
training: set size copy
aggregation: items first second tau share other_winner other_top3 setups
spread: system outliers
published: metric similarity value test_set n where rescaled
against-published: metric n score INTERVAL published gain clear threshold threshold_source exceeds
reproduction: paper exhibit cell printed ours error tolerance agrees ruling reason
curves: series x y
list: name about needs example
test: test metric n clusters delta PVALUE fraction statistic resamples kind engine reason notes
interval: INTERVAL interval_error
items: item score_baseline score_candidate delta
ranking: system n score INTERVAL rank_low rank_high comes_first order_spread sigma
pairs: first second effect pvalue log10_pvalue pvalue_adjusted log10_pvalue_adjusted wins ties
    losses
"""
_TEXTS = """
about baseline beats candidate cell engine example exhibit first fraction given goal group
interval_method interval_of item kind kind_adjusted metric name needs notes null paper printed
reason ruling sampling second series set similarity solved_for subset system test test_set
threshold_source truth verdict where
"""
_INTEGERS = """
agreeing alarms clusters copy in_band items items_needed losses n pairs rank_high rank_low raters
repeats resamples response setups simulations size tests tier ties turned wins
"""
_BOOLEANS = "agrees clear exceeds pvalue_is_bound regression_is_bound"
_TYPES: dict[str, Any] = {
    **dict.fromkeys(_TEXTS.split(), str | None),
    **dict.fromkeys(_INTEGERS.split(), int | None),
    **dict.fromkeys(_BOOLEANS.split(), bool | None),
}
"""The types of columns that are not floats."""


def _columns(text: str) -> tuple[str, ...]:
    while shared := re.search(r"[A-Z]+", text):
        text = text.replace(shared[0], _SHARED[shared[0]])
    return tuple(text.split())


KINDS = {
    kind: _columns(text)
    for kind, _, text in (line.partition(":") for line in _KINDS.replace("\n ", "").splitlines())
    if kind
}
"""The columns of every kind of document."""


def columns_of(kind: str) -> tuple[str, ...]:
    """Return the columns of a kind of document.

    >>> columns_of("allocations")
    ('items', 'repeats', 'raters', 'cost', 'power', 'detectable')
    """
    return KINDS[kind]


@cache
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
    """Return the struct of a kind of document; its rows are structs too."""
    from msgspec import defstruct  # noqa: PLC0415 (slow to import)

    name = "".join(map(str.capitalize, kind.split("-")))
    row = defstruct(f"{name}Row", [(x, _TYPES.get(x, float | None)) for x in KINDS[kind]])
    shared: dict[str, Any] = {"version": str, "rows": list[row], "alpha": float | None}  # type: ignore[valid-type]
    shared |= dict.fromkeys(("correction", "alternative", "source"), str | None)
    shared |= {"notes": list[str], "signature": str | None}
    return defstruct(name, list(shared.items()), tag_field="schema", tag=f"betterthan/{kind}/1")
