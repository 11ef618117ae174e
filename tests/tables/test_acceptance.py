"""Files that people have: what was once read is read, and what was rejected gives no verdict.

``acceptance.json`` holds 235 small files with a command each, and whether the first version of the
reader read them; of those that it read, who was taken for the item and the systems.
"""

import base64
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Run

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "acceptance.json").read_text(encoding="utf-8")
)
# Read rightly now: known names are labels, numbers that count up are ids, the column called score
# is the score, and unequal repeats earn a warning. In a report of SWE-bench the lists of ids say
# what was resolved; the total that it also states decides nothing.
READ_NOW = {
    *("level first", "length first", "rank, too", "gate, too", "study, too"),
    *("power, too", "inspect, too", "goes up among its like", "goes up beside ids"),
    *("few rows count", "level among stars", "grade among stars", "turn among stars"),
    *("label among stars", "long, two numbers", "long, of words", "partly rerun"),
    "swe-bench, too few",
}
# Its values are those of ratings, and so it is taken for a system; the line of what was read and
# the table show it.
TAKEN_FOR_A_SYSTEM = {"is_hard among stars"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_files_that_people_have(
    case: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    betterthan: Callable[..., Run],
) -> None:
    monkeypatch.chdir(tmp_path)
    content = base64.b64decode(case["base64"]) if "base64" in case else case["text"].encode()
    path = tmp_path / f"t{case['suffix']}"
    path.write_bytes(content)
    words = shlex.split(case["words"])
    depth = 2 if words[0] in ("study", "responses") else 1
    run = betterthan(*words[:depth], path.name, *words[depth:])
    assert "Traceback" not in run.err
    read = run.code in (0, 1, 3)
    changed = case["name"] in READ_NOW | TAKEN_FOR_A_SYSTEM
    assert read == ((case["was"] == "read") != changed), run.err
    if not read:
        assert run.code in (2, 4)
        assert "error: " in run.err
        assert not re.search("BETTER|WORSE|CAN'T TELL", run.out)
        return
    said = next(line for line in run.err.splitlines() if line.startswith("Read "))
    pasted = shlex.split(" ".join(x for x in said.split(" · ") if x.startswith("--")))
    if "..." not in said and not {x for x in pasted if x.startswith("--")} & {*words}:
        again = betterthan(*words[:depth], path.name, *words[depth:], *pasted)
        assert again.code == run.code
        assert _facts(again.out) == _facts(run.out)
        assert said in again.err.splitlines()
    if "--columns" in said and not changed:
        systems, item = case["said"].get("systems", [])[1:], case["said"].get("item")
        assert not systems or f",{','.join(systems)} " in said
        assert not item or f"item={item}" in said


def _facts(out: str) -> list[str]:
    """What a result says besides its notes, one of which may be what was now declared."""
    return [line for line in out.splitlines() if not re.match(r"\s*! ", line)]
