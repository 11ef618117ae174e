"""The grid: all cells, or a quick part of them."""

from collections.abc import Iterator

from calibrate.boards import STUDIES
from calibrate.cells import (
    Assumed,
    Boards,
    ByName,
    Cell,
    Detects,
    Families,
    Gates,
    OneSided,
    Pairs,
    Ratings,
    Sampled,
)
from calibrate.ideal import Ideal, IdealIntervals
from calibrate.thresholds import Thresholds
from calibrate.worlds import WORLDS

COLLECTIONS = (
    Thresholds("0/1", 200, 20, "t"),
    Thresholds("0/1", 200, 20, "bootstrap"),
    Thresholds("0/1", 200, 40, "t"),
    Thresholds("0/1", 200, 40, "t", clusters=40),
    Thresholds("real", 50, 20, "t"),
    Thresholds("real", 200, 20, "t"),
    Thresholds("real", 200, 40, "t"),
    Thresholds("unlike systems", 200, 40, "t"),
    Thresholds("unlike items", 200, 40, "t"),
)
CLUSTERED = ((8, False), (8, True), (20, False), (20, True), (100, False), (100, True))
SIZES = (5, 10, 20, 50, 200, 2000)


def grid(*, quick: bool = False) -> Iterator[Cell]:
    """All cells, or those of the quick grid: a part of all."""
    yield from _pairs(quick)
    yield from _gates(quick)
    for world in WORLDS:
        if not WORLDS[world].spoiled:
            yield from (OneSided(world, n) for n in ((20,) if quick else (20, 50, 200)))
    for world in ("0/1", "F1") if quick else WORLDS:
        if not WORLDS[world].spoiled:
            yield from (ByName(world, n) for n in ((20,) if quick else (20, 50, 200)))
    small = [study for study in STUDIES if study.systems <= 10 and study.items <= 20]
    yield from (Boards(study) for study in (small if quick else STUDIES))
    for n in (20,) if quick else (8, 20, 50, 200):
        yield Ratings("mean", n)
        yield Ratings("median", n)
    for world in ("0/1", "ratings 1-5") if quick else ("0/1", "ratings 1-5", "bounded 0-1", "F1"):
        yield from (Families(world, n) for n in ((20,) if quick else (20, 200)))
    yield from (Sampled(world, 50) for world in ("0/1", "ratings 1-5"))
    yield from (Detects(world, 200) for world in ("0/1", "ratings 1-5", "F1"))
    for world in ("real",) if quick else ("bounded 0-1", "real", "seconds (skewed)"):
        yield from (Ideal(world, n) for n in ((50,) if quick else (20, 50, 200, 2000)))
        yield from (IdealIntervals(world, n) for n in (() if quick else (20, 50, 200)))
    yield from COLLECTIONS[:1] if quick else COLLECTIONS


def _pairs(quick: bool) -> Iterator[Cell]:
    for world in WORLDS:
        for shift in (0.0,) if WORLDS[world].spoiled else (0.0, 0.3):
            sizes = [n for n in SIZES if not quick or (n in (5, 20, 50) and not shift)]
            yield from (Pairs(world, n, shift=shift) for n in sizes)
        for clusters, unequal in CLUSTERED:
            if not quick or (unequal and clusters < 100):
                yield Pairs(world, 10 * clusters, clusters, unequal)


def _gates(quick: bool) -> Iterator[Cell]:
    for world in WORLDS:
        if world in ("real", "BLEU"):
            continue  # without bounds nothing passes
        worse = -1.0 if WORLDS[world].alike > 0.6 else -0.4
        for n in (50,) if quick else (20, 50, 200, 1000):
            yield Gates(world, n, shift=worse)
        if not quick:
            yield from (Gates(world, 10 * c, c, True, worse) for c in (8, 20, 100))
            yield from (Assumed(world, n, worse) for n in (50, 200))
