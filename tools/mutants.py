"""Mutation testing: ``python tools/mutants.py exact intervals/choice --sample 15``.

Each mutant differs from a module of ``src/betterthan`` in one place: a comparison, an operator, a
number, a condition or a call. It is compiled in the memory of a forked process and meets the tests
of its package (and the doctests) that reach its line, the quickest first, until one fails. A sample
depends on the name of the module and on ``--seed`` alone. Texts, type annotations and constants at
the top of a module (sizes and costs) are not changed.
"""

import argparse
import ast
import importlib.util
import os
import pickle
import random
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import ModuleSpec, SourceFileLoader
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import coverage
import hypothesis
import pytest
import scipy.stats  # noqa: F401 (once, before forking)

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "betterthan"
PACKAGES = ["exact", "intervals", "testing", "comparison"]
LONGEST = 4.0  # CPU-seconds of a test under coverage beyond which mutants do not meet it
TOTAL = 40.0  # CPU-seconds of tests that a mutant meets
PATIENCE = 3.0  # a mutant that takes this many times as long hangs, which counts as killed
MEMORY = 6 << 30

SWAPS: dict[type[ast.AST], type[Any]] = {
    **{ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt},
    **{ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is},
    **{ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And},
    **{ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult},
    **{ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.MatMult: ast.Mult},
    **{
        ast.LShift: ast.RShift,
        ast.RShift: ast.LShift,
        ast.BitAnd: ast.BitOr,
        ast.BitOr: ast.BitAnd,
    },
    **{ast.USub: ast.UAdd, ast.Break: ast.Continue, ast.Continue: ast.Break},
}
UNCHANGED = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom)


Edit = tuple[Any, str, Any]
"""A node, the field of it that changes, and its new value."""


class Reach(NamedTuple):
    """What the tests of a package take, and which of them reach each line of a file."""

    seconds: dict[str, float]
    lines: dict[str, dict[int, list[str]]]


def edits(node: Any, *, top: bool = True) -> Iterator[Edit]:
    """All mutations below a node, in the order of the source."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases"):
            continue
        for position, child in enumerate(field if isinstance(field, list) else [field]):
            constant = top and isinstance(child, ast.Assign | ast.AnnAssign)
            if not isinstance(child, ast.AST) or isinstance(child, UNCHANGED) or constant:
                continue
            if type(child) in SWAPS:
                new = SWAPS[type(child)]()
                if isinstance(field, list):
                    new = [*field[:position], new, *field[position + 1 :]]
                yield node, name, new
            yield from own_edits(child)
            yield from edits(child, top=top and isinstance(child, ast.If))


def own_edits(node: ast.AST) -> Iterator[Edit]:
    """Mutations of a node itself, its operators apart."""
    match node:
        case ast.Constant(value=bool() as value):
            yield node, "value", not value
        case ast.Constant(value=int() | float() as value):
            yield node, "value", value + 1 if isinstance(value, int) else 2 * value or 1.0
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, "operand", ast.UnaryOp(ast.Not(), operand)
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if not isinstance(test, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Constant):
                yield node, "test", ast.UnaryOp(ast.Not(), test)
        case ast.Expr(value=ast.Call()):
            yield node, "value", ast.Constant(None)


class Mutant(NamedTuple):
    """A changed module, the line of the change, and what it says."""

    path: Path
    tree: ast.Module
    line: int
    text: str

    def find_spec(self, name: str, *_: Any) -> ModuleSpec | None:
        """Be the module, as an entry of ``sys.meta_path``."""
        parts = self.path.relative_to(SOURCE.parent).with_suffix("").parts
        if name != ".".join(parts).removesuffix(".__init__"):
            return None
        loader = SourceFileLoader(name, str(self.path))
        loader.get_code = lambda _: compile(self.tree, self.path, "exec")  # type: ignore[method-assign]
        return importlib.util.spec_from_file_location(name, self.path, loader=loader)


def mutant(path: Path, number: int) -> Mutant:
    tree = ast.parse(path.read_bytes())
    for parent in ast.walk(tree):
        for child in ast.iter_child_nodes(parent):
            line = getattr(child, "lineno", getattr(parent, "lineno", 0))
            child.lineno = line  # type: ignore[attr-defined]
    node, field, value = list(edits(tree))[number]
    line, before = node.lineno, ast.unparse(node).splitlines()[0]
    setattr(node, field, value)
    ast.fix_missing_locations(tree)
    return Mutant(path, tree, line, f"{before}  ->  {ast.unparse(node).splitlines()[0]}")


class Plugin:
    """Selects tests, orders them, and says what each of them takes and reaches."""

    def __init__(self, selected: list[str] | None) -> None:
        self.selected, self.seconds = selected, dict[str, float]()
        self.coverage = coverage.Coverage(data_file=None, source_pkgs=["betterthan"])

    def pytest_collection(self) -> None:
        """After the profile of ``conftest.py``: a counterexample need not be the smallest."""
        phases = (hypothesis.Phase.explicit, hypothesis.Phase.generate)
        hypothesis.settings.register_profile(
            "mutants", hypothesis.settings.default, phases=phases, database=None
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Run what is selected, in that order."""
        if self.selected is not None:
            by_name = {item.nodeid: item for item in items}
            items[:] = [by_name[name] for name in self.selected if name in by_name]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Measure a test."""
        start = time.process_time()
        if self.selected is None:
            self.coverage.switch_context(item.nodeid)
        result = yield
        self.seconds[item.nodeid] = time.process_time() - start
        return result  # type: ignore[return-value]


def forked(task: Any, seconds: int) -> int:
    """Exit status of a task in a process of its own, without its output; not 0 if it hangs."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    signal.alarm(seconds)
    with Path(os.devnull).open("w") as hole, redirect_stdout(hole), redirect_stderr(hole):
        os._exit(int(task()))


def run_tests(where: list[str], plugin: Plugin) -> int:
    # Rewriting asserts would load a module whose doctests are run past the mutant.
    return pytest.main(
        ["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", *where], plugins=[plugin]
    )


def reach(package: str) -> Reach:
    """Run the tests of a package once, under coverage."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "reach")

        def task() -> int:
            plugin = Plugin(None)
            plugin.coverage.start()
            status = run_tests([f"tests/{package}", f"src/betterthan/{package}"], plugin)
            plugin.coverage.stop()
            data = plugin.coverage.get_data()
            lines = {name: data.contexts_by_lineno(name) for name in data.measured_files()}
            file.write_bytes(pickle.dumps(Reach(plugin.seconds, lines)))
            return status

        if forked(task, 36_000):
            raise SystemExit(f"the tests of {package} fail without a mutant")
        result: Reach = pickle.loads(file.read_bytes())
        return result


def selected_tests(mutant: Mutant, reached: Reach) -> list[str]:
    """Tests that reach the line, or where none does (it runs on import) the module; quick first."""
    lines = reached.lines.get(str(mutant.path), {})
    names = set(lines.get(mutant.line, [])) - {""} or {
        name for one in lines.values() for name in one
    }
    result, total = list[str](), 0.0
    for name in sorted(names - {""}, key=lambda name: (reached.seconds[name], name)):
        total += reached.seconds[name]
        if total > TOTAL or reached.seconds[name] > LONGEST:
            break
        result.append(name)
    return result


def survives(mutant: Mutant, tests: list[str], reached: Reach) -> bool:
    """Whether all tests pass in spite of it."""
    limit = int(PATIENCE * sum(reached.seconds[name] for name in tests)) + 20

    def task() -> int:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.meta_path.insert(0, mutant)  # type: ignore[arg-type]
        return run_tests(sorted({name.partition("::")[0] for name in tests}), Plugin(tests))

    return forked(task, 20 * limit) == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", default=PACKAGES, help="packages or package/module")
    parser.add_argument("--sample", type=int, help="mutants of a module at most; default: all")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ["CI"] = "1"  # Hypothesis draws the same for all mutants
    sys.path.insert(0, str(SOURCE.parent))
    for package, names in groupby(sorted(options.modules), lambda name: name.partition("/")[0]):
        reached, totals = reach(package), [0, 0]
        paths = [path for name in names for path in modules_of(name)]
        for path in paths:
            counts = judge(path, reached, options.sample, options.seed)
            totals = [total + count for total, count in zip(totals, counts, strict=True)]
        print(
            f"{package}: {totals[0]} of {totals[1]} killed, {totals[0] / max(totals[1], 1):.0%}\n"
        )


def modules_of(name: str) -> list[Path]:
    """Files of a package, or of one module of it."""
    return sorted((SOURCE / name).glob("*.py")) or [SOURCE / f"{name}.py"]


def judge(path: Path, reached: Reach, sample: int | None, seed: int) -> tuple[int, int]:
    """Print the survivors of a module; how many mutants were killed, and of how many."""
    name, numbers = path.relative_to(SOURCE), range(len(list(edits(ast.parse(path.read_bytes())))))
    size, killed = min(len(numbers), sample or len(numbers)), 0
    for number in sorted(random.Random(f"{name} {seed}").sample(numbers, size)):
        changed = mutant(path, number)
        tests = selected_tests(changed, reached)
        if tests and not survives(changed, tests, reached):
            killed += 1
        else:
            why = "" if tests else "  (no quick test reaches it)"
            print(f"  {name}:{changed.line}  {changed.text}{why}", flush=True)
    print(f"{name}: {killed} of {size} killed", flush=True)
    return killed, size


if __name__ == "__main__":
    main()
