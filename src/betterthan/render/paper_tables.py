"""Tables of a paper: systems by metrics, the baseline first, the best in bold, who beats whom.

With one baseline a dagger says that a system is better than it, a double one that it is worse.
Where all pairs were compared, superscripts are the letters of the systems that are beaten.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from string import ascii_lowercase

from betterthan.comparison.scoring import SystemScore, SystemScores
from betterthan.comparison.verdicts import Comparison, Comparisons
from betterthan.errors import listing
from betterthan.metrics.algebra import LOWER
from betterthan.render.methods import interval_sentence, methods_sentence
from betterthan.results.number_format import CORRECTIONS, digits, number, p_text, scale, span
from betterthan.results.sheet import Table

MANY = 8
"""Parts of the items that stand side by side; more are rows."""

_LABEL = "tab:comparison"


@dataclass(slots=True)
class _Column:
    """One metric on one part of the items: what every system scored."""

    metric: str
    subset: str | None
    lower_is_better: bool
    factor: float
    places: int
    scores: dict[str, float] = field(default_factory=dict)
    marks: dict[str, list[str]] = field(default_factory=dict)
    gains: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.metric.replace(f", {LOWER}", "") + " ↓" * self.lower_is_better

    def text(self, system: str) -> str:
        score = self.scores.get(system)
        return "" if score is None else number(score * self.factor, self.places)

    def best(self) -> list[str]:
        """Systems with the best score as it is printed: two that look the same are both best."""
        if not self.scores:
            return []
        extreme = min if self.lower_is_better else max
        most = self.text(extreme(self.scores, key=self.scores.__getitem__))
        best = [system for system in self.scores if self.text(system) == most]
        return best if len(best) < len(self.scores) else []


def comparisons_for_paper(found: Comparisons) -> tuple[Table, ...]:
    """Tables of comparisons: one for all metrics, or one for each where there are also parts."""
    systems = list(dict.fromkeys(n for c in found for n in (c.baseline, c.candidate)))
    baselines = list(dict.fromkeys(c.baseline for c in found))
    columns = _columns(found, systems, baselines)
    metrics = list(dict.fromkeys(column.metric for column in columns))
    several = len(metrics) > 1
    if len(metrics) == len(columns):
        families = [("", columns)]
    else:
        families = [(m if several else "", [c for c in columns if c.metric == m]) for m in metrics]
    made = []
    for metric, part in families:
        grid = _Grid(found, part, systems, baselines, metric)
        if len(columns) == 1 and len(baselines) == 1:
            made.append(grid.of_one_metric())
        else:
            made.append(grid.across() if len(part) <= max(MANY, len(systems)) else grid.down())
    return tuple(made)


def scores_for_paper(found: SystemScores, intervals: str) -> tuple[Table, ...]:
    """Scores of systems by metrics, each with its interval."""
    columns: dict[tuple[str, str | None], dict[str, SystemScore]] = {}
    for e in found:
        columns.setdefault((e.metric, e.subset), {})[e.system] = e
    if len(columns) == 1:
        return ()
    systems = list(dict.fromkeys(e.system for e in found))
    headers, rows = ["system"], [[system] for system in systems]
    for (metric, subset), known in columns.items():
        several = len({m for m, _ in columns}) > 1
        headers += [" ".join([metric] * several + [subset or "all"] * (subset is not None))]
        headers += [f"{100 * (1 - found.alpha):.4g} %"]
        k = scale(next(iter(known.values())).percent)
        widths = [k * (e.interval.high - e.interval.low) / 2 for e in known.values()]
        places = digits(median(widths))
        for row in rows:
            made = known.get(row[0])
            row.extend(["", ""] if made is None else _cells(made, k, places))
    table = Table.of(headers, rows, left=("system",), label="tab:scores")
    counts = {e.n for e in found}
    items = f"{'up to ' * (len(counts) > 1)}{max(counts):,} items"
    points = " Rates in points." if any(e.percent for e in found) else ""
    return (
        replace(
            table,
            caption=f"Scores on {items}.{points}",
            intervals=range(2, len(headers), 2),
            of_intervals=intervals,
        ),
    )


def _cells(e: SystemScore, factor: float, places: int) -> list[str]:
    score, *ends = (number(factor * x, places) for x in (e.score, e.interval.low, e.interval.high))
    return [score, f"[{', '.join(ends)}]"]


def _columns(found: Comparisons, systems: Sequence[str], baselines: Sequence[str]) -> list[_Column]:
    letters = dict(zip(systems, _letters(len(systems)), strict=True))
    made: dict[tuple[str, str | None], _Column] = {}
    groups: dict[tuple[str, str | None], list[Comparison]] = {}
    for c in found:
        groups.setdefault((c.metric, c.subset), []).append(c)
    for (metric, subset), group in groups.items():
        k = scale(group[0].percent)
        places = digits(median(k * (c.interval.high - c.interval.low) / 2 for c in group))
        column = _Column(metric, subset, group[0].lower_is_better, k, places)
        made[metric, subset] = column
        for c in group:
            column.scores[c.baseline] = c.score_baseline
            column.scores[c.candidate] = c.score_candidate
            if c.baseline == baselines[0]:
                gain = number(k * c.delta, places, signed=True)
                column.gains[c.candidate] = gain, span(c.interval, k, places)
            if c.verdict == "can't tell":
                continue
            if len(baselines) == 1:
                column.marks[c.candidate] = ["†" if c.verdict == "better" else "‡"]
            else:
                both = c.candidate, c.baseline
                winner, loser = both if c.verdict == "better" else both[::-1]
                column.marks.setdefault(winner, []).append(letters[loser])
    return list(made.values())


def _letters(count: int) -> list[str]:
    few = count <= len(ascii_lowercase)
    return [*ascii_lowercase[:count]] if few else [str(k + 1) for k in range(count)]


def _raised(marks: Sequence[str]) -> str:
    """Letters in their order; numbers with commas, three or more in a row as a span.

    >>> _raised(["c", "a"]), _raised(["3", "12", "1", "2", "7"])
    ('ac', '1–3,7,12')
    """
    if not all(mark.isdigit() for mark in marks):
        return "".join(sorted(marks))
    spans: list[list[int]] = []
    for k in sorted(map(int, marks)):
        if spans and spans[-1][-1] + 1 == k:
            spans[-1].append(k)
        else:
            spans.append([k])
    return ",".join(
        f"{run[0]}–{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in spans
    )


@dataclass(frozen=True, slots=True)
class _Grid:
    """Scores of systems by metrics, or by parts of the items with one metric."""

    found: Comparisons
    columns: Sequence[_Column]
    systems: Sequence[str]
    baselines: Sequence[str]
    metric: str

    @property
    def lettered(self) -> bool:
        """Whether superscripts are letters of systems: all pairs were compared."""
        return len(self.baselines) > 1

    @property
    def names(self) -> list[str]:
        """What the columns are called: by their parts where they share a metric."""
        by_part = len({column.metric for column in self.columns}) < len(self.columns)
        return [c.subset or "all" if by_part else c.name for c in self.columns]

    def of_one_metric(self) -> Table:
        """One metric against one baseline: there is room for the gain, its interval and p."""
        of = {c.candidate: c for c in self.found}
        (column,) = self.columns
        rows = []
        for system in self.systems:
            c = of.get(system)
            gain, ends = column.gains.get(system, ("", ""))
            p = c and p_text(
                c.pvalue_adjusted, c.log10_pvalue_adjusted, floor=c.floor, alpha=c.alpha
            )
            rows.append((system, column.text(system), gain, ends, p or ""))
        adjusted = CORRECTIONS.get(self.found.correction)
        headers = ("system", column.name, "Δ", "interval", f"p ({adjusted})" if adjusted else "p")
        return self._finished(headers, rows, [1], [3])

    def across(self) -> Table:
        """A column for each metric or part, and one for its gains."""
        headers, places, gains = [""] * self.lettered + ["system"], [], []
        for name, column in zip(self.names, self.columns, strict=True):
            places.append(len(headers))
            gains += [len(headers) + 1] * bool(column.gains)
            headers += [name] + ["Δ, interval"] * bool(column.gains)
        rows = []
        for letter, system in zip(_letters(len(self.systems)), self.systems, strict=True):
            row = [letter] * self.lettered + [system]
            for column in self.columns:
                row += [column.text(system)]
                row += [" ".join(column.gains.get(system, ()))] * bool(column.gains)
            rows.append(row)
        return self._finished(headers, rows, places, gains)

    def down(self) -> Table:
        """A row for each part: they are more than fit side by side."""
        letters = _letters(len(self.systems))
        headers = [
            f"{system} ({letter})" if self.lettered else system
            for letter, system in zip(letters, self.systems, strict=True)
        ]
        named = zip(self.names, self.columns, strict=True)
        rows = [[name, *map(column.text, self.systems)] for name, column in named]
        table = Table.of(["", *headers], rows, left=("",), label=_LABEL)
        return replace(
            table,
            caption=self.caption.replace("each column", "each row"),
            bold=[(j, i + 1) for i, j in self._bold()],
            raised={(j, i + 1): text for (i, j), text in self._marks().items()},
        )

    def _finished(
        self,
        headers: Sequence[str],
        rows: Sequence[Sequence[str]],
        places: Sequence[int],
        gains: Sequence[int],
    ) -> Table:
        table = Table.of(headers, rows, left=("", "system"), label=_LABEL)
        return replace(
            table,
            caption=self.caption,
            bold=[(i, places[j]) for i, j in self._bold()],
            raised={(i, places[j]): text for (i, j), text in self._marks().items()},
            ruled=() if self.lettered else (0,),
            intervals=gains,
            of_intervals=f"Δ: gain over {self.baselines[0]}; {interval_sentence(self.found)}.",
            crowded=len(self.columns) > 1,
        )

    def _bold(self) -> list[tuple[int, int]]:
        """The best, as (system, column)."""
        return [
            (self.systems.index(system), j)
            for j, column in enumerate(self.columns)
            for system in column.best()
        ]

    def _marks(self) -> dict[tuple[int, int], str]:
        return {
            (self.systems.index(system), j): _raised(marks)
            for j, column in enumerate(self.columns)
            for system, marks in column.marks.items()
        }

    @property
    def caption(self) -> str:
        """What the marks mean, and what was done."""
        said = [f"Scores by {self.metric}."] if self.metric else []
        said += ["Best of each column in bold."] if self._bold() else []
        marks = {mark for text in self._marks().values() for mark in text}
        if self.lettered:
            said += ["Superscripts name the systems that are significantly worse."] * bool(marks)
        else:
            meant = {"†": "better", "‡": "worse"}
            told = [f"{mark} significantly {meant[mark]}" for mark in meant if mark in marks]
            said += [f"{', '.join(told)} than {self.baselines[0]}."] if told else []
        said.append(methods_sentence(self.found, cite=False, intervals=False))
        if against := list(dict.fromkeys(c.candidate for c in self.found if c.opposed)):
            said.append(
                f"Of {listing(against)} the test is sure, but in the other direction than the "
                "metric: neither system is called better."
            )
        said += ["↓ Lower is better."] * any(c.lower_is_better for c in self.columns)
        said += ["Rates in points."] * any(c.factor != 1.0 for c in self.columns)
        return " ".join(said)
