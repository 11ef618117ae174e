"""Every public result prints, converts, draws and saves itself."""

import importlib
import pickle
import re
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import polars as pl
import pytest

import betterthan as bt
from betterthan.comparison.verdicts import Claims
from betterthan.errors import Note, Remedy, UsageError
from betterthan.results.protocol import Result, Sequenced, Several, UnknownNameError
from betterthan.results.sheet import note_on
from made_up_results import MADE_UP, scored

mpl.use("Agg")
TEXTS = (".txt", ".md", ".json", ".tex", ".csv", ".html")
SCORES = bt.Scores.from_arrays(
    {name: np.random.default_rng(4 + k).integers(0, 2, 60) for k, name in enumerate("wxyz")}
)
COMPARISONS = bt.compare_many(SCORES)
RESULTS: dict[str, Result] = {
    **MADE_UP,
    "comparison": COMPARISONS[0],
    "comparisons": COMPARISONS,
    "pair": COMPARISONS[0].item_by_item(),
    "law": bt.wilcoxon(SCORES.of("w")[:, 0], SCORES.of("z")[:, 0]),
}


@pytest.fixture(autouse=True)
def no_windows() -> Iterator[None]:
    yield
    plt.close("all")


def test_every_class_of_results_is_here() -> None:
    def below(cls: type) -> Iterator[type]:
        sub: type
        for sub in cls.__subclasses__():
            yield sub
            yield from below(sub)

    # A dataclass with slots is made twice; only the second one can be looked up in its module.
    known = {
        cls
        for cls in below(Result)
        if getattr(importlib.import_module(cls.__module__), cls.__name__, None) is cls
        and not cls.__module__.startswith("betterthan.cli")
    }
    assert known - {Claims, Several, Sequenced} == {type(result) for result in RESULTS.values()}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_written_and_saved_in_every_form(name: str, tmp_path: Path) -> None:
    result = RESULTS[name]
    assert "nan" not in str(result).lower().split()
    assert re.search(r"\\begin\{table\*?\}", result.to_latex())
    assert "| " in result.to_markdown()
    assert result._repr_html_().count("<table") >= 1
    for suffix in TEXTS:
        result.save(tmp_path / f"r{suffix}")
        assert (tmp_path / f"r{suffix}").read_text(encoding="utf-8").strip()
    result.save(str(tmp_path / "r.parquet"))
    assert pl.read_parquet(tmp_path / "r.parquet").equals(result.to_polars())


@pytest.mark.parametrize("name", RESULTS)
def test_results_are_copied_and_sent(name: str) -> None:
    result = RESULTS[name]
    for other in (deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other.to_dict() == result.to_dict()


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_drawn_as_its_class_says(name: str) -> None:
    result = RESULTS[name]
    doc = type(result).__doc__ or ""
    assert all(f"``{kind}``" in doc for kind in result.plots)
    assert not (result.plots and "no plot" in doc)
    for kind in result.plots:
        ax = plt.figure().subplots()
        assert result.plot(kind, ax) is ax
        assert ax.has_data()
    with pytest.raises(UsageError):
        result.plot("pie")


def test_pictures(tmp_path: Path) -> None:
    for suffix, start in ((".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG")):
        COMPARISONS.save(tmp_path / f"r{suffix}", kind="wins")
        assert (tmp_path / f"r{suffix}").read_bytes().startswith(start)
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (
            bt.compare(bt.Scores.from_arrays({"base": [0, 1, 0, 1] * 9, "new": [1] * 36})),
            "<Comparison: new is BETTER than base, +0.50 [+0.34, +0.66], p = 7.6e-06>",
        ),
        (COMPARISONS, "<Comparisons: 3, 3 can't tell (Holm)>"),
        (
            MADE_UP["leaderboard"],
            "<Leaderboard: new is BETTER than every other system.   "
            "CAN'T TELL old_v2 and base apart.>",
        ),
        (MADE_UP["interval"], "<Interval: [-0.0123456, inf], 95 % BCa bootstrap>"),
    ],
)
def test_repr_is_one_line(result: Result, shown: str) -> None:
    assert repr(result) == shown


def test_results_are_indexed_by_system() -> None:
    assert COMPARISONS["y"] is COMPARISONS[1]
    with pytest.raises(UnknownNameError) as error:
        COMPARISONS["yy"]
    assert error.value.remedy is not None
    assert (error.value.remedy.parameter, error.value.remedy.value) == ("systems", ["y"])
    assert isinstance(error.value, KeyError)
    powers: Any = MADE_UP["powers"]
    assert [p.items for p in powers] == [500, 2000]
    with pytest.raises(UsageError):
        powers["a"]


def test_remedies_of_notes_are_written_as_asked() -> None:
    note = Note("many items share a document", Remedy("", "columns", {"cluster": "document"}))
    result = type(MADE_UP["scores"])(  # type: ignore[call-arg]
        scores=(scored(),), alpha=0.05, source="", notes=("few", note), signature=""
    )
    python, shell = 'columns={"cluster": "document"}', "--cluster document"
    for form in ("table", "md", "json", "html", "fragment"):
        text = result.rendered(form)
        assert "document" in text
        assert shell in result.rendered(form, advice=lambda _: shell)
        assert shell not in text
    assert result.to_dict()["notes"] == ["few", f"many items share a document -> try: {python}"]
    assert note_on("f1", note).remedy == note.remedy


def test_a_file_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.json"
    COMPARISONS.save(path)
    before = path.read_text()

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="no space"):
        COMPARISONS.save(path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["r.docx", "no/r.json", "", "r\0.json"])
def test_files_that_cannot_be(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        COMPARISONS.save(f"{tmp_path}/{name}")


def test_what_a_result_cannot_be_written_as() -> None:
    with pytest.raises(UsageError):
        COMPARISONS.rendered("junit")
    with pytest.raises(UsageError):
        COMPARISONS.rendered("docx")
    assert "<testsuites" in MADE_UP["gate"].rendered("junit")


def test_laws_hold_the_p_value() -> None:
    a, b = SCORES.of("w")[:, 0], SCORES.of("z")[:, 0]
    for test in (bt.permutation_test, bt.wilcoxon, bt.sign_test):
        for alternative in ("two-sided", "greater", "less"):
            found: Any = test(a, b, alternative=alternative)
            shaded = sum(bar.get_height() for bar in found.plot().containers[1])
            # The tails beyond four and a half standard deviations are not drawn.
            assert shaded == pytest.approx(found.pvalue, abs=2e-5), (test, alternative)


def test_a_p_value_says_how_well_it_is_known() -> None:
    assert "p = 0.031\n" in str(MADE_UP["test"])
    assert "99 % interval 0.0384 to 0.0459" in str(MADE_UP["test-sampled"])
