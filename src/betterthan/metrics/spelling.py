"""From a command-line spelling to a metric, and from a metric to the columns at hand."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module

from betterthan.blame import blames_arguments
from betterthan.errors import Remedy, UsageError, closest, listing, quote
from betterthan.metrics import corpus
from betterthan.metrics.algebra import HIGHER, LOWER, Metric, mean, ratio, unquote_column
from betterthan.metrics.classes import class_columns, classes_of, macro_f1, mcc, of_class
from betterthan.metrics.named import LAYOUTS, fbeta, rate

_CALL = re.compile(r"(?P<name>[A-Za-z][\w+-]*)(?:\((?P<inside>.*)\))?", re.DOTALL)
_TERM = re.compile(
    r"\s*(?P<sign>[+-]?)\s*(?:(?P<size>\d+(?:\.\d+)?)\s*\*?\s*)?"
    r'(?P<column>"(?:[^"]|"")+"|[A-Za-z_][\w.-]*)\s*'
)
_DIRECTION = re.compile(rf"(?:^|,)\s*(?P<word>{LOWER}|{HIGHER})$")
_DIRECTION_ALONE = ("", LOWER, HIGHER)
_LINE = re.compile(r'/(?=(?:[^"]*"[^"]*")*[^"]*$)')  # a fraction bar outside quotation marks
LONGEST = 10_000  # characters of a metric
FIRST_METRICS = 3  # that an error recommends
MOST = 2.0**53  # weights beyond which whole numbers are no longer exact
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
# How text is to be scored: the words that a metric knows in parentheses.
_ROUGE = re.compile("p|r|stem")
SETTINGS = {
    "bleu": re.compile(r"lc|tok=[\w.-]+"),
    "chrf": re.compile("lc"),
    "chrf++": re.compile("lc"),
    "ter": re.compile("asian|cased|norm|nopunct"),
    "rouge1": _ROUGE,
    "rouge2": _ROUGE,
    "rougel": _ROUGE,
}


def parse(spelling: str | Metric) -> Metric:
    """Read a metric as the command line spells it; one that is made already is taken as it is.

    >>> parse("f1"), parse("fbeta(0.5)"), parse("mean(latency, lower_is_better)")
    (f1, fbeta(0.5), mean(latency, lower_is_better))
    >>> parse("ratio(2*tp / 2*tp + fp + fn)").columns
    ('tp', 'fp', 'fn')
    """
    if isinstance(spelling, Metric):
        return spelling
    if not isinstance(spelling, str):
        raise _no_metric(spelling)
    text = spelling.strip()
    if len(text) > LONGEST:
        raise UsageError(f"{quote(text)}, of {len(text):,} characters, is not a metric")
    if is_imported(text):
        return _imported(text)
    name, inside = split(text)
    direction = _DIRECTION.search(inside)
    inside = _DIRECTION.sub("", inside).rstrip()
    if name == "ratio" and inside:
        metric = _ratio(inside, spelling)
    elif name == "mean" and inside:
        metric = mean(unquote_column(inside))
    elif name == "fbeta" and inside:
        metric = _fbeta(inside)
    elif name in LAYOUTS and not inside:
        metric = LAYOUTS[name][0]
    elif name in OF_CLASS:
        metric = of_class(name, inside)
    elif name in SETTINGS:
        metric = _with_settings(name, inside)
    elif name in OVER_CLASSES and not inside:
        maker = OVER_CLASSES[name].__name__
        raise UsageError(
            f"{name} needs to know the classes: betterthan.metrics.{maker}(labels), or data with "
            "the columns tp(X), pred(X) and gold(X) of every class X"
        )
    else:
        raise _unknown(spelling)
    return _towards(metric, None if direction is None else direction["word"])


def is_imported(spelling: str) -> bool:
    """Whether a metric is spelled ``module:NAME``, and code would be run to find it."""
    return ":" in spelling.partition("(")[0]


def split(spelling: str) -> tuple[str, str]:
    """Split a spelling into the metric's name and what its parentheses hold.

    >>> split("f1(PER)"), split("exact_match"), split("rougeL( stem )")
    (('f1', 'PER'), ('exact-match', ''), ('rougel', 'stem'))
    """
    text = spelling.strip()
    call = _CALL.fullmatch(text)
    if call is None:
        return "", ""
    name = call["name"].lower().replace("_", "-")
    return SYNONYMS.get(name, name), (call["inside"] or "").strip()


def _no_metric(given: object) -> UsageError:
    wrap = ": wrap a function in metrics.blackbox" if callable(given) else ""
    return UsageError(
        "a metric must be a name ('mean', 'f1') or made by metrics.mean, ratio, sums or blackbox, "
        f"not {quote(given)}{wrap}"
    )


@blames_arguments
def resolve(metric: str | Metric, columns: tuple[str, ...]) -> Metric:
    """Fit a metric to the columns that a data set has.

    ``mean``, ``accuracy`` and ``median`` take the only column there is; ``f1`` and its kin take
    whichever of their layouts the columns spell; ``macro-f1`` and ``mcc`` take the classes there
    are. The name of a column that is nothing else means its mean.
    """
    column = metric.strip() if isinstance(metric, str) else ""
    if isinstance(metric, str):
        over, known = OVER_CLASSES.get(split(metric)[0]), classes_of(columns)
        if over is not None and len(known) > 1:
            return over(known)
        try:
            metric = parse(metric)
        except UsageError as error:
            if column not in columns:
                close = closest(column, columns)
                meant = () if close is None else (Remedy("", "metric", close),)
                raise UsageError(error.message, *meant, *error.remedies) from None
            metric = mean(column)
    elif not isinstance(metric, Metric):
        raise _no_metric(metric)
    if set(metric.columns) <= set(columns):
        return metric
    name, said = split(column or metric.spelling)
    if said in _DIRECTION_ALONE:  # neither columns nor a class are named
        for layout in LAYOUTS.get(name, ()):
            if set(layout.columns) <= set(columns):
                return replace(layout, lower_is_better=metric.lower_is_better, stated=metric.stated)
        # A metric of one column reads the only one there is: `score`, `value`, `correct` ...
        if name in ONE_COLUMN and len(columns) == 1:
            return replace(metric, columns=columns)
    if column in columns:  # values of a metric that is known: a word error rate per item
        return mean(column, lower_is_better=metric.lower_is_better)
    missing = [c for c in metric.columns if c not in columns]
    possible = _candidates_in_short(columns)
    raise UsageError(
        f"metric {metric!r} needs the column{'s' * (len(missing) > 1)} {listing(missing, 8)}, "
        f"and the data have {listing(columns, 8)} (possible metrics: {', '.join(possible)})",
        *_one_of(possible),
    )


def expand_classes(metrics: Sequence[str | Metric], columns: tuple[str, ...]) -> list[str | Metric]:
    """Write ``f1(*)`` as ``f1`` of each class that the columns hold.

    >>> expand_classes(["f1(*)", "recall"], ("tp(B)", "pred(B)", "gold(B)"))
    ['f1(B)', 'recall']
    """
    found: list[str | Metric] = []
    for metric in metrics:
        name, inside = split(metric) if isinstance(metric, str) else ("", None)
        if inside != "*" or name not in OF_CLASS:
            found.append(metric)
            continue
        classes = classes_of(columns)
        if not classes:
            possible = _candidates_in_short(columns)
            raise UsageError(
                f"{metric!r} means every class, and the data have none "
                f"(possible metrics: {', '.join(possible)})",
                *_one_of(possible),
            )
        found += [f"{name}({label})" for label in classes]
    return found


def candidates(columns: tuple[str, ...]) -> list[str]:
    """Spellings of the metrics that these columns allow."""
    present = set(columns)
    named = {
        repr(layout): layout
        for name, layouts in LAYOUTS.items()
        for layout in layouts
        if name not in ONE_COLUMN and present.issuperset(layout.columns)
    }
    classes = classes_of(columns)
    named |= {f"f1({label})": of_class("f1", label) for label in classes}
    named |= {name: over(classes) for name, over in OVER_CLASSES.items() if len(classes) > 1}
    named |= {repr(m): m for m in _settings_among(columns)}
    # The mean of a part, such as the bigrams of BLEU, is nothing to compare.
    parts = {c for metric in named.values() for c in metric.columns if metric.form != "ratio"}
    parts |= {c for label in classes for c in class_columns(label)}
    return [*named, *(repr(mean(column)) for column in columns if column not in parts)]


@cache
def default(columns: tuple[str, ...]) -> Metric:
    """Return the metric used when none is asked for: the mean of the only column, or an error."""
    if len(columns) == 1:
        return mean(columns[0])
    possible = _candidates_in_short(columns)
    raise UsageError(
        f"the data have {len(columns)} columns ({listing(columns, 8)}), and no metric is chosen "
        f"(possible metrics: {', '.join(possible)})",
        *_one_of(possible),
    )


def _candidates_in_short(columns: tuple[str, ...]) -> list[str]:
    """Candidates; a column by its name where that means the same as its mean."""
    short = {repr(mean(c)): c for c in columns if _means_itself(c, columns)}
    return [short.get(name, name) for name in candidates(columns)]


def _one_of(possible: Sequence[str]) -> list[Remedy]:
    return [Remedy("", "metric", name) for name in possible[:FIRST_METRICS]]


def _means_itself(column: str, columns: tuple[str, ...]) -> bool:
    try:
        return resolve(column, columns) == mean(column)
    except UsageError:
        return False


def _with_settings(name: str, inside: str) -> Metric:
    """Return a metric of text scored in a way of its own; the columns carry its spelling."""
    words = sorted({word.strip() for word in inside.split(",") if word.strip() != "tok=13a"})
    unknown = [word for word in words if not SETTINGS[name].fullmatch(word)]
    if unknown or {"p", "r"} <= set(words) or sum(word.startswith("tok=") for word in words) > 1:
        raise UsageError(
            f"{name} knows the settings {SETTINGS[name].pattern.replace('|', ', ')} (at most one "
            f"of a kind), not {inside!r}"
        )
    plain = LAYOUTS[name][0]
    spelling = f"{plain!r}({','.join(words)})" if words else repr(plain)
    if name.startswith("rouge"):
        return rate(spelling, spelling)
    if name.startswith("chrf"):
        return corpus.chrf(spelling, word_order=corpus.WORD_ORDER if name == "chrf++" else 0)
    return corpus.bleu(spelling) if name == "bleu" else corpus.ter(spelling)


def _settings_among(columns: Sequence[str]) -> list[Metric]:
    """Metrics of text with settings whose columns are there."""
    prefixes = dict.fromkeys(c.partition(").")[0] + ")" if ")." in c else c for c in columns)
    calls = [(*split(prefix), prefix) for prefix in prefixes]
    made = [
        _with_settings(name, inside) for name, inside, _ in calls if inside and name in SETTINGS
    ]
    return [metric for metric in made if set(metric.columns) <= set(columns)]


def _fbeta(inside: str) -> Metric:
    try:
        return fbeta(float(inside))
    except (ValueError, OverflowError) as error:
        raise UsageError(
            f"fbeta takes a positive number, as in fbeta(2), not {quote(inside)}"
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
        column = unquote_column(term["column"])
        size = float(term["size"] or 1)
        if size > MOST:
            raise UsageError(f"{quote(term['size'])} is no sensible weight of {column!r}")
        terms[column] = terms.get(column, 0.0) + (-size if term["sign"] == "-" else size)
        at = term.end()
    return {c: int(x) if x == int(x) else x for c, x in terms.items()}


def _imported(text: str) -> Metric:
    home, _, inside = text.partition("(")
    inside = inside.removesuffix(")")
    module, _, name = home.partition(":")
    try:
        found = getattr(import_module(module), name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a module may do anything, also exit
        why = str(error) or type(error).__name__
        raise UsageError(f"cannot import the metric {text!r}: {why}") from error
    if not isinstance(found, Metric):
        raise UsageError(f"{text!r} is a {type(found).__name__}, not a betterthan metric")
    if inside not in _DIRECTION_ALONE:
        raise UsageError(
            f"{home} takes {LOWER}, {HIGHER} or nothing in parentheses, not {inside!r}"
        )
    return _towards(replace(found, spelling=home, spelled=True), inside or None)


def _towards(metric: Metric, direction: str | None) -> Metric:
    """Return the metric with the direction that was spelled."""
    if direction is None:
        return metric
    return metric.lowered() if direction == LOWER else metric.raised()


def _unknown(spelling: str) -> UsageError:
    names = [
        *LAYOUTS,
        *OVER_CLASSES,
        "fbeta(BETA)",
        "mean(COLUMN)",
        "ratio(A / B + C)",
        "module:NAME",
    ]
    close = closest(spelling, [*LAYOUTS, *OVER_CLASSES])  # listed from the common to the rare
    remedies = [] if close is None else [Remedy("", "metric", close)]
    return UsageError(f"unknown metric {spelling!r} (there are {', '.join(names)})", *remedies)
