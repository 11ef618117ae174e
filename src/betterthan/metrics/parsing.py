"""Metrics by name: read as the command line writes them, and fitted to the columns of the data."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib import import_module

from betterthan.errors import Remedy, UsageError, closest, listing, quote
from betterthan.grammar import split_call, unquoted
from betterthan.metrics.algebra import HIGHER, LOWER, Metric, mean, ratio
from betterthan.metrics.classes import class_columns, classes_of, macro_f1, mcc, of_class
from betterthan.metrics.named import LAYOUTS, fbeta

_TERM = re.compile(
    r"\s*(?P<line>/?)\s*(?P<sign>[+-]?)\s*(?:(?P<size>\d+(?:\.\d+)?)\s*\*?\s*)?"
    r'(?P<column>"(?:[^"]|"")+"|[A-Za-z_][\w.-]*)\s*'
)
_DIRECTION = re.compile(rf"(?:^|,)\s*({LOWER}|{HIGHER})$")
_DIRECTION_ALONE = ("", LOWER, HIGHER)
FIRST_METRICS = 3  # that an error recommends
ONE_COLUMN = ("mean", "accuracy", "median")
SYNONYMS = {
    "micro-f1": "f1",
    "em": "exact-match",
    "rouge-1": "rouge1",
    "rouge-2": "rouge2",
    "rouge-l": "rougel",
}
OF_CLASS = ("f1", "precision", "recall")  # also of one class: f1(PER), or of each: f1(*)
OVER_CLASSES = {"macro-f1": macro_f1, "mcc": mcc}
SETTINGS = {
    "bleu": r"lc|tok=[\w.-]+",
    "chrf": "lc",
    "chrf++": "lc",
    "ter": "asian|cased|norm|nopunct",
    **dict.fromkeys(("rouge1", "rouge2", "rougel"), "p|r|stem"),
}
"""How text is to be scored: the words that a metric knows in parentheses."""


def parse(spelling: str | Metric) -> Metric:
    """Read a metric as it is written on the command line; a metric is returned as it is.

    >>> parse("f1"), parse("fbeta(0.5)"), parse("mean(latency, lower_is_better)")
    (f1, fbeta(0.5), mean(latency, lower_is_better))
    >>> parse("ratio(2*tp / 2*tp + fp + fn)").columns
    ('tp', 'fp', 'fn')
    """
    if isinstance(spelling, Metric):
        return spelling
    if not isinstance(spelling, str):
        wrap = ": wrap a function in metrics.blackbox" if callable(spelling) else ""
        raise UsageError(
            "a metric must be a name ('mean', 'f1') or made by metrics.mean, ratio, sums or "
            f"blackbox, not {quote(spelling)}{wrap}"
        )
    name, inside = split(spelling)
    direction = _DIRECTION.search(inside)
    inside = _DIRECTION.sub("", inside).rstrip()
    if is_imported(name):
        metric = _imported(name, inside)
    elif not inside and name in LAYOUTS:
        metric = LAYOUTS[name][0]
    elif inside and name in _WITH_ARGUMENT:
        metric = _WITH_ARGUMENT[name](inside)
    elif not inside and name in OVER_CLASSES:
        maker = OVER_CLASSES[name].__name__
        raise UsageError(
            f"{name} needs to know the classes: betterthan.metrics.{maker}(labels), or data with "
            "the columns tp(X), pred(X) and gold(X) of every class X"
        )
    else:
        raise _unknown(spelling)
    return metric if direction is None else metric.directed(direction[1] == LOWER)


def is_imported(spelling: str) -> bool:
    """Whether a metric is written ``module:NAME``, so that code would be run to find it."""
    return ":" in spelling.partition("(")[0]


def split(spelling: str) -> tuple[str, str]:
    """Split what is written into the metric's name and what its parentheses hold.

    >>> split("f1(PER)"), split("exact_match"), split("rougeL( stem )")
    (('f1', 'PER'), ('exact-match', ''), ('rougel', 'stem'))
    """
    name, inside = split_call(spelling)
    if is_imported(name):
        return name, inside
    name = name.lower().replace("_", "-")
    return SYNONYMS.get(name, name), inside


def resolve(metric: str | Metric, columns: tuple[str, ...]) -> Metric:
    """Fit a metric to the columns that a data set has.

    ``mean``, ``accuracy`` and ``median`` take the only column there is; ``f1`` and similar take
    those of their layouts that the columns have; ``macro-f1`` and ``mcc`` take the classes there
    are. The name of a column that is nothing else means its mean.
    """
    column = metric.strip() if isinstance(metric, str) else ""
    over, known = OVER_CLASSES.get(split(column)[0]), classes_of(columns)
    if over is not None and len(known) > 1:
        return over(known)
    try:
        chosen = parse(metric)
    except UsageError as error:
        if column not in columns:
            close = closest(column, columns)
            similar = () if close is None else (Remedy("", "metric", close),)
            raise UsageError(error.message, *similar, *error.remedies) from None
        chosen = mean(column)
    if set(chosen.columns) <= set(columns):
        return chosen
    name, inside = split(column or chosen.spelling)
    if inside in _DIRECTION_ALONE:  # neither columns nor a class are named
        for layout in LAYOUTS.get(name, ()):
            if set(layout.columns) <= set(columns):
                return replace(layout, lower_is_better=chosen.lower_is_better, stated=chosen.stated)
        # A metric of one column reads the only one there is: `score`, `value`, `correct` ...
        if name in ONE_COLUMN and len(columns) == 1:
            return replace(chosen, columns=columns)
    if column in columns:  # values of a metric that is known: a word error rate per item
        return mean(column, lower_is_better=chosen.lower_is_better)
    missing = [c for c in chosen.columns if c not in columns]
    raise _of_columns(
        f"metric {chosen!r} needs the column{'s' * (len(missing) > 1)} {listing(missing, 8)}, "
        f"and the data have {listing(columns, 8)}",
        columns,
    )


def expand_classes(metrics: Sequence[str | Metric], columns: tuple[str, ...]) -> list[str | Metric]:
    """Write ``f1(*)`` as ``f1`` of each class that the columns hold.

    >>> expand_classes(["f1(*)", "recall"], ("tp(B)", "pred(B)", "gold(B)"))
    ['f1(B)', 'recall']
    """
    expanded: list[str | Metric] = []
    for metric in metrics:
        name, inside = split(metric) if isinstance(metric, str) else ("", None)
        if inside != "*" or name not in OF_CLASS:
            expanded.append(metric)
        elif classes := classes_of(columns):
            expanded += [f"{name}({label})" for label in classes]
        else:
            raise _of_columns(f"{metric!r} means every class, and the data have none", columns)
    return expanded


def candidates(columns: tuple[str, ...]) -> list[str]:
    """Spellings of the metrics that these columns allow.

    >>> candidates(("tp", "incorrect", "mean"))
    ['f1', 'tp', 'incorrect', 'mean']
    """
    classes = classes_of(columns)
    known = [x for name, of in LAYOUTS.items() if name not in ONE_COLUMN for x in of]
    known += [of_class("f1", label) for label in classes]
    known += [over(classes) for over in OVER_CLASSES.values() if len(classes) > 1]
    for column in columns:
        call = column.partition(").")[0] + ")" if ")." in column else column
        name, inside = split(call)
        known += [_with_settings(name, inside)] if inside and name in SETTINGS else []
    metrics = {repr(x): x for x in known if set(x.columns) <= set(columns)}
    # The mean of a part, such as the bigrams of BLEU, is nothing to compare.
    parts = {c for metric in metrics.values() for c in metric.columns if metric.form != "ratio"}
    parts |= {c for label in classes for c in class_columns(label)}
    return [*metrics, *(_mean_of(column, columns) for column in columns if column not in parts)]


def _mean_of(column: str, columns: tuple[str, ...]) -> str:
    """Write the mean of a column, by its name alone where that means the same."""
    try:
        return column if resolve(column, columns) == mean(column) else repr(mean(column))
    except UsageError:
        return repr(mean(column))


@cache
def default(columns: tuple[str, ...]) -> Metric:
    """Return the metric used by default: the mean of the only column, or an error."""
    if len(columns) == 1:
        return mean(columns[0])
    known = f"the data have {len(columns)} columns ({listing(columns, 8)})"
    raise _of_columns(f"{known}, and no metric is chosen", columns)


def _of_columns(message: str, columns: tuple[str, ...]) -> UsageError:
    possible = candidates(columns)
    remedies = [Remedy("", "metric", name) for name in possible[:FIRST_METRICS]]
    return UsageError(f"{message} (possible metrics: {', '.join(possible)})", *remedies)


def _with_settings(name: str, inside: str) -> Metric:
    """Return a metric of text with settings, which the names of its columns repeat."""
    words = sorted({word.strip() for word in inside.split(",") if word.strip() != "tok=13a"})
    unknown = [word for word in words if not re.fullmatch(SETTINGS[name], word)]
    if unknown or {"p", "r"} <= set(words) or sum(word.startswith("tok=") for word in words) > 1:
        raise UsageError(
            f"{name} knows the settings {SETTINGS[name].replace('|', ', ')} (at most one of a "
            f"kind), not {inside!r}"
        )
    plain = LAYOUTS[name][0]
    spelling = f"{plain!r}({','.join(words)})" if words else repr(plain)
    columns = tuple(spelling + column.removeprefix(repr(plain)) for column in plain.columns)
    return replace(plain, spelling=spelling, columns=columns)


def _ratio(inside: str) -> Metric:
    """Read the two sides of ``ratio(2*tp / 2*tp + fp + fn)``."""
    sides: list[dict[str, float]] = [{}]
    start = 0
    while start < len(inside):
        term = _TERM.match(inside, start)
        if term is None or (sides[-1] and not (term["sign"] or term["line"])):
            raise UsageError(
                f"cannot read {inside[start:].strip()!r} in {inside!r}; write 2*tp + fp"
            )
        if term["line"]:
            sides.append({})
        column, weight = unquoted(term["column"]), float(f"{term['sign']}{term['size'] or 1}")
        sides[-1][column] = sides[-1].get(column, 0) + weight
        start = term.end()
    if len(sides) != 2:
        raise UsageError(f"write a ratio as ratio(2*tp / 2*tp + fp + fn), not 'ratio({inside})'")
    return ratio(*sides)


def _imported(name: str, inside: str) -> Metric:
    module, _, attribute = name.partition(":")
    try:
        metric = getattr(import_module(module), attribute)
    except (Exception, SystemExit) as error:  # a module may do anything
        why = str(error) or type(error).__name__
        raise UsageError(f"cannot import the metric {quote(name)}: {why}") from error
    if not isinstance(metric, Metric):
        raise UsageError(f"{name!r} is a {type(metric).__name__}, not a betterthan metric")
    if inside:
        takes = f"{LOWER}, {HIGHER} or nothing in parentheses"
        raise UsageError(f"{name} takes {takes}, not {inside!r}")
    return replace(metric, spelling=name)


def _unknown(spelling: str) -> UsageError:
    named = [*LAYOUTS, *OVER_CLASSES]  # from the common to the rare
    written = ["fbeta(BETA)", "mean(COLUMN)", "ratio(A / B + C)", "module:NAME"]
    close = closest(spelling, named)
    remedies = [] if close is None else [Remedy("", "metric", close)]
    known = ", ".join([*named, *written])
    return UsageError(f"unknown metric {quote(spelling)} (there are {known})", *remedies)


_WITH_ARGUMENT: dict[str, Callable[[str], Metric]] = {
    "ratio": _ratio,
    "mean": lambda inside: mean(unquoted(inside)),
    "fbeta": fbeta,
    **{name: partial(of_class, name) for name in OF_CLASS},
    **{name: partial(_with_settings, name) for name in SETTINGS},
}
"""What makes the metrics that are written with something in parentheses."""
