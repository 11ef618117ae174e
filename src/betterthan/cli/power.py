"""``betterthan power``: how many items are needed, or what can these detect?"""

from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import App

from betterthan.cli import options as opt
from betterthan.cli.output import OUTPUT, Written
from betterthan.cli.reading import Pairs
from betterthan.cli.screen import busy, say
from betterthan.cli.values import given, numbers
from betterthan.errors import UsageError, quote

app = App()
_SD = ("item", "repeat", "rater")


@dataclass(frozen=True, kw_only=True)
class PilotReading(Pairs):
    """A pilot is a table or a log of two systems."""

    cluster: Annotated[str | None, opt.option("--cluster")] = None


READING = PilotReading()


@app.default
def power(
    pilot: Annotated[
        list[str] | None, opt.positional("PILOT", "Earlier results: their spread is used.")
    ] = None,
    /,
    *,
    reading: Annotated[PilotReading, opt.GROUP] = READING,
    metric: opt.Metric = None,
    accuracy: Annotated[float | None, opt.option("--accuracy")] = None,
    agreement: Annotated[float | None, opt.option("--agreement")] = None,
    sd: Annotated[str | None, opt.option("--sd")] = None,
    raters: Annotated[int | None, opt.option("--raters")] = None,
    items: Annotated[opt.Several, opt.option("--items")] = None,
    effect: Annotated[float | None, opt.option("--effect")] = None,
    wanted: Annotated[float | None, opt.option("--power")] = None,
    repeats: Annotated[int | None, opt.option("--repeats")] = None,
    budget: Annotated[float | None, opt.option("--budget")] = None,
    alternative: opt.Alternative = None,
    alpha: Annotated[str | None, opt.option("--alpha@power")] = None,
    seed: opt.Seed = None,
    output: Written = OUTPUT,
) -> None:
    """How many items do I need, or what could these detect?

    betterthan power --accuracy 70 --agreement 85 --effect 2
    betterthan power --sd item=17 --items 2000 --effect 1
    betterthan power pilot.csv --systems base,new --effect 2
    """
    import betterthan as bt
    from betterthan.design.assumptions import RATES, SD
    from betterthan.results.number_format import scale

    rates: dict[str, Any] = {
        "accuracy": _rate("--accuracy", accuracy),
        "agreement": _rate("--agreement", agreement),
    }
    rates = {name: rate for name, rate in rates.items() if rate is not None}
    if [bool(pilot), bool(rates), sd is not None].count(True) != 1:
        raise UsageError("power needs a pilot, assumed rates or an assumed spread", *RATES, SD)
    assumed: Any
    if pilot:
        scores = reading.read(pilot, metric=metric, counted=True)
        assumed = bt.Pilot(scores, *reading.pair, metric=metric)
        if None in reading.pair and len(scores.systems) > 2:
            say(f"Pilot: {assumed.candidate} against {assumed.baseline}")
    elif sd is not None:
        assumed = bt.Spread(**_spread(sd) | given(locals(), "raters"))
    else:
        assumed = bt.Rates(**rates)
    sizes = numbers(items, "--items")
    asked = {
        "effect": None if effect is None else effect / scale(assumed.percent),
        "items": sizes[0] if sizes and len(sizes) == 1 else sizes,
        "power": wanted,
        **_level(alpha),
        **given(locals(), "alternative", "repeats", "seed"),
    }
    with busy("planning"):
        if budget is not None:
            known = ("effect", "alpha", "comparisons", "alternative")
            test = {name: asked[name] for name in known if asked.get(name) is not None}
            result = bt.design.allocations(assumed, budget, **test)
        else:
            result = bt.power(assumed, **asked)
    output.emit(result)


def _rate(flag: str, value: float | None) -> float | None:
    """Read a percentage; a number up to 1 is a share."""
    if value is None or value > 1.0:
        return None if value is None else value / 100.0
    say(f"! {flag} {value:g} is read as {100.0 * value:g} %")
    return value


def _spread(text: str) -> dict[str, float]:
    """Read ``item=17,repeat=5,rater=2``, or the spread of items alone."""
    from betterthan.grammar import pairs_of

    pairs = pairs_of(text if "=" in text else f"item={text}")
    if unknown := [name for name in pairs if name not in _SD]:
        raise UsageError(f"--sd must name {', '.join(_SD)}, not {quote(unknown[0])}")
    values = numbers(list(pairs.values()), "--sd", float) or []
    return dict(zip(pairs, values, strict=True))


def _level(text: str | None) -> dict[str, Any]:
    """Read ``0.05`` or ``0.05/10``, the level of ten comparisons together."""
    level, slash, count = (text or "").partition("/")
    alpha = numbers([level] if level else None, "--alpha", float)
    comparisons = numbers([count] if slash else None, "--alpha")
    parts = {"alpha": alpha and alpha[0], "comparisons": comparisons and comparisons[0]}
    return given(parts, *parts)
