"""The HTML report: whole, closed to the network, safe, and the same every time."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.comparing import compare_all, compare_many
from betterthan.comparison.item_by_item import MOST
from betterthan.design import Rates
from betterthan.metrics import blackbox, sums
from betterthan.ranking import Judgments, leaderboard
from betterthan.render.pair_pages import PAIRS
from conftest import Run

Command = Callable[..., Run]
VOID = {"meta", "br", "hr", "img", "input", "link"}
HOSTILE = "<script>alert(1)</script>"
NASTY = '"><img src=x onerror=alert(1)> & $\\frac$ id="z" url(#q)'


class Page(HTMLParser):
    """Reads a page strictly: every element is closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said.append((self.open[-1] if self.open else "", data.strip()))

    def count(self, name: str) -> int:
        return sum(tag == name for tag, _ in self.tags)

    def texts(self, name: str) -> list[str]:
        return [text for tag, text in self.said if tag == name and text]


def made(*names: str, n: int = 40) -> bt.Scores:
    rng = np.random.default_rng(3)
    return bt.Scores.from_arrays({name: rng.integers(0, 2, n) for name in names})


def test_compare_writes_a_report(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("compare", "qa.csv", "--cluster", "document", "-o", "report.html")
    assert run.code == 0
    assert run.out == ""
    text = (demo_folder / "report.html").read_text(encoding="utf-8")
    page = Page(text)
    assert text.lstrip().startswith("<!doctype html>")
    assert page.texts("h1") == ["Comparison of base, atlas, birch and cedar"]
    # The verdict comes before any table or plot.
    assert text.index("atlas is BETTER than base") < text.index("<table")
    assert page.count("svg") == 1 + 3 * 3  # the forest; law, histogram and scatter of each pair
    assert page.count("table") == 1 + 3
    assert "Differences were tested with a two-sided paired permutation test" in text
    assert "betterthan compare qa.csv --cluster document -o report.html" in page.texts("pre")
    assert len(text) < 1_500_000


def test_rank_writes_a_report(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("rank", "qa.csv", "--cluster", "document", "-o", "report.html")
    assert run.code == 0
    page = Page((demo_folder / "report.html").read_text(encoding="utf-8"))
    assert page.texts("h3") == [
        "atlas against cedar",
        "cedar against birch",
        "birch against base",
    ]
    assert {"Leaderboard", "All pairs"} <= set(page.texts("caption"))
    assert any("atlas is BETTER than every other system" in said for said in page.texts("p"))


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_html_may_be_asked_for(demo_folder: Path, betterthan: Command, command: str) -> None:
    run = betterthan(command, "ratings.csv", "--format", "html")
    assert run.code == 0
    Page(run.out)


def test_other_results_make_a_page(demo_folder: Path) -> None:
    scores = made("a", "b", "c")
    gate = bt.gate(made("a", "b"), margin=20)
    for result in (
        gate,
        bt.power(Rates(0.7, 0.9), 500, 0.02),
        bt.thresholds(scores),
        bt.score(scores),
    ):
        page = Page(result.rendered("html"))
        assert page.count("table") >= 1
        assert page.count("svg") == len(result.plot_kinds())
        assert page.texts("h1") == [result.sheet().title]


def test_nothing_comes_from_the_network(demo_folder: Path, betterthan: Command) -> None:
    for command in ("compare", "rank"):
        text = betterthan(command, "qa.csv", "--format", "html").out
        for tag, attributes in Page(text).tags:
            for name, value in attributes.items():
                if name in ("src", "href", "xlink:href", "action"):
                    assert (value or "").startswith(("#", "data:")), (tag, value)
        assert "@import" not in text
        assert re.findall(r"url\((?!#)", text) == []


def test_names_inside_drawings_are_their_own(demo_folder: Path, betterthan: Command) -> None:
    text = betterthan("compare", "qa.csv", "--all", "--format", "html").out
    tags = Page(text).tags
    ids = Counter(attributes["id"] for _, attributes in tags if "id" in attributes)
    assert set(ids.values()) == {1}
    used = set(re.findall(r'(?:url\(|href=")#([^")]+)', text))
    assert used == set(ids)


@pytest.mark.parametrize("ranked", [False, True])
def test_hostile_names_stay_text(ranked: bool) -> None:
    names = (HOSTILE, NASTY)
    rng = np.random.default_rng(1)
    items = [f"<b>{i}</b>" for i in range(30)]
    scores = bt.Scores.from_arrays({name: rng.normal(size=30) for name in names}, items=items)
    scores = replace(scores, source="<i>file</i>")
    command = f"betterthan compare {HOSTILE}"
    text = (
        leaderboard(scores, rng=0).rendered("html", command=command)
        if ranked
        else compare_many(scores).rendered("html", command=command)
    )
    page = Page(text)
    assert page.count("script") == 1  # our own
    assert all(page.count(tag) == 0 for tag in ("b", "i", "img"))
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    assert HOSTILE in page.texts("text")  # in a drawing
    assert NASTY in page.texts("text")
    assert any(HOSTILE in said for said in page.texts("h3"))
    assert any(re.fullmatch(r"<b>\d+</b>", cell) for cell in page.texts("td"))
    assert "<i>file</i>" in page.texts("p")


def test_every_drawing_and_table_says_what_it_is() -> None:
    scores = made("a", "b", "c")
    page = Page(leaderboard(scores, rng=0).rendered("html"))
    pictures = [attributes for _, attributes in page.tags if attributes.get("role") == "img"]
    assert len(pictures) == page.count("svg") == page.count("figcaption") > 0
    assert all(attributes["aria-label"] for attributes in pictures)
    assert page.count("caption") == page.count("table") == page.count("thead")
    headers = [attributes for tag, attributes in page.tags if tag == "th"]
    assert all(attributes["scope"] == "col" for attributes in headers)
    # No heading skips a level.
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def test_the_items_listed_are_those_that_differ_most() -> None:
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(2, 50)).round(3)
    x[:5] = y[:5]  # ties are no disagreement
    items = [f"item{i:02}" for i in range(50)]
    scores = bt.Scores.from_arrays({"x": x, "y": y}, items=items, lower_is_better=True)
    page = Page(compare_many(scores).rendered("html"))
    listed = [cell for cell in page.texts("td") if cell.startswith("item")]
    gains = sorted(range(50), key=lambda i: x[i] - y[i])  # lower is better: x - y favours y
    expected = gains[:MOST] + gains[-MOST:]
    expected.sort(key=lambda i: -abs(x[i] - y[i]))
    assert listed == [items[i] for i in expected]
    cells = page.texts("td")
    at = cells.index(listed[0])
    first = expected[0]
    assert cells[at + 1 : at + 3] == [f"{x[first]:.4g}", f"{y[first]:.4g}"]
    assert float(cells[at + 3]) == pytest.approx(x[first] - y[first])


def test_no_more_than_so_many_pairs_have_a_section() -> None:
    page = Page(compare_all(made(*"abcdef")).rendered("html"))
    assert page.count("article") == PAIRS
    assert f"The first {PAIRS} of 15 pairs." in page.texts("p")


def test_several_metrics_are_told_apart(demo_folder: Path, betterthan: Command) -> None:
    words = ["compare", "ner.csv", "--metric", "precision", "--metric", "recall", "-s", "bilstm"]
    page = Page(betterthan(*words, "--format", "html").out)
    assert page.texts("h3") == ["bilstm against crf: precision", "bilstm against crf: recall"]
    said = [text for text in page.texts("p") if "bilstm from crf" in text or "than crf" in text]
    assert "by precision" in said[0]
    assert "by recall" in said[1]


def test_reports_without_items() -> None:
    battles = Judgments.from_arrays(
        ["a", "b", "c", "a"] * 5, ["b", "c", "a", "c"] * 5, [1, 0, 0.5, 1] * 5
    )
    page = Page(leaderboard(battles, rng=0).rendered("html"))
    assert page.count("svg") == 5  # the law of two sign tests among them
    # A black box over two columns has no value for a single item.
    two = bt.Scores.from_arrays(
        {"a": np.eye(8)[:, :2], "b": np.ones((8, 2))}, columns=("hit", "all")
    )
    worst = blackbox(lambda x: float(x.min()), ("hit", "all"))
    text = compare_many(two, metrics=[worst]).rendered("html")
    assert "b against a" in text
    assert "single items are not shown" in text


def test_metrics_without_a_spelling_lose_nothing() -> None:
    nameless = sums(("score",), lambda totals: np.sqrt(totals[..., 0]))
    page = Page(compare_many(made("a", "b"), metrics=[nameless]).rendered("html"))
    assert page.count("svg") == 4  # the forest, the law, the differences, the scatter
    assert page.count("table") == 2


def test_odd_data_make_a_report() -> None:
    same = bt.Scores.from_arrays({"a": [1, 0, 1], "b": [1, 0, 1]})
    text = compare_many(same).rendered("html")
    assert "CAN&#39;T TELL b from a" in text
    long = made("系统" * 40, "b" * 120)
    Page(compare_many(long).rendered("html"))
    Page(leaderboard(long, rng=0).rendered("html"))


def test_the_same_run_gives_the_same_file() -> None:
    scores = made("a", "b")
    first, second = (compare_many(scores, rng=0).rendered("html") for _ in range(2))
    assert first == second


def test_many_items_do_not_make_a_large_file() -> None:
    rng = np.random.default_rng(0)
    scores = bt.Scores.from_arrays({"a": rng.normal(size=5000), "b": rng.normal(size=5000)})
    assert len(compare_many(scores).rendered("html")) < 600_000
