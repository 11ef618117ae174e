"""Pairwise judgments: who was preferred, in arena files, AlpacaEval annotations and MT-Bench pairs.

Judgments of many systems are for ranking. Where one system was judged against all others, they are
also scores: the share of each item's judgments that a system won against that baseline, ties half.
"""

from collections.abc import Sequence
from pathlib import Path

from betterthan.data import Scores
from betterthan.errors import FormatError, UsageError, first_few
from betterthan.frames.roles import Options
from betterthan.readers.battles import Battles, layout_of, names_in, read_battles
from betterthan.readers.gathering import gather
from betterthan.readers.runs import Run, repeats

FORMATS = ("judgments",)
SAMPLE = """
question_id,model_a,model_b,winner
81,gpt-4o,llama-3,model_a
82,gpt-4o,llama-3,tie (bothbad)
"""


def recognise(path: Path, head: bytes) -> bool:
    """Tell by the names of the columns."""
    return layout_of(names_in(path, head)) is not None


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of every system against the baseline: 1 for a win, 0.5 for a tie."""
    battles = read_battles(files, options)
    baseline = _baseline(battles, options.baseline)
    items = battles.items or [str(k + 1) for k in range(len(battles.left))]
    won: dict[str, tuple[list[str], list[float | None]]] = {}
    for k, (left, right) in enumerate(zip(battles.left, battles.right, strict=True)):
        other = right if left == baseline else left
        if baseline in (left, right) and other in (options.opponents or (other,)):
            value = battles.outcome[k] if other == left else 1.0 - battles.outcome[k]
            rows, values = won.setdefault(other, ([], []))
            rows.append(items[k])
            values.append(value)
    if not won:
        raise UsageError(
            f"none of {first_few(options.opponents or ())} was judged against {baseline!r}"
        )
    aside = len(items) - sum(len(values) for _, values in won.values())
    every = list(dict.fromkeys(item for rows, _ in won.values() for item in rows))
    notes = battles.notes + (
        (f"{aside:,} judgments of others not used -> betterthan rank",) if aside else ()
    )
    runs = [
        Run(
            system=baseline,
            task="",
            where=battles.where,
            items=every,
            scores={"win": [0.5] * len(every)},
            notes=notes,
        ),
        *(
            Run(
                system=system,
                task="",
                where=battles.where,
                items=rows,
                scores={"win": values},
                responses=repeats(rows),
            )
            for system, (rows, values) in won.items()
        ),
    ]
    return gather(runs, options, f"judgments against {baseline}", response="judgment")


def _baseline(battles: Battles, asked: str | None) -> str:
    """Find the system that took part in every judgment, or the one asked for."""
    pairs = list(zip(battles.left, battles.right, strict=True))
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
        f"others: rank them with betterthan rank, or compare with one (--baseline {often!r})"
    )
