"""Calls load only the modules that they use: a gate runs in every job."""

import subprocess
import sys
from pathlib import Path

import pytest

import betterthan as bt
from betterthan import design

RUN = """
import sys
import betterthan as bt
scores = bt.Scores.from_arrays({{"base": [0, 1] * 50, "new": [1, 1] * 50}})
{}
print(sum(name.partition(".")[0] == "betterthan" for name in sys.modules))
"""


@pytest.mark.parametrize(
    ("call", "most"),
    [
        ("bt.gate(scores, margin=0.1)", 120),
        ("bt.compare(scores)", 120),
        ("bt.power(bt.Rates(agreement=0.9), items=100, effect=0.02)", 90),
    ],
)
def test_a_call_loads_only_what_it_uses(call: str, most: int) -> None:
    command = [sys.executable, "-c", RUN.format(call)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(run.stdout) <= most


def test_no_module_hides_a_public_name() -> None:
    modules = {path.stem for path in Path(design.__file__).parent.glob("*.py")}
    assert not modules & {*design.__all__}
    assert bt.gate is design.gate
