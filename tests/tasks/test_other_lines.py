"""Lines beside the wrong reference, ids before them, and labels that are not the gold's."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.errors import AlignmentError, Note
from betterthan.tasks import classification, other_lines, spans, text
from betterthan.tasks.sources import Source

WORDS = (
    "river garden letter storm winter doctor bridge paper market window candle stone farmer music "
    "island coffee mirror engine forest button singer pocket ladder harbour the a of to in was and"
).split()


def file_of(name: str, lines: list[str]) -> Source:
    return Source(name, "".join(f"{line}\n" for line in lines))


def corpus(n: int, keep: float = 0.6, seed: int = 1) -> tuple[list[str], list[str]]:
    """References, and an output that keeps some of their words."""
    rng = np.random.default_rng(seed)
    gold = [rng.choice(WORDS, rng.integers(5, 12)).tolist() for _ in range(n)]
    said = [[w if rng.random() < keep else str(rng.choice(WORDS)) for w in line] for line in gold]
    return [" ".join(line) for line in gold], [" ".join(line) for line in said]


def doubt(said: list[str], gold: list[str]) -> str:
    """What is doubted about an output and its reference; empty where nothing is."""
    notes = text.doubts([file_of("sys.txt", said)], [file_of("ref.txt", gold)])
    assert all(note.beside_verdict for note in notes)
    return "; ".join(notes)


class TestShifts:
    @pytest.mark.parametrize("n", [100, 700])
    @pytest.mark.parametrize("at", [30, 60])
    def test_a_lost_line_is_found_where_it_was(self, n: int, at: int) -> None:
        gold, said = corpus(n)
        assert not doubt(said, gold)
        lost = [*said[:at], *said[at + 1 :], "river and stone"]
        says = r"sys.txt looks shifted against ref.txt from line (\d+) on: .* one line later"
        found = doubt(lost, gold)
        told = re.search(says, found)
        assert told is not None
        assert abs(int(told[1]) - (at + 1)) <= 3

    def test_lines_too_many(self) -> None:
        gold, said = corpus(120)
        more = [*said[:50], "of a river", "in the storm", *said[50:-2]]
        assert "fit those 2 lines earlier" in doubt(more, gold)

    def test_a_shift_that_ends_again(self) -> None:
        gold, said = corpus(200)
        moved = [*said[:60], *said[61:120], "coffee in the forest", *said[120:]]
        assert re.search(r"from line 6\d to about line 1(1\d|20): ", doubt(moved, gold))

    def test_a_shift_in_a_long_file(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(other_lines, "MOST_LINES", 200)
        gold, said = corpus(3000)
        assert not doubt(said, gold)
        less = [*said[:1000], *said[1001:], "the end"]
        assert re.search(r"shifted against ref.txt from about line .* on", doubt(less, gold))

    def test_a_file_of_another_reference_says_whether_it_is_shifted(self) -> None:
        gold, said = corpus(80)
        turned = doubt(said[3:] + said[:3], gold)
        assert re.search(r"no more in common .*; better with those 3 lines", turned)
        _, others = corpus(80, seed=2)
        found = doubt(others, gold)
        assert re.search("no more in common", found)
        assert "better with" not in found


class TestOrder:
    def test_a_file_sorted_by_the_text_of_its_numbers(self) -> None:
        gold, said = corpus(60)
        assert doubt([said[int(k)] for k in sorted(map(str, range(60)))], gold)

    def test_a_tail_out_of_order(self) -> None:
        gold, said = corpus(150)
        tail = np.random.default_rng(3).permutation(said[70:]).tolist()
        assert re.search(
            r"out of order .* from about line [67]\d on", doubt(said[:70] + tail, gold)
        )

    def test_the_example_is_the_line_itself(self) -> None:
        gold, _ = corpus(120)
        moved = gold[:60] + gold[60:][::-1]
        found = doubt(moved, gold)
        assert re.search(r"out of order .* \(line (\d+): .*", found)
        at, other = (
            int(word.strip(":,")) - 1
            for word in found.split("(line ")[1].replace("fits line", "").split()
            if word.strip(":,").isdigit()
        )
        assert moved[at] == gold[other]


class TestNoFalseAlarms:
    @pytest.mark.parametrize("keep", [0.3, 0.5, 0.9])
    @pytest.mark.parametrize("n", [20, 60, 400])
    def test_bad_systems_are_judged_by_their_score(self, n: int, keep: float) -> None:
        for seed in range(5):
            gold, said = corpus(n, keep, seed)
            assert not doubt(said, gold)

    @pytest.mark.parametrize(
        "tail",
        [
            lambda gold, rng: "",
            lambda gold, rng: "I am sorry , I can not answer that .",
            lambda gold, rng: " ".join("".join(rng.choice(list("etaoin"), 5)) for _ in range(8)),
            lambda gold, rng: " ".join(rng.choice(WORDS, 8)),  # nonsense in the words of the rest
            lambda gold, rng: " ".join(rng.permutation(gold[0].split())),  # stuck
        ],
        ids=["empty", "refusals", "gibberish", "nonsense", "stuck"],
    )
    def test_a_system_that_gives_up_is_no_shift(
        self, tail: Callable[[list[str], np.random.Generator], str]
    ) -> None:
        rng = np.random.default_rng(5)
        gold, said = corpus(150)
        assert not doubt(said[:90] + [tail(gold, rng) for _ in range(60)], gold)

    def test_few_lines_tell_nothing(self) -> None:
        gold, said = corpus(10)
        assert not doubt(said[1:] + said[:1], gold)

    def test_repeated_lines(self) -> None:
        gold, said = corpus(60)
        again = [line for line in gold for _ in range(3)]
        assert not doubt([line for line in said for _ in range(3)], again)

    def test_other_case(self) -> None:
        gold, said = corpus(60)
        assert not doubt([line.upper() for line in said], gold)


class TestIds:
    def test_utterances(self) -> None:
        gold, said = corpus(8)
        files = [
            file_of(name, [f"spk1-utt{k:03} {line}" for k, line in enumerate(lines)])
            for name, lines in (("ref.txt", gold), ("sys.txt", said))
        ]
        first, second = text.doubts(files[1:], files[:1])
        assert first.startswith("ref.txt: every line begins with an id ('spk1-utt000', ")
        assert second.startswith("sys.txt: every line begins with an id")

    @pytest.mark.parametrize("first", [0, 1])
    @pytest.mark.parametrize("mark", ["\t", " "])
    def test_numbers_of_the_lines_in_one_file(self, first: int, mark: str) -> None:
        gold, said = corpus(8)
        numbered = [f"{k}{mark}{line}" for k, line in enumerate(said, start=first)]
        assert "sys.txt: every line begins with an id" in doubt(numbered, gold)

    def test_an_utterance_in_which_nothing_was_recognised(self) -> None:
        gold, said = corpus(8)
        numbered = [f"utt{k} {line}" for k, line in enumerate(said)]
        assert re.search("every line begins with an id", doubt([*numbered[:-1], "utt7"], gold))

    @pytest.mark.parametrize(
        "lines",
        [
            [f"{k * k + 3} + {k} = {k * k + k + 3}" for k in range(9)],  # numbers, but no count
            [f"{k}" for k in range(9)],  # answers
            ["2 dogs", "3 cats", "the cat", "4 mice", "5 cows", "6 rats"],
            ["utt1 a b", "utt1 c d", "utt2 a", "utt2 b", "utt3 c"],  # not of their own
            [f"{'9' * 5000}{k} is large" for k in range(9)],
            ["1 a", "2 b", "3 c"],  # too few to tell
        ],
    )
    def test_text_with_numbers(self, lines: list[str]) -> None:
        assert not doubt(lines, lines)


LABELS = ["spam", "ham", "spam", "spam", "ham", "ham"]


def doubt_labels(said: list[str], gold: list[str]) -> str:
    return "; ".join(classification.doubts([file_of("sys", said)], [file_of("gold", gold)]))


class TestLabels:
    def test_a_header(self) -> None:
        found = doubt_labels(["prediction", *LABELS], ["label", *LABELS])
        assert found.startswith("gold, line 1 looks like a header: 'label'")
        assert not doubt_labels([*LABELS, "label"], [*LABELS, "label"])  # elsewhere it is a class
        assert not doubt_labels(["class", "class", *LABELS], ["class", "class", *LABELS])
        assert not doubt_labels(["ham", *LABELS], ["label", *LABELS])  # not all files have it

    def test_labels_of_another_kind(self) -> None:
        found = doubt_labels(["1", "0", "1", "1", "0", "1"], LABELS)
        assert found == "no label of sys occurs in gold: '1', '0' against 'spam', 'ham'"
        assert not doubt_labels(["ham"] * 6, LABELS)
        assert not doubt_labels(["1", "0", "1", "1", "0", "ham"], LABELS)

    def test_answers_may_all_be_wrong(self) -> None:
        assert not doubt_labels([str(k + 50) for k in range(9)], [str(k) for k in range(9)])

    def test_other_case(self) -> None:
        with pytest.raises(AlignmentError, match="sys has the label 'Spam' where gold has 'spam'"):
            doubt_labels(["Spam", "ham", "Spam", "Spam", "ham", "ham"], LABELS)
        assert not doubt_labels(["Spam", "ham", "spam", "spam", "ham", "ham"], LABELS)  # a slip


class TestTypes:
    def test_other_case(self) -> None:
        gold, said = Source("gold", "a B-PER\nb O\n\nc B-LOC\n"), "a B-Per\nb O\n\nc B-LOC\n"
        with pytest.raises(AlignmentError, match="sys has the type 'Per' where gold has 'PER'"):
            spans.score([Source("sys", said)], [gold], ["f1"])
        mixed = Source("sys", said.replace("LOC", "PER"))  # a slip, which is scored as one
        assert spans.score([mixed], [gold], ["f1"]).columns["tp"].sum() == 0

    def test_other_case_beside_the_gold(self) -> None:
        pairs = Source("sys", "a B-PER B-Per\nb O O\n\nc B-LOC B-LOC\n")
        with pytest.raises(AlignmentError, match="'Per' where the gold has 'PER'"):
            spans.score_pairs([pairs])


def test_what_is_doubted_is_scored_and_said(tmp_path: Path) -> None:
    gold, said = corpus(60)
    for name, lines in (("ref.txt", gold), ("sys.txt", [*said[1:], "the end"])):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    scores = bt.read(tmp_path / "sys.txt", ref=tmp_path / "ref.txt", metric="wer")
    assert scores.n == 60
    (note,) = (x for x in scores.notes if isinstance(x, Note) and x.beside_verdict)
    assert note.remedy is not None
    assert note.remedy.parameter == "ref"
