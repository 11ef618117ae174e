"""In a notebook a result shows its table, draws a figure and saves the report: see the example."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "first-verdict.ipynb"
CELLS = (
    "import betterthan as bt\n"
    "scores = bt.Scores.from_arrays({'base': [0, 1, 0, 1] * 9, 'new': [1, 1, 0, 1] * 9})",
    "scores",
    "found = bt.compare_many(scores)\nfound",
    "found.plot()",
    "found.save('r.html')",
    "print(found)",
)


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """What runs a notebook in a fresh folder."""
    nbclient: Any = pytest.importorskip("nbclient")
    kernelspec: Any = pytest.importorskip("jupyter_client.kernelspec")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own shows figures inline
    if "python3" not in kernelspec.find_kernel_specs():
        pytest.skip("no kernel is installed")
    where = {"metadata": {"path": str(tmp_path)}}
    return lambda notebook: nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=where
    ).execute()


def test_a_notebook(tmp_path: Path, run: Callable[[Any], None]) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    run(notebook)
    shown, table, figure, saved, printed = (cell.outputs for cell in notebook.cells[1:])
    assert "<Scores" in shown[0].data["text/plain"]
    html = table[0].data["text/html"]
    assert "new is BETTER than base" in html
    assert "<table" in html
    assert any("image/png" in output.get("data", {}) for output in figure)
    assert saved == []
    assert "new is BETTER than base" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "new is BETTER than base" in printed[0].text


def test_the_example(tmp_path: Path, run: Callable[[Any], None]) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    notebook = nbformat.read(EXAMPLE, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    run(notebook)
    shown = "".join(str(output) for cell in code for output in cell.outputs)
    assert "atlas is BETTER than base" in shown
    assert shown.count("image/png") == sum(".plot(" in cell.source for cell in code)
    assert "\\toprule" in shown
    assert (tmp_path / "report.html").exists()
