"""Names that turn a verdict round: costs, rows that sum up the others, columns that are no system.

Every table here has a reading in which a verdict would be wrong; what is asked about has an answer
that is tried as well, and names that only look like them are left alone.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

import betterthan as bt
from betterthan.data.frames.score_names import is_measure
from betterthan.data.frames.summing import summarises
from betterthan.errors import FormatError, UsageError
from betterthan.metrics.costs import is_cost
from conftest import Run

N = 40
BASE = [0] * 10 + [1] * 3 + [1] * 27
NEW = [1] * 10 + [0] * 3 + [1] * 27
TOTALS, MEANS = (30, 37), (0.75, 0.925)
IDS = [f"q{k}" for k in range(N)]


def with_rows(
    rows: Sequence[tuple[object, float, float]],
    *,
    first: bool = False,
    ids: Sequence[object] = IDS,
    item: str = "item",
) -> pl.DataFrame:
    """A table of 40 items and rows of another kind, at its end or at its beginning."""
    items = list(zip(ids, BASE, NEW, strict=True))
    every = [*rows, *items] if first else [*items, *rows]
    names, base, new = zip(*every, strict=True)
    return pl.DataFrame({item: map(str, names), "base": base, "new": new}, strict=False)


def test_the_sums_are_those_of_the_scores() -> None:
    assert (sum(BASE), sum(NEW)) == TOTALS
    assert (sum(BASE) / N, sum(NEW) / N) == MEANS


COSTS = (
    "brier_score toxicity_score hallucination_score loss_score wer_score BrierScore incorrect "
    "wrong n_wrong fail failed failure failures fail_rate cross_entropy CrossEntropy cross-entropy "
    "crossentropy bits_per_byte surprisal distance edit_distance levenshtein abs_err eer fid fpr "
    "fnr fp fn n_fp false_positives falseNegatives miss_rate violations harmful unsafe regret "
    "penalty ms elapsed_ms usd cost_usd dollars memory_mb rank mean_rank avg-rank position delay "
    "retries energy missed slowdown negative_log_likelihood neg_log_prob disagreement gap"
).split()
GAINS = (
    "score accuracy correct f1 bleu gpt-4 base failsafe harmless wrongness distances-model "
    "pass pass@1 pass/fail pass_fail FAIL_TO_PASS fp16 fp8 fn2vec ms-marco-a gb-model answer(s) "
    "BERTScore bert_score true_positives entropy is_correct missing message forms systems s "
    "reciprocal_rank mrr ranknet rank1 log_likelihood positional"
).split()


@pytest.mark.parametrize("name", [*COSTS, "wall clock (s)", "time [s]", "generation (ms)"])
def test_costs(name: str) -> None:
    assert is_cost(name)


@pytest.mark.parametrize("name", [*GAINS, "answer (short)", "Score (system s)"])
def test_no_costs(name: str) -> None:
    assert not is_cost(name)


@pytest.mark.parametrize("name", ["brier_score", "incorrect", "edit_distance", "false_positives"])
def test_a_cost_gives_no_verdict_until_its_direction_is_known(name: str) -> None:
    long = pl.DataFrame(
        {
            "item": [k for k in range(N) for _ in "ab"],
            "system": ["base", "new"] * N,
            name: [x for k in range(N) for x in (k % 2, int(k % 5 > 0))],
        }
    )
    with pytest.raises(UsageError, match=f"less of '{name}' is usually better"):
        bt.compare(bt.read(long), "base", "new")
    lower = bt.compare(bt.read(long, lower_is_better=True), "base", "new")
    assert lower.verdict == "worse"  # it has more of what is bad


def test_counts_of_an_f1_are_no_costs_of_their_own() -> None:
    counts = {"tp": [5, 9] * N, "fp": [4, 1] * N, "fn": [3, 0] * N}
    long = {"item": [k for k in range(N) for _ in "ab"], "system": ["base", "new"] * N}
    scores = bt.read(pl.DataFrame(long | counts))
    for metric in ("f1", "precision", "recall"):
        assert bt.compare(scores, "base", "new", metric=metric).verdict == "better"
    with pytest.raises(UsageError, match="less of 'fp'"):
        bt.compare(scores, "base", "new", metric="mean(fp)")


@pytest.mark.parametrize(
    "systems",
    [("fp16", "fp8"), ("distance-model", "time-llm"), ("fail-net", "base"), ("ms-a", "usd-b")],
)
def test_systems_with_such_words_in_their_names(systems: tuple[str, str]) -> None:
    wide = pl.DataFrame({"item": IDS, systems[0]: BASE, systems[1]: NEW})
    assert bt.compare(bt.read(wide)).delta == pytest.approx(17.5 / 100)


def test_measures_of_two_words() -> None:
    assert all(
        map(is_measure, ("cross_entropy", "Cross-Entropy", "bits_per_byte", "edit distance"))
    )
    wide = pl.DataFrame({"item": IDS, "base_acc": BASE, "new_cross_entropy": NEW})
    with pytest.raises(FormatError, match="named by different measures"):
        bt.read(wide)


SUMS = (
    "Total|TOTAL:|Grand Total|Subtotal A|sub-total 3|Totals|Avg.|avg|Average|Overall accuracy|"
    "Mean score|Mean (n=40)|Mean [95% CI]|macro avg|weighted avg|Overall mean|all|ALL|All items|"
    "Gesamt|Summe|Durchschnitt|平均|合计|**Average**|mean|median|std|count|mean and std"
).split("|")
ITEMS = (
    "x17|sum_3|mean_001|total recall|meaning|Mean Girls|allow|all_17|overalls|average joe|totally|"
    "counter|stdlib|summary of the book|media|item|17|max|summer"
).split("|")


@pytest.mark.parametrize("name", SUMS)
def test_names_of_sums(name: str) -> None:
    assert summarises(name)
    with pytest.raises(FormatError, match=r"the last item is called .* sums up the others"):
        bt.read(with_rows([(name, *MEANS)]))


@pytest.mark.parametrize("name", ITEMS)
def test_names_of_items(name: str) -> None:
    assert not summarises(name)
    for first in (True, False):
        assert bt.read(with_rows([(name, 1, 0)], first=first)).n == N + 1


@pytest.mark.parametrize("values", [TOTALS, MEANS, (0.8, 0.9)])
def test_a_first_row_that_sums_up(values: tuple[float, float]) -> None:
    for name in ("Total", "Grand Total", "Mean (n=40)"):
        with pytest.raises(FormatError, match="the first item is called"):
            bt.read(with_rows([(name, *values)], first=True))


def test_two_rows_that_sum_up_and_one_below_them() -> None:
    rows = [("Total", *TOTALS), ("Avg.", *MEANS)]
    for some in (rows, rows[::-1]):
        with pytest.raises(FormatError, match="the last item is called"):
            bt.read(with_rows(some))
    with pytest.raises(FormatError, match=r"an item is called 'Avg\.'"):
        bt.read(with_rows([*rows, ("as of May", 0, 0)][1:]))


@pytest.mark.parametrize("values", [TOTALS, MEANS, (0.8, 0.93), (0.75, 0.9)])
def test_a_row_that_stands_out_and_sums_up(values: tuple[float, float]) -> None:
    """By its numbers, with the decimals that they were written with: 0.8 may be 0.75, not 0.7."""
    for ids in (IDS, range(N)):
        with pytest.raises(FormatError, match="the last item is called 'Ø'"):
            bt.read(with_rows([("Ø", *values)], ids=ids))
        other = (values[0] - 0.1, values[1])
        assert bt.read(with_rows([("Ø", *other)], ids=ids), systems="base,new").n == N + 1


@pytest.mark.parametrize(
    ("values", "refused"), [(TOTALS, True), (MEANS, True), ((1, 0), False), ((30, 36), False)]
)
def test_rows_without_names(values: tuple[float, float], refused: bool) -> None:
    frame = with_rows([("", *values)]).drop("item")
    if not refused:
        assert bt.read(frame, systems="base,new").n == N + 1
        return
    with pytest.raises(FormatError, match="row 41 holds the sum or the mean of the others"):
        bt.read(frame)
    named = frame.with_columns(item=pl.Series([f"q{k}" for k in range(N + 1)]))  # the remedy
    assert bt.read(named).n == N + 1


@pytest.mark.parametrize(
    ("base", "new"),
    [
        ([0] * 8 + [0], [0] * 8 + [0]),  # constant: sum and mean alike
        ([1] * 8 + [1], [1] * 8 + [1]),
        ([0, 0, 1, 0, 1, 0, 0, 2], [0, 1, 0, 0, 0, 1, 0, 2]),  # a few errors, and as many again
        ([1, 0, 1], [0, 1, 1]),
        ([1, 2, 3], [1, 1, 2]),
        ([0, 1] * 8 + [0.5], [1, 0] * 8 + [0.5]),  # half a point, as some items have
    ],
)
def test_rows_that_only_happen_to_sum_up(base: list[float], new: list[float]) -> None:
    frame = pl.DataFrame({"base": base, "new": new}, strict=False)
    assert bt.read(frame, systems="base,new").n == len(base)


def test_labels_that_sum_up() -> None:
    kinds = [f"c{k % 4}" for k in range(N)]
    with pytest.raises(FormatError, match="row 41 has 'Total' in column 'category'"):
        bt.read(with_rows([("Total", *TOTALS)], ids=kinds, item="category"))
    numbered = with_rows([("Total", *TOTALS)], ids=kinds, item="category").with_row_index("item")
    with pytest.raises(FormatError, match="row 41 has 'Total'"):
        bt.read(numbered)
    overall = ["overall", "detail"] * (N // 2)  # a kind of question
    assert bt.read(with_rows([("overall", 1, 0)], ids=overall, item="category")).n == N + 1


def test_words_of_a_list() -> None:
    words = ["all", "and", *IDS[2:20], "mean", "all of", *IDS[22:]]
    assert bt.read(with_rows([], ids=words)).n == N


def test_long_tables_have_a_sum_per_system() -> None:
    wide = with_rows([("Ø", *TOTALS)])
    long = wide.unpivot(index="item", variable_name="system", value_name="score")
    for frame in (long, long.sort("system", maintain_order=True), long.reverse()):
        with pytest.raises(FormatError, match="item is called 'Ø'"):
            bt.read(frame)
    assert bt.read(long.filter(pl.col("item") != "Ø")).n == N


def test_a_description_of_scores_has_no_items() -> None:
    rows = ["count", "mean", "std", "min", "25%", "50%", "75%", "max"]
    base = [40, 0.75, 0.44, 0, 0.75, 1, 1, 1]
    frame = pl.DataFrame({"": rows, "base": base, "new": base}, strict=False)
    with pytest.raises(FormatError, match=r"describe\(\) in pandas.*there are no items"):
        bt.read(frame)


def battles(first: Sequence[str], second: Sequence[str], **names: str) -> pl.DataFrame:
    columns = {"model_a": first, "model_b": second, "score_a": BASE, "score_b": NEW}
    return pl.DataFrame({"question_id": IDS} | columns).rename(names)


def test_scores_of_battles_are_no_systems(betterthan: Callable[..., Run], tmp_path: Path) -> None:
    first, second = ["new", "base"] * (N // 2), ["base", "new"] * (N // 2)
    frame = battles(first, second)
    for names in ({}, {"model_a": "Model 1", "model_b": "Model 2"}, {"model_b": "model_b"}):
        with pytest.raises(FormatError, match="say which two systems a row is about"):
            bt.read(frame.rename(names))
    frame.write_csv(tmp_path / "a.csv")
    run = betterthan("compare", str(tmp_path / "a.csv"))
    assert (run.code, run.out) == (4, "")
    assert "'score_a', 'score_b' are scores of other systems from row to row" in run.err
    judged = frame.drop("score_a", "score_b").with_columns(
        winner=pl.Series(["model_a", "model_b"] * (N // 2))
    )
    judged.write_csv(tmp_path / "b.csv")  # the remedy: new wins throughout
    assert (
        "new is BETTER than base"
        in betterthan("compare", str(tmp_path / "b.csv"), "-b", "base").out
    )


def test_battles_of_the_same_two_throughout() -> None:
    frame = battles(["base"] * N, ["new"] * N)
    assert bt.read(frame).systems == ("score_a", "score_b")


NO_SYSTEMS = (
    "gold_label reference answer delta avg average best max_score version chunk part k agreement "
    "Average Gold-Label ground_truth category n_shots"
).split()
SYSTEMS = (
    "gpt-4 baseline old human oracle best-of-4 best_model k-means kNN average-pooling v2 part-a "
    "reference-free answerer deltanet versions chunked llama base_mean topical"
).split()


@pytest.mark.parametrize("name", NO_SYSTEMS)
def test_columns_beside_systems_are_asked_about(name: str) -> None:
    extra = [k % 3 % 2 for k in range(N)]
    frame = pl.DataFrame({"item": IDS, name: extra, "base": BASE, "new": NEW})
    with pytest.raises(FormatError, match=f"'{name}' is named like what describes") as asked:
        bt.read(frame)
    assert [(remedy.parameter, remedy.value) for remedy in asked.value.remedies] == [
        ("columns", {"label": name}),
        ("systems", [name, "base", "new"]),
    ]
    assert bt.read(frame, columns={"label": name}).systems == ("base", "new")
    assert bt.read(frame, systems=f"{name},base,new").systems == (name, "base", "new")
    assert bt.read(frame, systems="base,new").systems == ("base", "new")


@pytest.mark.parametrize("name", SYSTEMS)
def test_systems_are_not_asked_about(name: str) -> None:
    frame = pl.DataFrame({"item": IDS, name: NEW, "base": BASE, "new": NEW})
    assert bt.read(frame).systems == (name, "base", "new")


@pytest.mark.parametrize("name", ["avg", "agreement", "average"])
def test_they_may_be_the_score_of_a_long_table(name: str) -> None:
    long = pl.DataFrame({"item": IDS * 2, "system": ["base"] * N + ["new"] * N, name: BASE + NEW})
    assert bt.read(long).columns == (name,)


# A majority class is 1 on 30 of 40 items: who always answers 1 has a mean of 1 and is right on 30.
ANSWERS = (
    "prediction pred y_pred predicted predicted_label answer output choice class guess "
    "model_answer generated hypothesis Prediction pred-label"
).split()


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("gold", [False, True])
def test_answers_are_no_scores(tmp_path: Path, name: str, gold: bool) -> None:
    files = []
    for system, answers in (("base", BASE), ("new", NEW)):
        frame = pl.DataFrame({"id": IDS, name: answers} | ({"gold": BASE} if gold else {}))
        frame.write_csv(tmp_path / f"{system}.csv")
        files.append(tmp_path / f"{system}.csv")
    for metric in (None, name):
        with pytest.raises(FormatError, match=f"'{name}' is named as what a system answered"):
            bt.read(*files, metric=metric)
    assert bt.read(*files, columns={"score": name}).systems == ("base", "new")
    long = pl.concat(pl.read_csv(f).with_columns(system=pl.lit(f.stem)) for f in files)
    with pytest.raises(FormatError, match=f"'{name}' is named as what a system answered"):
        bt.read(long)


@pytest.mark.parametrize("name", ["pred_{}", "{}_pred", "{} prediction", "answer.{}", "output-{}"])
def test_answers_of_each_system_are_no_scores(name: str) -> None:
    systems = [name.format(system).replace(".", "_") for system in ("base", "new")]
    frame = pl.DataFrame({"id": IDS, systems[0]: BASE, systems[1]: NEW})
    with pytest.raises(FormatError, match="are named as what a system answered"):
        bt.read(frame)
    with pytest.raises(FormatError, match="are named as what a system answered"):
        bt.read(frame.with_columns(y_true=pl.Series(BASE)))
    assert bt.read(frame, systems=systems).systems == tuple(systems)


@pytest.mark.parametrize("names", [("output-net", "base"), ("answerer", "predictor")])
def test_names_that_only_hold_such_a_word(names: tuple[str, str]) -> None:
    assert bt.read(pl.DataFrame({"id": IDS, names[0]: BASE, names[1]: NEW})).systems == names
