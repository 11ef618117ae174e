"""A lower layer never imports a higher one, not even inside a function."""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import betterthan

ROOT = Path(betterthan.__file__).parent
# From the bottom to the top: a package may import those above it in this list, and itself.
LAYERS = [
    "numeric",
    "errors",
    "blame",
    "metrics",
    "data",
    "results",
    "tasks",
    "readers",
    "exact",
    "resampling",
    "testing",
    "intervals",
    "comparison",
    "ranking",
    "responses",
    "design",
    "papers",
    "plots",
    "render",
    "cli",
]
LEVEL = {name: level for level, name in enumerate(LAYERS)}


def imports(path: Path) -> set[str]:
    """Top-level parts of the package that a file imports anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            first, *rest = node.module.split(".")
            if first == "betterthan":
                found |= {rest[0]} if rest else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            parts = [alias.name.split(".") for alias in node.names]
            found |= {p[1] for p in parts if p[0] == "betterthan" and len(p) > 1}
    return found


def test_every_module_has_a_layer() -> None:
    modules = {p.stem for p in ROOT.glob("*.py")} | {p.parent.name for p in ROOT.glob("*/*.py")}
    assert modules - {"__init__", "__main__"} <= set(LEVEL)


def test_no_module_hides_a_public_function() -> None:
    # Importing betterthan.x sets the attribute x of the package, over any function of that name.
    modules = {p.stem for p in ROOT.glob("*.py")} | {p.parent.name for p in ROOT.glob("*/*.py")}
    assert modules & set(betterthan._HOMES) == set()


def test_imports_point_downwards() -> None:
    upward = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in ROOT.rglob("*.py")
        if path not in (ROOT / "__init__.py", ROOT / "__main__.py")
        for name in imports(path)
        if LEVEL[name] > LEVEL[path.relative_to(ROOT).parts[0].removesuffix(".py")]
    ]
    assert upward == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    modules = {".".join(_parts(path)): path for path in ROOT.rglob("*.py")}
    graph = {
        name: {module for module in _modules(path) if module in modules} - {name}
        for name, path in modules.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(error.args[1][::-1])) from None


def _parts(path: Path) -> tuple[str, ...]:
    parts = ("betterthan", *path.relative_to(ROOT).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def _modules(path: Path) -> Iterator[str]:
    """Everything that a file imports, inside functions and for type checkers alone, too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            # A name of a package is a module of it, or something that its __init__ holds.
            yield from (name if _is_module(name) else node.module for name in names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _is_module(name: str) -> bool:
    place = ROOT.joinpath(*name.split(".")[1:])
    return place.with_suffix(".py").exists() or (place / "__init__.py").exists()


def test_errors_below_the_command_line_name_no_options_of_it() -> None:
    said = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for path in ROOT.rglob("*.py")
        if path.relative_to(ROOT).parts[0] != "cli"
        for error in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(error, ast.Raise)
        for node in ast.walk(error)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and re.search(
            r"(?<!\w)--(?!log_samples|save-details|dump-eval-details)[a-z]", node.value
        )  # but for the harness's own
    ]
    assert said == []
