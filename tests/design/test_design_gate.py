"""The gate: its rule, its exit codes, its plan, its reports."""

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import betterthan as bt
from betterthan.design import Check, Plan, gate, read_plan, seal
from betterthan.design.gate import Goal
from betterthan.errors import BetterthanError, FormatError, UsageError
from betterthan.render.gates import render_gate
from conftest import Run

Command = Callable[..., Run]


def accuracies(wins: int, losses: int, n: int) -> bt.Scores:
    """Two systems with so many discordant items."""
    base = np.array([0] * wins + [1] * losses + [1] * (n - wins - losses))
    new = np.array([1] * wins + [0] * losses + [1] * (n - wins - losses))
    return bt.Scores.from_arrays({"base": base, "new": new})


@pytest.mark.parametrize(
    ("wins", "losses", "ruling", "code"),
    [
        (5, 5, "PASS", 0),
        (60, 5, "PASS", 0),
        (0, 0, "PASS", 0),
        (5, 40, "REGRESSION", 1),
        (20, 28, "CAN'T TELL", 3),
    ],
)
def test_the_rule(wins: int, losses: int, ruling: str, code: int) -> None:
    found = gate(accuracies(wins, losses, 400), margin=3)
    (check,) = found.checks
    assert (found.ruling, found.exit_code) == (ruling, code)
    assert (check.interval.low > -0.03) == (ruling == "PASS")
    if ruling != "PASS":
        assert (check.interval.high < 0) == (ruling == "REGRESSION")
    assert (check.pvalue <= 0.05) == (ruling == "PASS")
    assert check.interval.level == pytest.approx(0.9)
    assert check.delta == pytest.approx((wins - losses) / 400)


def test_a_small_loss_within_the_margin_passes_and_is_said() -> None:
    found = gate(accuracies(0, 20, 4000), margin=2)
    assert found.ruling == "PASS"
    assert "worse, but surely by less" in found.checks[0].notes[0]


@pytest.mark.parametrize(
    ("goal", "wins", "losses", "ruling"),
    [
        ("superior", 80, 10, "PASS"),
        ("superior", 20, 15, "CAN'T TELL"),
        ("superior", 5, 40, "REGRESSION"),
        ("equivalent", 3, 3, "PASS"),
        ("equivalent", 80, 10, "CAN'T TELL"),
        ("equivalent", 5, 40, "REGRESSION"),
        ("non-inferior", 80, 10, "PASS"),
    ],
)
def test_goals(goal: Goal, wins: int, losses: int, ruling: str) -> None:
    found = gate(accuracies(wins, losses, 400), margin=3, goal=goal)
    assert found.ruling == ruling
    if goal == "equivalent" and ruling == "PASS":
        low, high = found.checks[0].interval.low, found.checks[0].interval.high
        assert -0.03 < low < high < 0.03


def test_direction_is_respected() -> None:
    base = np.tile([1.0, 2.0, 3.0, 4.0], 50)
    slower = bt.Scores.from_arrays(
        {"base": base, "new": base + np.tile([0.4, 0.6], 100)}, lower_is_better=True
    )
    assert gate(slower, margin=0.1).ruling == "REGRESSION"
    assert gate(slower, "new", "base", margin=0.1).ruling == "PASS"
    assert gate(slower, margin=0.7).ruling == "PASS"


def test_margins_are_in_the_printed_unit() -> None:
    scores = accuracies(30, 25, 1000)
    found = gate(scores, margin=2.0)
    assert found.checks[0].margin == pytest.approx(0.02)
    real = bt.Scores.from_arrays({"a": np.linspace(0, 9, 50), "b": np.linspace(0.1, 9.2, 50)})
    assert gate(real, margin=0.5).checks[0].margin == 0.5


def test_all_metrics_must_pass_and_any_regression_stops() -> None:
    rng = np.random.default_rng(0)
    quick = rng.random((300, 2)) < 0.8
    same, worse = quick.copy(), quick.copy()
    worse[:40, 1] = False
    for candidate, ruling in ((same, "PASS"), (worse, "REGRESSION")):
        scores = bt.Scores.from_arrays({"base": quick, "new": candidate}, columns=("a", "b"))
        found = gate(scores, checks=[Check("mean(a)", 3), Check("mean(b)", 3)])
        assert found.ruling == ruling
        assert found.correction == "holm"
    assert [c.ruling for c in found.checks] == ["PASS", "REGRESSION"]
    alone = gate(scores, checks=[Check("mean(b)", 3)]).checks[0]
    assert found.checks[1].pvalue_regression_adjusted == 2 * alone.pvalue_regression


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"margin": -2.0}, "at least 0"),
        ({"margin": 0.0}, "no room"),
        ({"margin": 100.0}, "accepts anything"),
        ({"margin": float("nan")}, "at least 0"),
        ({}, "needs a margin"),
        ({"margin": 2.0, "alpha": 0.6}, "alpha"),
        ({"margin": 2.0, "correction": "bh"}, "correction"),
        ({"margin": 2.0, "goal": "best"}, "goal"),
        ({"margin": 2.0, "candidate": "base"}, "itself"),
        ({"margin": 2.0, "candidate": "nobody"}, "nobody"),
        ({"checks": []}, "either"),
        ({"checks": [Check(None, 1.0), Check("mean", 2.0)]}, "twice"),
    ],
)
def test_bad_gates_are_clear_errors(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        gate(accuracies(3, 4, 50), **options)  # type: ignore[arg-type]


def test_a_margin_meant_in_points_is_caught() -> None:
    scores = bt.Scores.from_arrays({"a": [0.1, 0.5, 0.9], "b": [0.2, 0.5, 0.8]})
    with pytest.raises(UsageError, match="own unit, not in points"):
        gate(scores, margin=2)


# -- plans -----------------------------------------------------------------------------------------

PLAN = """# What a release must show.
[gate]
alpha = 0.05
correction = "holm"

[[gate.checks]]
metric = "accuracy"
margin = 2
"""


def test_a_plan_is_read_and_hashed(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text(PLAN, encoding="utf-8")
    plan = read_plan(path)
    assert plan == Plan((Check("accuracy", 2.0),))
    other_words = PLAN.replace("margin = 2\n", "margin = 2.0  # points\n").replace(
        "# What", "# That"
    )
    path.write_text(other_words, encoding="utf-8")
    assert read_plan(path).hash == plan.hash
    for changed in ("margin = 3", 'margin = 2\ngoal = "equivalent"'):
        path.write_text(PLAN.replace("margin = 2", changed), encoding="utf-8")
        assert read_plan(path).hash != plan.hash
    path.write_text("[gate]\nmetric = 'accuracy'\nmargin = 2\n", encoding="utf-8")
    assert read_plan(path).hash == plan.hash


def test_a_sealed_plan_notices_a_change(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text(PLAN, encoding="utf-8")
    made = seal(path)
    assert read_plan(path).hash == made
    assert path.read_text(encoding="utf-8").startswith(
        "# What a release must show.\n[gate]\nsealed"
    )
    assert seal(path) == made
    assert path.read_text(encoding="utf-8").count("sealed") == 1
    path.write_text(
        path.read_text(encoding="utf-8").replace("margin = 2", "margin = 5"), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="changed after it was sealed"):
        read_plan(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gate = [", "not a TOML"),
        ("[other]\n", "no \\[gate\\]"),
        ("[gate]\n", "needs a margin"),
        ("[gate]\nmargin = 'two'\n", "number"),
        ("[gate]\nmargin = 2\nmargn = 3\n", "margn"),
        ("[gate]\nmargin = 2\nalpha = 2\n", "alpha"),
        ("[gate]\nmargin = 2\ncorrection = 'magic'\n", "correction"),
        ("[gate]\nmargin = 2\ngoal = 'best'\n", "goal"),
        ("[gate]\nmargin = 2\nmetric = 3\n", "metric"),
        ("[gate]\nchecks = []\n", "one or more"),
        ("[gate]\nmargin = 2\n[[gate.checks]]\nmargin = 2\n", "not both"),
        ("[gate]\nchecks = [3]\n", "table"),
        ("[gate]\nmargin = true\n", "number"),
    ],
)
def test_bad_plans_are_clear_errors(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_plan(path)


# -- the command -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--candidate", "atlas", "--margin", "2"], 0, "PASS   +10.0 points ["),
        (["-b", "atlas", "--candidate", "base", "--margin", "2"], 1, "REGRESSION   -10.0 points ["),
        (["--candidate", "birch", "--margin", "2"], 3, "CAN'T TELL   +1.0 points ["),
        (["--candidate", "birch", "--margin", "2", "--cluster", "document"], 3, "160 clusters"),
        (["--candidate", "birch", "--margin", "8", "--goal", "equivalent"], 0, "two one-sided"),
    ],
)
def test_every_exit_code(
    demo_folder: Path, betterthan: Command, words: list[str], code: int, said: str
) -> None:
    run = betterthan("gate", "qa.csv", *words)
    assert run.code == code
    assert said in run.out
    assert "one-sided by design" in run.out
    assert "plan:" in run.out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["qa.csv", "--candidate", "atlas"], 2, "needs a margin"),
        (["--margin", "2"], 2, "name the files"),
        (["qa.csv", "--margin", "2"], 2, "--candidate"),
        (["qa.csv", "--margin", "-2", "--candidate", "atlas"], 2, "at least 0"),
        (["nowhere.csv", "--margin", "2"], 4, "nowhere.csv"),
        (["qa.csv", "--margin", "1", "--margin", "2", "--candidate", "atlas"], 2, "one margin"),
        (["qa.csv", "--plan", "none.toml"], 4, "none.toml"),
        (["qa.csv", "--margin", "2", "--candidate", "atlas", "--plan-hash", "x"], 2, "not x"),
    ],
)
def test_usage_and_data_errors(
    demo_folder: Path, betterthan: Command, words: list[str], code: int, message: str
) -> None:
    run = betterthan("gate", *words)
    assert run.code == code, run.err
    assert message in run.err
    assert run.out == ""


def test_a_plan_in_the_folder_is_used_and_guarded(demo_folder: Path, betterthan: Command) -> None:
    plan = demo_folder / "betterthan.toml"
    plan.write_text(PLAN.replace('metric = "accuracy"', 'metric = "mean"'), encoding="utf-8")
    run = betterthan("gate", "qa.csv", "--candidate", "atlas")
    made = read_plan(plan).hash
    assert run.code == 0
    assert f"Plan betterthan.toml: {made}" in run.err
    assert f"plan:{made}|" in run.out
    assert betterthan("gate", "qa.csv", "--candidate", "atlas", "--plan-hash", made).code == 0
    clash = betterthan("gate", "qa.csv", "--candidate", "atlas", "--margin", "9")
    assert clash.code == 2
    assert "--margin would change it" in clash.err
    assert betterthan("gate", "--seal").code == 0
    plan.write_text(plan.read_text("utf-8").replace("margin = 2", "margin = 9"), "utf-8")
    changed = betterthan("gate", "qa.csv", "--candidate", "atlas")
    assert changed.code == 2
    assert "changed after it was sealed" in changed.err


def test_junit_for_servers_and_markdown_for_the_summary(
    demo_folder: Path, betterthan: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    words = ["-m", "f1", "-m", "precision", "-m", "recall", "--margin", "2", "-o", "results.xml"]
    run = betterthan("gate", "ner.csv", "-b", "bilstm", "--candidate", "crf", *words)
    assert (run.code, run.out) == (1, "")
    suite = ET.parse("results.xml").getroot().find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures")) == ("3", "3")
    assert len(suite.findall("testcase/failure")) == 3
    assert "**REGRESSION" in Path("summary.md").read_text(encoding="utf-8")
    unclear = betterthan("gate", "qa.csv", "--candidate", "birch", "--margin", "1", "-o", "u.xml")
    assert unclear.code == 3
    assert len(ET.parse("u.xml").getroot().findall("testsuite/testcase/error")) == 1
    passed = betterthan("gate", "qa.csv", "--candidate", "atlas", "--margin", "1", "-o", "p.xml")
    assert passed.code == 0
    assert ET.parse("p.xml").getroot().get("failures") == "0"


@pytest.mark.parametrize("style", ["json", "md", "csv", "latex", "table"])
def test_every_format(demo_folder: Path, betterthan: Command, style: str) -> None:
    run = betterthan("gate", "qa.csv", "--candidate", "birch", "--margin", "2", "-f", style)
    assert run.code == 3
    if style == "json":
        document = json.loads(run.out)
        assert document["schema"] == "betterthan/gate/1"
        assert document["ruling"] == "CAN'T TELL"
        assert document["exit_code"] == 3
        assert document["rows"][0]["margin"] == 0.02
        assert set(document["rows"][0]["interval"]) >= {"low", "high", "level", "method"}
    else:
        assert run.out.strip()


def test_agreement_almost_everywhere_is_no_proof_for_other_metrics() -> None:
    same = np.tile([3, 1, 1], (8, 1))
    scores = bt.Scores.from_arrays({"base": same, "new": same}, columns=("tp", "fp", "fn"))
    found = gate(scores, checks=[Check("f1", 1)]).checks[0]
    assert any("0 of 8 units differ" in note for note in found.notes)
    assert not any(
        "differ" in note for note in gate(accuracies(0, 0, 50), margin=2).checks[0].notes
    )


def test_the_direction_belongs_to_the_plan(tmp_path: Path, betterthan: Command) -> None:
    data, path = tmp_path / "seconds.csv", tmp_path / "betterthan.toml"
    rows = [f"{i},{1 + i % 7 / 10},{1.5 + i % 5 / 10}" for i in range(60)]
    data.write_text("item,old,new\n" + "\n".join(rows) + "\n", encoding="utf-8")
    path.write_text("[gate]\nmargin = 0.1\n", encoding="utf-8")
    higher = read_plan(path)
    words = ["gate", str(data), "--plan", str(path)]
    assert betterthan(*words).code == 0
    turned = betterthan(*words, "--lower-is-better")
    assert turned.code == 2
    assert "--lower-is-better would change it" in turned.err
    path.write_text("[gate]\nmargin = 0.1\nlower_is_better = true\n", encoding="utf-8")
    assert betterthan(*words).code == 1
    assert read_plan(path).hash != higher.hash
    path.write_text("[gate]\nmargin = 0.1\nlower_is_better = 1\n", encoding="utf-8")
    assert betterthan(*words).code == 4


def test_a_gate_needs_two_systems() -> None:
    with pytest.raises(UsageError, match="only one system, 'base'"):
        gate(bt.Scores.from_arrays({"base": [0, 1]}), margin=2)


def test_only_the_pair_of_judgments_is_gated(tmp_path: Path, betterthan: Command) -> None:
    rows = [f"{i},old,new,{'model_a' if i % 2 else 'model_b'}" for i in range(20)]
    rows += ["0,old,other,model_a"]  # judged on one question alone, and not asked about
    path = tmp_path / "battles.csv"
    path.write_text("id,model_a,model_b,winner\n" + "\n".join(rows) + "\n", encoding="utf-8")
    pair = ["--baseline", "old", "--candidate", "new"]
    assert betterthan("gate", str(path), *pair, "--margin", "0.02").code == 3
    assert "20 items" in betterthan("power", str(path), *pair).out


def test_junit_of_names_that_xml_cannot_hold() -> None:
    scores = bt.Scores.from_arrays({"a\x01b": [0, 1], "n&<>w": [1, 1]})
    root = ET.fromstring(render_gate(gate(scores, margin=5, goal="superior"), "junit"))
    case = root.find(".//testcase")
    assert case is not None
    assert case.get("classname") == "n&<>w against a\ufffdb"
    assert case.get("name") == "mean: a gain beyond 5 points"


def test_sealing_keeps_a_plan_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text('[ gate ]\n  sealed = "00000000"\n  margin = 5\n')
    made = seal(path)
    assert read_plan(path).hash == made
    path.write_text("[gate")
    with pytest.raises(FormatError, match="not a TOML file"):
        seal(path)


def test_a_margin_that_may_be_meant_in_points_is_noted() -> None:
    base = np.repeat([1.0, 0.0, 0.5], [60, 39, 1])
    scores = bt.Scores.from_arrays({"base": base, "new": base})
    assert any("is 50 points" in note for note in gate(scores, margin=0.5).checks[0].notes)
    assert not gate(scores, margin=0.05).checks[0].notes


def test_errors_of_a_plan_have_the_exit_code_of_data() -> None:
    assert FormatError.exit_code == 4
    assert issubclass(FormatError, BetterthanError)


def test_the_documented_job_has_the_hash_of_the_documented_plan(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
    plan = page.partition("```toml\n")[2].partition("```")[0]
    path = tmp_path / "betterthan.toml"
    path.write_text(plan, encoding="utf-8")
    assert f"--plan-hash {read_plan(path).hash} " in page
