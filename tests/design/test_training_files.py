"""Training sets written for trainers outside Python."""

from pathlib import Path

import pytest

from betterthan.design import resample_training, training_sets, write_training_sets
from betterthan.errors import BetterthanError


def test_files_hold_the_sets_that_training_in_python_draws(tmp_path: Path) -> None:
    lines = [f"sentence {k}" for k in range(9)]
    source = tmp_path / "train.txt"
    source.write_text("\n".join(lines), encoding="utf-8")  # the last line has no end
    computed = write_training_sets(source, tmp_path / "sets", sizes=(9, 4), copies=(2, 1), rng=3)
    seen: list[list[str]] = []

    def remember(examples):  # type: ignore[no-untyped-def]
        seen.append(list(examples))
        return lambda item: 0

    resample_training(
        {"m": remember}, lines, lines[:2], lambda p, x: p, sizes=(9, 4), copies=(2, 1), rng=3
    )
    assert [name for name, *_ in computed.sets] == ["9-1", "9-2", "4-1"]
    for (name, *_), examples in zip(computed.sets, seen, strict=True):
        text = (tmp_path / "sets" / name / "train.txt").read_text(encoding="utf-8")
        assert text == "".join(f"{line}\n" for line in examples)
    listed = (tmp_path / "sets" / "sets.csv").read_text(encoding="utf-8")
    assert listed == "set,size,copy\n9-1,9,1\n9-2,9,2\n4-1,4,1\n"


def test_blocks_and_parallel_files(tmp_path: Path) -> None:
    blocks = ["a\tD\nb\tN", "c\tV", "d\tN\ne\tV"]
    tagged = tmp_path / "train.conll"
    tagged.write_text("\n\n".join(blocks) + "\n\n\n", encoding="utf-8")
    computed = write_training_sets(tagged, tmp_path / "x", sizes=[3], copies=1, rng=0)
    assert (computed.unit, computed.examples) == ("block", 3)
    (drawn,) = training_sets(3, sizes=[3], copies=1, rng=0)
    text = (tmp_path / "x" / "3-1" / "train.conll").read_text(encoding="utf-8")
    assert text == "".join(f"{blocks[k]}\n\n" for k in drawn.places)
    for name in ("src", "tgt"):
        words = "".join(f"{name}{k}\n" for k in range(5))
        (tmp_path / f"t.{name}").write_text(words, encoding="utf-8")
    both = [tmp_path / "t.src", tmp_path / "t.tgt"]
    write_training_sets(both, tmp_path / "y", sizes=[50], copies=1)
    first, second = ((tmp_path / "y" / "50-1" / p.name).read_text().split() for p in both)
    assert [w.removeprefix("src") for w in first] == [w.removeprefix("tgt") for w in second]
    assert len(set(first)) == 5


def test_trees_over_several_lines_stay_whole(tmp_path: Path) -> None:
    trees = ["( (S (NP a)\n    (VP b)) )\n", "(S (NP c)\n  (VP d))\n", "(S e)\n"]
    source = tmp_path / "wsj.mrg"
    source.write_text("\n" + trees[0] + trees[1] + "\n\n" + trees[2], encoding="utf-8")
    computed = write_training_sets(source, tmp_path / "sets", sizes=[6], copies=1, rng=1)
    assert (computed.unit, computed.examples) == ("tree", 3)
    (drawn,) = training_sets(3, sizes=[6], copies=1, rng=1)
    text = (tmp_path / "sets" / "6-1" / "wsj.mrg").read_text(encoding="utf-8")
    assert text == "".join(trees[k] for k in drawn.places)
    source.write_text("(S (NP a)\n", encoding="utf-8")
    with pytest.raises(BetterthanError, match="not closed"):
        write_training_sets(source, tmp_path / "more")
    source.write_text("(S a))\n(S (b\n", encoding="utf-8")
    with pytest.raises(BetterthanError, match="line 1: a bracket is closed"):
        write_training_sets(source, tmp_path / "more")


def test_bad_training_data_are_clear_errors(tmp_path: Path) -> None:
    one, other, empty = (tmp_path / name for name in ("one", "other", "empty"))
    one.write_text("a\nb\n", encoding="utf-8")
    other.write_text("a\nb\nc\n", encoding="utf-8")
    empty.write_text("", encoding="utf-8")
    with pytest.raises(BetterthanError, match="one has 2, other has 3"):
        write_training_sets([one, other], tmp_path / "sets")
    with pytest.raises(BetterthanError, match="no example"):
        write_training_sets(empty, tmp_path / "sets")
    with pytest.raises(BetterthanError, match="not empty"):
        write_training_sets(one, tmp_path)
    with pytest.raises(BetterthanError) as caught:
        write_training_sets(one, tmp_path / "sets", sizes=[2, 2])
    assert caught.value.remedies[0].value == [2]
    with pytest.raises(BetterthanError) as caught:
        write_training_sets(one, tmp_path / "sets", unit="lines")  # type: ignore[arg-type]
    assert caught.value.remedies[0].value == "line"
    assert not (tmp_path / "sets").exists()
