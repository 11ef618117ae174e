"""A lower layer never imports a higher one, not even inside a function."""

import ast
from pathlib import Path

import betterthan

ROOT = Path(betterthan.__file__).parent
# From the bottom to the top; modules of one line may know each other.
LAYERS = [
    {"errors"},
    {"exact", "metrics", "sampling", "labels"},
    {"data", "frames", "results"},
    {"pairs", "ranks", "resampling", "quantiles"},
    {"intervals", "multiplicity", "montecarlo", "nulllaw", "swaps", "tails"},
    {"classic", "engines", "events", "replicas", "ideal_law", "contrasts"},
    {"permutation", "bootstrap", "bootstrap_intervals"},
    {"effect"},
    {"verdicts"},
    {"comparison"},
    {"ranking"},
    {"readers", "tasks"},
    {"responses"},
    {"design"},
    {"render", "plots"},
    {"papers"},
    {"cli"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


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
