"""PARSEVAL against evalb: its published sample, and a slow twin that counts as its loops do."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from betterthan.errors import AlignmentError, FormatError
from betterthan.tasks import brackets
from betterthan.tasks.brackets import Conventions, counts, trees
from betterthan.tasks.sources import Source

# From EVALB (Sekine & Collins, nlp.cs.nyu.edu/evalb, 2013): sample/sample.gld, sample.tst and the
# columns "Matched", "gold", "test", "Tags" and "Words" of sample.rsl, for the sentences that evalb
# scores (status 0). All but the last four have the same gold tree.
THIS = "(S (A (P this)) (B (Q is) (A (R a) (T test))))"
LONG = "(S" + " (A (P this)) (B (Q is) (A (R a) (T test)))" * 11 + ")"
SAMPLE = [
    (THIS, THIS, (4, 4, 4, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (C (R a) (T test))))", (3, 4, 4, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (R a) (U test))))", (4, 4, 4, 3, 4)),
    (THIS, "(S (C (P this)) (B (Q is) (A (R a) (U test))))", (3, 4, 4, 3, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (R a) (A (T test))))", (3, 4, 4, 4, 4)),
    (THIS, "(S (A (P this) (Q is)) (A (R a) (T test)))", (2, 4, 3, 4, 4)),
    (THIS, "(S (P this) (Q is) (R a) (T test))", (1, 4, 1, 4, 4)),
    (THIS, "(P this) (Q is) (R a) (T test)", (0, 4, 0, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (A (R a) (T test)))))", (4, 4, 5, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (A (A (A (A (R a) (T test))))))))", (4, 4, 8, 4, 4)),
    (THIS, "(TOP (S (A (P this)) (B (Q is) (A (R a) (T test)))))", (4, 4, 4, 4, 4)),
    (THIS, "(S (A (P this)) (B (Q is) (A (R a) (TT test))))", (4, 4, 4, 4, 4)),
    (THIS, "(S (A (P This)) (B (Q is) (A (R a) (T test))))", (4, 4, 4, 4, 4)),
    ("(S (A-SBJ-1 (P this)) (B-WHATEVER (Q is) (A (R a) (T test))))", THIS, (4, 4, 4, 4, 4)),
    (LONG, LONG, (34, 34, 34, 44, 44)),
    (THIS[:-1] + " (-NONE- *))", THIS[:-1] + " (-NONE- *))", (4, 4, 4, 4, 4)),
    (THIS[:-1] + " (: *))", THIS[:-1] + " (: *))", (4, 4, 4, 4, 4)),
]
PARAMETERS = Conventions(  # sample.prm
    deleted=frozenset(["TOP", "-NONE-", ",", ":", "``", "''"]),
    same=(("T", "TT"),),
    same_words=(("This", "this"),),
)


def test_evalbs_own_sample() -> None:
    gold = Source("sample.gld", "\n".join(g for g, _, _ in SAMPLE))
    test = Source("sample.tst", "\n".join(t for _, t, _ in SAMPLE))
    columns = brackets.score([test], [gold], ["f1"], PARAMETERS).columns
    found = [
        tuple(int(columns[c][k, 0]) for c in ("tp", "gold", "pred", "correct", "total"))
        for k in range(len(SAMPLE))
    ]
    assert found == [expected for _, _, expected in SAMPLE]
    # The summary of sample.rsl: 86 of 98 and of 95 brackets, 106 of 108 tags, complete 52.94 %.
    totals = {c: int(columns[c].sum()) for c in columns}
    assert (totals["tp"], totals["gold"], totals["pred"]) == (86, 98, 95)
    assert (totals["correct"], totals["total"]) == (106, 108)
    assert f"{100 * totals['exact_match'] / len(SAMPLE):.2f}" == "52.94"


def test_what_evalb_refuses() -> None:
    """Sentences 11 to 14, 16, 17 and 20 of the sample have status 1 or 2."""
    gold = Source("gld", THIS)
    for bad in (
        "(S (A (P this)) (B (Q was) (A (A (R a) (T test)))))",
        "(S (A (P this)) (B (Q is) (U not) (A (A (R a) (T test)))))",
        "(S (A (P this)) (NONE *) (B (Q is) (A (R a) (T test))))",
        "(S (A (P That)) (B (Q is) (A (R a) (T test))))",
    ):
        with pytest.raises(AlignmentError, match="tst, line 1: the tree has"):
            brackets.score([Source("tst", bad)], [gold], ["f1"], PARAMETERS)


@dataclass
class Bracket:
    label: str
    start: int
    end: int
    matched: bool = False


def evalb(gold: brackets.Tree, test: brackets.Tree) -> tuple[int, int, int]:
    """Count as evalb.c does: delete words, shift brackets, pair them first come, first served."""
    both = []
    for tree in (gold, test):
        kept = [tag not in ("TOP", "-NONE-", ",", ":", "``", "''", ".") for tag in tree.tags]
        found = []
        for whole, first, last in tree.brackets:
            start, end = sum(kept[:first]), sum(kept[:last])
            label = whole.split("-")[0].split("=")[0]
            if start != end and label not in ("TOP", "-NONE-", ",", ":", "``", "''", "."):
                found.append(Bracket(label, start, end))
        both.append(found)
    match = 0
    for one in both[0]:
        for other in both[1]:
            same = one.label == other.label or {one.label, other.label} == {"ADVP", "PRT"}
            if not other.matched and (one.start, one.end) == (other.start, other.end) and same:
                other.matched = True
                match += 1
                break
    return match, len(both[1]), len(both[0])


TAGS = ["N", "V", ",", ".", "-NONE-"]
LABELS = ["TOP", "S", "NP-SBJ", "NP", "PRT", "ADVP", "VP=2"]


@st.composite
def two_trees(draw: st.DrawFn) -> tuple[str, str]:
    """Two bracketings of the same tagged words."""
    words = [(draw(st.sampled_from(TAGS)), f"w{k}") for k in range(draw(st.integers(1, 6)))]
    words.append(("N", "end"))

    def bracketing(span: list[tuple[str, str]], depth: int) -> str:
        if depth == 0 or (len(span) == 1 and draw(st.booleans())):
            return " ".join(f"({tag} {word})" for tag, word in span)
        cut = draw(st.integers(0, len(span) - 1))
        parts = [p for p in (span[:cut], span[cut:]) if p]
        inside = " ".join(bracketing(part, depth - 1) for part in parts)
        return f"({draw(st.sampled_from(LABELS))} {inside})"

    return bracketing(words, 3), bracketing(words, 3)


@settings(max_examples=150, deadline=None)
@given(two_trees())
def test_random_trees(pair: tuple[str, str]) -> None:
    gold, test = (next(iter(trees(Source("x", text)))) for text in pair)
    assert counts(test, gold)[:3] == evalb(gold, test)


def test_trees_over_several_lines() -> None:
    text = "(S\n  (NP (N dogs))\n  (VP (V bark)))\n\n(S (N x)\n)\n"
    assert [(tree.line, tree.words) for tree in trees(Source("x", text))] == [
        (1, ("dogs", "bark")),
        (5, ("x",)),
    ]


def test_the_golds_tags_say_what_is_punctuation() -> None:
    gold = Source("gold", "(S (NP (N a)) (. .))")
    test = Source("test", "(S (NP (N a)) (N .))")
    scored = brackets.score([test], [gold], ["f1"])
    assert [int(scored.columns[c][0, 0]) for c in ("tp", "pred", "gold")] == [2, 2, 2]
    assert "test tags punctuation otherwise than the gold in 1 sentences" in scored.notes[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("(S (N a)\n(S (N b))\n", "x, line 1: the tree that begins here has 1 open brackets"),
        ("(S (N a)))\n(S (N b))\n", "x, line 1: a bracket closes that was not opened"),
        ("(S (N a))\n\n(S (N b))\n", "x, line 2 has no tree: write a flat tree"),
        ("(S (N a b))\n", "x, line 1: 'a' stands where a bracket is expected"),
        ("(S a)) (N b(\n", "x, line 1"),
        ("(S (NP))\n", "x, line 1: the tree has no words"),
        ("word\n", "x, line 1: 'word' stands where"),
        ("  \n", "x is empty"),
    ],
)
def test_complaints(text: str, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        list(trees(Source("x", text)))
