"""One signature, one version."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.results.signature import fingerprint, signature

ROOT = Path(__file__).parents[2]


def test_there_is_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == bt.__version__
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert cited is not None
    assert cited[1].strip('"') == bt.__version__


def test_facts_stand_in_one_order() -> None:
    words = signature(
        "m",
        seed=3,
        resamples=10,
        correction="holm",
        alternative="less",
        alpha=0.05,
        confidence=0.9,
        further={"x": 1, "none": None},
        clusters=4,
        n=20,
        metric="mean",
        data=(np.arange(3),),
    ).split("|")
    assert words[1:-1] == "m m:mean n:20 c:4 x:1 a:0.05 level:0.9 1s< adj:holm b:10 seed:3".split()
    assert re.fullmatch("data:[0-9a-f]{8}", words[-1])


@pytest.mark.parametrize("seed", [None, np.random.default_rng(0), "none"])
def test_draws_without_a_number_for_a_seed_say_so(seed: object) -> None:
    assert signature("m", resamples=5, seed=seed).endswith("b:5|seed:none")


def test_a_seed_may_be_any_integer() -> None:
    assert signature("m", seed=np.int64(7)).endswith("seed:7")
    assert "seed" not in signature("m")


def test_the_fingerprint_sees_shape_and_values_but_not_the_layout() -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert fingerprint(x) == fingerprint(np.asfortranarray(x))
    others = [x.T, x + 1, x.ravel(), x.astype(int)]
    assert len({fingerprint(x), *map(fingerprint, others)}) == 5
    assert fingerprint(x, None) == fingerprint(x)


def test_importing_the_package_is_light() -> None:
    code = "import sys, betterthan; print('numpy' in sys.modules or 'polars' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
