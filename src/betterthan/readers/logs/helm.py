"""HELM: ``per_instance_stats.json`` of a run's folder, next to the ``run_spec.json`` that names it.

Trials are responses. A perturbed instance is a separate item, and has a label that says so.

Its files look like this::

    [{"instance_id": "id147", "train_trial_index": 0, "stats": [{"name": {"name": "exact_match"},
      "count": 1, "mean": 1.0}, ...]}, ...]
    $ betterthan compare runs/mmlu:model=base runs/mmlu:model=new
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from betterthan.errors import Note, Remedy
from betterthan.readers.logs.harness import Harness
from betterthan.readers.logs.runs import EXPECTED, LogFile, Run, Sample

STATS = "per_instance_stats.json"
OTHERS = ("run_spec.json", "stats.json", "scenario_state.json")
PLAIN = "none"
"""Label of an instance that is as the scenario has it."""
BOOKKEEPING = re.compile(
    r"num_.*|training_.*|inference_.*|batch_size|finish_reason_.*|prompt_truncated|max_prob|"
    r"logprob|logprob_per_byte|bits_per_byte|perplexity|predicted_index|estimated_.*"
)
"""Statistics that tell about the run, not about how good the answer is."""
MODEL = re.compile(r"(^|[:,])model(_deployment)?=[^,:]*")
PERTURBED = Note(
    "perturbed instances are separate items",
    Remedy("keep those of one instance together", "columns", {"cluster": "instance"}),
)


class Stat(msgspec.Struct):
    """A statistic of one instance."""

    name: dict[str, Any]
    count: int = 1
    mean: float | None = None


class Instance(msgspec.Struct):
    """What was measured on one instance in one trial."""

    instance_id: str
    stats: list[Stat]
    train_trial_index: int = 0
    perturbation: dict[str, Any] | None = None


class Asked(msgspec.Struct):
    """What an instance asks, and its possible answers."""

    id: str | None = None
    input: Any = None
    references: Any = None
    perturbation: Any = None


class Request(msgspec.Struct):
    """A request; only its instance is needed."""

    instance: Asked


class State(msgspec.Struct):
    """All requests of a run."""

    request_states: list[Request] = []


class RunSpec(msgspec.Struct):
    """The name of the run, and its model."""

    name: str = ""
    adapter_spec: dict[str, Any] = {}


def known(file: LogFile) -> bool:
    """Tell by the fields of an instance."""
    return {"instance_id", "stats"} <= file.keys


def averages(file: LogFile) -> bool:
    """Tell the other files of a run by their names."""
    return file.path.name in OTHERS and (file.path.parent / STATS).exists()


def runs(file: LogFile) -> Iterator[Run]:
    """Yield the run in a folder."""
    spec = file.beside("run_spec.json", RunSpec)
    asked = [each.instance for each in file.beside("scenario_state.json", State).request_states]
    marks = {x.id: {"input": x.input, EXPECTED: x.references} for x in asked if not x.perturbation}
    instances = file.decode(list[Instance])
    perturbed = any(instance.perturbation for instance in instances)
    samples = [_sample(x, marks.get(x.instance_id, {}), labelled=perturbed) for x in instances]
    task = MODEL.sub("", spec.name or file.path.absolute().parent.name).strip(",:")
    system = str(spec.adapter_spec.get("model") or "")
    yield Run(file, samples, system, task, notes=(PERTURBED,) if perturbed else ())


def _sample(instance: Instance, marks: Mapping[str, Any], *, labelled: bool) -> Sample:
    """Return means by statistic, except for what is bookkeeping."""
    name, change = instance.instance_id, instance.perturbation
    rest = [f"{k}={v}" for k, v in sorted((change or {}).items()) if k != "name"]
    label = ",".join([str(change.get("name", "perturbed")), *rest]) if change else PLAIN
    means = {str(stat.name.get("name")): stat.mean for stat in instance.stats if stat.count}
    return Sample(
        f"{name}/{label}" if change else name,
        {x: mean for x, mean in means.items() if not BOOKKEEPING.fullmatch(x)},
        marks={} if change else marks,
        response=str(instance.train_trial_index + 1),
        labels={"perturbation": label, "instance": name} if labelled else {},
    )


HARNESS = Harness(
    "helm",
    __doc__,
    known,
    runs,
    averages=averages,
    instead=f"pass the folder, or the {STATS} in it",
    item="instance_id",
    response="trial",
)
