"""Logs that cannot be used: what is wrong with which file, what to do, and exit code 4."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import log_writers as write
import pytest

import betterthan as bt
from betterthan.errors import AlignmentError, FormatError
from betterthan.readers.sources import read
from conftest import Run

TWO = {"base": {str(i): float(i % 2) for i in range(6)}, "new": dict.fromkeys("012345", 1.0)}
SHORT = TWO | {"new": {"0": 1.0, "1": 0.0, "2": 1.0}}
Make = Callable[[Path], list[Path]]


def cut(writer: Make, keep: int) -> Make:
    """The second file without its end."""

    def make(folder: Path) -> list[Path]:
        paths = writer(folder)
        paths[-1].write_bytes(paths[-1].read_bytes()[:keep])
        return paths

    return make


def of(writer: Callable[..., list[Path]], results: Any = TWO, **options: Any) -> Make:
    return lambda folder: writer(results, folder, **options)


def inspected(folder: Path, name: str, kind: str, rows: list[dict[str, Any]]) -> Path:
    header = write.inspect_header(name)
    if kind == "json":
        return write.write_json(folder / f"{name}.json", header | {"samples": rows})
    summaries = kind == "summaries"
    return write.eval_archive(folder / f"{name}.eval", header, rows, summaries=summaries)


def inspect_ids(*lists: list[Any]) -> Make:
    """Logs of samples with these ids."""

    def make(folder: Path) -> list[Path]:
        rows = [
            [{"id": i, "input": f"q {str(i).strip()}", "scores": {"m": {"value": 1}}} for i in ids]
            for ids in lists
        ]
        return [inspected(folder, name, "json", x) for name, x in zip(TWO, rows, strict=True)]

    return make


def model_twice(folder: Path) -> list[Path]:
    return [write.lm_eval(TWO, folder / name)[0] for name in "ab"]


def corrupt_member(writer: Make) -> Make:
    def make(folder: Path) -> list[Path]:
        paths = writer(folder)
        with zipfile.ZipFile(paths[1]) as archive:
            place = archive.getinfo("samples/3_epoch_1.json").header_offset + 60
        data = paths[1].read_bytes()
        paths[1].write_bytes(data[:place] + b"\0" * 40 + data[place + 40 :])
        return paths

    return make


def measures_of_their_own(folder: Path) -> list[Path]:
    folder.mkdir(exist_ok=True)
    lines = (f"q{k}\tP@{k}\t0.5\n" for k in range(20_000))
    (path := folder / "run.txt").write_text("".join(lines))
    return [path]


lm_eval, inspect = of(write.lm_eval), of(write.inspect_json)
FAULTS: dict[str, Make] = {
    "cut off": cut(of(write.inspect_eval), -200),
    "member": corrupt_member(of(write.inspect_eval, summaries=False)),
    "zstd": corrupt_member(of(write.inspect_zstd)),
    "metrics": measures_of_their_own,
    "kinds": lambda f: [lm_eval(f)[0], inspect(f)[1]],
    "exports": lambda f: [of(write.ragas)(f / "1")[0], of(write.langsmith)(f / "2")[1]],
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(fault: str, tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    run = betterthan("compare", *map(str, FAULTS[fault](tmp_path)))
    assert (run.code, run.out) == (4, "")
    assert run.err.startswith("error: ")
    assert ("--input-format" in run.err) == (fault in ("kinds", "exports"))


def test_the_remedies_work(tmp_path: Path) -> None:
    assert read(*model_twice(tmp_path / "1"), columns={"system": "file"}).systems == ("a", "b")
    short = of(write.lm_eval, SHORT)
    assert read(*short(tmp_path / "2"), missing="drop").n == 3
    assert read(*short(tmp_path / "3"), missing="worst", metric="exact_match").n == 6


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (cut(of(write.lm_eval), -200), 6),
        (cut(of(write.openai_evals), -90), 13),
        (cut(of(write.trec_eval), -20), 14),
        (cut(of(write.inspect_json), -20), None),
        (cut(of(write.inspect_eval), -200), None),
        (corrupt_member(of(write.inspect_eval, summaries=False)), None),
    ],
)
def test_errors_know_their_file_and_line(make: Make, line: int | None, tmp_path: Path) -> None:
    paths = make(tmp_path)
    with pytest.raises(FormatError) as caught:
        bt.read(*paths)
    assert (caught.value.where.file, caught.value.where.line) == (paths[1], line)


def test_errors_know_their_samples(tmp_path: Path) -> None:
    with pytest.raises(AlignmentError) as caught:
        bt.read(*inspect_ids([1, 2, 2], [1, 2, 3])(tmp_path))
    assert caught.value.where.file == tmp_path / "base.json"
    assert caught.value.where.items == ("2",)


def test_logs_without_scores_say_how_to_score_them(tmp_path: Path) -> None:
    samples = [{"id": 1, "model_usage": {"new": {"total_tokens": 3}}}]
    for name, rows in (("base", []), ("new", samples)):
        with pytest.raises(FormatError) as caught:
            bt.read(inspected(tmp_path, name, "json", rows))
        assert caught.value.remedy is not None
        assert caught.value.remedy.does.startswith("score the log")
    assert caught.value.remedies[1].value == "total_tokens"


def test_contents_decide_not_suffixes(tmp_path: Path) -> None:
    for make, end in ((of(write.inspect_eval), ".json"), (lm_eval, ".csv")):
        assert read(*[path.rename(path.with_suffix(end)) for path in make(tmp_path / end)]).n == 6
    paths = inspect_ids([1, 2, 3], ["1", "2", "3"])(tmp_path)
    assert read(*paths).n == 3  # numbers and the same as text


def test_no_option_is_swallowed(tmp_path: Path, betterthan: Callable[..., Run]) -> None:
    paths: list[Any] = [str(path) for path in lm_eval(tmp_path)]
    for option in ("--where=task=x", "--where=filter=x", "--system=x", "--cluster=x", "--metric=x"):
        run = betterthan("compare", *paths, option)
        assert run.code == 2, option
        assert "x" in run.err
    with pytest.raises(bt.errors.UsageError, match="swe-bench"):
        read(*paths, input_format="nothing")


# Samples must be the same

LONG = "Answer the question with a number and say nothing else. " * 5  # more than a line
SAID = [{"id": "x", "role": "user", "content": "2 + 2?"}]
SYSTEM = {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize("kinds", ["json json", "json samples", "summaries json"])
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"input": LONG + "2 + 2?"}, {"input": LONG + "3 + 3?"}, False),
        ({"target": ["four", "4"]}, {"target": ["four", "5"]}, False),
        ({"input": SAID}, {"input": [SAID[0] | {"content": "3 + 3?"}]}, False),
        (
            {"input": [{"content": [{"text": "2"}]}]},
            {"input": [{"content": [{"text": "3"}]}]},
            False,
        ),
        ({"target": "A"}, {"target": "C"}, True),  # shuffled choices
        ({"input": "attachment://0f3c"}, {"input": "a very long text"}, True),
        ({"input": SAID}, {"input": [SYSTEM, SAID[0] | {"id": "y"}]}, True),
    ],
)
def test_inspect_samples_must_be_the_same(
    tmp_path: Path, kinds: str, one: Any, other: Any, same: bool
) -> None:
    logs = [
        inspected(tmp_path, name, kind, [
            write.inspect_sample(str(k), "C") | (more if k == 2 else {}) for k in range(4)
        ])
        for name, kind, more in zip(TWO, kinds.split(), (one, other), strict=True)
    ]  # fmt: skip
    if same:
        assert bt.read(*logs).n == 4
    else:
        with pytest.raises(AlignmentError, match="1 of 4"):
            bt.read(*logs)
