"""The documentation builds as a site, asks nothing of a network, and has every public name."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import betterthan as bt

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r"""<(?:script|img|iframe|source|link)\b[^>]*\b(?:src|href)=["']?([^"'\s>]+)""")
IN_STYLES = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": ":".join(filter(None, sys.path)),
            "NO_MKDOCS_2_WARNING": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = [page for page in site.rglob("*.html") if page.name != "404.html"]
    assert len(pages) > 30
    for file in (*pages, *site.rglob("*.css"), *site.rglob("*.svg")):
        text = file.read_text(encoding="utf-8")
        found = LOADED.findall(text) if file in pages else []
        found += [first or second for first, second in IN_STYLES.findall(text)]
        outside = [name for name in found if re.match(r"\w+:|//", name)]
        assert all(name.startswith("data:") for name in outside), (file, outside)


def public() -> Iterator[set[str]]:
    """Every public thing by its names: those it has in ``bt``, and where it is defined."""
    names: dict[int, set[str]] = {}
    for package in (bt, *(getattr(bt, module) for module in bt._MODULES)):
        for name in set(package.__all__) - set(bt._MODULES):
            value = getattr(package, name)
            home = f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}"
            names.setdefault(id(value), {home}).add(f"{package.__name__}.{name}")
    yield from names.values()


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    pages = {page.stem: page.read_text(encoding="utf-8") for page in (site / "api").glob("*.html")}
    assert set(bt._MODULES) <= set(pages)
    ids = set(re.findall(r'id="(betterthan\.[^"]+)"', "".join(pages.values())))
    assert [names for names in public() if not names & ids] == []


def test_pictures_are_of_what_is_really_printed(site: Path) -> None:
    pictures = site / "pictures"
    for name in ("terminal-index-1.svg", "terminal-index-2.svg"):
        words = re.sub(r"<[^>]+>", " ", (pictures / name).read_text(encoding="utf-8"))
        assert "BETTER" in words.replace("&#160;", " ").split()
    drawn = len(re.findall(r"plot\(", (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")))
    assert len(list(pictures.glob("plot-gallery-*.svg"))) == drawn - 1  # one in a sentence
    assert "<title>" in (site / "example-report.html").read_text(encoding="utf-8")


def test_figures_can_be_drawn_anew() -> None:
    kept = {figure.stem for figure in (ROOT / "docs" / "figures").glob("*.svg")}
    drawn = import_module("tools.make_figures").figures()
    assert set(drawn) == {name for name in kept if not name.startswith("calibration-")}
    for axes in drawn.values():
        assert axes.has_data()
        import_module("matplotlib.pyplot").close(axes.figure)
