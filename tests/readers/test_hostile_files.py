"""Files that were once read wrongly, slowly, or not at all without a traceback."""

import gzip
import io
import json
import time
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import log_writers as write
import polars as pl
import pytest
from reading_ways import advised, counted

import betterthan as bt
from betterthan.errors import (
    BadValueError,
    BetterthanError,
    FormatError,
    TooLargeError,
    UsageError,
)
from betterthan.readers.streams import HARMLESS, memory
from conftest import Run

Command = Callable[..., Run]
DEEP = b"[" * 100_000
LONG = "x" * 200_000
RESULTS = {s: {str(i): float((i * k) % 3 > 0) for i in range(12)} for s, k in (("a", 1), ("b", 2))}

READABLE = {
    "half.jsonl": "".join(
        json.dumps({"item": i, "a": i % 2, "b": 1, "answer": "\ud83d"[: i % 2]}) + "\n"
        for i in range(9)
    ).encode(),
    "half.json": json.dumps(
        [{"item": f"\ud83d{i}", "a": i % 2, "b": 1} for i in range(9)]
    ).encode(),
    "long.csv": b"item,a,b,answer\n"
    + b"".join(f'q{i},{i % 2},1,"{LONG}"\n'.encode() for i in range(4)),
}
REFUSED = {
    "bytes.jsonl": b'{"item": 1, "a": 1, "b": 0, "x": "\xff\xfe"}\n',
    "deep.json": DEEP,
    "deep.jsonl": b'{"item": 1, "a": ' + DEEP + b"\n",
    "digits.json": b'[{"item": 1, "a": ' + b"9" * 5000 + b', "b": 1}]',
    "digits400.json": b'[{"item": 1, "a": '
    + b"9" * 400
    + b', "b": 1}, {"item": 2, "a": 1, "b": 1}]',
    "digits.csv": b"item,a,b\nq1," + b"9" * 5000 + b",1\nq2,1,1\n",
    "digits400.csv": b"item,a,b\nq1," + b"9" * 400 + b",1\nq2,1,1\n",
    "unit.csv": b"item\x1fa\x1fb\nq1\x1f1\x1f0\n",
    "torn.csv.gz": gzip.compress(b"item,a,b\n" * 500)[:30],
    "block.csv.gz": gzip.compress(b"item,a,b\n")[:10] + b"\xff" * 20,
}


@pytest.mark.parametrize("name", READABLE)
def test_what_can_be_read_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(READABLE[name])
    assert bt.read(tmp_path / name).n in (4, 9)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused(tmp_path: Path, betterthan: Command, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(REFUSED[name])
    for words in (["compare"], ["rank"], ["inspect"]):
        run = betterthan(*words, str(path))
        assert run.code in (2, 4), f"{words}: {run.err}"


def test_ids_that_differ_in_half_an_emoji_stay_apart(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    rows = [{"item": x, "a": 1, "b": 0} for x in ("\ud83d", "\ud83e", "\udc00", "\\ud83d ")]
    path.write_text(json.dumps(rows))
    assert bt.read(path).n == 4


@pytest.mark.parametrize("name", ["lm_eval", "inspect_json", "comet", "promptfoo", "openai_evals"])
def test_logs_with_half_an_emoji_and_with_bytes_that_are_no_text(tmp_path: Path, name: str) -> None:
    files = getattr(write, name)(RESULTS, tmp_path)
    for file in files:
        text = file.read_text()
        file.write_text(text.replace("think", "\\ud83d"))
    assert bt.read(*files).n == 12
    for file in files:
        file.write_bytes(file.read_bytes().replace(b"step", b"\xff\xfe"))
    try:
        bt.read(*files)
    except BetterthanError as error:
        assert "utf-8" in str(error).lower()  # noqa: PT017 (or it was in what is skipped)


@pytest.mark.parametrize("part", ['\\"', '"', "{", "[", '{"', "\\", ',"', '""', "\r", ";|\t,"])
def test_detection_takes_time_in_proportion(tmp_path: Path, part: str) -> None:
    for start in ("", "{", '{"a": "'):
        path = tmp_path / "t"
        path.write_text(start + part * 65_000)
        before = time.process_time()
        with pytest.raises(BetterthanError):
            bt.read(path)
        assert time.process_time() - before < 5


WIDE = {
    "unnamed.csv": ("," * 5_000 + "\n") * 2,
    "words.txt": " ".join(f"w{k}" for k in range(80_000)) + "\n",
    "chain.csv": "model_a,model_b,winner\n"
    + "".join(f"s{k},s{k + 1},model_a\n" for k in range(40_000)),
}


@pytest.mark.parametrize("name", WIDE)
def test_columns_and_systems_without_end_take_time_in_proportion(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(WIDE[name])
    before = time.process_time()
    with pytest.raises(BetterthanError):
        bt.read(path, metric="win" if name == "chain.csv" else None)
    assert time.process_time() - before < 5


def test_a_bomb_is_refused_before_it_fills_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    path.write_bytes(gzip.compress(b"item,a,b\n" + b"0" * (3 * HARMLESS)))
    before = time.process_time()
    with pytest.raises(FormatError, match="swells"):
        bt.read(path)
    assert time.process_time() - before < 5
    with memory("32M"), pytest.raises(FormatError, match="memory"):
        bt.read(path)


def test_a_limit_can_be_set_in_python(tmp_path: Path) -> None:
    table, battles = tmp_path / "t.csv", tmp_path / "b.csv"
    table.write_text("item,a,b\n" + "".join(f"q{i},{i % 2},1\n" for i in range(5000)))
    battles.write_text("model_a,model_b,winner\n" + "x,y,model_a\n" * 3000)
    texts = [tmp_path / "x.txt", tmp_path / "gold.txt"]
    for path in texts:
        path.write_text("a b c\n" * 5000)
    calls: list[Callable[[str | int | None], object]] = [
        lambda size: bt.read(table, items=True, limits=bt.Limits(memory=size)),
        lambda size: bt.read(battles, limits=bt.Limits(memory=size)),
        lambda size: bt.read(texts[0], ref=texts[1], metric="bleu", limits=bt.Limits(memory=size)),
    ]
    for call in calls:
        for size in ("10K", 10 << 10):
            with pytest.raises(FormatError) as caught:
                call(size)
            assert "limits" in dict(advised(caught))
        for wrong in ("lots", "-1", "0", "1e9", ""):
            with pytest.raises(UsageError, match="a size is"):
                call(wrong)
        assert call("10M")
        assert call(None)


def test_what_parquet_becomes_in_memory_counts(tmp_path: Path) -> None:
    path, n = tmp_path / "t.parquet", 1_000_000
    pl.DataFrame({"a": [0] * n, "b": [1] * n}).cast(pl.Int8).write_parquet(path)
    assert path.stat().st_size < 1 << 14
    with pytest.raises(TooLargeError) as caught:  # the columns would take 16 on their own
        bt.read(path, items=True, limits=bt.Limits(memory="40M"))
    assert advised(caught) == [("items", False), ("limits", 'bt.Limits(memory="1G")')]
    assert bt.read(path, limits=bt.Limits(memory="80M")).n == bt.read(path, items=False).n == n


def test_a_sparse_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    with path.open("wb") as file:
        file.write(b"item,a,b\n")
        file.truncate(1 << 40)
    with pytest.raises(FormatError, match="memory"):
        bt.read(path)


@pytest.mark.parametrize("kind", ["encrypted", "huge", "bomb"])
def test_archives_are_checked_before_they_are_unpacked(tmp_path: Path, kind: str) -> None:
    path = write.inspect_eval(RESULTS, tmp_path)[0]
    made = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name) if name != "summaries.json" else b" " * 2 * HARMLESS)
    data = bytearray(made.getvalue() if kind == "bomb" else path.read_bytes())
    at = data.index(b"PK\x01\x02")
    while at >= 0 and kind != "bomb":  # the fields of every member in the directory
        if kind == "encrypted":
            data[at + 8] |= 1
        else:
            data[at + 24 : at + 28] = b"\xfe\xff\xff\xff"
        at = data.find(b"PK\x01\x02", at + 1)
    path.write_bytes(data)
    with memory("1G") if kind == "huge" else memory("60G"):
        if kind != "bomb":
            with pytest.raises(FormatError, match=r"encrypted|memory"):
                bt.read(path)
    if kind == "bomb":
        with pytest.raises(FormatError, match="swells"):
            bt.read(path)


@pytest.mark.parametrize(
    "ids",
    [
        pl.Series("item", range(6)).cast(pl.Duration),
        pl.Series("item", [[k] for k in range(6)]),
        pl.Series("item", [bytes([k, 255]) for k in range(6)]),
        pl.Series("item", [{"a": k} for k in range(6)]),
        pl.Series("item", range(6)).cast(pl.Date),
        pl.Series("item", range(6)).cast(pl.Decimal(10, 2)),
        pl.Series("item", [None] * 6),
    ],
    ids=lambda s: str(s.dtype),
)
def test_ids_of_any_type(tmp_path: Path, betterthan: Command, ids: pl.Series) -> None:
    path = tmp_path / "t.parquet"
    pl.DataFrame([ids, pl.Series("a", [0, 1] * 3), pl.Series("b", [1, 1, 0] * 2)]).write_parquet(
        path
    )
    for words in (["compare"], ["rank"], ["inspect"]):
        assert betterthan(*words, str(path)).code in (0, 2, 4)


@pytest.mark.parametrize(
    "metric",
    [
        f"fbeta({'9' * 400})",
        f"fbeta({'9' * 5000})",
        "fbeta(1e-400)",
        f"ratio({'9' * 400}*a / b)",
        f"ratio(a / {'9' * 5000}*b)",
        "ratio(" + "(" * 5000,
    ],
    ids=lambda text: f"{text[:12]}-{len(text)}",
)
def test_numbers_of_hundreds_of_digits_in_metrics(metric: str) -> None:
    with pytest.raises(UsageError) as caught:
        bt.metrics.parse(metric)
    assert str(caught.value)


@pytest.mark.parametrize(
    "text",
    [f"[{'.'.join('a' * 30_000)}]\n", f"a{'.a' * 30_000} = 1\n", f"x = {'[' * 30_000}\n"],
    ids=["table", "key", "array"],
)
def test_plans_that_are_nested_without_end(
    demo_folder: Path, betterthan: Command, text: str
) -> None:
    (demo_folder / "p.toml").write_text(f"[gate]\nmargin = 2\n{text}")
    run = betterthan("gate", "qa.csv", "--candidate", "atlas", "--plan", "p.toml")
    assert run.code == 4, run.err
    assert "nested too deeply: write it again" in run.err


@pytest.mark.parametrize(
    "number", ["9" * 400, "9" * 5000, "0x" + "f" * 9000, "1e400", "nan", "inf"]
)
@pytest.mark.parametrize("key", ["margin", "alpha"])
def test_numbers_of_hundreds_of_digits_in_plans(
    demo_folder: Path, betterthan: Command, number: str, key: str
) -> None:
    other = "alpha = 0.05" if key == "margin" else "margin = 2"
    (demo_folder / "p.toml").write_text(f"[gate]\n{other}\n{key} = {number}\n")
    for words in (["qa.csv", "--candidate", "atlas"], ["--seal"]):
        run = betterthan("gate", *words, "--plan", "p.toml")
        assert run.code in (2, 4), run.err
        assert len(run.err) < 3000


@pytest.mark.parametrize(
    "content",
    [
        b'item,a,b\n"q1",1\r,0\nq2,1,1\r\r\n',
        b'item,a,b\n"q\r1",1,0\nq2,1,1\n',
        b"item,a,b\rq1,1,0\rq2,1,1\r",
        b'item,"a\x1fx",b\nq1,1,0\nq2,1,1\n',
    ],
)
def test_stray_returns_and_separators_are_no_defect(
    tmp_path: Path, betterthan: Command, content: bytes
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    for words in (["compare"], ["rank"], ["inspect"]):
        assert betterthan(*words, str(path)).code in (0, 2, 4)


@pytest.mark.parametrize("duplicates", [True, False])
def test_frames_with_duplicate_columns_and_decimal_labels(duplicates: bool) -> None:
    import pandas as pd

    rows = [[Decimal(k), k % 2, (k + 1) % 3 > 0, Decimal(k % 2)] for k in range(8)]
    frame = pd.DataFrame(rows, columns=["item", "a", "a" if duplicates else "b", "domain"])
    try:
        assert bt.read(frame, columns={"label": "domain"}).n == 8
    except BetterthanError:
        assert duplicates


@pytest.mark.parametrize(
    ("name", "metric", "content"),
    [
        ("t.conllu", "las", b"# sent_id = 1\n# text = x\n\n"),
        ("t.conllu", "las", b"1\tx\t_\t_\t_\t_\t" + b"9" * 5000 + b"\troot\t_\t_\n\n"),
        ("t.mrg", "f1", b"(" * 100_000),
        ("t.align", "aer", b"9" * 5000 + b" 1 1\n"),
        ("t.align", "aer", b"1-" + b"9" * 5000 + b"\n"),
        ("t.json", "f1", b'{"q1": ' + b"9" * 5000 + b"}"),
        ("t.txt", "bleu", b"\xff\xfe\n"),
    ],
    ids=lambda x: x[:12] if isinstance(x, bytes) else x,
)
def test_outputs_that_cannot_be_scored(
    tmp_path: Path, betterthan: Command, name: str, metric: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    (tmp_path / f"gold.{name}").write_bytes(content)
    words = ["score", str(tmp_path / name), "-m", metric, "--ref", str(tmp_path / f"gold.{name}")]
    assert betterthan(*words).code in (2, 4)


def test_an_archive_whose_members_have_no_names(tmp_path: Path) -> None:
    path = write.inspect_eval(RESULTS, tmp_path)[0]
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    data[at + 9] |= 0x08  # the name is said to be UTF-8
    data[at + 46 : at + 48] = b"\xa0\xff"
    path.write_bytes(data)
    with pytest.raises(FormatError):
        bt.read(path)


def test_a_signalling_nan_is_named() -> None:
    import pandas as pd

    scores: Any = {"a": [Decimal(1), Decimal("sNaN")], "b": [Decimal(0), Decimal(1)]}
    for call in (bt.read, counted):
        with pytest.raises(BadValueError, match=r"'a'.*signalling"):
            call(pd.DataFrame(scores))
    with pytest.raises(BadValueError, match="'a' holds a number"):
        bt.Scores.from_arrays(scores)


@pytest.mark.parametrize("call", [bt.read, counted])
def test_a_name_that_is_too_long(call: Any) -> None:
    with pytest.raises(FormatError, match=r"cannot read xxx.*too long|no file xxx"):
        call("x" * 5000)


def test_segments_and_documents_with_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = write.mt_metrics(RESULTS, tmp_path)[0]
    path.write_bytes(path.read_bytes().replace(b"a\t", b"\xff\t").replace(b"b\t", b"\xfe\t"))
    documents = path.parents[1] / "documents" / "en-de.docs"
    documents.parent.mkdir()
    documents.write_bytes(b"news \xff\nnews \xfe\n" * 6)
    scores = bt.read(path)
    assert scores.systems == ("\\xff", "\\xfe")
    assert set(scores.labels("document")) == {"\\xff", "\\xfe"}
    for content in (b"\x1f", b"\x1f\n \t\n"):
        path.write_bytes(content)
        with pytest.raises(FormatError, match="SYSTEM SCORE"):
            bt.read(path)


@pytest.mark.parametrize("header", [",,", "item,,a,,b,", ",a,b,,,"])
def test_several_columns_without_a_name(tmp_path: Path, header: str) -> None:
    width = header.count(",")
    rows = [",".join(str((i * k) % 3) * bool(x) for k, x in enumerate(header.split(",")))
            for i in range(9)]  # fmt: skip
    (tmp_path / "t.csv").write_text("\n".join([header, *rows]) + "\n")
    (tmp_path / "empty.csv").write_text(header)
    assert all(row.count(",") == width for row in rows)
    for name in ("t.csv", "empty.csv"):
        try:
            assert bt.read(tmp_path / name).systems == ("a", "b")
        except BetterthanError as error:
            assert str(error)  # noqa: PT017


@pytest.mark.parametrize("writer", [write.inspect_eval, write.inspect_zstd])
def test_an_archive_whose_members_lie_before_its_beginning(
    tmp_path: Path, writer: Callable[..., list[Path]]
) -> None:
    path = writer(RESULTS, tmp_path)[0]
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x05\x06") + 16  # where the directory begins, says the end
    where = int.from_bytes(data[at : at + 4], "little") + 1_000_000
    data[at : at + 4] = where.to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(FormatError):
        bt.read(path)


def _changed(folder: Path, **values: list[object]) -> list[Path]:
    """Logs of lm-eval, with other values of fields in turn."""
    files = write.lm_eval(RESULTS, folder)
    for file in files:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        for k, row in enumerate(rows):
            row |= {name: listed[k % len(listed)] for name, listed in values.items()}
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return files


@pytest.mark.parametrize(
    "names", ["exact_match", 5, None, True, {"exact_match": 1}, [1, 2], [["a"]], [{"a": 1}], [None]]
)
def test_metrics_of_lm_eval_that_are_no_list_of_names(tmp_path: Path, names: object) -> None:
    with pytest.raises(FormatError, match="metrics"):
        bt.read(*_changed(tmp_path, metrics=[names]))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([1, "x"], "filter"),
        ([["a"], "x"], "filter"),
        (["x", {"a": 1}], "filter"),
        ([True, False], "filter"),
        ([None, "strict"], "6 of 12 documents have answers of filter 'none'"),
    ],
)
def test_filters_of_lm_eval_of_several_types(
    tmp_path: Path, names: list[object], said: str
) -> None:
    files = _changed(tmp_path, filter=names)
    with pytest.raises(FormatError, match=said):
        bt.read(*files)


def test_filters_of_lm_eval_that_are_null_are_none(tmp_path: Path) -> None:
    assert bt.read(*_changed(tmp_path, filter=[None])).n == 12


def test_a_folder_beside_a_folder_in_it(tmp_path: Path) -> None:
    for folder, system in ((tmp_path / "runs", "a"), (tmp_path / "runs" / "sub", "b")):
        write.lm_eval({system: RESULTS[system]}, folder)
    assert bt.read(tmp_path / "runs").systems == ("a", "b")
    with pytest.raises(UsageError, match="is given twice"):
        bt.read(tmp_path / "runs", tmp_path / "runs" / "sub")


@pytest.mark.parametrize(
    "values", [[[k // 10] for k in range(40)], [{"d": k // 10} for k in range(40)]]
)
def test_nested_columns_are_no_clusters_and_are_not_lost(values: list[Any], tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "item": [f"q{k}" for k in range(40)],
            "doc": values,
            "base": [1] * 40,
            "new": [int(k >= 10) for k in range(40)],
        }
    )
    frame.write_parquet(tmp_path / "t.parquet")
    for role in ("cluster", "label"):
        asked: dict[str, Any] = {"columns": {role: "doc"}}
        with pytest.raises(FormatError, match=r"'doc' holds .*names nothing"):
            bt.read(frame, **asked)
        with pytest.raises(FormatError, match=r"'doc' holds .*names nothing"):
            bt.read(tmp_path / "t.parquet", **asked)
