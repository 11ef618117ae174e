"""The simulator: Algorithm 3 of Wein et al. (2023), and the laws that can take its place.

Item ``i`` has a mean response and a standard deviation. The gold raters respond around that mean;
either system around a mean that is off by ``U[-eps, eps]``, drawn once per item. The system with
the smaller ``eps`` is the better one.

The text of Algorithm 3 draws standard deviations from U[0, .2]. The published p-values come out
with U[0, .3], and with items drawn anew for every simulated test set: at eps = .1 one response an
item and MAE give a true p of .116 in the paper, and here about .11 with .3 but .004 with .2. So the
bound is the parameter ``sd``, and .3 the default.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from betterthan.data.scores import Scores
from betterthan.errors import UsageError, not_one_of
from betterthan.numeric import Floats
from betterthan.resampling.generator import Rng, affordable, as_generator
from betterthan.responses.response_laws import (
    BetaResponses,
    Categorical,
    FoldedNormal,
    ItemLaw,
    Likert,
    Normal,
    ResponseLaw,
    Triangular,
    Uniform,
)
from betterthan.responses.trio import Trio, trio
from betterthan.results.protocol import Result

SD = 0.3
LAWS: dict[str, Callable[[], ResponseLaw]] = {
    "normal": Normal,
    "likert": Likert,
    "beta": BetaResponses,
    "categorical": Categorical,
}
"""Laws of responses by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """What test sets are drawn from.

    Attributes
    ----------
    means, sds : ItemLaw
        Laws of the items' mean responses and standard deviations.
    response : ResponseLaw
        Law of the responses around them.
    eps_a, eps_b : float
        How far the systems' item means may be off.
    clamp : bool
        Keep perturbed means within [0, 1], as for the toxicity data.
    """

    means: ItemLaw = field(default_factory=Uniform)
    sds: ItemLaw = field(default_factory=lambda: Uniform(0.0, SD))
    response: ResponseLaw = field(default_factory=Normal)
    eps_a: float = 0.1
    eps_b: float = 0.0
    clamp: bool = False

    def __post_init__(self) -> None:
        for name in ("eps_a", "eps_b"):
            if not 0.0 <= getattr(self, name) < np.inf:
                raise UsageError(f"{name} must be at least 0, not {getattr(self, name)}")

    def items(self, shape: tuple[int, ...], generator: np.random.Generator) -> "DrawnItems":
        """Draw items: their means for gold and either system, and their standard deviations."""
        means = self.means.draw(shape, generator)
        return self.perturbed(means, self.sds.draw(shape, generator), generator)

    def perturbed(self, means: Floats, sds: Floats, generator: np.random.Generator) -> "DrawnItems":
        """Items with the given means and standard deviations, perturbed for either system."""
        of_a, of_b = (
            means + generator.uniform(-e, e, means.shape)
            for e in (abs(self.eps_a), abs(self.eps_b))  # of -0 as well
        )
        if self.clamp:
            of_a, of_b = np.clip(of_a, 0.0, 1.0), np.clip(of_b, 0.0, 1.0)
        return DrawnItems(means, of_a, of_b, np.maximum(sds, 0.0))

    def responses(
        self, means: Floats, sds: Floats, k: int, generator: np.random.Generator
    ) -> Floats:
        """Draw ``k`` responses to items of these means and standard deviations."""
        shape = (*means.shape, k)
        around, spread = (np.broadcast_to(x[..., None], shape) for x in (means, sds))
        return self.response.draw(around, spread, generator)


@dataclass(frozen=True, slots=True, eq=False)
class DrawnItems:
    """Mean responses of items for the gold and either system, and their standard deviations."""

    gold: Floats
    a: Floats
    b: Floats
    sds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Simulation(Result):
    """A simulated test set: ``(items, responses)`` arrays and the population they come from.

    It has no plot.
    """

    gold: Floats
    a: Floats
    b: Floats
    population: Population

    @property
    def trio(self) -> Trio:
        """Gold, baseline and candidate, ready for a test."""
        return trio(self.gold, self.a, self.b)

    @property
    def scores(self) -> Scores:
        """The same as :class:`~betterthan.Scores` of the systems ``gold``, ``a`` and ``b``."""
        return Scores.from_responses({"gold": self.gold, "a": self.a, "b": self.b})


def toxicity(eps_a: float = 0.1, eps_b: float = 0.0) -> Population:
    """Return the population of section 6 of Wein et al. (2023): toxicity ratings on five levels.

    Appendix B fitted it to the 107,620 comments of Kumar et al. (2021).
    """
    return Population(
        means=FoldedNormal(0.0, 0.28, most=0.8),
        sds=Triangular(-0.05, 0.21, 0.45),
        response=Likert(5),
        eps_a=eps_a,
        eps_b=eps_b,
        clamp=True,
    )


def simulate(
    items: int = 1000,
    responses: int | tuple[int, int, int] = 5,
    eps_a: float = 0.1,
    eps_b: float = 0.0,
    sd: float = SD,
    *,
    law: str | ResponseLaw = "normal",
    means: ItemLaw | None = None,
    sds: ItemLaw | None = None,
    clamp: bool | None = None,
    rng: Rng = None,
) -> Simulation:
    """Simulate gold responses and those of a baseline ``a`` and a candidate ``b``.

    Parameters
    ----------
    items : int
        Number of items.
    responses : int or (int, int, int)
        Responses to each item: of all three, or of gold, ``a`` and ``b``.
    eps_a, eps_b : float
        Perturbation of the systems' item means, ``U[-eps, eps]``; the paper's candidate A, which is
        perfect, is ``b`` here.
    sd : float
        Items' standard deviations are ``U[0, sd]``; .3 reproduces the published tables, the .2 of
        the printed Algorithm 3 does not.
    law : str or ResponseLaw
        Law of the responses: normal, likert, beta or categorical, or such as ``Likert(7)``;
        toxicity is the population of :func:`toxicity`.
    means, sds : ItemLaw, optional
        Other laws of the items' means and standard deviations (``sd`` is then not used).
    clamp : bool, optional
        Keep perturbed means within [0, 1]; of toxicity by default.
    rng : None, int or Generator
        Seed.

    Examples
    --------
    >>> made = simulate(items=4, responses=(3, 2, 1), rng=0)
    >>> made.gold.shape, made.a.shape, made.b.shape
    ((4, 3), (4, 2), (4, 1))
    >>> made.scores.systems
    ('gold', 'a', 'b')
    """
    if law == "toxicity":
        population = toxicity(eps_a, eps_b)
    else:
        response = _response_law(law)
        population = Population(sds=Uniform(0.0, sd), response=response, eps_a=eps_a, eps_b=eps_b)
    other: dict[str, Any] = {"means": means, "sds": sds, "clamp": clamp}
    population = replace(population, **{k: x for k, x in other.items() if x is not None})
    return draw_test_set(population, items, responses, rng)


def _response_law(law: str | ResponseLaw) -> ResponseLaw:
    if not isinstance(law, str):
        return law
    if law not in LAWS:
        raise not_one_of("law", law, [*LAWS, "toxicity"])
    return LAWS[law]()


def draw_test_set(
    population: Population,
    items: int,
    responses: int | tuple[int, int, int] = 5,
    rng: Rng = None,
) -> Simulation:
    """Draw one test set from a population."""
    sizes = (responses,) * 3 if isinstance(responses, int) else tuple(responses)
    if items < 1 or len(sizes) != 3 or min(sizes) < 1:
        raise UsageError(
            f"simulate needs at least one item and one response, not {items} items and "
            f"{responses} responses"
        )
    affordable(items=items, responses=sum(sizes))
    generator = as_generator(rng)
    drawn = population.items((items,), generator)
    return respond(population, drawn, sizes, generator)


def respond(
    population: Population,
    items: DrawnItems,
    sizes: tuple[int, ...],
    generator: np.random.Generator,
) -> Simulation:
    """Responses to given items."""
    gold, a, b = (
        population.responses(means, items.sds, k, generator)
        for means, k in zip((items.gold, items.a, items.b), sizes, strict=True)
    )
    return Simulation(gold, a, b, population)
