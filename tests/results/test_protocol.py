"""Every public result prints, converts, draws and saves itself."""

import importlib
import json
import pickle
import re
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest
from jsonschema import Draft202012Validator

import betterthan as bt
from betterthan.comparison.item_by_item import item_by_item
from betterthan.comparison.verdicts import Claims
from betterthan.design import (
    Rates,
    Spread,
    against_published,
    allocations,
    power_curve,
    published_thresholds,
    thresholds_by_size,
)
from betterthan.design.null_check import NullChecks
from betterthan.errors import UsageError
from betterthan.papers import Curves, Series, reproduce
from betterthan.ranking import pairwise, score_spread, study_disagreement
from betterthan.ranking.boards_by_part import ALL, Leaderboards
from betterthan.responses import ResponseComparison, p_value, simulate, study
from betterthan.results.protocol import Result
from betterthan.results.schemas import json_schema
from betterthan.results.several import Sequenced, Several

SCHEMA = Draft202012Validator(json_schema())
TEXTS = (".txt", ".md", ".json", ".tex", ".csv", ".html")


def made() -> bt.Scores:
    rng = np.random.default_rng(4)
    names = ("base", "x", "y", "z")
    return bt.Scores.from_arrays({name: rng.integers(0, 2, 60) for name in names})


def results() -> dict[str, Result]:
    scores = made()
    simulated = simulate(20, 3, rng=0)
    tested = p_value(*simulated.trio, test="published", resamples=50, rng=0)
    a, b = scores.of("base"), scores.of("x")
    checks = [bt.aa_check(scores, test=name, simulations=60) for name in ("permutation", "t")]
    return {
        "test": bt.permutation_test(a, b),
        "wilcoxon": bt.wilcoxon(a[:, 0], b[:, 0]),
        "t": bt.t_test(a[:, 0], b[:, 0]),
        "interval": bt.bootstrap_interval(a, b),
        "comparison": bt.compare(scores, "base", "x"),
        "comparisons": bt.compare_many(scores),
        "estimates": bt.estimate(scores),
        "items": item_by_item(scores, "base", "x"),
        "scores": bt.score(scores),
        "ranking": bt.rank(scores, resamples=100),
        "leaderboard": bt.leaderboard(scores, resamples=100),
        "leaderboards": Leaderboards(boards=((ALL, bt.leaderboard(scores, resamples=100)),)),
        "pairwise": pairwise(scores, "mean"),
        "gate": bt.gate(scores, "base", "x", margin=10),
        "power": bt.power(Rates(0.7, 0.8), 500, 0.05),
        "powers": power_curve(Rates(0.7, 0.8), [200, 400], 0.05),
        "allocations": allocations(Spread(sd=0.2, sd_repeats=0.5), 2000, effect=0.05),
        "thresholds": bt.thresholds(scores),
        "sizes": thresholds_by_size(scores, [30, 60]),
        "calibration": bt.calibration(scores, size=30, test_sets=2),
        "aa": checks[0],
        "alarms": NullChecks(tuple(checks)),
        "published": published_thresholds("bleu", items=500),
        "against": against_published(scores, 0.3, "x"),
        "response": tested,
        "responses": ResponseComparison(baseline="a", candidate="b", test=tested),
        "study": study(items=20, responses=2, eps=(0.1,), metrics=("mae",), resamples=20),
        "simulation": simulated,
        "disagreement": study_disagreement({"set": scores}, sizes=(20, 40), repeats=2),
        "spread": score_spread(scores),
        "curves": Curves("Rise", "n", "p", (Series("a", [1, 2], [0.1, 0.2]),)),
        "reproduction": reproduce("average-2021", ["Appendix F"]),
    }


@pytest.fixture(scope="module")
def every() -> dict[str, Result]:
    mpl.use("Agg")
    return results()


NAMES = (
    "test wilcoxon t interval comparison comparisons estimates items scores ranking leaderboard "
    "leaderboards pairwise gate power powers allocations thresholds sizes calibration aa alarms "
    "published against response responses study simulation disagreement spread curves reproduction"
).split()


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    yield
    plt.close("all")


def test_every_kind_of_result_is_here(every: dict[str, Result]) -> None:
    def below(cls: type) -> Iterator[type]:
        sub: type
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    assert list(every) == NAMES
    # A dataclass with slots is made twice; only the second one can be looked up in its module.
    known = {
        cls
        for cls in below(Result)
        if getattr(importlib.import_module(cls.__module__), cls.__name__, None) is cls
    }
    assert known - {Claims, Several, Sequenced} == {type(result) for result in every.values()}


@pytest.mark.parametrize("name", NAMES)
def test_all_forms(name: str, every: dict[str, Result]) -> None:
    result = every[name]
    text = str(result)
    assert text == result.rendered("table")
    assert "nan" not in text.lower().split()
    document = result.to_dict()
    loaded = json.loads(result.to_json())
    assert document == (loaded if isinstance(loaded, dict) else {"rows": loaded})
    assert re.fullmatch(r"betterthan/[a-z-]+/1", document.get("schema", "betterthan/rows/1"))
    if "schema" in document:
        errors = [error.message for error in SCHEMA.iter_errors(loaded)]
        assert not errors
    assert len(re.findall(r"\\begin\{table\*?\}", result.to_latex())) >= 1
    assert "| " in result.to_markdown()
    html = result._repr_html_()
    assert html.startswith("<div")
    assert html.count("<table") == html.count("</table>") >= 1


@pytest.mark.parametrize("name", NAMES)
def test_results_are_copied_sent_and_held_against_each_other(
    name: str, every: dict[str, Result]
) -> None:
    result = every[name]
    for other in (deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other.to_dict() == result.to_dict()
        assert (other == result) in (True, False)


@pytest.mark.parametrize("name", NAMES)
def test_frames_hold_the_records(name: str, every: dict[str, Result]) -> None:
    result = every[name]
    frame, other = result.to_polars(), result.to_pandas()
    assert frame.columns == list(other.columns)
    assert len(frame) == len(other) == len(result.to_csv().splitlines()) - 1
    assert frame.columns == result.to_csv().splitlines()[0].split(",")


@pytest.mark.parametrize("name", NAMES)
def test_plots_are_those_that_the_class_lists(name: str, every: dict[str, Result]) -> None:
    result = every[name]
    kinds = result.plot_kinds()
    assert isinstance(kinds, tuple)
    assert all(isinstance(kind, str) for kind in kinds)
    doc = type(result).__doc__ or ""
    assert all(f"``{kind}``" in doc for kind in kinds)
    if not kinds:
        assert "no plot" in doc or "where there is one" in doc
        with pytest.raises(UsageError, match="there is no plot"):
            result.plot()
        return
    for kind in kinds:
        given = plt.figure().subplots()
        assert result.plot(kind, given) is given
        assert given.has_data()
    assert result.plot().has_data()
    with pytest.raises(UsageError, match=f"is drawn as {next(iter(kinds))}"):
        result.plot("pie")


@pytest.mark.parametrize("name", NAMES)
def test_files_by_suffix(name: str, every: dict[str, Result], tmp_path: Path) -> None:
    result = every[name]
    for suffix in TEXTS:
        result.save(tmp_path / f"r{suffix}")
        text = (tmp_path / f"r{suffix}").read_text(encoding="utf-8")
        assert text.strip()
        assert text.endswith("\n")
    result.save(str(tmp_path / "r.parquet"))
    assert pl.read_parquet(tmp_path / "r.parquet").equals(result.to_polars())
    if result.plot_kinds():
        result.save(tmp_path / "r.png")
        assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_pictures(tmp_path: Path) -> None:
    found = bt.compare_many(made())
    for suffix, start in ((".svg", b"<?xml"), (".pdf", b"%PDF")):
        found.save(tmp_path / f"r{suffix}", kind="wins")
        assert (tmp_path / f"r{suffix}").read_bytes().startswith(start)
    assert plt.get_fignums() == []


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = bt.compare(made(), "base", "x")
    path = tmp_path / "r.json"
    found.save(path)
    before = path.read_text()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        found.save(path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("name", "message"),
    [("r.docx", "must be one of .txt"), ("no/r.json", "no folder"), ("", "its suffix")],
)
def test_files_that_cannot_be(name: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        bt.compare(made(), "base", "x").save(tmp_path / name)


def test_pandas_may_be_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="pip install pandas"):
        bt.compare(made(), "base", "x").to_pandas()


def test_only_a_gate_is_a_test_suite(every: dict[str, Result]) -> None:
    assert "<testsuites" in every["gate"].rendered("junit")
    with pytest.raises(UsageError, match="JUnit XML is for a gate"):
        every["comparison"].rendered("junit")


def test_a_comparison_within_a_subset_says_its_verdict() -> None:
    scores = bt.Scores.from_arrays(
        {"base": [0, 1] * 20, "new": [1, 1] * 20}, groups={"kind": ["a", "b"] * 20}
    )
    part = next(c for c in bt.compare_many(scores, by="kind") if c.subset == "kind=a")
    assert "new is BETTER than base" in str(part)
    assert "new is BETTER than base" in part.rendered("html")


def test_unknown_styles_are_named(every: dict[str, Result]) -> None:
    with pytest.raises(UsageError, match="is written as table, md"):
        every["test"].rendered("docx")


def test_several_are_a_sequence(every: dict[str, Result]) -> None:
    powers: Any = every["powers"]
    assert [p.items for p in powers] == [200, 400]
    assert len(powers) == 2
    assert powers[1].items == 400


def test_laws_hold_the_p_value(every: dict[str, Result]) -> None:
    scores = made()
    a, b = scores.of("base")[:, 0], scores.of("z")[:, 0]
    for test in (bt.permutation_test, bt.wilcoxon, bt.sign_test):
        for alternative in ("two-sided", "greater", "less"):
            found: Any = test(a, b, alternative=alternative)
            ax = found.plot("law")
            shaded = sum(bar.get_height() for bar in ax.containers[1])
            # The tails beyond four and a half standard deviations are not drawn.
            assert shaded == pytest.approx(found.pvalue, abs=2e-5), (test, alternative)


def test_plots_are_an_attribute_of_the_package() -> None:
    for name in bt.plots.__all__:
        assert callable(getattr(bt.plots, name))
        assert name == "kinds_of" or f"``{name}``" in (bt.plots.__doc__ or "")
    with pytest.raises(AttributeError, match="pie"):
        bt.plots.pie  # noqa: B018


def test_scores_show_themselves() -> None:
    scores = made()
    assert scores.to_polars().shape == (240, 3)
    assert "<table" in scores._repr_html_()
