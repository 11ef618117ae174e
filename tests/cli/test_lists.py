"""Several values of an option, by commas or repeated; and what is meant by what is half said."""

from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.cli.commas import by_commas
from conftest import Run

Command = Callable[..., Run]

LONG = "id,part,system,tp,fp,fn,acc\n" + "".join(
    f"{k},{part},{system},{2 + k % 2},{k % 3},{(k + shift) % 2},{(k + shift) % 3 > 0:d}\n"
    for part in ("x", "y")
    for k in range(6)
    for shift, system in enumerate(("base", "new"))
)


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "long.csv"
    path.write_text(LONG, encoding="utf-8")
    return str(path)


def test_commas_in_parentheses_and_quotation_marks_stay() -> None:
    assert by_commas(["f1, recall", 'mean("a,b")', "bleu(lc,tok=intl),ter"]) == [
        *("f1", "recall", 'mean("a,b")', "bleu(lc,tok=intl)", "ter")
    ]
    assert by_commas([]) is None
    assert by_commas(None) is None


@pytest.mark.parametrize(
    ("option", "first", "second", "rest"),
    [
        ("--metric", "f1", "recall", ["--item", "id,part"]),
        ("--item", "id", "part", ["--metric", "f1"]),
        ("--score", "tp", "acc", ["--item", "id,part", "--metric", "tp"]),
        ("--systems", "base", "new", ["--item", "id,part", "--metric", "f1"]),
    ],
)
def test_commas_and_repeats_are_the_same(
    option: str, first: str, second: str, rest: list[str], table: str, betterthan: Command
) -> None:
    by_comma = betterthan("score", table, *rest, option, f"{first},{second}")
    repeated = betterthan("score", table, *rest, option, first, option, second)
    assert by_comma == repeated
    assert by_comma[0] == 0, by_comma


def test_margins_by_commas(table: str, betterthan: Command) -> None:
    rest = ("gate", table, "--item", "id,part", "--baseline", "base")
    by_comma = betterthan(*rest, "-m", "f1,recall", "--margin", "40,30")
    repeated = betterthan(*rest, "-m", "f1", "-m", "recall", "--margin", "40", "--margin", "30")
    assert by_comma == repeated
    assert "recall" in by_comma[1]
    code, _, said = betterthan(*rest, "-m", "f1", "--margin", "two")
    assert code == 2
    assert "numbers, not two" in said


def test_tests_by_commas(table: str, betterthan: Command) -> None:
    rest = ("study", "aa", table, "--item", "id,part", "-m", "mean(acc)", "--simulations", "20")
    assert betterthan(*rest, "--test", "sign,t") == betterthan(
        *rest, "--test", "sign", "--test", "t"
    )


def test_a_margin_that_was_meant_in_points(table: str, betterthan: Command) -> None:
    rest = ("gate", table, "--item", "id,part", "-b", "base", "-m", "mean(acc)", "--margin")
    code, _, said = betterthan(*rest, "0.02")
    assert code == 2
    assert "did you mean 2 points?" in said
    assert betterthan(*rest, "2")[0] in (0, 1, 3)
    assert "did you mean" not in "".join(map(str, betterthan(*rest, "0.5")))


def test_a_tiny_margin_that_many_items_allow_is_asked_about(
    tmp_path: Path, betterthan: Command
) -> None:
    path = tmp_path / "wide.csv"
    rows = [f"q{k},{k % 2},{(k % 2) if k % 50 else 1 - k % 2}" for k in range(2000)]
    path.write_text("\n".join(["id,base,new", *rows]), encoding="utf-8")
    code, shown, _ = betterthan("gate", str(path), "--margin", "0.06")
    assert code != 2
    assert "did you mean 6 points?" in shown


def test_raw_outputs_without_a_reference(tmp_path: Path, betterthan: Command) -> None:
    for name in ("hyp.txt", "ref.txt", "other.txt"):
        (tmp_path / name).write_text(f"the cat sat\non {name[0]} mat\n", encoding="utf-8")
    hyp, ref, other = (str(tmp_path / name) for name in ("hyp.txt", "ref.txt", "other.txt"))
    code, _, said = betterthan("score", "-m", "bleu", hyp, ref)
    assert code == 2
    assert f"say --metric bleu --ref {ref} {hyp}" in said
    assert betterthan("score", "--metric", "bleu", "--ref", ref, hyp)[0] == 0
    code, _, said = betterthan("compare", "-m", "chrf", hyp, other)
    assert code == 2
    assert f"--ref REFERENCE {hyp} {other}" in said


def test_numbers_by_commas(betterthan: Command) -> None:
    rest = ("power", "--agreement", "0.9", "--effect", "2")
    by_comma = betterthan(*rest, "--items", "500,1000", "-n", "2000")
    assert by_comma == betterthan(*rest, "-n", "500", "-n", "1000", "-n", "2000")
    assert by_comma.code == 0, by_comma
    assert "2,000" in by_comma.out
    assert betterthan(*rest, "--items", "many").code == 2
