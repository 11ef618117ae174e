"""``betterthan power``: how many items are needed, or what can these detect?"""

from typing import Any

from betterthan.cli.command import Options, command
from betterthan.cli.output import Output
from betterthan.cli.reading import pair_of, read
from betterthan.cli.screen import busy, say
from betterthan.errors import UsageError, quote
from betterthan.grammar import pairs_of

_DESIGN = ("items", "power", "repeats", "resamples", "rng")


@command(
    "[PILOT]... tables pairs cluster metric@one accuracy agreement sd raters items effect power "
    "repeats budget alternative alpha@power resamples seed printed"
)
def power(options: Options) -> None:
    """How many items do I need, or what could these detect?

    betterthan power --accuracy 70 --agreement 85 --effect 2
    betterthan power --sd item=17 --items 2000 --effect 1
    betterthan power pilot.csv --systems base,new --effect 2
    """
    import betterthan as bt
    from betterthan.results.number_format import scale

    output = Output(options)
    assumed = _assumed(options)
    asked = {"alternative": options["alternative"]} if "alternative" in options else {}
    asked |= _level(options["alpha"]) if "alpha" in options else {}
    if "effect" in options:
        asked["effect"] = options["effect"] / scale(assumed.percent)
    with busy("planning"):
        if "budget" in options:
            output.emit(bt.design.allocations(assumed, options["budget"], **asked))
            return
        asked |= {name: options[name] for name in _DESIGN if name in options}
        if len(asked.get("items", ())) == 1:
            (asked["items"],) = asked["items"]
        result = bt.power(assumed, **asked)
    output.emit(result)


def _assumed(options: Options) -> Any:
    """Return what is known or assumed about the differences."""
    import betterthan as bt
    from betterthan.design.assumptions import RATES, SD

    rates = {name: options[name] for name in ("accuracy", "agreement") if name in options}
    if ["pilot" in options, bool(rates), "sd" in options].count(True) != 1:
        raise UsageError("power needs a pilot, assumed rates or an assumed spread", *RATES, SD)
    if rates:
        return bt.Rates(**{name: _rate(name, percent) for name, percent in rates.items()})
    if "sd" in options:
        raters = {"raters": options["raters"]} if "raters" in options else {}
        return bt.Spread(**_spread(options["sd"]), **raters)
    scores = read({**options, "files": options["pilot"]}, counted=True)
    pilot = bt.Pilot(scores, *pair_of(options), metric=options.get("metric"))
    say(f"Pilot: {pilot.candidate} against {pilot.baseline}")
    return pilot


def _rate(name: str, percent: float) -> Any:
    """Read a percentage; a number up to 1 is a share."""
    if percent > 1.0:
        return percent / 100.0
    say(f"! --{name} {percent:g} is read as {100.0 * percent:g} %")
    return percent


def _spread(text: str) -> dict[str, Any]:
    """Read ``item=17,repeat=5,rater=2``, or the spread of items alone."""
    pairs = pairs_of(text if "=" in text else f"item={text}")
    try:
        if pairs.keys() <= {"item", "repeat", "rater"}:
            return {name: float(value) for name, value in pairs.items()}
    except ValueError:
        pass
    raise UsageError(f"--sd must be item=X,repeat=X,rater=X, not {quote(text)}")


def _level(text: str) -> dict[str, Any]:
    """Read ``0.05`` or ``0.05/10``, the level of ten comparisons together."""
    level, slash, count = text.partition("/")
    try:
        return {"alpha": float(level), **({"comparisons": int(count)} if slash else {})}
    except ValueError:
        raise UsageError(f"--alpha must be X or X/K, not {quote(text)}") from None
