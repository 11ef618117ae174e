"""What users install: the wheel and the source archive, at the lowest and the highest versions.

``python tools/installed.py dist`` builds both, installs each into a clean environment, and tries it
from another folder. ``python tools/installed.py bounds [PYTEST ARGUMENTS]`` installs the lowest
versions that ``pyproject.toml`` allows, and the highest, for every Python that is found (or those
that ``PYTHONS="3.11 3.13"`` in the environment names), and runs the tests against them. Both leave
nothing behind but ``dist/``.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = os.environ.get("PYTHONS", "3.11 3.12 3.13 3.14").split()
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
ANY = {"ruff", "mypy", "uv"}  # nothing that the tests import
TRIED = """
--version
demo --check
demo --save files
compare files/qa.csv -o report.html
rank files/qa.csv -o board.png
score files/outputs/base.txt --metric wer --ref files/outputs/gold.txt
list formats
""".strip().splitlines()


def run(*words: str | Path, cwd: Path = ROOT, check: bool = True) -> int:
    print("$", *words, flush=True)
    clean = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    return subprocess.run(list(map(str, words)), cwd=cwd, check=check, env=clean).returncode


def uv(*words: str | Path, cwd: Path = ROOT) -> None:
    if UV is None:
        raise SystemExit("uv is needed: pip install uv")
    run(UV, *words, cwd=cwd)


def built() -> list[Path]:
    """Build the source archive, and the wheel from it."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    uv("build", "--quiet", "--out-dir", ROOT / "dist")
    return sorted((ROOT / "dist").glob("betterthan-*"))


def dist() -> int:
    for package in built():
        if package.suffix not in (".whl", ".gz"):
            continue
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            uv("venv", "--quiet", "--python", sys.executable, folder / "env")
            uv("pip", "install", "--quiet", "--python", folder / "env", package, cwd=folder)
            program = folder / "env" / "bin" / "betterthan"
            for line in TRIED:
                run(program, *line.split(), cwd=folder)
    return 0


def bounds(arguments: list[str]) -> int:
    """Run the tests at both ends of what is allowed; return the number of failed runs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    tools = [
        one
        for one in _group(project["dependency-groups"], "dev")
        if re.split(r"\W", one)[0] not in ANY
    ]
    failed, tried = [], []
    for version in PYTHONS:
        found = _python(version)
        if found is None:
            print(f"! there is no Python {version} here: not tried")
            continue
        for resolution in ("lowest-direct", "highest"):
            with tempfile.TemporaryDirectory() as place:
                python, core = Path(place) / "env" / "bin" / "python", Path(place) / "core.txt"
                uv("venv", "--quiet", "--python", found, Path(place) / "env")
                wheels = ("--only-binary", ":all:")  # what has no wheel for a Python is no bound
                uv("pip", "compile", "--quiet", "--resolution", resolution, *wheels, "--python",
                   python, "--all-extras", "pyproject.toml", "-o", core)  # fmt: skip
                # The examples in the sources are tests as well: they must be those installed.
                uv("pip", "install", "--quiet", "--python", python, "--no-deps", "-e", ROOT)
                uv("pip", "install", "--quiet", "--python", python, "-r", core, *tools)
                # Old versions may use what newer ones deprecate; users are not shown that.
                tests = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
                quiet = ["-W", "ignore::DeprecationWarning"]
                name = f"Python {version}, {resolution}"
                tried.append(name)
                if run(*tests, *quiet, *arguments, check=False):
                    failed.append(name)
    print(f"tried: {'; '.join(tried)}\nfailed: {'; '.join(failed) or 'none'}")
    return len(failed)


def _group(groups: dict[str, list[str | dict[str, str]]], name: str) -> list[str]:
    """What a group of dependencies names, with the groups that it includes."""
    return [
        each
        for one in groups[name]
        for each in ([one] if isinstance(one, str) else _group(groups, one["include-group"]))
    ]


def _python(version: str) -> Path | None:
    """An interpreter that runs: on the path, or one of pyenv's."""
    homes = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
    for name in (*map(str, homes), shutil.which(f"python{version}")):
        if (
            name
            and not subprocess.run([name, "-c", ""], check=False, capture_output=True).returncode
        ):
            return Path(name)
    return None


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["dist"]
    sys.exit(dist() if what == "dist" else bounds(rest))
