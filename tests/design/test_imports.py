"""A gate runs in every job: it loads only what it uses."""

import subprocess
import sys
from pathlib import Path

import betterthan as bt
from betterthan import design

GATE = """
import sys
import betterthan as bt
bt.gate(bt.Scores.from_arrays({"base": [0, 1] * 50, "new": [1, 1] * 50}), margin=0.1)
print(sum(name.partition(".")[0] == "betterthan" for name in sys.modules))
"""


def test_a_gate_loads_few_modules() -> None:
    run = subprocess.run([sys.executable, "-c", GATE], capture_output=True, text=True, check=True)
    assert int(run.stdout) <= 120


def test_no_module_hides_a_public_name() -> None:
    modules = {path.stem for path in Path(design.__file__).parent.glob("*.py")}
    assert not modules & {*dir(design)}
    assert bt.gate is design.gate
