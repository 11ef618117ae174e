"""Items that got worse or better are listed, with their texts, in every form."""

import re
from dataclasses import replace

import pytest

import betterthan as bt
from betterthan.comparison.comparing import compare_many
from betterthan.data.scores import Scores

OLD = [1, 1, 0, 0, 1, 0, 1, 1]
NEW = [1, 0, 1, 1, 1, 1, 0, 1]
# broke: 1 and 6; fixed: 2, 3 and 5
FORMS = ("table", "md", "latex", "html", "json")


def made(new: list[int] = NEW) -> Scores:
    questions = [f"Is {k} even, and if not, why?" for k in range(8)]
    return Scores.from_arrays(
        {"old": OLD, "new": new}, items=list("abcdefgh"), groups={"question": questions}
    )


@pytest.mark.parametrize("style", FORMS)
def test_flipped_items_in_every_form(style: str) -> None:
    found = compare_many(made())
    text = replace(found, items=2).rendered(style)
    for k in (1, 6, 2, 3):
        assert f"Is {k} even, and if not, why?" in text
    for k in (0, 4, 5, 7):  # no change, or one too many
        assert f"Is {k} even" not in text
    assert "Is 1 even" not in found.rendered(style)


def test_a_document_tells_who() -> None:
    listed = replace(compare_many(made()), items=9).to_dict()["items"]
    assert [(r["row"], r["change"], r["item"]) for r in listed] == [
        *((0, "broke", "b"), (0, "broke", "g")),
        *((0, "fixed", "c"), (0, "fixed", "d"), (0, "fixed", "f")),
    ]


def test_scores_get_worse_by_most_first() -> None:
    scores = Scores.from_arrays({"old": [1.0, 2.0, 3.0, 4.0], "new": [0.5, 4.0, 1.0, 5.0]})
    text = replace(compare_many(scores), items=1).rendered()
    assert "2 got worse (1 shown), 2 got better (1 shown)." in text
    listed = [line.split() for line in text.splitlines()]
    assert ["worse", "row", "3", "3", "1"] in listed
    assert ["better", "row", "2", "2", "4"] in listed
    assert not any(words[1:3] in (["row", "1"], ["row", "4"]) for words in listed)


@pytest.mark.parametrize("style", FORMS)
def test_a_gate_lists_items_too(style: str) -> None:
    found = bt.gate(made(), margin=0.2)
    single = (compare_many(made())[0].item_by_item(),)
    text = replace(found, items=2, single=single).rendered(style)
    shown = re.sub(r"(?s)<script.*?</script>", "", text)  # what a reader sees of a page
    for k in (1, 6, 2, 3):
        assert f"Is {k} even, and if not, why?" in shown
    for k in (0, 4, 5, 7):
        assert f"Is {k} even" not in text
    if style != "json":
        counts = "2 got worse, 3 got better (2 shown)."
        assert counts in re.sub(r"\s+", " ", shown).replace("\\", "")
    assert "Is 1 even" not in found.rendered(style)


def test_a_page_says_that_no_item_changed() -> None:
    same = made(OLD)
    single = (compare_many(same)[0].item_by_item(),)
    page = replace(bt.gate(same, margin=0.2), items=2, single=single).rendered("html")
    assert "0 got worse, 0 got better." in re.sub(r"(?s)<script.*?</script>", "", page)


def test_items_are_on_the_scale_of_the_table_above_them() -> None:
    """F1 is printed in points, of all items and of single ones."""
    columns = ("tp", "fp", "fn")
    counts = {"old": [[1, 1, 2], [2, 1, 1], [3, 0, 0]], "new": [[2, 0, 1], [3, 0, 0], [3, 0, 0]]}
    scores = Scores.from_arrays(counts, columns=columns)
    text = replace(compare_many(scores, metric=["f1"]), items=1).rendered()
    (row,) = [line for line in text.splitlines() if line.split()[:1] == ["better"]]
    assert row.split()[-2:] == ["40", "80"]  # 2 * 1 / (2 * 1 + 1 + 2), 2 * 2 / (2 * 2 + 0 + 1)
