"""From a command-line spelling to a metric, and from a metric to the columns at hand."""

import re
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module

from betterthan.errors import UsageError
from betterthan.metrics.algebra import LOWER, Metric, mean, ratio, unquote
from betterthan.metrics.named import LAYOUTS, fbeta

_CALL = re.compile(r"(?P<name>[a-z][\w-]*)(?:\((?P<inside>.*)\))?", re.DOTALL)
_TERM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*(?:(?P<size>\d+(?:\.\d+)?)\s*\*?\s*)?"
    r'(?P<column>"(?:[^"]|"")+"|[A-Za-z_][\w.-]*)\s*'
)
_LOWER = re.compile(rf"(?:^|,)\s*{LOWER}$")
_LINE = re.compile(r'/(?=(?:[^"]*"[^"]*")*[^"]*$)')  # a fraction bar outside quotation marks
ONE_COLUMN = ("mean", "accuracy", "median")


def parse(spelling: str) -> Metric:
    """Read a metric as the command line spells it.

    >>> parse("f1"), parse("fbeta(0.5)"), parse("mean(latency, lower_is_better)")
    (f1, fbeta(0.5), mean(latency, lower_is_better))
    >>> parse("ratio(2*tp / 2*tp + fp + fn)").columns
    ('tp', 'fp', 'fn')
    """
    text = spelling.strip()
    if ":" in text and "(" not in text:
        return _imported(text)
    call = _CALL.fullmatch(text.replace("_", "-") if "(" not in text else text)
    name = call["name"].lower() if call else ""
    inside = (call["inside"] or "").strip() if call else ""
    lower = _LOWER.search(inside) is not None
    inside = _LOWER.sub("", inside).rstrip()
    if name == "ratio" and inside:
        metric = _ratio(inside, spelling)
    elif name == "mean" and inside:
        metric = mean(unquote(inside))
    elif name == "fbeta" and inside:
        metric = _fbeta(inside)
    elif name in LAYOUTS and not inside:
        metric = LAYOUTS[name][0]
    else:
        raise UsageError(_unknown(spelling))
    return metric.lowered() if lower else metric


def resolve(metric: str | Metric, columns: tuple[str, ...]) -> Metric:
    """Fit a metric to the columns that a data set has.

    ``mean``, ``accuracy`` and ``median`` take the only column there is; ``f1`` and its kin take
    whichever of their layouts the columns spell.
    """
    metric = parse(metric) if isinstance(metric, str) else metric
    if set(metric.columns) <= set(columns):
        return metric
    name = metric.spelling.partition("(")[0]
    for layout in LAYOUTS.get(name, ()):
        if set(layout.columns) <= set(columns):
            return replace(layout, lower_is_better=metric.lower_is_better)
    # A metric of one column reads the only one there is: `score`, `value`, `correct` ...
    if (
        name in ONE_COLUMN
        and len(columns) == 1
        and metric.spelling.partition("(")[2] in ("", f"{LOWER})")
    ):
        return replace(metric, columns=columns)
    missing = [c for c in metric.columns if c not in columns]
    raise UsageError(
        f"metric {metric!r} needs the column{'s' * (len(missing) > 1)} {', '.join(missing)}, "
        f"and the data have {', '.join(columns)}: choose one with --metric "
        f"(possible here: {', '.join(candidates(columns))})"
    )


def candidates(columns: tuple[str, ...]) -> list[str]:
    """Spellings of the metrics that these columns allow."""
    named = [
        name
        for name, layouts in LAYOUTS.items()
        if name not in ONE_COLUMN and any(set(m.columns) <= set(columns) for m in layouts)
    ]
    return named + [repr(mean(column)) for column in columns]


def default(columns: tuple[str, ...]) -> Metric:
    """Return the metric used when none is asked for: the mean of the only column, or an error."""
    if len(columns) == 1:
        return mean(columns[0])
    raise UsageError(
        f"the data have {len(columns)} columns ({', '.join(columns)}): say what to compare with "
        f"--metric, one of {', '.join(candidates(columns))}"
    )


def _fbeta(inside: str) -> Metric:
    try:
        return fbeta(float(inside))
    except ValueError as error:
        raise UsageError(
            f"fbeta takes a positive number, as in fbeta(2), not {inside!r}"
        ) from error


def _ratio(inside: str, spelling: str) -> Metric:
    parts = _LINE.split(inside)
    if len(parts) != 2:
        raise UsageError(f"write a ratio as ratio(2*tp / 2*tp + fp + fn), not {spelling!r}")
    above, below = (_linear(part, spelling) for part in parts)
    return ratio(above, below)


def _linear(text: str, spelling: str) -> dict[str, float]:
    terms: dict[str, float] = {}
    at = 0
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None or (terms and not term["sign"]):
            raise UsageError(f"cannot read {text[at:].strip()!r} in {spelling!r}; write 2*tp + fp")
        column = unquote(term["column"])
        size = float(term["size"] or 1)
        terms[column] = terms.get(column, 0.0) + (-size if term["sign"] == "-" else size)
        at = term.end()
    return {c: int(x) if x == int(x) else x for c, x in terms.items()}


def _imported(text: str) -> Metric:
    module, _, name = text.partition(":")
    try:
        found = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise UsageError(f"cannot import the metric {text!r}: {error}") from error
    if not isinstance(found, Metric):
        raise UsageError(f"{text!r} is a {type(found).__name__}, not a betterthan metric")
    return found


def _unknown(spelling: str) -> str:
    names = [*LAYOUTS, "fbeta(BETA)", "mean(COLUMN)", "ratio(A / B + C)", "module:NAME"]
    close = get_close_matches(spelling.lower(), LAYOUTS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"one of {', '.join(names)}"
    return f"unknown metric {spelling!r}: {hint}"
