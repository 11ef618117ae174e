"""Plans of a gate: read, hashed, sealed."""

from collections.abc import Callable
from pathlib import Path

import pytest

from betterthan.design import Check, Plan, read_plan, seal
from betterthan.errors import FormatError, UsageError
from conftest import Run

Command = Callable[..., Run]


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


def test_a_mark_of_notepad_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_bytes(b'\xef\xbb\xbf[gate]\r\nmetric = "mean"\r\nmargin = 1\r\n')
    made = seal(path)
    seal_line = f'sealed = "{made}"\r\n'.encode()
    assert path.read_bytes() == (
        b"\xef\xbb\xbf[gate]\r\n" + seal_line + b'metric = "mean"\r\nmargin = 1\r\n'
    )
    assert read_plan(path).hash == made


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
        ("[other]\n", "no \\[gate\\]"),
        ("[gate]\n", "needs a margin"),
        ("[gate]\nmargin = 'two'\n", "number"),
        ("[gate]\nmargin = 2\nmargn = 3\n", "margn.*did you mean 'margin'"),
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
    with pytest.raises(UsageError, match=message):
        read_plan(path)


def test_what_is_no_toml_is_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text("gate = [", encoding="utf-8")
    with pytest.raises(FormatError, match="not a TOML"):
        read_plan(path)


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


def test_the_direction_belongs_to_the_plan(tmp_path: Path, betterthan: Command) -> None:
    data, path = tmp_path / "seconds.csv", tmp_path / "betterthan.toml"
    rows = [f"{i},{1 + i % 7 / 10},{1.5 + i % 5 / 10}" for i in range(60)]
    data.write_text("item,old,new\n" + "\n".join(rows) + "\n", encoding="utf-8")
    path.write_text("[gate]\nmargin = 0.1\nbounds = [0, 3]\n", encoding="utf-8")
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
    assert betterthan(*words).code == 2


def test_sealing_keeps_a_plan_a_plan(tmp_path: Path) -> None:
    path = tmp_path / "betterthan.toml"
    path.write_text('[ gate ]\n  sealed = "00000000"\n  margin = 5\n')
    made = seal(path)
    assert read_plan(path).hash == made
    path.write_text("[gate")
    with pytest.raises(FormatError, match="not a TOML file"):
        seal(path)


def test_the_documented_job_has_the_hash_of_the_documented_plan(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "design.md").read_text(encoding="utf-8")
    plan = page.partition("```toml\n")[2].partition("```")[0]
    path = tmp_path / "betterthan.toml"
    path.write_text(plan, encoding="utf-8")
    assert f"--plan-hash {read_plan(path).hash} " in page


def test_a_plan_fixes_clusters_missing_items_and_systems(
    demo_folder: Path, betterthan: Command
) -> None:
    path = Path("betterthan.toml")
    path.write_text('[gate]\nmargin = 2\ncluster = "document"\ncandidate = "birch"\n')
    made = seal(path)
    path.write_text(path.read_text(encoding="utf-8").replace("birch", "atlas"), encoding="utf-8")
    with pytest.raises(UsageError, match="changed after it was sealed"):
        read_plan(path)
    assert seal(path) != made
    run = betterthan("gate", "qa.csv")
    assert (run.code, "160 clusters" in run.out) == (0, True)
    for words in (
        ["--cluster", "domain"],
        ["--candidate", "birch"],
        ["--missing", "drop"],
    ):
        refused = betterthan("gate", "qa.csv", *words)
        assert (refused.code, "would change" in refused.err) == (2, True)
    assert betterthan("gate", "qa.csv", "--baseline", "base").code == 0  # the plan leaves it open
    path.write_text('[gate]\nmargin = 2\nmissing = "all"\n', encoding="utf-8")
    assert betterthan("gate", "qa.csv").code == 2


@pytest.mark.parametrize("said", ["margin = -1", "margin = 0", "margin = nan", "bounds = [5, 1]"])
def test_what_the_run_refuses_is_not_sealed(tmp_path: Path, said: str) -> None:
    path = tmp_path / "betterthan.toml"
    rest = "" if said.startswith("margin") else "margin = 1\n"
    path.write_text(f"[gate]\n{rest}{said}\n", encoding="utf-8")
    with pytest.raises(UsageError):
        seal(path)
    assert "sealed" not in path.read_text(encoding="utf-8")


def test_only_items_that_one_of_the_two_lacks_are_dropped(
    tmp_path: Path, betterthan: Command
) -> None:
    path = tmp_path / "three.csv"
    rows = [f"{i},1,1,{'' if i % 2 else 1}" for i in range(200)]
    rows[0] = "0,1,,1"
    path.write_text("item,old,new,other\n" + "\n".join(rows) + "\n", encoding="utf-8")
    words = ["gate", str(path), "--candidate", "new", "--margin", "5", "--missing", "drop"]
    run = betterthan(*words)
    assert "(199 items)" in run.out, run.err
