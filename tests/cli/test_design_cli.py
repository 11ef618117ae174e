"""``betterthan power`` and ``betterthan study``: what they print, and how they exit."""

import html
import json
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Rates
from conftest import Run

Command = Callable[..., Run]


@pytest.fixture
def collection(demo_folder: Path) -> Path:
    """Twelve systems of three labs on 300 items of two domains, wide and long."""
    rng = np.random.default_rng(0)
    item = rng.normal(size=300)
    names, columns = [], []
    for lab in "xyz":
        house = item + rng.normal(size=300)
        for k in range(4):
            names.append(f"{lab}-{k}")
            columns.append((house + rng.normal(size=300) > 0.03 * k).astype(int))
    lines = [",".join(["item", "domain", *names])]
    for i in range(300):
        domain = "news" if i < 150 else "law"
        lines.append(",".join([f"q{i}", domain, *(str(c[i]) for c in columns)]))
    path = demo_folder / "runs.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    long = ["item,system,lab,score"]
    long += [
        f"q{i},{name},{name[0]},{column[i]}"
        for name, column in zip(names, columns, strict=True)
        for i in range(300)
    ]
    (demo_folder / "long.csv").write_text("\n".join(long) + "\n", encoding="utf-8")
    labels = ["system,lab", *(f"{name},{name[0]}" for name in names)]
    (demo_folder / "labs.csv").write_text("\n".join(labels) + "\n", encoding="utf-8")
    return demo_folder


def test_power_answers_the_question_left_open(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan(
        "power", "--accuracy", "0.8", "--agreement", "0.975", "--effect", "2", "-n", "500"
    )
    assert run.code == 0
    assert "500 items detect +2 points with power 79.8 %" in run.out
    assert "exact" in run.out
    needed = betterthan("power", "--agreement", "0.9", "--mde", "2", "-f", "json")
    (row,) = json.loads(needed.out)["rows"]
    assert row["solved_for"] == "items"
    assert row["items"] == bt.power(Rates(agreement=0.9), effect=0.02, power=0.8).items
    least = betterthan("power", "--sd", "17", "--items", "2000")
    assert "2,000 items detect +1.07" in least.out


def test_power_from_pilots(demo_folder: Path, betterthan: Command) -> None:
    assert "480 items detect +6.1 points" in betterthan("power", "qa.csv").out
    clustered = betterthan("power", "qa.csv", "--cluster", "document", "-n", "480", "--mde", "4")
    assert clustered.code == 0
    rated = betterthan(
        "power", "ratings.csv", "--response", "rater", "--repeats", "2", "--mde", "0.2"
    )
    assert "t-test" in rated.out
    spent = betterthan(
        *("power", "ratings.csv", "--response", "rater", "--repeats", "1", "--mde", "0.2"),
        *("--budget", "1000", "--item-cost", "3"),
    )
    assert "best: 200 items x 2 repeats" in spent.out


@pytest.mark.parametrize(
    ("options", "promised"),
    [
        ("qa.csv --systems atlas --cluster document", "+3 points with power 80"),
        ("qa.csv -s base -s atlas --metric mean --alternative greater --alpha 0.1", "power 80"),
        ("odd.csv --item 'the id' --system who --label year --lower-is-better", "power 80"),
        ("-m wer --ref outputs/gold.txt outputs/base.txt outputs/new.txt", ""),
    ],
)
def test_the_hints_of_compare_can_be_pasted(
    demo_folder: Path, betterthan: Command, options: str, promised: str
) -> None:
    rows = [f"{i},{who},{2000 + i},{i * 7 % 5 + k * (i % 3)}"
            for k, who in enumerate(("x y", "z")) for i in range(30)]  # fmt: skip
    Path("odd.csv").write_text("\n".join(["the id,who,year,score", *rows, ""]), encoding="utf-8")
    run = betterthan("compare", *shlex.split(options))
    assert run.code == 0, run.err
    hints = run.err[run.err.index("Next: ") + 6 :].splitlines()
    assert len(hints) == (3 if promised else 2)
    for hint in hints:
        command, *words = shlex.split(hint)
        assert command == "betterthan"
        pasted = betterthan(*words)
        assert pasted.code == 0, f"{hint}\n{pasted.err}"
    assert promised in pasted.out
    signature = run.out.rpartition("signature: ")[2].strip()
    report = html.unescape(Path("report.html").read_text(encoding="utf-8"))
    assert signature in report  # it is the same run


def test_no_hints_beside_data(demo_folder: Path, betterthan: Command) -> None:
    assert "Next:" not in betterthan("compare", "qa.csv", "-f", "json").err


@pytest.mark.parametrize("style", ["md", "json", "csv", "latex", "table"])
def test_every_format_of_power(demo_folder: Path, betterthan: Command, style: str) -> None:
    run = betterthan("power", "--agreement", "0.9", "--mde", "3", "-n", "400", "-f", style)
    assert run.code == 0
    assert "400" in run.out


def test_power_is_drawn(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("power", "--agreement", "0.9", "--mde", "3", "--plot", "power.png")
    assert run.code == 0
    assert (demo_folder / "power.png").stat().st_size > 5000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "one of the three"),
        (["qa.csv", "--sd", "1"], "one of the three"),
        (["--sd", "1", "--agreement", "0.9"], "one of the three"),
        (["--accuracy", "1.7", "--mde", "2"], "between 0 and 1"),
        (["--accuracy", "0.9", "--agreement", "0.2", "--mde", "2"], "is impossible"),
        (["--agreement", "0.9", "--items", "0", "--mde", "2"], "at least one item"),
        (["--agreement", "0.9", "--mde", "20", "--items", "50"], "impossible"),
        (["--agreement", "0.9", "--budget", "100"], "--budget trades"),
        (["--agreement", "0.9", "--mde", "0.001"], "detecting 0.001 points needs more"),
        (["--agreement", "0.9", "--mde", "-2", "--alternative", "greater"], "does not look at"),
        (["qa.csv", "--mde", "2", "--baseline", "atlas", "--candidate", "atlas"], "with itself"),
    ],
)
def test_bad_designs(
    demo_folder: Path, betterthan: Command, words: list[str], message: str
) -> None:
    run = betterthan("power", *words)
    assert run.code == 2, run.out
    assert message in run.err
    assert "Traceback" not in run.err


def test_study_of_gains_by_group(collection: Path, betterthan: Command) -> None:
    table = betterthan("study", "gains", "runs.csv", "--groups", "labs.csv", "--plot", "gains.png")
    assert table.code == 0
    assert (collection / "gains.png").stat().st_size > 5000
    named = betterthan("study", "gains", "runs.csv", "--group-by", "^[a-z]")
    column = betterthan("study", "gains", "long.csv", "--group-column", "lab")
    assert table.out == named.out
    rows = [line.split()[:2] for line in table.out.splitlines() if line.startswith("  same")]
    assert rows == [
        line.split()[:2] for line in column.out.splitlines() if line.startswith("  same")
    ]
    assert "usually significant" in table.out
    assert "! a threshold holds for this test set" in table.out
    document = json.loads(betterthan("study", "gains", "runs.csv", "-f", "json").out)
    assert document["schema"] == "betterthan/thresholds/1"
    assert len(document["gains"]) == 66


def test_study_of_sizes_and_domains(collection: Path, betterthan: Command) -> None:
    sizes = betterthan("study", "gains", "runs.csv", "--size", "100", "--size", "300")
    assert "100 items" in sizes.out
    domains = betterthan("study", "gains", "runs.csv", "--by", "domain")
    assert "domain=law" in domains.out
    both = betterthan("study", "gains", "runs.csv", "--by", "domain", "--size", "100")
    assert both.code == 2


def test_study_of_calibration(collection: Path, betterthan: Command) -> None:
    run = betterthan(
        *("study", "calibration", "runs.csv", "--size", "100", "--test-sets", "2"),
        *("--plot", "calibration.png"),
    )
    assert run.code == 0
    assert "66 pairs of systems on 2 test sets of 100 items" in run.out
    assert (collection / "calibration.png").stat().st_size > 5000
    across = betterthan("study", "calibration", "runs.csv", "--by", "domain", "--on", "news")
    assert "agree with law" in across.out


def test_ways_to_count_on_the_command_line(collection: Path, betterthan: Command) -> None:
    gains = ("study", "gains", "runs.csv", "-f", "json")
    usual = json.loads(betterthan(*gains).out)
    strict = json.loads(betterthan(*gains, "--strict").out)
    pairs = zip(usual["gains"], strict["gains"], strict=True)
    assert all(s["pvalue"] <= u["pvalue"] for u, s in pairs)
    assert usual != strict
    drawn = json.loads(betterthan(*gains, "--method", "sample", "--resamples", "499").out)
    for pair in drawn["gains"]:  # (1 + hits) / 500
        assert 500 * pair["pvalue"] == pytest.approx(round(500 * pair["pvalue"]))
    wide = json.loads(
        betterthan(*gains, "--band", ".01,.2", "--percentile", "50", "--variant", "sign").out
    )
    assert wide["band"] == [0.01, 0.2]
    assert wide["percentile"] == 50
    narrow, broad = (betterthan("study", "gains", "runs.csv", *more).out
                     for more in ((), ("--band", ".01,.2")))  # fmt: skip
    assert narrow != broad
    assert betterthan(*gains, "--band", ".05").code == 2
    compared = ("compare", "runs.csv", "-s", "x-0,y-0", "-f", "json")
    boot = (*compared, "--test", "bootstrap")
    printed, counted = (
        json.loads(betterthan(*boot, *more).out)["comparisons"][0]["pvalue"]
        for more in (("--strict",), ())
    )
    assert printed < counted
    assert betterthan(*boot, "--variant", "sign", "--recentre", "--resamples", "500").code == 0
    refused = betterthan(*compared, "--strict")
    assert refused.code == 2
    assert "bootstrap" in refused.err


def test_calibration_in_bins_of_ones_own(collection: Path, betterthan: Command) -> None:
    words = ("study", "calibration", "runs.csv", "--size", "100", "--test-sets", "2", "-f", "json")
    document = json.loads(betterthan(*words, "--bins", "0,.1,.5,1", "--band", ".01,.1").out)
    bins = [(row["low"], row["high"]) for row in document["rows"]]
    assert bins[:3] == [(0, 0.1), (0.1, 0.5), (0.5, 1)]
    assert betterthan(*words, "--bins", ".5,.1").code == 2


def test_studies_of_raw_outputs(demo_folder: Path, betterthan: Command) -> None:
    rng = np.random.default_rng(0)
    names = ["gold.conllu", "a.conllu", "b.conllu", "c.conllu"]
    for name, share in zip(names, (0.0, 0.1, 0.2, 0.3), strict=True):
        blocks = []
        for _ in range(60):
            heads = (2, 0) if rng.random() >= share else (0, 1)
            rows = (f"{j + 1}\tw\tw\tX\t_\t_\t{head}\tdep\t_\t_" for j, head in enumerate(heads))
            blocks.append("\n".join(rows))
        Path(name).write_text("\n\n".join(blocks) + "\n\n", encoding="utf-8")
    words = ("--metric", "uas", "--gold", *names, "-f", "json", "--resamples", "300")
    found = betterthan("study", "gains", *words)
    assert found.code == 0, found.err
    assert len(json.loads(found.out)["gains"]) == 3
    sets = betterthan("study", "calibration", *words, "--size", "30", "--test-sets", "2")
    assert sets.code == 0, sets.err


def test_training_sets_are_written(demo_folder: Path, betterthan: Command) -> None:
    Path("train.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    words = ("study", "training", "train.txt", "--size", "4,2", "--copies", "1,3", "-o", "sets")
    run = betterthan(*words)
    assert run.code == 0, run.out
    assert "4 training sets to sets, drawn from 4 lines" in run.out
    assert len(Path("sets/2-3/train.txt").read_text(encoding="utf-8").splitlines()) == 2
    again = betterthan(*words)
    assert again.code == 2
    assert "not empty" in again.err


def test_study_of_false_alarms(demo_folder: Path, betterthan: Command) -> None:
    run = betterthan("study", "aa", "qa.csv", "--test", "permutation", "--test", "t",
                     "--simulations", "100", "--cluster", "document")  # fmt: skip
    assert run.code == 0
    assert "100 null test sets of 480 items" in run.out
    seeds = betterthan("study", "aa", "ratings.csv", "--null", "seeds", "--simulations", "50")
    assert "two responses of one system" in seeds.out


def test_study_of_published_scores(demo_folder: Path, betterthan: Command) -> None:
    listed = betterthan("study", "published")
    assert listed.code == 0
    for number in ("1.10", "1.20", "1.51", "0.28", "0.37", "0.50", "1.12", "0.47", "0.57"):
        assert number in listed.out
    own = betterthan("study", "published", "qa.csv", "--candidate", "atlas", "--published", "70")
    assert "+2.08 points: 72.08" in own.out
    assert "overlaps the published point" in own.out
    assert betterthan("study", "published", "qa.csv", "--candidate", "atlas").code == 2


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["gains", "runs.csv", "--group-by", "("], 2, "regular expression"),
        (["gains", "runs.csv", "--group-by", "lab(.)"], 2, "finds no group"),
        (["gains", "runs.csv", "--group-by", "x", "--groups", "labs.csv"], 2, "give one of"),
        (["gains", "long.csv", "--group-column", "planet"], 2, "planet"),
        (["gains", "runs.csv", "--groups", "runs.csv"], 4, "two, system and group"),
        (["gains", "runs.csv", "--groups", "nowhere.csv"], 4, "no file nowhere.csv"),
        (["gains", "runs.csv", "--groups", "empty.csv"], 4, "is empty"),
        (["gains", "runs.csv", "--groups", "junk.csv"], 4, "binary"),
        (["gains", "runs.csv", "--groups", "two.csv"], 4, "two groups"),
        (["gains", "runs.csv", "--groups", "few.csv"], 2, "has no group"),
        (["gains", "runs.csv", "--test", "magic"], 2, "test is one of"),
        (["calibration", "runs.csv", "--by", "domain"], 2, "on names the domain"),
        (["published", "--metric", "meteor"], 2, "no threshold is published"),
        (["aa", "runs.csv", "--candidate", "x-0"], 2, "with itself"),
    ],
)
def test_bad_studies(
    collection: Path, betterthan: Command, words: list[str], code: int, message: str
) -> None:
    (collection / "empty.csv").touch()
    (collection / "junk.csv").write_bytes(bytes(range(256)))
    (collection / "two.csv").write_text("system,lab\nx-0,x\nx-0,y\n", encoding="utf-8")
    (collection / "few.csv").write_text("system,lab\nx-0,x\n", encoding="utf-8")
    run = betterthan("study", *words)
    assert run.code == code, run.err
    assert message in run.err
    assert run.out == ""
