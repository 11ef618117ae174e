"""Pairwise judgments: who was preferred, in arena files, AlpacaEval annotations and MT-Bench pairs.

Judgments of many systems are for ranking. Where one system was judged against all others, they are
also scores: the share of each item's judgments that a system won against that baseline, ties half.
Files of one system each, all judged against the same opponent, are compared with one another.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from betterthan.data.frames.reader_options import Options, names_given
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, Remedy, UsageError, first_few
from betterthan.readers.column_names import names_in
from betterthan.readers.examples import Example
from betterthan.readers.judgments.judged_columns import JudgedColumns, read_columns
from betterthan.readers.judgments.judged_rows import pair_layout
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
    battles = read_columns(files, options)
    games = _games(battles)
    opponent = _common_opponent(battles.by_file)
    through = opponent is not None and options.baseline != opponent
    against = opponent if opponent and through else _baseline(games, options.baseline, files[0])
    opponents = [] if through else names_given(options.opponents, battles.systems)
    won: dict[str, tuple[list[str], list[float | None]]] = {}
    for item, left, right, outcome in games:
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
        aside = len(games) - sum(len(values) for _, values in won.values())
        notes += [f"{aside:,} judgments of others not used: rank them all instead"] * bool(aside)
        won = {against: (every, [0.5] * len(every)), **won}
    runs = [
        Run(
            system=system,
            task="",
            where=next(file for file, there in battles.by_file.items() if system in there)
            if through
            else str(files[0]),
            items=rows,
            scores={"win": values},
            responses=repeats(rows),
            notes=tuple(notes),
        )
        for system, (rows, values) in won.items()
    ]
    kind = f"judgments against {against}"
    return gather(runs, options, kind, item=battles.item, response="judgment")


def _games(battles: JudgedColumns) -> list[tuple[str, str, str, float]]:
    """Item, both systems and the outcome of every single judgment."""
    rows = np.arange(len(battles.left))
    if battles.counts is not None:
        rows = np.repeat(rows, battles.counts)
    items = [str(k + 1) for k in range(len(rows))]
    items = items if battles.items is None else battles.items[rows].tolist()
    left, right = ([battles.systems[k] for k in x[rows]] for x in (battles.left, battles.right))
    return list(zip(items, left, right, battles.outcome[rows].tolist(), strict=True))


def _common_opponent(by_file: Mapping[str, tuple[str, ...]]) -> str | None:
    """Find the one system that every other was judged against, each in a file of its own."""
    if len(by_file) < 2:
        return None
    pairs = [set(names) for names in by_file.values()]
    common = set.intersection(*pairs)
    alone = all(len(pair) == 2 for pair in pairs)
    others = [name for pair in pairs for name in pair - common]
    once = len(common) == 1 and len(set(others)) == len(others) == len(pairs)
    return common.pop() if alone and once else None


def _baseline(games: Sequence[tuple[str, str, str, float]], asked: str | None, where: Path) -> str:
    """Find the system that took part in every judgment, or the one asked for."""
    pairs = [game[1:3] for game in games]
    systems = list(dict.fromkeys(name for both in pairs for name in both))
    if asked is not None:
        if asked not in systems:
            raise UsageError(f"there is no system {asked!r}; there are {first_few(systems)}")
        return asked
    common = [name for name in systems[:2] if all(name in both for both in pairs)]
    if common:
        return common[0]
    often, _ = Counter(name for both in pairs for name in both).most_common(1)[0]
    raise FormatError(
        f"{where}: {len(systems)} systems were judged in pairs, and none of them is in every pair",
        Remedy("rank them", command="rank"),
        Remedy("compare with one", "systems", [often]),
    )
