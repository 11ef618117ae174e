"""Better than Average, Figure 4: disagreement by metric, by task and by size of the test set."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from betterthan.papers.average_disagreement import DRAWS, REAL, TASKS, Compared, on_boards, sampled
from betterthan.papers.boards import Board, boards
from betterthan.papers.exhibits import Curves, Exhibit, Panel, Picture, Series, pictured
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner
from betterthan.ranking import score_matrix, study_disagreement


def figure_4(runner: Runner) -> Exhibit:
    """Disagreement by metric, by task and by the size of the test set."""
    found = sampled(runner)
    if not found:
        return _figure_4_simulated(runner)
    by_metric = _shares(found, lambda board, _: board.metric)
    by_task = _shares(found, lambda board, _: TASKS.get(board.setup, board.setup))
    largest = max(size for _, size in found)
    enough = {key: each for key, each in found.items() if key[0].scores.n >= largest}
    by_size = _shares(enough, lambda _, size: size)
    everything = _shares(found, lambda *_: "all")["all"]
    first, last = min(by_size), max(by_size)
    paired = {
        m: np.mean([x for p, x in row.items() if "bradley" in p]) for m, row in by_metric.items()
    }
    order = sorted(paired, key=lambda metric: paired[metric])
    ends = f"Most: {order[-1]} {paired[order[-1]]:.1%}; least: {order[0]} {paired[order[0]]:.1%}"
    claims = [
        Claim(
            "With larger test sets the aggregations agree more (c).",
            all(by_size[last][pair] < by_size[first][pair] for pair in everything),
            "; ".join(f"{size} items: {_spelled(by_size[size])}" for size in (first, last)) + ".",
        ),
        Claim(
            "Mean and median agree more with one another than either does with BT.",
            everything["mean vs median"] == min(everything.values()),
            f"Over all metrics, tasks and sizes: {_spelled(everything)}.",
        ),
    ]
    if {"BLEU", "BERTScore"} <= set(paired):
        claims.append(
            Claim(
                "BLEU is affected most and BERTScore least by the choice of BT (a).",
                (order[-1], order[0]) == ("BLEU", "BERTScore"),
                f"{ends}; BLEU {paired['BLEU']:.1%}, BERTScore {paired['BERTScore']:.1%}.",
            )
        )
    if {"dialogues", "summaries"} <= set(by_task):
        claims.append(
            Claim(
                "Dialogue suffers more than summarisation (b).",
                all(by_task["dialogues"][p] > by_task["summaries"][p] for p in everything),
                "; ".join(f"{task}: {_spelled(row)}" for task, row in by_task.items()) + ".",
            )
        )
    return Exhibit(
        "Figure 4",
        "disagreement by metric, task and size of the test set",
        claims=tuple(claims),
        pictures=(
            Picture(
                "Share of pairs of systems in another order, by metric, task and size.",
                (
                    Panel(_bars("a) by metric", "metric", by_metric)),
                    Panel(_bars("b) by task", "task", by_task)),
                    Panel(
                        Curves(
                            "c) by size",
                            "items",
                            "share of pairs",
                            tuple(
                                Series(pair, list(by_size), [by_size[s][pair] for s in by_size])
                                for pair in everything
                            ),
                        )
                    ),
                ),
            ),
        ),
        remarks=(
            f"{DRAWS} test sets of every board and size of {', '.join(map(str, by_size))} "
            "items; c) is of the boards that have all sizes. The figure prints no numbers.",
        ),
        on=f"test sets drawn from {on_boards(boards(runner.data))}",
    )


def _shares(found: Mapping[tuple[Board, int], Compared], key: Any) -> dict[Any, dict[str, float]]:
    """Average the share of pairs in another order within each group of boards and sizes."""
    groups: dict[Any, list[Compared]] = {}
    for (board, size), each in found.items():
        groups.setdefault(key(board, size), []).append(each)
    return {
        name: {pair: float(np.mean([e[pair][:, 0].mean() for e in some])) for pair in some[0]}
        for name, some in groups.items()
    }


def _spelled(row: Mapping[str, float]) -> str:
    return ", ".join(f"{pair} {share:.0%}" for pair, share in row.items())


def _bars(title: str, x: str, rows: Mapping[str, Mapping[str, float]]) -> Curves:
    pairs = next(iter(rows.values()))
    series = tuple(
        Series(pair, range(len(rows)), [row[pair] for row in rows.values()], look="bars")
        for pair in pairs
    )
    return Curves(title, x, "share of pairs", series, ticks=tuple(rows))


def _figure_4_simulated(runner: Runner) -> Exhibit:
    """Disagreement by the size of the test set, on simulated tasks."""
    sizes, repeats = ((10, 50, 100, 500), 4) if runner.quick else ((10, 50, 100, 500, 1000), 20)
    tables = {
        f"{types} types, {share:.1%} outliers": score_matrix(
            systems=10,
            items=1_000,
            types=types,
            outliers=share,
            outlier="gross",
            total=10.0,
            offset=20.0,
            rng=np.random.default_rng([runner.seed, types, int(1000 * share)]),
        ).scores
        for types, share in product((1, 3, 10), (0.0, 0.01))
    }
    study = study_disagreement(tables, sizes=sizes, repeats=repeats, rng=runner.seed)
    rows = {n: {f"{d.first} vs {d.second}": d.share for d in row} for n, row in study.sizes.items()}
    first, last = sizes[0], sizes[-1]
    return Exhibit(
        "Figure 4",
        "disagreement by the size of the test set",
        claims=(
            Claim(
                "With larger test sets the aggregations agree more (c).",
                all(rows[last][pair] < rows[first][pair] for pair in rows[first]),
                f"{first} items: {_spelled(rows[first])}; {last:,} items: {_spelled(rows[last])}.",
            ),
        ),
        pictures=pictured(
            "Pairs of systems in another order by the size of the test set (panel c), on six "
            "simulated tasks.",
            study,
        ),
        remarks=("Panels a and b, by metric and by task, need the paper's boards: " + REAL + ".",),
        on="six simulated tasks",
    )
