"""``betterthan formats``: what can be read, what it looks like, and the command for it."""

from typing import Annotated

import typer

# Names of formats are those of --input-format; samples of logs stand beside their readers.
COMMANDS = {
    "wide": ("a table with a column per system", "betterthan compare runs.csv"),
    "long": ("a table with a row per item and system", "betterthan compare runs.csv --metric f1"),
    "single": ("one file per system", "betterthan compare base.csv new.csv"),
    "counts": ("counts of two systems, without names", "betterthan compare counts.csv"),
    "lm-eval": (
        "lm-evaluation-harness",
        "betterthan compare base/samples_*.jsonl new/samples_*.jsonl",
    ),
    "inspect": ("Inspect", "betterthan compare base.eval new.eval --cluster metadata.topic"),
    "helm": ("HELM", "betterthan compare runs/mmlu:model=base runs/mmlu:model=new"),
    "every-eval-ever": ("Every Eval Ever", "betterthan rank samples.jsonl --task gsm8k"),
    "openai-evals": ("OpenAI evals", "betterthan compare base.jsonl new.jsonl"),
    "promptfoo": ("promptfoo", "betterthan compare results.json"),
    "comet": ("COMET --to_json", "betterthan compare comet.json"),
    "mt-metrics": ("mt-metrics-eval", "betterthan rank en-de.mqm.seg.score --cluster document"),
    "trec": ("trec_eval -q, ir_measures -q", "betterthan compare base.txt new.txt --metric map"),
    "judgments": ("pairwise judgments", "betterthan rank battles.csv"),
}
TABLES = {
    "wide": "item,base,new\nq1,0,1\nq2,1,1",
    "long": "item,system,tp,fp,fn\ns1,crf,2,1,0\ns1,bert,3,0,0",
    "single": "item,score\nq1,0.5\nq2,0.75",
    "counts": "8,6\n5,5",
}


def formats(
    name: Annotated[
        str | None, typer.Argument(help="Only this format.", show_default=False)
    ] = None,
) -> None:
    """List the formats that can be read, each with a sample and the command to use.

    Files are told apart by themselves; --input-format NAME overrules.
    """
    from betterthan.errors import UsageError

    if name is not None and name not in COMMANDS:
        raise UsageError(f"there is no format {name!r}; there are {', '.join(COMMANDS)}")
    shown = [_entry(each) for each in COMMANDS if name in (None, each)]
    print("\n\n".join(shown))


def _entry(name: str) -> str:
    from betterthan.readers import FAMILIES

    what, command = COMMANDS[name]
    samples = TABLES | {
        each: family.SAMPLE.strip("\n")
        for family in FAMILIES
        for each in family.FORMATS
        if hasattr(family, "SAMPLE")
    }
    indented = "\n".join(f"    {line}" for line in samples[name].splitlines())
    return f"{name}: {what}\n{indented}\n  $ {command}"
