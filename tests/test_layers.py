"""A lower layer never imports a higher one, not even inside a function."""

import ast
import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import betterthan

ROOT = Path(betterthan.__file__).parent
# From the bottom to the top: a package may import those before it in this list, and itself.
LAYERS = """
numeric errors checks grammar metrics data results tables tasks readers exact resampling
testing intervals comparison ranking responses design papers plots render cli
""".split()
TREES = {
    path.relative_to(ROOT): ast.parse(path.read_text(encoding="utf-8"))
    for path in ROOT.rglob("*.py")
}
MODULES = {
    ".".join(path.with_suffix("").parts).removesuffix(".__init__"): path
    for path in TREES
    if path not in (Path("__init__.py"), Path("__main__.py"))
}
PACKAGES = {name.partition(".")[0] for name in MODULES}
FOR_TYPES = {
    inner
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    for inner in ast.walk(node)
}


def imports(path: Path, *, for_types: bool) -> Iterator[str]:
    """Modules of ours that a file imports, inside functions too; or also for type checkers."""
    for node in (n for n in ast.walk(TREES[path]) if for_types or n not in FOR_TYPES):
        if isinstance(node, ast.ImportFrom):
            source = f"{node.module}.".removeprefix("betterthan.")
            for name in (f"{source}{alias.name}" for alias in node.names):
                # A name of a package is a module of it, or something that its __init__ holds.
                yield name if name in MODULES else source.removesuffix(".")
        elif isinstance(node, ast.Import):
            yield from (alias.name.removeprefix("betterthan.") for alias in node.names)


def graph(*, for_types: bool) -> dict[str, set[str]]:
    return {
        name: {*imports(path, for_types=for_types)} & MODULES.keys() - {name}
        for name, path in MODULES.items()
    }


def test_imports_point_downwards() -> None:
    assert set(LAYERS) == PACKAGES
    upward = [
        f"{name} imports {other}"
        for name, others in graph(for_types=True).items()
        for other in others
        if LAYERS.index(other.split(".")[0]) > LAYERS.index(name.split(".")[0])
    ]
    assert upward == []


def test_no_module_imports_itself_by_way_of_others() -> None:
    TopologicalSorter(graph(for_types=False)).prepare()


def test_no_module_hides_a_public_function() -> None:
    # Importing betterthan.x sets the attribute x of the package, over any function of that name.
    assert PACKAGES & betterthan._HOMES.keys() == set()


def test_only_the_command_line_names_its_options() -> None:
    theirs = "--(?!log_samples|save-details|dump-eval-details)[a-z]"  # but for the harness's own
    named = [
        f"{path}: {node.value}"
        for path, tree in TREES.items()
        if path.parts[0] != "cli"
        for error in ast.walk(tree)
        if isinstance(error, ast.Raise)
        for node in ast.walk(error)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(rf"(?<!\w){theirs}", node.value)
    ]
    assert named == []
