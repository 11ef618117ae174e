"""In a notebook a result shows its table, draws a figure and saves the report."""

import sys
from pathlib import Path
from typing import Any

import pytest

CELLS = (
    "import betterthan as bt\n"
    "scores = bt.Scores.from_arrays({'base': [0, 1, 0, 1] * 9, 'new': [1, 1, 0, 1] * 9})",
    "scores",
    "found = bt.compare_many(scores)\nfound",
    "found.plot()",
    "found.save('r.html')",
    "print(found)",
)


def test_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat: Any = pytest.importorskip("nbformat")
    nbclient: Any = pytest.importorskip("nbclient")
    kernelspec: Any = pytest.importorskip("jupyter_client.kernelspec")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", ":".join(filter(None, sys.path)))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the kernel's own shows figures inline
    if "python3" not in kernelspec.find_kernel_specs():
        pytest.skip("no kernel is installed")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in CELLS]
    client = nbclient.NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    shown, table, figure, saved, printed = (cell.outputs for cell in notebook.cells[1:])
    assert "<table" in shown[0].data["text/html"]
    html = table[0].data["text/html"]
    assert "new is BETTER than base" in html
    assert "<table" in html
    assert any("image/png" in output.get("data", {}) for output in figure)
    assert saved == []
    assert "<svg" in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "new is BETTER than base" in printed[0].text
