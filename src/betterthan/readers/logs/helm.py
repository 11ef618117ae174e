"""HELM: ``per_instance_stats.json`` of a run's folder, next to the ``run_spec.json`` that names it.

Trials are responses. A perturbed instance is a separate item, and has a label that says so.

Its files look like this::

    [{"instance_id": "id147", "train_trial_index": 0, "stats": [{"name": {"name": "exact_match"},
      "count": 1, "mean": 1.0}, ...]}, ...]
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.errors import Note, Remedy
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import Head, LogFile, Mark, Run, Sample, digest, run_of

STATS = "per_instance_stats.json"
PLAIN = "none"
"""Label of an instance that is as the scenario has it."""
BOOKKEEPING = re.compile(
    r"num_.*|training_.*|inference_.*|batch_size|finish_reason_.*|prompt_truncated|max_prob|"
    r"logprob|logprob_per_byte|bits_per_byte|perplexity|predicted_index|estimated_.*"
)
"""Statistics that tell about the run, not about how good the answer is."""
PERTURBED = Note(
    "perturbed instances are separate items",
    Remedy("keep those of one instance together", "columns", {"cluster": "instance"}),
)


class Name(msgspec.Struct):
    """Which statistic this is."""

    name: str


class Stat(msgspec.Struct):
    """A statistic of one instance."""

    name: Name
    count: int = 1
    mean: float | None = None


class Instance(msgspec.Struct):
    """What was measured on one instance in one trial."""

    instance_id: str
    stats: list[Stat]
    train_trial_index: int = 0
    perturbation: dict[str, Any] | None = None


class Reference(msgspec.Struct):
    """A possible answer; the right ones are tagged."""

    output: Any = None
    tags: list[str] | None = None


class ScenarioInstance(msgspec.Struct):
    """What an instance asks."""

    id: str | None = None
    input: Any = None
    references: list[Reference] | None = None
    perturbation: Any = None


class RequestState(msgspec.Struct):
    """A request; of it all, only its instance is needed."""

    instance: ScenarioInstance


class ScenarioState(msgspec.Struct):
    """All requests of a run."""

    request_states: list[RequestState] | None = None


class Adapter(msgspec.Struct):
    """Which model was instances."""

    model: str | None = None
    model_deployment: str | None = None


class RunSpec(msgspec.Struct):
    """The name of the run, and its model."""

    name: str
    adapter_spec: Adapter


def known(head: Head) -> bool:
    """Tell statistics by their fields, and the other files of a run by their names."""
    other = head.path.name in ("run_spec.json", "stats.json", "scenario_state.json")
    run_file = other and (head.path.parent / STATS).exists()
    return {"instance_id", "stats"} <= head.keys or run_file


def runs(files: Sequence[LogFile]) -> Iterator[Run]:
    """Runs of all folders, one in each."""
    for file in files:
        if "instance_id" not in file.head.keys:
            raise file.averages(f"pass the folder, or the {STATS} in it")
        folder = file.path.absolute().parent
        instances = file.decode(list[Instance])
        spec = RunSpec(folder.name, Adapter())
        if (folder / "run_spec.json").exists():
            spec = json_logs.decode_whole(folder / "run_spec.json", RunSpec)
        named = re.search(r"(?:^|[:,])model=([^,:]*)", spec.name)
        model = spec.adapter_spec.model or spec.adapter_spec.model_deployment
        trials = len({instance.train_trial_index for instance in instances}) > 1
        perturbed = any(instance.perturbation for instance in instances)
        marks = _marks(folder)
        yield run_of(
            file,
            [_sample(x, marks, trials=trials, perturbed=perturbed) for x in instances],
            system=file.system(model or (named[1] if named else spec.name)),
            task=_task(spec.name),
            notes=(PERTURBED,) if perturbed else (),
        )


def _sample(instance: Instance, marks: dict[str, Mark], *, trials: bool, perturbed: bool) -> Sample:
    """Return means by statistic, except for what is bookkeeping."""
    name, done = instance.instance_id, _perturbation(instance.perturbation or {})
    stats = {stat.name.name: stat.mean for stat in instance.stats if stat.count}
    return Sample(
        item=name if done == PLAIN else f"{name}/{done}",
        scores={n: mean for n, mean in stats.items() if not BOOKKEEPING.fullmatch(n)},
        mark=marks.get(name, ()) if done == PLAIN else (),
        response=str(instance.train_trial_index) if trials else None,
        labels={"perturbation": done, "instance": name} if perturbed else {},
    )


def _perturbation(done: dict[str, Any]) -> str:
    """Name what was done to an instance, with what distinguishes one such change from another."""
    if not done:
        return PLAIN
    rest = [f"{k}={v}" for k, v in sorted(done.items()) if isinstance(v, int | float | str)]
    return ",".join([str(done.get("name", "perturbed")), *(r for r in rest if r[:5] != "name=")])


def _marks(folder: Path) -> dict[str, Mark]:
    """Fingerprints of what instances ask and expect, from the files of the run that say it."""
    brief, whole = folder / "instances.json", folder / "scenario_state.json"
    instances: list[ScenarioInstance] = []
    if brief.exists():
        instances = json_logs.decode_whole(brief, list[ScenarioInstance])
    elif whole.exists():
        states = json_logs.decode_whole(whole, ScenarioState).request_states
        instances = [state.instance for state in states or ()]
    return {x.id: _mark(x) for x in instances if x.id and not x.perturbation}


def _mark(instance: ScenarioInstance) -> Mark:
    right = [_text(x.output) for x in instance.references or () if "correct" in (x.tags or ())]
    return digest(_text(instance.input)), digest(sorted(right, key=str))


def _text(value: Any) -> Any:
    """Return the text of an input or output, which older versions wrote without a record."""
    return value.get("text") if isinstance(value, dict) else value


def _task(run_name: str) -> str:
    """Drop the model from a run's name: ``mmlu:subject=law,model=x`` is ``mmlu:subject=law``.

    >>> _task("mmlu:subject=law,model=openai_gpt2"), _task("narrative_qa:model=openai_gpt2")
    ('mmlu:subject=law', 'narrative_qa')
    """
    return re.sub(r"(^|[:,])model(_deployment)?=[^,:]*", "", run_name).strip(",:")


HARNESS = Harness(
    names=("helm",),
    title="HELM",
    command="betterthan compare runs/mmlu:model=base runs/mmlu:model=new",
    about=__doc__,
    known=known,
    runs=runs,
    item="instance_id",
    response="trial",
    texts=False,
)
