"""Files as they are published: each is read, or ends in one error whose remedy works when typed."""

import json
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import betterthan as bt
from conftest import Run

RNG = np.random.default_rng(11)
N = 24
BASE, NEW = RNG.integers(0, 2, (2, N)).tolist()
STARS = RNG.integers(1, 6, (2, 2 * N)).tolist()
COUNTS = RNG.integers(0, 9, (2, 2, N)).tolist()
INSTANCES = [f"django__django-{11000 + k}" for k in range(N)]


def submission(name: str, resolved: list[int] | None) -> dict[str, Any]:
    """A record of SWE-bench's leaderboard; of most, no single instances are published."""
    record = {
        "name": name,
        "logo": ["https://example.org/logo.png"],
        "folder": f"20250807_{name}",
        "resolved": 100 * float(np.mean(resolved or 0)),
        "date": "2025-08-07",
        "logs": None,
        "trajs_docent": False,
        "cost": 12.5,
        "instance_calls": 31.0,
        "checked": True,
        "tags": [f"Model: {name}", "Org: X"],
    }
    details = {
        instance: {"cost": 0.5, "api_calls": 30, "resolved": bool(x)}
        for instance, x in zip(INSTANCES, resolved or (), strict=False)
    }
    return record | ({"per_instance_details": details} if resolved else {})


def board(**results: list[int] | None) -> dict[str, Any]:
    return {"name": "bash-only", "results": [submission(*x) for x in results.items()]}


def matrix(*systems: list[int]) -> str:
    """A row per system, as PSN-IRT publishes them: no names of systems or items."""
    return "".join(",".join(f"{float(x)}" for x in row) + "\n" for row in systems)


def tagged(*columns: list[str]) -> str:
    """Sentences of three tokens in columns, as of CoNLL."""
    rows = [" ".join(row) for row in zip(["It", "ran", "."] * N, *columns, strict=True)]
    return "".join("\n".join(rows[k : k + 3]) + "\n\n" for k in range(0, len(rows), 3))


def words(right: list[int]) -> list[str]:
    """Tags of words, of which one a sentence may be wrong."""
    return [tag for x in right for tag in ("PRP", "VBD" if x else "NN", ".")]


def ratings(keys: str, first: list[str], second: list[str]) -> str:
    """Ratings keyed by two columns."""
    rows = [
        f"{a},{b},{system},{score}"
        for system, scores in zip(("base", "new"), STARS, strict=True)
        for (a, b), score in zip([(a, b) for a in first for b in second], scores, strict=True)
    ]
    return "\n".join([f"{keys},system,rating", *rows])


def counted(width: int) -> str:
    """Counts of two systems without a header, as the released code of 2022 reads them."""
    rows = zip(*[x for counts in COUNTS for x in counts[:width]], strict=True)
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


class Case(NamedTuple):
    """Files, words of a command with them, and which remedies are typed until they are read.

    What a remedy leaves to the reader is filled in from ``choices``.
    """

    files: dict[str, Any]
    scores: Sequence[Any]
    remedies: tuple[int, ...] = ()
    choices: dict[str, str] = {}  # noqa: RUF012 (never changed)
    words: tuple[str, ...] = ()
    metric: str = "mean"
    note: str = ""


GOLD = words([1] * N)
CORRECT = [np.column_stack([np.add(2, x), [3] * N]) for x in (BASE, NEW)]
CASES = {
    "a leaderboard": Case({"t.json": {"leaderboards": [board(a=BASE, b=NEW)]}}, (BASE, NEW)),
    "of which some systems have no instances": Case(
        {"t.json": {"leaderboards": [board(x=None), board(a=BASE, b=NEW, c=None)]}}, (BASE, NEW)
    ),
    "a leaderboard as records": Case({"t.json": board(a=BASE, b=NEW)["results"]}, (BASE, NEW)),
    "records with nested lists": Case(
        {
            "t.json": [
                {"instance_id": i, "tests": ["t1", "t2"], "a": a, "b": b}
                for i, a, b in zip(INSTANCES, BASE, NEW, strict=True)
            ]
        },
        (BASE, NEW),
    ),
    "a matrix with a row per system": Case({"t.csv": matrix(BASE, NEW)}, (BASE, NEW), (0,)),
    "tags of words next to the right ones": Case(
        {"a.conll": tagged(GOLD, words(BASE)), "b.conll": tagged(GOLD, words(NEW))},
        CORRECT,
        remedies=(0,),
        metric="token-accuracy",
    ),
    "tags without the right ones": Case(
        {"a.conll": tagged(words(BASE)), "b.conll": tagged(words(NEW))},
        CORRECT,
        remedies=(0, 0, 1, 0),
        choices={"FILE": "gold.conll", "METRIC": "f1"},
        metric="token-accuracy",
    ),
    "ratings of aspects": Case(
        {"t.csv": ratings("item,aspect", [f"q{k}" for k in range(N)], ["fluency", "adequacy"])},
        STARS,
        remedies=(0,),
        note="'item'",
    ),
    "questions on passages": Case(
        {"t.csv": ratings("passage,number", [f"p{k}" for k in range(N)], ["1", "2"])},
        STARS,
        words=("--columns", "item=passage+number,score=rating"),
        note="'passage'",
    ),
    "counts of the released program": Case({"t.csv": counted(1)}, (COUNTS[0][0], COUNTS[1][0])),
    "counts of an F1": Case(
        {"t.csv": counted(2)},
        [np.column_stack([*x, [0] * N]) for x in COUNTS],
        remedies=(0,),
        metric="f1",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_published_files(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    betterthan: Callable[..., Run],
) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    Path("gold.conll").write_text(tagged(GOLD))
    for file, content in case.files.items():
        Path(file).write_text(content if isinstance(content, str) else json.dumps(content))
    typed = ["compare", *case.files, *case.words, "-f", "json"]
    for remedy in case.remedies:
        run = betterthan(*typed)
        assert run.code in (2, 4)
        lines = run.err.partition("try:")[2].splitlines()
        command = shlex.split(lines[remedy].strip().split("     ")[0])
        assert command[0] == "betterthan"
        typed = [case.choices.get(word, word) for word in command[1:]]
    run = betterthan(*typed)
    assert run.code == 0, run.err
    (row,) = json.loads(run.out)["rows"]
    base, new = case.scores
    expected = bt.permutation_test(base, new, metric=case.metric)
    assert row["pvalue"] == expected.pvalue
    assert case.note in run.out


def test_a_leaderboard_of_percentages_cannot_be_tested(
    tmp_path: Path, betterthan: Callable[..., Run]
) -> None:
    for content in ({"leaderboards": [board(a=None, b=None)]}, board(a=None, b=None)["results"]):
        (tmp_path / "t.json").write_text(json.dumps(content))
        run = betterthan("compare", str(tmp_path / "t.json"))
        assert run.code == 4
        assert "resolved" in run.err
