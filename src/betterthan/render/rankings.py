"""Sheets of one ranking by itself, and of all pairs of systems."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from betterthan.errors import how_many
from betterthan.ranking.by_model import ByModel
from betterthan.ranking.decisions import JOINT
from betterthan.ranking.pairwise import Pairwise
from betterthan.ranking.result import Ranking
from betterthan.render.registry import sheet_of
from betterthan.results.interval import Interval
from betterthan.results.number_format import CORRECTIONS, listed, p_text, ranks_text
from betterthan.results.sheet import Sheet, Table, attributes, row_of

METHODS = {"bradley-terry": "Bradley-Terry", "elo": "Elo", "trueskill": "TrueSkill"}
LABEL = "tab:leaderboard"


@sheet_of.register
def _(ranking: Ranking) -> Sheet:
    records = [_row(ranking, k) for k in range(len(ranking.names))]
    level = f"{ranking.level:.0%}".replace("%", " %")
    rows = [
        (
            ranks_text(r["rank_low"], r["rank_high"]),
            r["system"],
            f"{r['score']:.5g}",
            ""
            if r["interval_low"] is None
            else f"[{r['interval_low']:.4g}, {r['interval_high']:.4g}]",
            share_text(r["comes_first"]),
        )
        for r in records
    ]
    headline = (
        f"{METHODS.get(ranking.method, ranking.method)} ranking of "
        f"{how_many(len(ranking.names), 'system')} on "
        f"{ranking.units:,} {ranking.unit_name} ({level} intervals by {ranking.interval})"
    )
    return Sheet(
        title="Ranking of " + listed(ranking.names),
        kind="ranking",
        rows=records,
        facts={
            **attributes(ranking, "alpha", "correction"),
            **attributes(ranking, "method", "lower_is_better", "decided_by", "converged"),
        },
        headlines=(headline,),
        tables=(
            Table.of(
                ("ranks", "system", "score", "interval", "comes first"),
                rows,
                left=("system",),
                label=LABEL,
            ),
        ),
        remarks=_decisions(ranking),
        notes=ranking.notes,
        signature=ranking.signature,
        layout="plain",
    )


def _row(ranking: Ranking, k: int) -> dict[str, Any]:
    """One system of a ranking."""
    low, high = _known(ranking.low[k]), _known(ranking.high[k])
    ends = Interval(low, high, ranking.level, ranking.interval, of="score")
    numbers = ("rank_low", "rank_high", "order_spread", "sigma")
    known = {x: None if (y := getattr(ranking, x)) is None else _known(y[k]) for x in numbers}
    return row_of(
        "ranking",
        ranking,
        system=ranking.names[k],
        score=_known(ranking.scores[k]),
        comes_first=_known(ranking.comes_first[k]),
        **known,
        **ends.columns,
    )


def _decisions(ranking: Ranking) -> tuple[str, ...]:
    """How ranks were decided, in a sentence."""
    if ranking.decided_by is None or ranking.correction is None or ranking.alpha is None:
        return ()
    how, joint = decided(ranking.decided_by, ranking.correction, ranking.alpha)
    several = "s" * (ranking.decided_by != "model")
    adjusted = CORRECTIONS.get(ranking.correction, "not adjusted")
    return (
        f"Ranks follow from who beats whom and {joint}: {how}{several} of all pairs, {adjusted}, "
        f"alpha {ranking.alpha:g}. Comes first: share of {len(ranking.resamples):,} resamples.",
    )


def decided(by: str, correction: str, alpha: float) -> tuple[str, str]:
    """How pairs were decided, and whether that holds for all of them at once."""
    model = by == "model"
    how = "differences of ratings, Student's law" if model else f"{by} test"
    level = f"{'about ' * model}{100 * (1 - alpha):.4g} %"
    return how, f"hold jointly at {level}" if correction in JOINT else "do not hold jointly"


@sheet_of.register
def _(pairs: Pairwise) -> Sheet:
    records = PairRecords(pairs)
    how = CORRECTIONS.get(pairs.correction, "not adjusted")
    headline = f"{pairs.test} tests of {how_many(len(records), 'pair')} of systems ({how})"
    return Sheet(
        title="Pairs of " + listed(pairs.names),
        kind="pairs",
        rows=records,
        facts=attributes(pairs, "alpha", "correction", "method", "test"),
        headlines=(headline,),
        tables=(pairs_table(pairs),),
        layout="plain",
    )


class PairRecords(Sequence[dict[str, Any]]):
    """A record of each two systems that were tested, made when it is asked for: they are many.

    Where ratings decide, of all two systems, and with what decided them.
    """

    def __init__(
        self, pairs: Pairwise, model: ByModel | None = None, subset: str | None = None
    ) -> None:
        self._names, self._test, self._model = pairs.names, pairs.test, model
        self._begin = {} if subset is None else {"subset": subset}
        tested = ~np.isnan(pairs.pvalue) if model is None else ~np.isnan(model.pvalue)
        self._left, self._right = np.nonzero(np.triu(tested, 1))
        self._columns = {
            "effect": pairs.effect,
            "pvalue": pairs.pvalue,
            "log10_pvalue": pairs.log10_pvalue,
            "pvalue_adjusted": pairs.adjusted,
            "log10_pvalue_adjusted": pairs.log10_adjusted,
            "wins": pairs.wins,
            "ties": pairs.ties,
            "losses": pairs.losses,
        }
        if model is not None:
            self._columns |= {
                "decided_pvalue": model.pvalue,
                "decided_pvalue_adjusted": model.adjusted,
            }

    def __len__(self) -> int:
        return len(self._left)

    def __getitem__(self, at: Any) -> Any:
        left, right = self._left[at], self._right[at]
        if isinstance(at, slice):
            return [self[k] for k in range(len(self))[at]]
        made = self._begin | {"first": self._names[left], "second": self._names[right]}
        made |= {name: _known(x[left, right]) for name, x in self._columns.items()}
        if self._model is not None:
            made["decided_by"] = "model" if self._model.rated[left, right] else self._test
        return made


def pairs_table(pairs: Pairwise) -> Table:
    """All pairs that were tested."""
    adjusted = pairs.correction != "none"
    effect = "difference" if pairs.method in ("mean", "median") else "share won"
    headers = ["first", "second", effect, "p"] + [
        f"p ({CORRECTIONS.get(pairs.correction)})"
    ] * adjusted
    rows = []
    for r in PairRecords(pairs):
        row = [r["first"], r["second"], f"{r['effect']:.3g}"]
        floor = pairs.results[r["first"], r["second"]].floor
        said = partial(p_text, floor=floor, alpha=pairs.alpha)
        row += [said(r["pvalue"], r["log10_pvalue"])]
        row += [said(r["pvalue_adjusted"], r["log10_pvalue_adjusted"])] * adjusted
        rows.append([*row, f"{r['wins']}/{r['ties']}/{r['losses']}"])
    return Table.of(
        [*headers, "wins/ties/losses"], rows, left=("first", "second"), label="tab:pairs"
    )


def _known(x: Any) -> Any:
    return None if np.isnan(x) else x.item()


def share_text(share: float | None) -> str:
    """Write a share of resamples: what so many draws cannot settle is a bound.

    >>> [share_text(p) for p in (1.0, 0.9996, 0.5, 0.004, 0.0)]
    ['> 99 %', '> 99 %', '50 %', '< 1 %', '< 0.1 %']
    """
    if share is None:
        return ""
    if share < 0.01:
        return "< 1 %" if share else "< 0.1 %"
    return "> 99 %" if share > 0.99 else f"{100 * share:.0f} %"
