"""Significance in NLP: every exhibit at tiny sizes, with scikit-learn and without."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from betterthan.papers import bootstrap_2012, reproduce, trained_classifiers
from betterthan.papers.bootstrap_2012 import studies
from betterthan.papers.exhibits import Exhibit
from betterthan.papers.printed_cells import Claim
from betterthan.papers.runner import Runner

TINY = studies.Sizes(
    copies=2, related=3, others=1, segments=400, resamples=200, drawn=200, test_sets=2
)
SOURCES = {"trained": "scikit-learn's digits", "simulated": "simulated classifiers"}
SYNTHETIC = ("Figure 5", "Figure 6", "Figure 7", "Figure 8", "Figure 10", "Figure 11")
NATURAL = ("Figure 2", "Figure 3", "Figure 4", "Figure 9")
CLAIMS = {
    "Section 3.2.1": 2,
    "Figure 1": 3,
    "Figure 2": 6,
    "Figure 3": 3,
    "Figure 4": 3,
    "Figure 5": 5,
    "Figure 6": 4,
    "Figure 7": 5,
    "Figure 8": 3,
    "Figure 9": 3,
    "Figure 10": 5,
    "Figure 11": 1,
    "Section 4.2": 1,
    "Table 1": 3,
    "Thresholds": 1,
}


@pytest.fixture(scope="module", params=SOURCES)
def exhibits(request: pytest.FixtureRequest) -> tuple[str, dict[str, Exhibit]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "QUICK", TINY)
        if request.param == "simulated":
            patch.setattr(trained_classifiers, "installed", lambda: False)
        else:
            pytest.importorskip("sklearn")
        studies.trained.cache_clear()
        runner = Runner(quick=True, seed=5)
        return request.param, {k: make(runner) for k, make in bootstrap_2012.EXHIBITS.items()}


def test_every_exhibit_has_its_claims_pictures_and_source(
    exhibits: tuple[str, dict[str, Exhibit]],
) -> None:
    source, made = exhibits
    assert {name: len(exhibit.claims) for name, exhibit in made.items()} == CLAIMS
    assert all(claim.evidence for exhibit in made.values() for claim in exhibit.claims)
    for name, exhibit in made.items():
        assert exhibit.name == name
        assert exhibit.tables or exhibit.cells
        assert len(exhibit.pictures) == (name not in ("Section 3.2.1", "Figure 1", "Thresholds"))
    for name in (*SYNTHETIC, "Section 3.2.1", "Figure 1", "Section 4.2", "Table 1"):
        assert SOURCES[source] in made[name].remarks[0]
        assert SOURCES[source] in made[name].on
    for name in NATURAL:
        assert "simulated labs" in made[name].remarks[0]
        assert made[name].on == "simulated labs"


def test_every_printed_number_is_compared_or_has_a_reason(
    exhibits: tuple[str, dict[str, Exhibit]],
) -> None:
    path = Path(trained_classifiers.__file__).with_name("bootstrap_2012.csv")
    with path.open(encoding="utf-8", newline="") as stream:
        rows = [(row["exhibit"], row["cell"], row["printed"]) for row in csv.DictReader(stream)]
    cells = [(e.name, c.name, c.published) for e in exhibits[1].values() for c in e.cells]
    assert cells == rows
    assert len(rows) == 37
    assert all(c.reason for e in exhibits[1].values() for c in e.cells)
    shares = [c for c in exhibits[1]["Table 1"].cells if c.ours is not None]
    assert shares
    assert all(0 <= c.ours <= 100 and c.error > 0 for c in shares if c.ours is not None)


def lower(exhibit: Exhibit) -> Claim:
    (claim,) = (c for c in exhibit.claims if c.text.startswith("The threshold is lower"))
    return claim


def test_the_lower_threshold_is_computed_from_the_study(
    exhibits: tuple[str, dict[str, Exhibit]],
) -> None:
    for name in ("Figure 5", "Figure 6", "Figure 8"):
        exhibit = exhibits[1][name]
        rows = {row[0].split(" · ")[-1]: row[3] for row in exhibit.tables[0].rows[:3]}
        same, different = rows["same"], rows["different"]
        assert f"{same} against {different} points" in lower(exhibit).evidence
        known = "–" not in (same, different)
        assert lower(exhibit).holds == (known and float(same) < float(different))


@pytest.mark.parametrize("installed", [True, False])
def test_systems_of_one_base_model_are_alike(
    installed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if installed:
        pytest.importorskip("sklearn")
    monkeypatch.setattr(trained_classifiers, "installed", lambda: installed)
    models = ("naive Bayes", "neighbours", "stacked")
    systems = trained_classifiers.resampled_classifiers(models, (300,), 2, 1, 3)
    assert systems.predicted.shape == (1800, 6)
    right = dict(zip(systems.groups, systems.right.T, strict=True))
    correlation = {
        (a, b): np.corrcoef(right[f"{a}/300/1"], right[f"{b}/300/2"])[0, 1]
        for a in models
        for b in models
    }
    assert correlation["stacked", "stacked"] > correlation["stacked", "naive Bayes"]
    assert correlation["stacked", "naive Bayes"] > correlation["stacked", "neighbours"]


def test_metrics_count_what_systems_predict() -> None:
    systems = trained_classifiers.competition(3, 2, ["a"] * 40 + ["b"] * 20, 1, combinations=1)
    assert list(systems.groups.values()) == ["lab 1", "lab 2", "lab 1", "combination"]
    share = systems.right.mean(axis=0)
    accuracy = systems.accuracy().joint()
    assert [accuracy.score(k) for k in range(4)] == pytest.approx(share.tolist())
    shares, documents = systems.shares(), systems.documents()
    assert (shares.n, documents.n, documents.joint().units) == (2, 60, 2)
    gold, predicted = systems.gold, systems.predicted[:, 0]
    f1 = [
        2 * ((gold == k) & (predicted == k)).sum() / ((gold == k).sum() + (predicted == k).sum())
        for k in range(10)
    ]
    scores = systems.f1()
    assert scores.joint(metric=scores.measured("macro-f1")).score(0) == pytest.approx(np.mean(f1))


def test_numbers_depend_on_the_seed_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studies, "QUICK", replace(TINY, copies=1))
    rows = []
    for workers, seed in ((1, 2), (2, 2), (1, 3)):
        studies.trained.cache_clear()
        names = ["Figure 5", "Table 1"]
        run = reproduce("bootstrap-2012", names, quick=True, rng=seed, workers=workers)
        rows.append([e.tables for e in run.exhibits])
    assert rows[0] == rows[1] != rows[2]
