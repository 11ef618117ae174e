"""Tables for papers say what the comparisons say: the best, who beats whom, what was done."""

import re
from collections.abc import Callable
from pathlib import Path
from string import ascii_lowercase

import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.comparing import Comparisons
from betterthan.errors import UsageError
from betterthan.render.paper_tables import MANY, _raised, comparisons_for_paper
from betterthan.results.sheet import Table
from conftest import Run


def scores(systems: int = 4, n: int = 60, **labels: list[str]) -> bt.Scores:
    """Systems that get better and better, by two metrics, one of them an error."""
    rng = np.random.default_rng(7)
    right = {f"s{k}": (rng.random(n) < 0.2 + 0.7 * k / systems).astype(int) for k in range(systems)}
    columns = {
        name: np.column_stack([x, 1 + (1 - x) * rng.integers(1, 4, n)]) for name, x in right.items()
    }
    return bt.Scores.from_arrays(columns, columns=("hit", "cost"), groups=labels)


METRICS = ["mean(hit)", "mean(cost, lower_is_better)"]


def places(table: Table) -> dict[str, int]:
    return {header: k for k, header in enumerate(table.headers)}


@pytest.mark.parametrize("every", [False, True])
def test_marks_are_the_verdicts(every: bool) -> None:
    data = scores()
    found: Comparisons = (bt.compare_all if every else bt.compare_many)(data, metric=METRICS)
    (table,) = comparisons_for_paper(found)
    at = places(table)
    names = [row[at["system"]] for row in table.rows]
    assert names == list(data.systems)
    for header, metric in zip(("mean(hit)", "mean(cost) ↓"), METRICS, strict=True):
        marks = {name: table.raised.get((i, at[header]), "") for i, name in enumerate(names)}
        expected: dict[str, set[str]] = {name: set() for name in names}
        for c in found:
            if c.metric == metric and every and c.verdict != "can't tell":
                better = c.verdict == "better"
                winner, loser = (c.candidate, c.baseline)[:: 1 if better else -1]
                expected[winner].add(ascii_lowercase[names.index(loser)])
            elif c.metric == metric and c.verdict != "can't tell":
                expected[c.candidate].add("†" if c.verdict == "better" else "‡")
        assert {name: set(text) for name, text in marks.items()} == expected
        assert any(expected.values())


def test_the_best_is_bold_in_the_direction_of_the_metric() -> None:
    (table,) = comparisons_for_paper(bt.compare_many(scores(), metric=METRICS))
    at = places(table)
    hit = [float(row[at["mean(hit)"]]) for row in table.rows]
    cost = [float(row[at["mean(cost) ↓"]]) for row in table.rows]
    assert {i for i, k in table.bold if k == at["mean(hit)"]} == {int(np.argmax(hit))}
    assert {i for i, k in table.bold if k == at["mean(cost) ↓"]} == {int(np.argmin(cost))}


def test_what_is_printed_alike_is_bold_alike() -> None:
    rows = {"a": [0, 0, 1, 1] * 10, "b": [1, 1, 0, 1] * 10, "c": [1, 0, 1, 1] * 10}
    (table,) = comparisons_for_paper(bt.compare_many(bt.Scores.from_arrays(rows)))
    assert sorted(table.bold) == [(1, 1), (2, 1)]
    same = bt.Scores.from_arrays({"a": [0, 1], "b": [1, 0]})
    (table,) = comparisons_for_paper(bt.compare_many(same))
    assert not table.bold  # nobody is best where all are


def test_the_caption_agrees_with_the_text() -> None:
    domains = ["x", "y", "z"] * 20
    data = scores(domain=domains)
    for options in ({}, {"by": "domain"}, {"correction": "bonferroni", "alpha": 0.01}):
        found = bt.compare_many(data, metric=METRICS[:1], **options)
        text, tables = str(found), comparisons_for_paper(found)
        remark = next(line for line in text.split("\n") if "comparison" in line)
        counted = re.search(
            r"\d+ comparisons?(?: and \d+ in subsets, each family for itself)?", remark
        )
        assert counted is not None
        for table in tables:
            assert counted[0] in table.caption
            assert "60 paired items" in table.caption
            assert f"alpha = {found.alpha:g}" in table.caption
            assert {"holm": "Holm", "bonferroni": "Bonferroni"}[found.correction] in table.caption
            shown = table.for_paper(intervals=True).caption
            if table.intervals:
                assert "intervals are at " in shown
                assert ("simultaneous" in shown) == (found.correction == "bonferroni")
            assert "interval" not in table.for_paper(intervals=False).caption


def test_numbers_are_those_of_the_text_table() -> None:
    found = bt.compare_many(scores(), metric=METRICS[:1])
    (table,) = comparisons_for_paper(found)
    at = places(table)
    for row in table.rows[1:]:
        assert re.search(rf"{row[0]} is (BETTER|WORSE) than s0|CAN'T TELL {row[0]}", str(found))
        assert row[at["Δ"]][:1] in "+-"
        assert row[at["interval"]].startswith("[")
    assert table.rows[0][0] == "s0"
    assert table.rows[0][2:] == ("", "", "")
    assert table.ruled == (0,)


def test_parts_are_columns_or_else_rows() -> None:
    few, many = ["x", "y"] * 60, [f"d{i % (MANY + 1)}" for i in range(120)]
    (table,) = comparisons_for_paper(
        bt.compare_many(scores(n=120, domain=few), metric=METRICS[:1], by="domain")
    )
    assert table.headers[1::2] == ("all", "domain=x", "domain=y")
    (table,) = comparisons_for_paper(
        bt.compare_many(scores(n=120, domain=many), metric=METRICS[:1], by="domain")
    )
    assert table.headers == ("", "s0", "s1", "s2", "s3")
    assert len(table.rows) == MANY + 2
    assert "Best of each row in bold." in table.caption


def test_many_systems_are_numbered() -> None:
    rng = np.random.default_rng(1)
    rows = {f"s{k}": (rng.random(80) < k / 30).astype(int) for k in range(28)}
    (table,) = comparisons_for_paper(bt.compare_all(bt.Scores.from_arrays(rows)))
    assert [row[0] for row in table.rows] == [str(k + 1) for k in range(28)]
    assert re.fullmatch(r"1–\d+(,[\d–,]+)?", table.raised[27, 2])
    assert _raised(["b", "a"]) == "ab"


def test_intervals_come_and_go() -> None:
    found = bt.compare_many(scores(), metric=METRICS)
    assert "interval" not in found.to_latex()
    assert found.to_latex(intervals=True).count("[") > found.to_latex().count("[")
    one = bt.compare_many(scores(), metric=METRICS[:1])
    assert one.to_latex().count("interval") > one.to_latex(intervals=False).count("interval")
    assert "<sup>†</sup>" in found.to_markdown()
    with pytest.raises(UsageError):
        found.to_latex(width="narrow")


def test_a_label_is_the_papers(demo_folder: Path, betterthan: Callable[..., Run]) -> None:
    found = bt.compare_many(scores(domain=["x", "y"] * 30), metric=METRICS, by="domain")
    labels = re.findall(r"\\label\{(.*?)\}", found.to_latex(label="tab:main"))
    assert labels == ["tab:main", "tab:main-2"]
    with pytest.raises(UsageError):
        found.to_latex(label="a}b")
    words = ("compare", "qa.csv", "-f", "latex(label=tab:qa)")
    assert r"\label{tab:qa}" in betterthan(*words).out
