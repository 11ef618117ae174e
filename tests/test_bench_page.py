"""The page of the benchmarks says what was measured."""

import time

import pytest
from scipy.stats import binomtest

from bench import page
from bench.__main__ import TABLE
from bench.peers import TOOLS, exact
from bench.runner import Benchmark, Case, Row, answer, line, measured


def row(job: str, size: int, ours: float, other: str = "floor: one pass", **changes: object) -> Row:
    values = {"our_answer": "", "theirs": 2.0 * ours, "their_answer": "", "megabytes": 7} | changes
    return Row("growth", job, size, ours, other=other, **values)  # type: ignore[arg-type]


def test_every_other_is_timed_next_to_ours() -> None:
    case = Case(
        lambda: 0.25, {"twice": lambda: time.sleep(0.001), "absent": lambda: 1 / 0}, {"twice": 5}
    )
    job = Benchmark("growth", "a number", (1, 2, 3), lambda n: case, time.perf_counter)
    rows = list(measured(job, quick=True))
    assert [x.other for x in rows] == ["twice", "absent"]
    assert [x.size for x in rows] == [1, 1]
    assert rows[0].our_answer == "0.25"
    assert rows[0].theirs is not None
    assert rows[0].theirs >= 0.005
    assert rows[0].ratio == rows[0].theirs / rows[0].ours
    assert (rows[1].theirs, rows[1].their_answer, rows[1].ratio) == (
        None,
        "ZeroDivisionError",
        None,
    )
    assert "twice" in line(rows[0])
    assert len(list(measured(job))) == 6


def test_growth_is_the_exponent_between_the_largest_sizes() -> None:
    rows = [row("squares", n, 1e-6 * n**2) for n in (10, 100)]
    rows += [row("squares", 1000, 1.0), row("squares", 1000, 1.0, "a peer"), row("alone", 10, 0.5)]
    cells = [text.strip("| ").split(" | ") for text in page._table(rows).splitlines()[2:]]
    assert [x[1] for x in cells] == ["10", "100", "1,000", "1,000", "10"]
    assert cells[2] == ["squares", "1,000", "1", "floor: one pass", "2", "2", "2.00"]
    assert sum("2.00" in x for x in cells) == 1


def test_rows_come_back_and_a_group_is_replaced(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, file in (("PAGE", "a.md"), ("RESULTS", "a.csv"), ("PICTURE", "a.svg")):
        monkeypatch.setattr(page, name, tmp_path / file)  # type: ignore[operator]
    monkeypatch.setattr(page.read_rows, "__defaults__", (page.RESULTS,))
    first, peer = row("squares", 10, 0.5), row("6 wins", 6, 0.1, "a tool", their_answer="0.03125")
    page.write([peer._replace(group="peers"), first])
    assert page.read_rows() == [first, peer._replace(group="peers")]
    again = row("squares", 10, 0.25, "a tool", theirs=None, their_answer="ImportError")
    page.write([again])
    assert page.read_rows() == [again, peer._replace(group="peers")]
    text = page.PAGE.read_text()
    assert "| a tool | 0.031 | 0.2 |" in text
    assert "scipy 1." in text
    assert "{" not in text
    assert page.PICTURE.exists()


def test_the_table_has_every_group_once_and_its_cases_run() -> None:
    assert {x.group for x in TABLE} == set(page.GROUPS)
    assert len({(x.group, x.job) for x in TABLE}) == len(TABLE)
    assert all(list(x.sizes) == sorted(x.sizes) for x in TABLE)
    for benchmark in TABLE:
        if benchmark.job.startswith(("exact permutation", "Parquet", "ideal bootstrap of a sum")):
            case = benchmark.case(benchmark.sizes[0])
            floors = [work for name, work in case.others.items() if name.startswith("floor")]
            assert all(work() is not None for work in (case.ours, *floors))


def test_other_tools_have_cases_of_known_p() -> None:
    assert float(exact(6, 0)) == 2 / 64
    assert answer(binomtest(25, 36)) == answer(float(exact(25, 11))) != ""
    assert "scipy wilcoxon" in TOOLS
