"""The bundled data are what their documented model writes."""

import runpy
from importlib.resources import files
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "make_demo_data.py"


def test_the_bundled_files_are_reproduced() -> None:
    made = runpy.run_path(str(TOOL))["make"]()
    folder = files("betterthan") / "bundled"
    assert {name: (folder / name).read_text(encoding="utf-8") for name in made} == made
