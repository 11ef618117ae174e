"""PARSEVAL against evalb: its published sample, and a slow twin that counts as its loops do."""

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from scored_texts import column, scored

from betterthan.tasks import trees
from betterthan.tasks.sources import Source

# From EVALB (Sekine & Collins, nlp.cs.nyu.edu/evalb, 2013): sample/sample.gld, sample.tst and the
# columns "Matched", "gold", "test", "Tags" and "Words" of sample.rsl, for the sentences that evalb
# scores (status 0), without the two whose labels and words sample.prm counts as the same.
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
    ("(S (A-SBJ-1 (P this)) (B-WHATEVER (Q is) (A (R a) (T test))))", THIS, (4, 4, 4, 4, 4)),
    (LONG, LONG, (34, 34, 34, 44, 44)),
    (THIS[:-1] + " (-NONE- *))", THIS[:-1] + " (-NONE- *))", (4, 4, 4, 4, 4)),
    (THIS[:-1] + " (: *))", THIS[:-1] + " (: *))", (4, 4, 4, 4, 4)),
]


def test_evalbs_own_sample() -> None:
    golds, tests, _ = zip(*SAMPLE, strict=True)
    result = scored(trees, "\n".join(tests), "\n".join(golds), "f1")
    names = ("tp", "gold", "pred", "correct", "total")
    rows = list(zip(*(column(result, name) for name in names), strict=True))
    assert rows == [expected for _, _, expected in SAMPLE]
    complete = [match == true == predicted for _, _, (match, true, predicted, _, _) in SAMPLE]
    assert column(result, "exact_match") == complete


@dataclass
class Bracket:
    label: str
    start: int
    end: int
    matched: bool = False


def evalb(gold: trees.Tree, test: trees.Tree) -> tuple[int, int, int]:
    """Count as evalb.c does: delete words, shift brackets, pair them first come, first served."""
    both = []
    for tree in (gold, test):
        kept = [tag not in DELETED for tag in tree.tags]
        found = []
        for whole, first, last in tree.brackets:
            start, end = sum(kept[:first]), sum(kept[:last])
            label = whole.split("-")[0].split("=")[0]
            if start != end and label not in DELETED:
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
DELETED = ("TOP", "-NONE-", ",", ":", "``", "''", ".")


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
    gold, test = (next(iter(trees.trees(Source("x", text)))) for text in pair)
    result = scored(trees, pair[1], pair[0], "f1")
    assert tuple(column(result, c)[0] for c in ("tp", "pred", "gold")) == evalb(gold, test)


def test_trees_over_several_lines() -> None:
    text = "(S\n  (NP (N dogs))\n  (VP (V bark)))\n\n(S (N x)\n)\n"
    read = [(str(tree.place), tree.words) for tree in trees.trees(Source("x", text))]
    assert read == [("x, line 1", ["dogs", "bark"]), ("x, line 5", ["x"])]


def test_the_golds_tags_decide_what_is_punctuation() -> None:
    result = scored(trees, "(S (NP (N a)) (N .))", "(S (NP (N a)) (. .))", "f1")
    assert [column(result, c) for c in ("tp", "pred", "gold")] == [[2], [2], [2]]
