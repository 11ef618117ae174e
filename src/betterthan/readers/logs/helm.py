"""HELM: ``per_instance_stats.json`` of a run's folder, beside the ``run_spec.json`` that names it.

Trials are responses. A perturbed instance is an item of its own, and has a label that says so.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from betterthan.data.frames.reader_options import Options
from betterthan.data.scores import Scores
from betterthan.errors import FormatError, Note, Remedy
from betterthan.readers.examples import Example
from betterthan.readers.files import first_bytes
from betterthan.readers.logs import json_logs
from betterthan.readers.logs.gathering import gather
from betterthan.readers.logs.runs import LogFile, Run, Value, by_column, digest, log_files

FORMATS = ("helm",)
EXAMPLES = {
    "helm": Example(
        "HELM",
        "betterthan compare runs/mmlu:model=base runs/mmlu:model=new",
        """
[{"instance_id": "id147", "train_trial_index": 0, "stats": [{"name": {"name": "exact_match"},
  "count": 1, "mean": 1.0}, ...]}, ...]
""",
    )
}
STATS = "per_instance_stats.json"
NONE = "none"  # label of an instance that is as the scenario has it
# Statistics that tell about the run, not about how good the answer is.
BOOKKEEPING = re.compile(
    r"num_.*|training_.*|inference_.*|batch_size|finish_reason_.*|prompt_truncated|max_prob|"
    r"logprob|logprob_per_byte|bits_per_byte|perplexity|predicted_index|estimated_.*"
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
    """Which model was asked."""

    model: str | None = None
    model_deployment: str | None = None


class RunSpec(msgspec.Struct):
    """The name of the run, and its model."""

    name: str
    adapter_spec: Adapter


AS_INSTANCES = Remedy("keep those of one instance together", "columns", {"cluster": "instance"})


def recognise(path: Path, head: bytes) -> bool:
    """Tell statistics by their fields, and the other files of a run by their names."""
    keys = json_logs.top_keys(head)
    return {"instance_id", "stats"} <= keys or (
        path.name in ("run_spec.json", "stats.json", "scenario_state.json")
        and (path.parent / STATS).exists()
    )


def read(files: Sequence[Path], options: Options) -> Scores:
    """Scores of all the runs together."""
    for path in files:
        if not {"instance_id", "stats"} <= json_logs.top_keys(first_bytes(path)):
            raise FormatError(
                f"{path} has no scores of instances: give the folder, or the {STATS} in it"
            )
    runs = [_run(file) for file in log_files(files, options)]
    return gather(runs, options, "HELM", item="instance_id", response="trial", texts=False)


def _run(file: LogFile) -> Run:
    path = file.path
    instances = json_logs.decode_whole(path, list[Instance])
    spec_path = path.parent / "run_spec.json"
    spec = json_logs.decode_whole(spec_path, RunSpec) if spec_path.exists() else None
    run_name = spec.name if spec else path.absolute().parent.name
    model = (spec.adapter_spec.model or spec.adapter_spec.model_deployment) if spec else None
    kinds = [_perturbation(instance) for instance in instances]
    perturbed = any(kind != NONE for kind in kinds)
    trials = {instance.train_trial_index for instance in instances}
    return Run(
        system=file.system(model or _field(run_name, "model") or run_name),
        task=_task(run_name),
        where=str(path),
        items=[
            i.instance_id if kind == NONE else f"{i.instance_id}/{kind}"
            for i, kind in zip(instances, kinds, strict=True)
        ],
        scores=_columns(instances, path),
        responses=[str(i.train_trial_index) for i in instances] if len(trials) > 1 else None,
        labels={"perturbation": list(kinds), "instance": [i.instance_id for i in instances]}
        if perturbed
        else {},
        prints=_prints(path.parent),
        notes=(Note("perturbed instances are items of their own", AS_INSTANCES),)
        if perturbed
        else (),
    )


def _columns(instances: Sequence[Instance], path: Path) -> dict[str, list[Value]]:
    """Means by statistic, but for what is bookkeeping."""
    rows = [
        {stat.name.name: stat.mean for stat in instance.stats if stat.count}
        for instance in instances
    ]
    quality = {n: column for n, column in by_column(rows).items() if not BOOKKEEPING.fullmatch(n)}
    if not quality:
        raise FormatError(f"{path}: no instance has a statistic that says how good it is")
    return quality


def _prints(folder: Path) -> dict[str, tuple[bytes, bytes]]:
    """Fingerprints of what instances ask and expect, from the files of the run that say it."""
    brief, whole = folder / "instances.json", folder / "scenario_state.json"
    asked: list[ScenarioInstance] = []
    if brief.exists():
        asked = json_logs.decode_whole(brief, list[ScenarioInstance])
    elif whole.exists():
        states = json_logs.decode_whole(whole, ScenarioState).request_states
        asked = [state.instance for state in states or ()]
    return {
        instance.id: (digest(_text(instance.input)), digest(_right(instance)))
        for instance in asked
        if instance.id and not instance.perturbation
    }


def _right(instance: ScenarioInstance) -> list[Any]:
    found = [_text(x.output) for x in instance.references or () if "correct" in (x.tags or ())]
    return sorted(found, key=str)


def _text(value: Any) -> Any:
    """Return the text of an input or output, which older versions wrote without a record."""
    return value.get("text") if isinstance(value, dict) else value


def _perturbation(instance: Instance) -> str:
    """Name what was done to an instance, with what tells one such change from another."""
    done = instance.perturbation
    if not done:
        return NONE
    rest = [f"{k}={v}" for k, v in sorted(done.items()) if isinstance(v, int | float | str)]
    return ",".join([str(done.get("name", "perturbed")), *(r for r in rest if r[:5] != "name=")])


def _task(run_name: str) -> str:
    """Drop the model from a run's name: ``mmlu:subject=law,model=x`` is ``mmlu:subject=law``.

    >>> _task("mmlu:subject=law,model=openai_gpt2"), _task("narrative_qa:model=openai_gpt2")
    ('mmlu:subject=law', 'narrative_qa')
    """
    return re.sub(r"(^|[:,])model(_deployment)?=[^,:]*", "", run_name).strip(",:")


def _field(run_name: str, key: str) -> str | None:
    found = re.search(rf"(?:^|[:,]){key}=([^,:]*)", run_name)
    return found[1] if found else None
