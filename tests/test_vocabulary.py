"""One vocabulary: a public name has one meaning, an argument one name and one default."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args, is_typeddict

import pytest

import betterthan

PACKAGES = [betterthan, *(getattr(betterthan, name) for name in betterthan._MODULES)]
ELSEWHERE = {
    "rng": ("seed", "random_state", "generator", "random"),
    "alpha": ("level", "significance", "significance_level", "sig_level"),
    "confidence": ("confidence_level", "coverage", "conf", "ci"),
    "baseline": ("base", "reference", "control", "old", "system_a"),
    "candidate": ("treatment", "challenger", "new", "system_b"),
    "resamples": ("n_resamples", "n_boot", "iterations", "n_samples"),
    "alternative": ("side", "sides", "tail", "tails"),
    "clusters": ("cluster_ids", "units"),
    "workers": ("n_jobs", "jobs", "threads", "n_workers", "pool"),
    "correction": ("adjust", "adjustment", "multiplicity"),
}
"""What an argument is called, and what it is called by others."""
ELSEWHERE_AT_THE_TOP = {"confidence", "metrics", "tasks", "systems"}
"""Intervals have the level ``1 - alpha``, ``metric`` takes several, the rest belongs to reading."""
NEITHER_IS_THE_BASELINE = {"betterthan.ranking.diagnose"}
DEFAULTS = {"alpha": 0.05, "confidence": 0.95}
DATA, ARRAYS = ("scores", "data", "setups"), ("a", "gold")


def public() -> Iterator[tuple[str, str, Any]]:
    """Everything that is public except for modules: where, its name, itself."""
    for package in PACKAGES:
        for name in package.__all__:
            value = getattr(package, name)
            if not inspect.ismodule(value):
                yield package.__name__, name, value


def arguments(function: Any) -> dict[str, Any]:
    """Arguments of a function with their defaults, those that it takes as ``**options`` too."""
    taken: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        options = get_args(parameter.annotation)
        if options and is_typeddict(options[0]):
            taken |= dict.fromkeys(options[0].__annotations__, inspect.Parameter.empty)
        else:
            taken[parameter.name] = parameter.default
    return taken


FUNCTIONS = {
    f"{home}.{name}": arguments(value)
    for home, name, value in public()
    if inspect.isfunction(value) and home != "betterthan.plots"
}


def test_a_public_name_has_one_meaning() -> None:
    meanings: dict[str, dict[int, str]] = {}
    for home, name, value in public():
        meanings.setdefault(name, {}).setdefault(id(value), home)
    assert [f"{name} of {homes}" for name, homes in meanings.items() if len(homes) > 1] == []


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arguments_have_one_name_and_one_default(function: str) -> None:
    taken = FUNCTIONS[function]
    for name, others in ELSEWHERE.items():
        assert not taken.keys() & {*others}, f"call it {name}"
    for name, default in DEFAULTS.items():
        assert taken.get(name, default) in (default, inspect.Parameter.empty)
    if function.count(".") == 1 and function != "betterthan.read":
        assert not taken.keys() & ELSEWHERE_AT_THE_TOP


@pytest.mark.parametrize("function", FUNCTIONS)
def test_data_have_systems_and_a_seed_and_arrays_have_neither(function: str) -> None:
    taken = FUNCTIONS[function]
    first = next(iter(taken), "")
    if first in DATA:
        assert not {"a", "b"} & taken.keys(), "systems have names: baseline, candidate"
        if function not in NEITHER_IS_THE_BASELINE:
            assert not {"first", "second"} & taken.keys(), "call them baseline and candidate"
        assert "candidate" not in taken or taken.keys() & {"baseline", "published"}
        assert taken.get("rng", 0) in (0, inspect.Parameter.empty), (
            "the same question, the same answer"
        )
    elif first in ARRAYS:
        assert not {"baseline", "candidate"} & taken.keys(), "arrays have no names: a, b"
        assert taken.get("rng") is None, "as in NumPy"


def test_the_checks_look_at_something() -> None:
    kinds = [next(iter(taken), "") for taken in FUNCTIONS.values()]
    assert sum(kind in DATA for kind in kinds) > 20
    assert sum(kind in ARRAYS for kind in kinds) > 8
    assert "resamples" in FUNCTIONS["betterthan.compare_many"]  # by way of its options
