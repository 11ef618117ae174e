"""The layout of a plan's file: its table, its keys, and where its seal is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from betterthan.design.checks import MARGIN, Check
from betterthan.errors import Remedy, UsageError, closest, quote

NAMES = ("cluster", "baseline", "candidate", "by", "where")
OF_PLANS = ("alpha", "correction", "lower_is_better", "missing", *NAMES)
_OF_CHECKS = ("metric", "margin", "goal", "bounds", "assume")
_SEAL = re.compile(r"""[ \t]*(sealed|"sealed"|'sealed')[ \t]*=""")
_REMARK = re.compile(r"""(?<=["'])[ \t]*#[^\r\n]*""")
_GATE = re.compile(r"""[ \t]*\[[ \t]*(gate|"gate"|'gate')[ \t]*\][ \t]*(#.*)?""")
_TABLE = re.compile(r"[ \t]*\[")


def table_of(tables: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the table of the gate; ``path`` is for the error."""
    table = tables.get("gate")
    if not isinstance(table, dict):
        raise UsageError(f"{path} has no table [gate], and so is not a plan")
    return table


def rules_of(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes of a plan that its table holds."""
    _check_keys(table, (*OF_PLANS, *_OF_CHECKS, "checks", "sealed"))
    checks = table.get("checks")
    common = {name: table[name] for name in _OF_CHECKS if name in table}
    if checks is not None and common:
        raise UsageError(f"{next(iter(common))} must be in [[gate.checks]], where there is one")
    if checks is None:
        checks = [common]
    if not isinstance(checks, list) or not all(isinstance(check, dict) for check in checks):
        raise UsageError("checks must be tables, [[gate.checks]]")
    rules = {name: table[name] for name in OF_PLANS if name in table}
    return {"checks": tuple(map(_check, checks)), **rules}


def _check(table: Mapping[str, Any]) -> Check:
    _check_keys(table, _OF_CHECKS)
    if "margin" not in table:
        raise UsageError("every check needs a margin", MARGIN)
    if not isinstance(table.get("metric"), str | None):
        raise UsageError(f"metric must be text, got {quote(table['metric'])}")
    lists = {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
    return Check(**{"metric": None, **table, **lists})


def _check_keys(table: Mapping[str, Any], known: Sequence[str]) -> None:
    for key in table:
        if key not in known:
            near = closest(key, known)
            remedies = [Remedy(f"write {near}")] if near else []
            raise UsageError(
                f"{quote(key)} is not a key of a plan; there are {', '.join(known)}", *remedies
            )


def sealed_texts(text: str, seal_hash: str) -> Iterator[str]:
    """Texts with the seal below what may be the header of the table, each with one such line."""
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)  # as TOML does: other ends of lines are text
    tops = (k for k, line in enumerate(lines) if _GATE.fullmatch(line.rstrip("\r\n")))
    for top in islice(tops, 20):  # more are hardly headers
        yield _sealed_below(top, lines, seal_hash)


def _sealed_below(top: int, lines: list[str], seal_hash: str) -> str:
    """Put the seal below a header, with the comment of the old one."""
    end = next((k for k in range(top + 1, len(lines)) if _TABLE.match(lines[k])), len(lines))
    table = lines[top + 1 : end]
    body = [line for line in table if not _SEAL.match(line)]
    comments = [found[0] for line in table if _SEAL.match(line) and (found := _REMARK.search(line))]
    line_end = "\r\n" if lines[top].endswith("\r\n") else "\n"
    seal_line = f'sealed = "{seal_hash}"{"".join(comments)}{line_end}'
    return "".join([*lines[: top + 1], seal_line, *body, *lines[end:]])
