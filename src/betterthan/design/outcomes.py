"""What a test does when the true effect is a given one."""

from dataclasses import dataclass

from betterthan.results import Kind


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a test does when the true effect is a given one.

    Attributes
    ----------
    power : float
        Probability of a verdict.
    type_s : float or None
        Share of the verdicts that name the wrong system (Gelman & Carlin, 2014); None without an
        effect.
    type_m : float or None
        Mean size of the observed effect given a verdict, relative to the true one: exaggeration.
    error : float
        Bound on the error of ``power``: rounding and neglected mass when exact, half a 99 %
        interval when sampled.
    kind : {"exact", "sampled", "asymptotic"}
        What the power is worth.
    engine : str
        How it was computed.
    """

    power: float
    type_s: float | None
    type_m: float | None
    error: float
    kind: Kind
    engine: str


def put_together(
    chances: list[float],
    sizes: list[float],
    effect: float,
    *,
    error: float,
    kind: Kind,
    engine: str,
) -> Outcome:
    """Outcome from both sides: chances of a verdict, up and down, and E[|delta|; verdict]."""
    up, down = chances
    power = min(up + down, 1.0)
    if effect == 0.0 or power == 0.0:
        return Outcome(power, None, None, error, kind, engine)
    wrong = down if effect > 0 else up
    return Outcome(power, wrong / power, sum(sizes) / power / abs(effect), error, kind, engine)
