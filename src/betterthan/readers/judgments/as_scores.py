"""Pairwise judgments: who was preferred, in arena files, AlpacaEval annotations and MT-Bench pairs.

Judgments of many systems are for ranking. Where one system was judged against all others, they are
also scores: the share of each item's judgments that a system won against that baseline, ties half.
"""

from collections.abc import Sequence
from pathlib import Path

from betterthan.data.frames.reader_options import Options, listed
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, UsageError, first_few
from betterthan.readers.examples import Example
from betterthan.readers.judgments.judged_rows import Battles, names_in, pair_layout, read_battles
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import Run, repeats

FORMATS = ("judgments",)
EXAMPLES = {
    "judgments": Example(
        "pairwise judgments",
        "betterthan rank battles.csv",
        """
question_id,model_a,model_b,winner
81,gpt-4o,llama-3,model_a
82,gpt-4o,llama-3,tie (bothbad)
""",
    )
}


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the names of the columns."""
    return pair_layout(tuple(names_in(path, head))) is not None


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of every system against the baseline: 1 for a win, 0.5 for a tie."""
    battles = read_battles(files, options)
    baseline = _baseline(battles, options.baseline)
    items = battles.labels("item") or [str(k + 1) for k in range(len(battles.rows))]
    opponents = listed(options.opponents, {name for row in battles.rows for name in row[:2]})
    won: dict[str, tuple[list[str], list[float | None]]] = {}
    for item, (left, right, outcome, *_) in zip(items, battles.rows, strict=True):
        other = right if left == baseline else left
        if baseline in (left, right) and other in (opponents or (other,)):
            rows, values = won.setdefault(other, ([], []))
            rows.append(item)
            values.append(outcome if other == left else 1.0 - outcome)
    if not won:
        raise UsageError(f"none of {first_few(opponents)} was judged against {baseline!r}")
    aside = len(items) - sum(len(values) for _, values in won.values())
    every = list(dict.fromkeys(item for rows, _ in won.values() for item in rows))
    notes = battles.notes + (
        (f"{aside:,} judgments of others not used: rank them all instead",) if aside else ()
    )
    half: list[float | None] = [0.5] * len(every)
    runs = [
        Run(
            system=system,
            task="",
            where=battles.where,
            items=rows,
            scores={"win": values},
            responses=repeats(rows),
            notes=notes,
        )
        for system, (rows, values) in {baseline: (every, half), **won}.items()
    ]
    return gather(runs, options, f"judgments against {baseline}", response="judgment")


def _baseline(battles: Battles, asked: str | None) -> str:
    """Find the system that took part in every judgment, or the one asked for."""
    pairs = [row[:2] for row in battles.rows]
    systems = list(dict.fromkeys(name for both in pairs for name in both))
    if asked is not None:
        if asked not in systems:
            raise UsageError(f"there is no system {asked!r}; there are {first_few(systems)}")
        return asked
    common = [name for name in systems[:2] if all(name in both for both in pairs)]
    if common:
        return common[0]
    often = max(systems, key=[name for both in pairs for name in both].count)
    raise FormatError(
        f"{battles.where}: {len(systems)} systems were judged in pairs, none of them against all "
        f'others: rank them, or compare with one, baseline="{often}"'
    )
