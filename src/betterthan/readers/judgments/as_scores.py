"""Pairwise judgments: who was preferred, in arena files, AlpacaEval annotations and MT-Bench pairs.

Judgments of many systems are for ranking. Where one system was judged against all others, they are
also scores: the share of each item's judgments that a system won against that baseline, ties half.
Files of one system each, all judged against the same opponent, are compared with one another.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, UsageError, first_few
from betterthan.readers.column_names import names_in
from betterthan.readers.examples import Example
from betterthan.readers.judgments.judged_rows import Battles, pair_layout, read_battles
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
    battles = replace(battles, rows=[row for row in battles.rows for _ in range(row.times)])
    opponent = _common_opponent(battles)
    through = opponent is not None and options.baseline != opponent
    against = opponent if opponent and through else _baseline(battles, options.baseline)
    items = battles.labels("item") or [str(k + 1) for k in range(len(battles.rows))]
    names = {name for row in battles.rows for name in row[:2]}
    opponents = [] if through else names_given(options.opponents, names)
    won: dict[str, tuple[list[str], list[float | None]]] = {}
    for item, (left, right, outcome, *_) in zip(items, battles.rows, strict=True):
        other = right if left == against else left
        if against in (left, right) and other in (opponents or (other,)):
            rows, values = won.setdefault(other, ([], []))
            rows.append(item)
            values.append(outcome if other == left else 1.0 - outcome)
    if not won:
        raise UsageError(f"none of {first_few(opponents)} was judged against {against!r}")
    notes = list(battles.notes)
    if through:
        notes.append(f"compared by their wins against {against}, ties half")
    else:  # the opponent is compared, too: half of its judgments with itself are won
        every = list(dict.fromkeys(item for rows, _ in won.values() for item in rows))
        aside = len(items) - sum(len(values) for _, values in won.values())
        notes += [f"{aside:,} judgments of others not used: rank them all instead"] * bool(aside)
        won = {against: (every, [0.5] * len(every)), **won}
    runs = [
        Run(
            system=system,
            task="",
            where=battles.file_of(system) if through else battles.where,
            items=rows,
            scores={"win": values},
            responses=repeats(rows),
            notes=tuple(notes),
        )
        for system, (rows, values) in won.items()
    ]
    kind = f"judgments against {against}"
    return gather(runs, options, kind, item=battles.item, response="judgment")


def _common_opponent(battles: Battles) -> str | None:
    """Find the one system that every other was judged against, each in a file of its own."""
    if len(battles.by_file) < 2:
        return None
    pairs = [{name for row in rows for name in row[:2]} for rows in battles.by_file.values()]
    common = set.intersection(*pairs)
    alone = all(len(pair) == 2 for pair in pairs)
    others = [name for pair in pairs for name in pair - common]
    once = len(common) == 1 and len(set(others)) == len(others) == len(pairs)
    return common.pop() if alone and once else None


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
