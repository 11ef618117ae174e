"""The HTML report: whole, closed to the network, safe, and the same every time."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.comparing import compare_many
from betterthan.design import Rates
from betterthan.metrics import blackbox, sums
from betterthan.ranking import Judgments
from betterthan.render.report import items as single_items
from betterthan.render.report.items import packed
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

    def data(self, name: str) -> Any:
        """What a script of data holds."""
        at = [attributes.get("id") for tag, attributes in self.tags if tag == "script"]
        return json.loads(self.texts("script")[at.index(name)])

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
    # The verdict comes before any table.
    assert text.index("atlas is BETTER than base") < text.index("<table")
    assert page.count("table") == 1
    app = page.data("app")
    assert [app["systems"][pair["b"]] for pair in app["pairs"]] == ["atlas", "birch", "cedar"]
    assert all(pair["law"]["tail"] for pair in app["pairs"])
    assert "Differences were tested with a two-sided paired permutation test" in text
    assert any(said.startswith("Why this test: ") for said in page.texts("p"))
    assert "betterthan compare qa.csv --cluster document -o report.html" in page.texts("pre")
    assert len(text) < 150_000


def test_rank_writes_a_report(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("rank", "qa.csv", "--cluster", "document", "-o", "report.html")
    assert run.code == 0
    page = Page((demo_folder / "report.html").read_text(encoding="utf-8"))
    app = page.data("app")
    names = app["systems"]
    assert names == ["atlas", "cedar", "birch", "base"]
    assert len(app["pairs"]) == 6
    assert all(pair["b"] < pair["a"] for pair in app["pairs"])  # the better ranked one first
    assert "Leaderboard" in page.texts("caption")
    assert any("atlas is BETTER than every other system" in said for said in page.texts("p"))


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_html_may_be_asked_for(demo_folder: Path, betterthan: Command, command: str) -> None:
    run = betterthan(command, "ratings.csv", "--format", "html")
    assert run.code == 0
    Page(run.out)


def test_other_results_make_a_page(demo_folder: Path) -> None:
    scores = made("a", "b", "c")
    gate = bt.gate(made("a", "b"), margin=0.2)
    for result in (
        gate,
        bt.power(Rates(0.7, 0.9), items=500, effect=0.02),
        bt.design.thresholds(scores),
        bt.score(scores),
    ):
        page = Page(result.rendered("html"))
        assert page.count("table") >= 1
        assert page.count("svg") == len(result.plots)
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


def test_only_the_script_and_the_style_of_the_page_may_run() -> None:
    for result in (compare_many(made("a", "b")), bt.gate(made("a", "b"), margin=0.2)):
        page = Page(result.rendered("html"))
        policy = next(a["content"] or "" for _, a in page.tags if "http-equiv" in a)
        assert "unsafe" not in policy
        for tag, name in (("style", "style-src"), ("script", "script-src")):
            own = re.findall(rf"(?s)<{tag}>(.*?)</{tag}>", result.rendered("html"))
            assert len(own) == 1
            digest = base64.b64encode(hashlib.sha256(own[0].encode()).digest()).decode()
            assert f"{name} 'sha256-{digest}'" in policy
        # An attribute would need a permission of its own.
        assert not any("style" in attributes for _, attributes in page.tags)


def test_names_inside_drawings_are_their_own() -> None:
    text = bt.power(Rates(0.7, 0.9), items=500, effect=0.02).rendered("html")
    tags = Page(text).tags
    ids = Counter(attributes["id"] for _, attributes in tags if "id" in attributes)
    assert set(ids.values()) == {1}
    said = " ".join(f"{name}={value}" for _, a in tags for name, value in a.items())
    used = set(re.findall(r"(?:url\(|href=)#([^) ]+)", said))
    assert used <= set(ids)
    assert any(name.startswith("s1-") for name in used)


def test_drawings_have_the_colours_of_the_page() -> None:
    page = Page(bt.gate(made("a", "b"), margin=0.2).rendered("html"))
    style = "".join(page.texts("style"))
    assert '.drawn [fill="#1f2933"]{fill:var(--ink)}' in style
    used = {
        attributes[what]
        for _, attributes in page.tags
        for what in ("fill", "stroke")
        if (attributes.get(what) or "").startswith("#")
    }
    assert used
    assert all(f'[fill="{colour}"]' in style for colour in used)


@pytest.mark.parametrize("ranked", [False, True])
def test_hostile_names_stay_text(ranked: bool) -> None:
    names = (HOSTILE, NASTY)
    rng = np.random.default_rng(1)
    items = [f"</script><b>{i}</b>" for i in range(30)]
    scores = bt.Scores.from_arrays({name: rng.normal(size=30) for name in names}, items=items)
    scores = replace(scores, source="<i>file</i>")
    command = f"betterthan compare {HOSTILE}"
    text = (
        bt.rank(scores, rng=0).rendered("html", command=command)
        if ranked
        else compare_many(scores).rendered("html", command=command)
    )
    page = Page(text)
    assert page.count("script") == 3  # our own, and two of data
    assert all(page.count(tag) == 0 for tag in ("b", "i", "img"))
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    app = page.data("app")
    assert set(app["systems"]) == set(names)
    assert app["sources"][0]["items"] == items
    assert any(NASTY in said for said in page.texts("p"))
    assert "<i>file</i>" in page.texts("p")


def test_characters_that_turn_the_writing_are_spelled_out() -> None:
    name = "a\u202eb\u2066c\ud83d"
    text = compare_many(made("base", name)).rendered("html")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text)
    page = Page(text)
    assert any("a\\u202eb\\u2066c" in said for said in page.texts("p"))
    assert page.data("app")["systems"] == ["base", name.replace("\ud83d", r"\ud83d")]


def test_every_drawing_and_table_says_what_it_is() -> None:
    scores = made("a", "b", "c")
    for result in (bt.rank(scores, rng=0), bt.design.thresholds(scores)):
        page = Page(result.rendered("html"))
        pictures = [attributes for _, attributes in page.tags if attributes.get("role") == "img"]
        assert len(pictures) == page.count("svg") == page.count("figcaption")
        assert all(attributes["aria-label"] for attributes in pictures)
        assert page.count("caption") == page.count("table") == page.count("thead")
        headers = [attributes for tag, attributes in page.tags if tag == "th"]
        assert all(attributes["scope"] == "col" for attributes in headers)
        # No heading skips a level.
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h\d", tag)]
        assert levels[0] == 1
        assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


def unpacked(block: dict[str, Any], at: int) -> list[float]:
    """One value after the other, bit by bit."""
    data = base64.b64decode(block["data"][at])
    if block["bits"] == 32:
        return [float(x) for x in np.frombuffer(data, "<f4")]
    stream = "".join(f"{byte:08b}"[::-1] for byte in data)
    bits = block["bits"]
    codes = [int(stream[k * bits : (k + 1) * bits][::-1], 2) for k in range(block["n"])]
    return [block["levels"][c] if c < len(block["levels"]) else float("nan") for c in codes]


@pytest.mark.parametrize("kinds", [2, 3, 4, 11, 200, 256, 257])
@pytest.mark.parametrize("missing", [False, True])
def test_scores_are_packed_without_loss(kinds: int, missing: bool) -> None:
    rng = np.random.default_rng(kinds)
    values = rng.normal(size=kinds)[rng.integers(0, kinds, (400, 3))]
    if missing:
        values[rng.random(values.shape) < 0.1] = np.nan
    block = packed(values)
    few = len(np.unique(values[~np.isnan(values)])) + missing
    assert block["bits"] == (
        1 if few <= 2 else 2 if few <= 4 else 4 if few <= 16 else 8 if few <= 256 else 32
    )
    for k in range(3):
        wanted = values[:, k] if block["bits"] < 32 else values[:, k].astype(np.float32)
        assert np.array_equal(unpacked(block, k), wanted, equal_nan=True)


def test_the_report_carries_every_score_but_no_text() -> None:
    rng = np.random.default_rng(8)
    data = {name: rng.integers(0, 2, 50) for name in ("x", "y")}
    items = [f"item{i:02}" for i in range(50)]
    texts = [f"Quelle heure est-il, {i}?" for i in range(50)]
    kinds = ["odd" if i % 2 else "even" for i in range(50)]
    scores = bt.Scores.from_arrays(data, items=items, groups={"question": texts, "kind": kinds})
    plain = compare_many(scores)
    page = Page(plain.rendered("html"))
    app = page.data("app")
    for k, name in enumerate(app["blocks"][0]["systems"]):
        assert unpacked(app["blocks"][0], k) == data[name].tolist()
    assert app["sources"][0]["items"] == items
    assert [label["name"] for label in app["sources"][0]["labels"]] == ["kind"]
    assert "Quelle heure" not in plain.rendered("html")
    # Texts come where they are asked for, those of the items that are listed.
    asked = Page(replace(plain, items=3).rendered("html")).data("results")
    listed = asked["items"]
    assert len(listed) == 6
    assert all(row["texts"]["question"] == texts[items.index(row["item"])] for row in listed)


def test_the_document_can_be_taken_out(demo_folder: Path, betterthan: Command) -> None:
    for command in ("compare", "rank"):
        page = Page(betterthan(command, "qa.csv", "--format", "html").out)
        assert page.data("results") == json.loads(betterthan(command, "qa.csv", "-f", "json").out)


def test_too_many_scores_are_left_out_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_items, "LARGEST", 100)
    rng = np.random.default_rng(0)
    scores = bt.Scores.from_arrays({"a": rng.normal(size=50), "b": rng.normal(size=50)})
    page = Page(compare_many(scores).rendered("html"))
    assert any("single items are not shown: 100 scores" in said for said in page.texts("li"))
    assert page.data("app")["pairs"][0]["block"] is None


def test_several_metrics_are_told_apart(demo_folder: Path, betterthan: Command) -> None:
    words = "compare ner.csv --metric precision --metric recall -s crf,bilstm".split()
    page = Page(betterthan(*words, "--format", "html").out)
    app = page.data("app")
    assert app["several"]
    assert [pair["metric"] for pair in app["pairs"]] == ["precision", "recall"]
    assert [app["blocks"][pair["block"]]["metric"] for pair in app["pairs"]] == [
        "precision",
        "recall",
    ]
    said = [text for text in page.texts("p") if "bilstm from crf" in text or "than crf" in text]
    assert "by precision" in said[0]
    assert "by recall" in said[1]


def test_reports_without_items() -> None:
    battles = Judgments.from_arrays(
        ["a", "b", "c", "a"] * 5, ["b", "c", "a", "c"] * 5, [1, 0, 0.5, 1] * 5
    )
    app = Page(bt.rank(battles, rng=0).rendered("html")).data("app")
    assert app["blocks"] == []
    assert len(app["pairs"]) == 3
    # A black box over two columns has no value for a single item.
    two = bt.Scores.from_arrays(
        {"a": np.eye(8)[:, :2], "b": np.ones((8, 2))}, columns=("hit", "all")
    )
    worst = blackbox(lambda x: float(x.min()), ("hit", "all"))
    text = compare_many(two, metric=[worst]).rendered("html")
    assert "single items are not shown" in text


def test_metrics_without_a_spelling_lose_nothing() -> None:
    nameless = sums(("score",), lambda totals: np.sqrt(totals[..., 0]))
    app = Page(compare_many(made("a", "b"), metric=[nameless]).rendered("html")).data("app")
    assert app["pairs"][0]["law"]
    assert len(app["blocks"]) == 1


def test_odd_data_make_a_report() -> None:
    same = bt.Scores.from_arrays({"a": [1, 0, 1], "b": [1, 0, 1]})
    text = compare_many(same).rendered("html")
    assert "CAN&#39;T TELL b from a" in text
    long = made("系统" * 40, "b" * 120)
    Page(compare_many(long).rendered("html"))
    Page(bt.rank(long, rng=0).rendered("html"))


def test_the_same_run_gives_the_same_file() -> None:
    scores = made("a", "b")
    first, second = (compare_many(scores, rng=0).rendered("html") for _ in range(2))
    assert first == second


def test_many_items_do_not_make_a_large_file() -> None:
    rng = np.random.default_rng(0)
    scores = bt.Scores.from_arrays({"a": rng.normal(size=5000), "b": rng.normal(size=5000)})
    assert len(compare_many(scores).rendered("html")) < 200_000
