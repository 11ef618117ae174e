"""Plans of a gate: read, hashed, sealed."""

from pathlib import Path
from typing import Any

import pytest

import betterthan as bt
from betterthan.design import Check, Plan, seal
from betterthan.errors import FormatError, UsageError

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
    plan = Plan.read(path)
    assert plan == Plan((Check("accuracy", 2.0),))
    other_words = PLAN.replace("margin = 2\n", "margin = 2.0  # points\n").replace(
        "# What", "# That"
    )
    path.write_text(other_words, encoding="utf-8")
    assert Plan.read(path).hash == plan.hash
    for changed in ("margin = 3", 'margin = 2\ngoal = "equivalent"'):
        path.write_text(PLAN.replace("margin = 2", changed), encoding="utf-8")
        assert Plan.read(path).hash != plan.hash
    path.write_text("[gate]\nmetric = 'accuracy'\nmargin = 2\n", encoding="utf-8")
    assert Plan.read(path).hash == plan.hash


def test_a_mark_of_notepad_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b'\xef\xbb\xbf[gate]\r\nmetric = "mean"\r\nmargin = 1\r\n')
    computed = seal(path)
    seal_line = f'sealed = "{computed}"\r\n'.encode()
    assert path.read_bytes() == (
        b"\xef\xbb\xbf[gate]\r\n" + seal_line + b'metric = "mean"\r\nmargin = 1\r\n'
    )
    assert Plan.read(path).hash == computed


def test_a_sealed_plan_notices_a_change(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text(PLAN, encoding="utf-8")
    computed = seal(path)
    assert Plan.read(path).hash == computed
    assert path.read_text(encoding="utf-8").startswith(
        "# What a release must show.\n[gate]\nsealed"
    )
    assert seal(path) == computed
    assert path.read_text(encoding="utf-8").count("sealed") == 1
    path.write_text(
        path.read_text(encoding="utf-8").replace("margin = 2", "margin = 5"), encoding="utf-8"
    )
    with pytest.raises(UsageError, match="sealed"):
        Plan.read(path)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[other]\n", "gate"),
        ("[gate]\n", "margin"),
        ("[gate]\nmargin = 'two'\n", "margin"),
        ("[gate]\nmargin = 2\nmargn = 3\n", "margn"),
        ("[gate]\nmargin = 2\nalpha = 2\n", "alpha"),
        ("[gate]\nmargin = 2\ncorrection = 'magic'\n", "correction"),
        ("[gate]\nmargin = 2\ngoal = 'best'\n", "goal"),
        ("[gate]\nmargin = 2\nmetric = 3\n", "metric"),
        ("[gate]\nmargin = 2\nmissing = 'all'\n", "missing"),
        ("[gate]\nmargin = 2\nlower_is_better = 1\n", "lower_is_better"),
        ("[gate]\nmargin = 2\ncluster = 1\n", "cluster"),
        ("[gate]\nchecks = []\n", "check"),
        ("[gate]\nmargin = 2\n[[gate.checks]]\nmargin = 2\n", "margin"),
        ("[gate]\nchecks = [3]\n", "checks"),
        ("[gate]\nmargin = true\n", "margin"),
    ],
)
def test_bad_plans_are_clear_errors(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=word) as caught:
        Plan.read(path)
    assert str(path) in caught.value.message
    assert all(remedy.parameter is None for remedy in caught.value.remedies)  # of the file


def test_remedies_say_what_to_write(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    for text, does in (
        ("margin = 2\nmargn = 3", "write margin"),
        ("margin = 2\ncorrection = 'hol'", 'write correction="holm" into it'),
    ):
        path.write_text(f"[gate]\n{text}\n", encoding="utf-8")
        with pytest.raises(UsageError) as caught:
            Plan.read(path)
        assert caught.value.remedy is not None
        assert caught.value.remedy.does == does


def test_what_is_no_toml_is_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text("gate = [", encoding="utf-8")
    with pytest.raises(FormatError, match="not a TOML"):
        Plan.read(path)


def test_a_path_may_end_in_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "rules@work.toml"
    path.write_text(PLAN, encoding="utf-8")
    plan = Plan.read(path)
    assert Plan.read(f"{path}@{plan.hash}") == plan
    for other in ("00000000", ""):
        with pytest.raises(UsageError, match=plan.hash):
            Plan.read(f"{path}@{other}")
    with pytest.raises(FormatError):
        Plan.read(f"{tmp_path / 'other.toml'}@{plan.hash}")


def test_a_plan_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Plan.here() is None
    path = Path("betterthan.toml")
    path.write_text("[compare]\nalpha = 0.1\n", encoding="utf-8")
    assert Plan.here() is None
    path.write_text(PLAN, encoding="utf-8")
    assert Plan.here() == Plan((Check("accuracy", 2.0),))
    path.write_text('[gate]\nmetric = "code:run"\nmargin = 2\n', encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        Plan.here()
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == "plan"
    assert Plan.read(path).checks[0].metric == "code:run"


@pytest.mark.parametrize(
    "options",
    [{"margin": 3.0}, {"metric": ["f1"]}, {"alpha": 0.1}, {"cluster": "user"}, {"missing": "drop"},
     {"candidate": "new"}, {"lower_is_better": True}, {"bounds": (0, 1)}],
)  # fmt: skip
def test_options_may_not_change_a_plan(options: dict[str, Any]) -> None:
    plan = Plan((Check("accuracy", 2.0),), cluster="document", candidate="old")
    with pytest.raises(UsageError, match=next(iter(options))):
        plan.check_options(**options)


def test_options_that_agree_with_a_plan() -> None:
    plan = Plan((Check("accuracy", 2.0),), cluster="document", candidate="old")
    plan.check_options(
        cluster="document", candidate="old", baseline="base", margin=None, alpha=0.05
    )


def test_a_plan_rules_as_it_says() -> None:
    slower = {
        "old": [1 + k % 7 / 10 for k in range(60)],
        "new": [1.5 + k % 5 / 10 for k in range(60)],
    }
    scores = bt.Scores.from_arrays(slower)
    higher = Plan((Check(None, 0.1, bounds=(0, 3)),))
    lower = Plan((Check(None, 0.1),), lower_is_better=True)
    assert higher.gate(scores).ruling == "PASS"
    assert lower.gate(scores).ruling == "REGRESSION"
    assert higher.hash != lower.hash
    assert f"plan:{lower.hash}|" in lower.gate(scores).signature
    assert lower.reading == {"lower_is_better": True}


def test_a_plan_names_systems_and_leaves_them_open() -> None:
    scores = bt.Scores.from_arrays({name: [0, 1] * 100 for name in ("a", "b", "c")})
    plan = Plan((Check(None, 5),), candidate="c")
    assert (plan.gate(scores).baseline, plan.gate(scores).candidate) == ("a", "c")
    assert plan.gate(scores, "b").baseline == "b"
    with pytest.raises(UsageError, match="candidate"):
        plan.gate(scores, "a", "b")


def test_clusters_of_a_plan_are_swapped_whole() -> None:
    documents = [f"d{k // 3}" for k in range(90)]
    arrays = {"old": [0, 1, 1] * 30, "new": [1, 1, 1] * 30}
    plan = Plan((Check(None, 5),), cluster="document")
    with pytest.raises(UsageError) as caught:
        plan.gate(bt.Scores.from_arrays(arrays))
    assert caught.value.remedy is not None
    assert caught.value.remedy.value == {"cluster": "document"}
    scores = bt.Scores.from_arrays(arrays, groups={"document": documents})
    assert plan.gate(scores).checks[0].clusters == 30
    assert plan.reading == {"columns": {"cluster": "document"}}


def test_a_margin_of_zero_asks_for_a_gain() -> None:
    (check,) = Plan.of(0, "f1").checks
    assert (check.margin, check.goal) == (0, "superior")
    with pytest.raises(UsageError) as caught:
        Plan.of(None)
    assert caught.value.remedy is not None
    assert caught.value.remedy.parameter == "margin"


def test_sealing_keeps_a_plan_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text('[ gate ]\n  sealed = "00000000"\n  margin = 5\n')
    computed = seal(path)
    assert Plan.read(path).hash == computed
    path.write_text("[gate")
    with pytest.raises(FormatError, match="not a TOML file"):
        seal(path)


def test_the_documented_job_has_the_hash_of_the_documented_plan(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
    plan = page.partition("```toml\n")[2].partition("```")[0]
    path = tmp_path / "betterthan.toml"
    path.write_text(plan, encoding="utf-8")
    assert f"@{Plan.read(path).hash} " in page


@pytest.mark.parametrize("said", ["margin = -1", "margin = 0", "margin = nan", "bounds = [5, 1]"])
def test_what_the_run_refuses_is_not_sealed(tmp_path: Path, said: str) -> None:
    path = tmp_path / "betterthan.toml"
    rest = "" if said.startswith("margin") else "margin = 1\n"
    path.write_text(f"[gate]\n{rest}{said}\n", encoding="utf-8")
    with pytest.raises(UsageError):
        seal(path)
    assert "sealed" not in path.read_text(encoding="utf-8")
