"""Judgments read column by column are those read row by row."""

import re
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from betterthan.data.frames.reader_options import Options
from betterthan.errors import BetterthanError, FormatError, UsageError, first_few, how_many
from betterthan.readers.judgments.judged_columns import read_columns
from betterthan.readers.judgments.judged_rows import ITEMS, Judged, described, judged_in

NAMES = st.sampled_from(["a", "b", "left", "gpt 4", "Ü,1"])
WORDS = st.sampled_from(["left", "right", "tie", "model_a", "", "error", "gpt 4", "who?"])
LABELS = st.sampled_from(["q1", "q2", "", "a/b", "x" * 90])
PLAIN = {"model_a": NAMES, "model_b": NAMES, "winner": WORDS}
GAMES = {"model_1": NAMES, "model_2": NAMES, "g1_winner": WORDS, "g2_winner": WORDS}
HOT = {
    name: st.sampled_from(["0", "1"]) for name in ("winner_model_a", "winner_model_b", "winner_tie")
}
LAYOUTS = [
    PLAIN,
    PLAIN | {"question_id": LABELS, "judge": LABELS},
    PLAIN | {"prompt": LABELS, "id": LABELS, "user": LABELS},
    GAMES | {"question_id": LABELS, "turn": st.sampled_from(["1", "2"])},
    {"model_a": NAMES, "model_b": NAMES} | HOT,
    PLAIN | {"count": st.sampled_from(["1", "3", "0"])},
    {"generator_1": NAMES, "generator_2": NAMES, "preference": st.sampled_from(["1", "1.7", "0"])},
]
ROWS = st.sampled_from(LAYOUTS).flatmap(
    lambda columns: st.lists(st.fixed_dictionaries(columns), min_size=1, max_size=12)
)
OPTIONS = st.sampled_from(
    [Options(), Options(cluster="user"), Options(item="winner"), Options(response="judge")]
)


def read_rows(paths: list[Path], options: Options) -> tuple[list[Judged], str, tuple[str, ...]]:
    """Judgments one by one, what is said of them, and what the reader should know."""
    parts = [judged_in(path, options) for path in paths]
    for path, (found, _, last) in zip(paths, parts, strict=True):
        known = options.item or next((name for name in ITEMS if name in last), None)
        for name, option in ((known, "item"), (options.cluster, "cluster")):
            blank = sum(getattr(row, option) is None for row in found) if name else 0
            if blank:
                raise FormatError(
                    f"{path}: {how_many(blank, 'judgment', 'have')} no {name}: fill it in, or name "
                    f"another column ({option}=)"
                )
    rows = [row for found, _, _ in parts for row in found]
    if not rows:
        raise FormatError(
            f"{first_few(paths)}: nobody judged anything: there is nothing to compare"
        )
    systems = list(dict.fromkeys(name for row in rows for name in row[:2]))
    clusters = len({row.cluster for row in rows})
    said = described(
        paths,
        parts[-1][2],
        options,
        systems=systems,
        clusters=clusters,
        judged=sum(row.times for row in rows),
    )
    unjudged = sum(missing for _, missing, _ in parts)
    notes = (f"{how_many(unjudged, 'row')} without a judgment left out",) if unjudged else ()
    return rows, said, notes


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(rows=ROWS, options=OPTIONS, files=st.integers(1, 2))
def test_columns_and_rows_say_the_same(
    tmp_path: Path, rows: list[dict[str, str]], options: Options, files: int
) -> None:
    paths = [tmp_path / f"{k}.csv" for k in range(files)]
    for path in paths:
        pl.DataFrame(rows).write_csv(path)
    try:
        each, source, notes = read_rows(paths, options)
    except BetterthanError as error:
        with pytest.raises(type(error), match=f"^{re.escape(str(error))}$"):
            read_columns(paths, options)
        return
    fast = read_columns(paths, options)
    assert fast.systems == tuple(dict.fromkeys(x for row in each for x in row[:2]))
    left, right = ([fast.systems[k] for k in side] for side in (fast.left, fast.right))
    found = list(zip(left, right, fast.outcome.tolist(), strict=True))
    assert found == [row[:3] for row in each]
    times = [1] * len(found) if fast.counts is None else fast.counts.tolist()
    assert times == [row.times for row in each]
    for labels, name in ((fast.items, "item"), (fast.judges, "judge"), (fast.clusters, "cluster")):
        said = [getattr(row, name) for row in each]
        assert (None if labels is None else labels.tolist()) == (None if None in said else said)
    assert (fast.source, fast.notes) == (source, notes)
    of_file = {str(path): fast.systems for path in paths}
    assert fast.by_file == of_file


def test_a_cluster_that_no_column_has(tmp_path: Path) -> None:
    """The first row is no judgment, so that nothing was looked up for it."""
    path = tmp_path / "t.csv"
    path.write_text("model_a,model_b,winner,question_id\na,left,left,q1\na,a,left,q1\n")
    with pytest.raises(UsageError, match="there is no column 'user'"):
        read_columns([path], Options(cluster="user"))
