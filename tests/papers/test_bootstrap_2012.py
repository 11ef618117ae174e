"""The made-up language, those who learn it, and what the 2012 paper says, at small sizes."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import betterthan as bt
from betterthan.metrics import BLEU
from betterthan.papers.bootstrap_2012 import bilingual, monolingual, summarisers, systems
from betterthan.papers.bootstrap_2012.aligners import Lexical, diagonal, logistic_weights, model_1
from betterthan.papers.bootstrap_2012.corpora import TABLE_1, ratio_with_error
from betterthan.papers.bootstrap_2012.gain_curves import needed
from betterthan.papers.bootstrap_2012.language import (
    HABITS,
    BinaryTree,
    Grammar,
    Sentence,
    brackets_of,
    draw_sentences,
    heads_of,
    leaves_of,
)
from betterthan.papers.bootstrap_2012.parsers import NEVER, PARSERS, Treebank, generative
from betterthan.papers.bootstrap_2012.taggers import TAGGERS, Tagger, available, viterbi
from betterthan.papers.bootstrap_2012.translation import SentencePair, draw_pairs
from betterthan.papers.bootstrap_2012.translators import (
    TRANSLATORS,
    bleu_counts,
    combined,
    extract,
)
from betterthan.papers.runner import Runner
from conftest import Run


@pytest.fixture(scope="module")
def bank() -> list[Sentence]:
    return draw_sentences(Grammar("newswire"), 300, np.random.default_rng(1))


@pytest.fixture(scope="module")
def unseen() -> list[Sentence]:
    return draw_sentences(Grammar("newswire", drift=23), 120, np.random.default_rng(2))


@pytest.fixture(scope="module")
def pairs() -> list[SentencePair]:
    return draw_pairs(Grammar("newswire"), 260, np.random.default_rng(3))


# -- the language ---------------------------------------------------------------------------------


def test_sentences_are_trees_of_their_words(bank: list[Sentence]) -> None:
    for s in bank:
        assert [word for _, word in leaves_of(s.tree)] == list(s.words)
        assert [tag for tag, _ in leaves_of(s.tree)] == list(s.tags)
        heads = heads_of(s.tree)
        assert heads.count(-1) == 1
        for at in range(len(heads)):  # every word leads to the root
            for _ in heads:
                at = heads[at] if at >= 0 else at  # noqa: PLW2901
            assert at == -1
        assert ("S", 0, len(s.words)) in brackets_of(s.tree)


def test_the_language_is_ambiguous_and_agrees(bank: list[Sentence]) -> None:
    tags: dict[str, set[str]] = {}
    for s in bank:
        for word, tag in zip(s.words, s.tags, strict=True):
            tags.setdefault(word, set()).add(tag)
    assert {"N", "V"} in tags.values() or {"NS", "VZ"} in tags.values()
    assert sum(len(found) > 1 for found in tags.values()) > 10
    for s in bank:  # a plural subject has no verb of the third person
        if s.tree[0] == "S" and len(s.tree) == 3 and s.tree[1][0] == "NS":
            verb = s.tree[2]
            while len(verb) == 3 and verb[0] == "VP":
                verb = verb[1]
            assert verb[0] in ("V", "M")


def test_domains_differ_more_than_sections() -> None:
    def words(grammar: Grammar) -> dict[str, float]:
        found: dict[str, float] = {}
        for s in draw_sentences(grammar, 500, np.random.default_rng(0)):
            for word in s.words:
                found[word] = found.get(word, 0.0) + 1 / 500
        return found

    home, section, abroad = (
        words(g) for g in (Grammar("newswire"), Grammar("newswire", drift=24), Grammar("fiction"))
    )

    def distance(a: dict[str, float], b: dict[str, float]) -> float:
        return sum(abs(a.get(w, 0.0) - b.get(w, 0.0)) for w in {*a, *b})

    assert distance(home, section) < distance(home, abroad)
    assert set(HABITS) == {"newswire", "fiction"}


def test_drawing_depends_on_the_seed_alone() -> None:
    first, second, other = (
        draw_sentences(Grammar("fiction"), 20, np.random.default_rng(k)) for k in (5, 5, 6)
    )
    assert first == second != other


# -- learners -------------------------------------------------------------------------------------


def test_viterbi_finds_the_best_of_all_paths() -> None:
    rng = np.random.default_rng(0)
    for words in (1, 2, 5):
        emitted, moves = rng.normal(size=(words, 3)), rng.normal(size=(4, 4))

        def score(path: Sequence[int], emitted: Any = emitted, moves: Any = moves) -> float:
            steps = zip((3, *path), (*path, 3), strict=True)
            return float(
                sum(emitted[k, at] for k, at in enumerate(path)) + sum(moves[s] for s in steps)
            )

        best = max(product(range(3), repeat=words), key=score)
        assert tuple(viterbi(emitted, moves)) == best


def accuracy(tag: Tagger, sentences: Sequence[Sentence]) -> float:
    right = [a == b for s in sentences for a, b in zip(tag(s.words), s.tags, strict=True)]
    return sum(right) / len(right)


@pytest.mark.parametrize("name", TAGGERS)
def test_taggers_learn(name: str, bank: list[Sentence], unseen: list[Sentence]) -> None:
    if not available(name):
        pytest.skip("needs scikit-learn")
    little, much = (TAGGERS[name](bank[:size]) for size in (15, 300))
    assert accuracy(much, unseen) > max(0.85, accuracy(little, unseen) + 0.02)
    assert accuracy(much, bank) > 0.93


def trees_over(words: Sequence[str], bank: Treebank) -> dict[str, list[tuple[float, BinaryTree]]]:
    """All trees over some words, by their label, with their log probabilities."""
    if len(words) == 1:
        return {
            tag: [(float(p), (tag, words[0]))]
            for tag, p in zip(bank.emissions.tags, bank.emissions.of(words[0]), strict=True)
        }
    found: dict[str, list[tuple[float, BinaryTree]]] = {}
    for cut in range(1, len(words)):
        first, second = trees_over(words[:cut], bank), trees_over(words[cut:], bank)
        for head, start, end in zip(bank.heads, bank.starts, bank.ends, strict=True):
            label = bank.symbols[head]
            for rule in range(start, end):
                left, right = bank.symbols[bank.left[rule]], bank.symbols[bank.right[rule]]
                for (p, a), (q, b) in product(first.get(left, []), second.get(right, [])):
                    made: BinaryTree = (label, a, b)
                    found.setdefault(label, []).append((p + q + float(bank.log[rule]), made))
    return found


def test_cky_finds_the_best_of_all_trees(bank: list[Sentence]) -> None:
    grammar = Treebank(bank[:40])
    short = [s.words for s in bank if len(s.words) in (3, 4)][:8]
    for words, found in zip(short, generative(bank[:40])(short), strict=True):
        ranked = sorted(trees_over(words, grammar)["S"], key=lambda one: -one[0])
        best, second = ranked[0], ranked[1]
        assert best[0] > second[0] + 1e-3  # single precision tells them apart
        assert found == best[1]
    assert grammar.parse(np.full((1, 3, len(grammar.emissions.tags)), NEVER)) == [None]


@pytest.mark.parametrize("name", PARSERS)
def test_parsers_learn(name: str, bank: list[Sentence], unseen: list[Sentence]) -> None:
    def f1(size: int) -> float:
        trees = PARSERS[name](bank[:size])([s.words for s in unseen])
        rows = [monolingual.tree_counts(t, s) for t, s in zip(trees, unseen, strict=True)]
        right, guessed, gold, *_ = np.sum(rows, axis=0)
        return float(2 * right / (guessed + gold))

    assert f1(300) > max(0.75, f1(20) + 0.02)


def test_trees_are_counted_and_none_is_nothing() -> None:
    tree: BinaryTree = ("S", ("PRP", "i"), ("VP", ("V", "see"), ("NP", ("D", "a"), ("N", "dog"))))
    other: BinaryTree = ("S", ("NP", ("PRP", "i"), ("V", "see")), ("NP", ("D", "a"), ("N", "dog")))
    s = Sentence(("i", "see", "a", "dog"), ("PRP", "V", "D", "N"), tree)
    assert monolingual.tree_counts(tree, s) == (3, 3, 3, 4, 4)
    assert monolingual.tree_counts(other, s)[:3] == (2, 3, 3)
    assert monolingual.tree_counts(None, s)[:3] == (0, 0, 3)


def aer(align: Callable[[SentencePair], Any], test: Sequence[SentencePair]) -> float:
    wrong = total = 0
    for pair in test:
        found = align(pair)
        wrong += len(found - pair.possible) + len(pair.sure - found)
        total += len(found) + len(pair.sure)
    return wrong / total


def test_aligners_learn_and_the_diagonal_helps(pairs: list[SentencePair]) -> None:
    test = pairs[-60:]
    few, many = model_1(pairs[:40]), model_1(pairs)
    assert aer(many, test) < aer(few, test) - 0.05
    assert aer(diagonal(pairs), test) < aer(many, test)


def test_expectation_maximisation_is_that_of_the_textbook(pairs: list[SentencePair]) -> None:
    """IBM Model 1 as Brown et al. (1993) write it, in plain loops."""
    given, null = pairs[:6], 0.1
    table: dict[tuple[str, str], float] = {}
    for pair in given:
        table |= {(s, t): 1.0 for s in (*pair.source, "") for t in pair.target}
    for _ in range(5):
        count = dict.fromkeys(table, 0.0)
        for pair in given:
            prior = {s: (1 - null) / len(pair.source) for s in range(len(pair.source))} | {-1: null}
            words = dict(enumerate(pair.source)) | {-1: ""}
            for t in pair.target:
                whole = sum(prior[k] * table[words[k], t] for k in prior)
                for k in prior:
                    count[words[k], t] += prior[k] * table[words[k], t] / whole
        total: dict[str, float] = {}
        for (s, _), c in count.items():
            total[s] = total.get(s, 0.0) + c
        table = {(s, t): c / total[s] for (s, t), c in count.items()}
    assert Lexical(given, null=null).table == pytest.approx(table, rel=1e-9)


def test_logistic_weights_have_no_slope_left() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 3))
    truth = (rows @ [1.0, -2.0, 0.0] + rng.logistic(size=200) > 0).astype(float)
    weights = logistic_weights(rows, truth)
    p = 1 / (1 + np.exp(-rows @ weights))
    assert np.abs(rows.T @ (truth - p) - weights).max() < 1e-8


@pytest.mark.parametrize("name", TRANSLATORS)
def test_translators_learn(name: str, pairs: list[SentencePair]) -> None:
    test = pairs[-60:]

    def bleu(size: int) -> float:
        translate = TRANSLATORS[name](pairs[:size])
        rows = [bleu_counts(translate(pair.source), pair.target) for pair in test]
        return BLEU.score(np.array(rows, dtype=float))

    assert bleu(200) > bleu(25) + 0.05


def test_bleu_is_that_of_sacrebleu(pairs: list[SentencePair]) -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    translate = TRANSLATORS["words"](pairs[:150])
    made = [translate(pair.source) for pair in pairs[-50:]]
    targets = [pair.target for pair in pairs[-50:]]
    rows = [bleu_counts(m, t) for m, t in zip(made, targets, strict=True)]
    expected = sacrebleu.corpus_bleu(
        [" ".join(m) for m in made], [[" ".join(t) for t in targets]], tokenize="none"
    )
    assert 100 * BLEU.score(np.array(rows, dtype=float)) == pytest.approx(expected.score)


def test_phrases_that_no_link_leaves() -> None:
    pair = SentencePair(("the", "red", "dog"), ("le", "chien", "rouge"), frozenset(), frozenset())
    table = extract([pair], [frozenset({(0, 0), (1, 2), (2, 1)})], 3)
    assert {source: set(made) for source, made in table.items()} == {
        ("the",): {("le",)},
        ("red",): {("rouge",)},
        ("dog",): {("chien",)},
        ("red", "dog"): {("chien", "rouge")},
        ("the", "red", "dog"): {("le", "chien", "rouge")},
    }


def test_combinations_take_what_most_agree_on() -> None:
    outputs = [("a", "b", "c"), ("a", "b", "d"), ("a", "b", "c"), ("x", "y", "z")]
    assert combined(outputs, [1, 1, 1, 1]) == ("a", "b", "c")
    assert combined(outputs, [0.1, 0.1, 0.1, 5]) == ("x", "y", "z")


# -- collections and exhibits ---------------------------------------------------------------------


def test_counts_survive_as_text() -> None:
    rows = [[1, 2, 300], [0, 5, 32_767]]
    assert systems.unpacked_counts(systems.packed_counts(rows), 3).tolist() == rows


def test_entries_of_a_team_share_their_data() -> None:
    made = systems.entries(0, 58, 24, ["x", "y"], 1000)
    assert len(made) == 58
    assert len({entry["group"] for entry in made}) == 24
    first, second = made[:2]
    assert first["group"] == second["group"]
    one, two = (set(systems.examples(entry, 1000).tolist()) for entry in (first, second))
    assert two < one
    assert len(two) > 0.8 * len(one)


def test_the_gain_needed_is_that_of_a_normal_law() -> None:
    """Pairs whose differences have one standard error need one gain, whatever theirs was."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=2000)
    noise = (noise - noise.mean()) / noise.std()
    gains = (0.02, 0.03, 0.05)
    arrays = {"base": np.zeros(2000)} | {f"s{g}": g + noise for g in gains}
    study = bt.design.thresholds(
        bt.Scores.from_arrays(arrays), test="bootstrap(method=sample)", resamples=4000,
        groups=lambda a, b: "base" if "base" in (a, b) else None,
    )  # fmt: skip
    expected = 100 * 1.6449 / math.sqrt(2000)
    assert needed(study) == pytest.approx(np.full(3, expected), rel=0.05)


def test_the_error_of_a_ratio() -> None:
    rng = np.random.default_rng(1)
    counts = [(int(rng.binomial(n, 0.9)), int(n)) for n in rng.integers(40, 80, 400)]
    share, error = ratio_with_error(counts)
    total = sum(n for _, n in counts)
    assert share == pytest.approx(0.9, abs=4 * error)
    assert error == pytest.approx(math.sqrt(0.09 / total), rel=0.15)


TINY = systems.Sizes(
    train=80, sets=(1, 1, 1), section=60, fiction=80, parallel=60, parallel_sets=(1, 1, 1),
    translated=30, aligners=2, resamples=200, drawn=30, test_sets=2, competing=20,
)  # fmt: skip


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Runner:
    monkeypatch.setattr(systems, "QUICK", TINY)
    monkeypatch.setattr(bilingual, "ALIGNERS", {"model 1": 40, "diagonal": 30, "supervised": 20})
    monkeypatch.setattr(bilingual, "GOLD", 30)
    return Runner(quick=True, seed=12345)


def test_collections_have_the_groups_of_the_paper(tiny: Runner) -> None:
    parsers = monolingual.parsers(tiny)
    assert len(parsers.scores.systems) == 9
    assert set(parsers.groups.values()) == set(PARSERS)
    assert sorted(set(parsers.scores.labels("section").tolist())) == ["22", "23", "24", "fiction"]
    translated = bilingual.translation_competition(tiny)
    assert len(translated.scores.systems) == 31
    assert sum(name.startswith("combination") for name in translated.groups) == 13
    aligned = bilingual.aligners(tiny)
    assert (aligned.scores.n, len(aligned.scores.systems)) == (100, 6)


def test_exhibits_of_the_parsers(tiny: Runner) -> None:
    names = [
        "Section 3.2.1",
        "Figure 1",
        "Figure 8",
        "Figure 10",
        "Figure 11",
        "Table 1",
        "Thresholds",
    ]
    found = bt.papers.reproduce("bootstrap-2012", names, quick=tiny.quick, rng=tiny.seed)
    assert [exhibit.name for exhibit in found.exhibits] == names
    cells = {exhibit.name: exhibit.cells for exhibit in found.exhibits}
    assert len(cells["Table 1"]) == 6 * 3 + 4
    printed = {cell.published for cell in cells["Table 1"]}
    assert printed >= {value for row in TABLE_1 for value in row}
    assert all(cell.ours is None and "licensed" in cell.reason for cell in cells["Figure 8"])
    assert all(exhibit.tables for exhibit in found.exhibits)


@pytest.mark.slow
def test_the_paper_holds_in_a_quick_run(betterthan: Callable[..., Run], demo_folder: Path) -> None:
    run = betterthan("reproduce", "bootstrap-2012", "--quick", "-o", "pages")
    assert run.code == 0, run.out
    page = Path("pages/bootstrap-2012.md").read_text(encoding="utf-8")
    assert "Does not hold" not in page
    for name in ("Figure 2", "Figure 11", "Section 4.2", "Table 1"):
        assert f"## {name}" in page


# -- summaries ------------------------------------------------------------------------------------


def test_collections_tell_of_the_same_facts() -> None:
    found = summarisers.collections(0)
    assert len(found) == 48
    for one in found:
        assert len(one.summary) == 100
        assert len(one.documents) == 16
    # A summary has pairs of words in common with its own documents, hardly any with others'.
    own = [_shared(c, c) for c in found]
    others = [_shared(c, d) for c, d in zip(found, found[1:] + found[:1], strict=True)]
    assert min(own) > max(others)
    assert np.mean(own) > 4 * np.mean(others)


def _shared(one: summarisers.Collection, other: summarisers.Collection) -> float:
    pairs = {p for document in other.documents for s in document for p in pairwise(s)}
    told = list(pairwise(one.summary))
    return sum(pair in pairs for pair in told) / len(told)


@pytest.mark.parametrize("kind", summarisers.SUMMARISERS)
def test_a_summary_is_made_of_sentences_and_fits(kind: str) -> None:
    documents = summarisers.collections(0)[0].documents[:6]
    gain = summarisers.SUMMARISERS[kind](documents, 0.1)
    made = summarisers.summary(documents, gain)
    assert 80 < len(made) <= 100
    sentences = {s for document in documents for s in document if s}

    def whole(words: tuple[str, ...]) -> bool:
        """Whether it is a row of sentences, one of which may begin like another."""
        starts = [s for s in sentences if words[: len(s)] == s]
        return not words or any(whole(words[len(s) :]) for s in starts)

    assert whole(made)


def test_coverage_counts_new_pairs_of_words_by_the_documents_that_have_them() -> None:
    documents = [(("a", "b", "c"),), (("a", "b"),), (("x", "y"),)]
    gain = summarisers.coverage(documents, 1.0)
    assert gain(("a", "b", "c"), []) == (2**2 + 1) / 3
    assert gain(("a", "b", "c"), [("a", "b")]) == 1 / 3


def test_centrality_prefers_what_is_like_the_rest() -> None:
    documents = [(("a", "b", "c"), ("a", "b", "d")), (("a", "c", "b"), ("x", "y", "z"))]
    gain = summarisers.centrality(documents, 0.1)
    odd = gain(("x", "y", "z"), [])
    assert all(gain(s, []) > odd for s in (("a", "b", "c"), ("a", "b", "d"), ("a", "c", "b")))
    assert gain(("a", "c", "b"), [("a", "b", "c")]) < gain(("a", "c", "b"), [])
