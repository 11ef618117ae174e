"""The report as its readers have it: in a browser, by mouse and keyboard, on a phone, at night."""

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.comparison.comparing import compare_all, compare_many
from betterthan.plots.palette import DARK
from betterthan.ranking import Judgments

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium to open pages with")

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync"
HOSTILE = "</script><script>document.title='owned'</script>"
NASTY = '"><img src=x onerror="document.title=\'owned\'">'
TURNED = "evil\u202egnp.exe"
WMT = (
    "Online-W",
    "Facebook-AI",
    "HuaweiTSC",
    "VolcTrans-GLAT",
    "Helsinki-NLP/opus-mt-tc-big-en-de",
)


class Reader:
    """Opens files, and remembers what went wrong and what was asked of the network."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.trouble: list[str] = []
        self.asked: list[str] = []

    def open(self, result: Any, *, width: int = 1280, dark: bool = False) -> Any:
        path = self.folder / f"{len(list(self.folder.iterdir()))}.html"
        path.write_text(result.rendered("html", command="betterthan compare x"), encoding="utf-8")
        page = self.browser.new_page(
            viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
        )
        page.set_default_timeout(60_000)
        page.on("console", lambda said: self.trouble.append(said.text))
        page.on("pageerror", lambda error: self.trouble.append(str(error)))
        page.on("request", lambda request: self.asked.append(request.url))
        page.goto(path.as_uri())
        return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield opened
        opened.close()


@pytest.fixture
def reader(browser: Any, tmp_path: Path) -> Iterator[Reader]:
    made = Reader(browser, tmp_path)
    yield made
    for context in browser.contexts:
        context.close()
    assert made.trouble == []
    assert all(url.startswith(("file:", "blob:file:", "blob:null")) for url in made.asked)
    assert sum(url.startswith("file:") for url in made.asked) == len(list(tmp_path.glob("*.html")))


def binary(*names: str, n: int = 200, item: str = "q{:03}", **more: Any) -> bt.Scores:
    rng = np.random.default_rng(11)
    hard = rng.random(n)
    ability = np.linspace(0.9, 0.3, len(names))
    data = {
        name: (rng.random(n) < 0.5 * able + 0.5 * hard) * 1
        for name, able in zip(names, ability, strict=True)
    }
    items = [item.format(i) for i in range(n)]
    groups = {"domain": ["news" if i % 3 else "chat" for i in range(n)], **more}
    return bt.Scores.from_arrays(data, items=items, groups=groups)


def column(page: Any, table: str, at: int) -> list[str]:
    shown = f"{table} tbody tr:not([hidden]) td:nth-child({at})"
    return [str(text) for text in page.locator(shown).all_inner_texts()]


def test_a_leaderboard_is_searched_sorted_and_leads_to_pairs(reader: Reader) -> None:
    board = bt.rank(binary(*WMT), rng=0)
    page = reader.open(board)
    table = "#table-1 table"
    assert column(page, table, 2) == list(board.ranking.names)
    page.locator("#table-1 input[type=search]").fill("volc")
    assert column(page, table, 2) == ["VolcTrans-GLAT"]
    page.locator("#table-1 input[type=search]").fill("")
    page.get_by_role("button", name="system").first.click()
    assert column(page, table, 2) == sorted(WMT, key=str.lower)
    page.get_by_role("button", name="comes first").click()
    shares = [row.comes_first or 0 for row in board.rows]
    shown = column(page, table, 2)
    assert [shares[board.ranking.names.index(name)] for name in shown] == sorted(shares)
    page.get_by_role("button", name="beats").click()
    beaten = {row.system: len(row.beats) for row in board.rows}
    assert [beaten[name] for name in column(page, table, 2)] == sorted(beaten.values())
    # All pairs, by a search for two names.
    page.locator("#pairs input[type=search]").fill("online-w nlp")
    assert page.locator("#pairs tbody tr").count() == 1
    page.locator("#pairs button.open").click()
    title = page.locator("#pairs .pair h3").first.inner_text()
    assert "Online-W" in title
    assert "Helsinki-NLP/opus-mt-tc-big-en-de" in title
    page.locator("#pairs button.open").click()
    assert page.locator("#pairs .pair").count() == 0


def test_the_matrix_is_read_with_mouse_and_keyboard(reader: Reader) -> None:
    board = bt.rank(binary(*WMT), rng=0)
    page = reader.open(board)
    first, second, third = board.ranking.names[:3]
    page.locator("#matrix svg rect[data-at='1']").hover()
    said = page.locator("#matrix .readout").inner_text()
    assert first in said
    assert second in said
    page.locator("#matrix svg").focus()
    page.keyboard.press("ArrowRight")
    assert third in page.locator("#matrix .readout").inner_text()
    size = page.locator("#matrix svg").bounding_box()["width"]
    page.get_by_role("button", name="larger").click()
    assert page.locator("#matrix svg").bounding_box()["width"] > 1.2 * size
    page.locator("#matrix svg").focus()
    page.keyboard.press("Enter")
    title = page.locator("#matrix .pair h3").first.inner_text()
    assert first in title
    assert third in title


def test_a_pair_of_binary_scores(reader: Reader) -> None:
    texts = [f"question {i}\nin two lines" for i in range(200)]
    scores = binary("base", "new", text=texts)
    found = replace(compare_many(scores), items=3)
    page = reader.open(found)
    x, y = (scores.of(name, ("score",))[:, 0] for name in ("base", "new"))
    cells = [int(text.split()[0]) for text in page.locator(".cross td").all_inner_texts() if text]
    assert cells == [int(((x == a) & (y == b)).sum()) for a in (1, 0) for b in (1, 0)]
    listing = page.locator("#pair-itself table:has(th:text-is('item')) tbody tr")
    assert listing.count() == 20
    page.get_by_role("button", name="fixed").click()
    assert all("+1" in row for row in listing.all_inner_texts())
    page.get_by_role("button", name="broke").click()
    assert all("-1" in row for row in listing.all_inner_texts())
    page.get_by_label("Search items").fill("question")
    assert listing.count() == 3  # as many have texts as were asked for
    listing.first.locator("summary").click()
    name = listing.first.locator("summary").inner_text()
    assert texts[int(name[1:])] == listing.first.locator("dd").last.inner_text()
    page.get_by_label("Search items").fill("")
    page.get_by_label("only items with this label").select_option("chat")
    assert set(column(page, "#pair-itself table:has(th:text-is('item'))", 2)) == {"chat"}
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download").click()
    taken = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert taken == json.loads(found.rendered("json"))


def test_the_page_works_out_the_law_of_the_sign_test(reader: Reader) -> None:
    board = bt.rank(binary("a", "b", "c"), method="bradley-terry", rng=0)
    page = reader.open(board)
    for (first, second), test in board.pairs.results.items():
        assert test.law is not None
        at = board.pairs.names.index(first), board.pairs.names.index(second)
        counts = [int(x[at]) for x in (board.pairs.wins, board.pairs.ties, board.pairs.losses)]
        law = page.evaluate("counts => binomialLaw(counts)", counts)
        values, masses = test.law.mass()
        inside = np.abs(values) <= max(4.5 * test.law.sd, 1.15 * abs(test.law.observed))
        assert law["observed"] == test.law.observed
        assert np.allclose(sum(law["rest"]) + sum(law["tail"]), masses[inside].sum(), atol=1e-12)
        assert np.allclose(sum(law["tail"]), test.pvalue, rtol=0.02, atol=1e-5)
        if len(law["at"]) == inside.sum():
            heights = np.add(law["rest"], law["tail"])
            assert np.allclose(law["at"], values[inside])
            assert np.allclose(heights, masses[inside], atol=1e-14)


def test_real_scores_missing_cells_and_judgments(reader: Reader) -> None:
    rng = np.random.default_rng(4)
    real = {name: rng.normal(size=1800).round(3) for name in "abc"}
    page = reader.open(compare_all(bt.Scores.from_arrays(real, lower_is_better=True)))
    page.locator("button.open").nth(1).click()
    assert page.locator(".pair figure").count() == 3  # null law, differences, scatter
    assert page.locator(".pair figure circle").count() > 100
    gains = np.sign(real["a"] - real["c"])
    said = page.locator(".pair .counts").inner_text()
    assert f"wins {int((gains > 0).sum())}" in said
    holes = np.column_stack([real[name][:40] for name in "abc"])
    holes[rng.random(holes.shape) < 0.2] = np.nan
    frame = {name: holes[:, k] for k, name in enumerate("abc")}
    page = reader.open(
        bt.rank(bt.Scores.from_arrays(frame, missing="pairwise"), method="bradley-terry", rng=0)
    )
    page.locator("#pairs button.open").first.click()
    both = int((~np.isnan(holes[:, 0] + holes[:, 1])).sum())
    assert f"of {both} items" in page.locator(".pair").inner_text()
    battles = Judgments.from_arrays(["a", "b", "c"] * 9, ["b", "c", "a"] * 9, [1, 0, 0.5] * 9)
    page = reader.open(bt.rank(battles, rng=0))
    page.locator("#pairs button.open").first.click()
    assert page.locator(".pair .counts").is_visible()


def test_hostile_names_do_nothing(reader: Reader) -> None:
    names = (HOSTILE, NASTY, TURNED)
    scores = binary(*names, n=60, item="<img src=x onerror=alert({})>")
    for result in (bt.rank(scores, rng=0), compare_all(scores)):
        page = reader.open(result)
        title = page.title()
        for button in page.locator("button.open").all():
            button.click()
        assert page.locator(".pair h3").count() >= 3
        assert "owned" not in title.replace("'owned'", "")
        assert page.title() == title
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 3
        assert "\u202e" not in page.locator("body").inner_text()
        assert "\\u202e" in page.locator("body").inner_text()


@pytest.mark.parametrize("count", [2, 30])
def test_a_phone_scrolls_one_way(reader: Reader, count: int) -> None:
    names = [f"submission-{k:02}_team_with_a_long_name_constrained" for k in range(count)]
    scores = binary(*names)
    for result in (bt.rank(scores, rng=0), compare_many(scores, by="domain")):
        page = reader.open(result, width=390)
        for opened in (False, True):
            if opened:
                page.locator("button.open").first.click()
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide == 390, opened
            # Nothing sticks out of the page but inside boxes that scroll by themselves.
            out = page.evaluate(
                "[...document.querySelectorAll('body *')]"
                ".filter(e => !e.closest('#more .wide, .pair .wide') &&"
                " e.getBoundingClientRect().right > 391).map(e => e.outerHTML.slice(0, 80))"
            )
            assert out == []


def test_dark_pages_have_dark_charts(reader: Reader) -> None:
    def rgb(colour: str) -> str:
        return f"rgb({', '.join(str(int(colour[k : k + 2], 16)) for k in (1, 3, 5))})"

    fill = "e => getComputedStyle(e).fill"
    page = reader.open(compare_many(binary("base", "new")), dark=True)
    back = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert back == rgb(DARK["page"])
    assert page.locator("#pair-itself figure rect.tie").first.evaluate(fill) == rgb(DARK["tie"])
    # Pictures of matplotlib as well.
    page = reader.open(bt.gate(binary("base", "new"), margin=0.2), dark=True)
    assert page.locator(".drawn text").count() > 0
    assert page.locator(".drawn text").first.evaluate(fill) == rgb(DARK["ink"])
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_without_scripts_verdict_and_table_can_be_read(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "plain.html"
    path.write_text(bt.rank(binary(*WMT), rng=0).rendered("html"), encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(path.as_uri())
    assert page.locator(".said").first.is_visible()
    assert page.locator("#table-1 tbody tr").count() == 5
    assert "where scripts may run" in page.locator("noscript").inner_text()
    context.close()


@pytest.mark.parametrize(("apart", "marks"), [(0.4, 2), (0.02, 0)])
def test_a_tail_that_nobody_sees_is_pointed_at(reader: Reader, apart: float, marks: int) -> None:
    rng = np.random.default_rng(4)
    arrays = {"old": rng.random(400) < 0.4, "new": rng.random(400) < 0.4 + apart}
    found = compare_many(bt.Scores.from_arrays({k: x * 1 for k, x in arrays.items()}))
    page = reader.open(found)
    assert page.locator("#pair-itself figure polygon.tail").count() == marks
    told = page.locator("#pair-itself figure figcaption").first.inner_text()
    assert ("too few to be seen" in told) == bool(marks)


def test_beaten_systems_are_counted_not_spelled(reader: Reader) -> None:
    """So are they on a short board, where they are named."""
    board = bt.rank(binary(*(f"system-{k:02}" for k in range(16)), n=900), rng=0)
    page = reader.open(board)
    page.get_by_role("button", name="beats").click()
    beaten = {row.system: len(row.beats) for row in board.rows}
    shown = [beaten[name] for name in column(page, "#table-1 table", 2)]
    assert max(shown) > 9
    assert shown == sorted(shown)
