"""The bundled raw outputs are what their documented model writes."""

import runpy
from importlib.resources import files
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "make_demo_outputs.py"


def test_the_bundled_outputs_are_reproduced() -> None:
    made = runpy.run_path(str(TOOL))["make"]()
    folder = files("betterthan") / "bundled" / "outputs"
    assert {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()} == made
