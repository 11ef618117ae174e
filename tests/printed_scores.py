"""Scores that are multiples of ``1/k`` as they come: in every type, computed there, printed."""

from collections.abc import Callable, Iterator

import numpy as np

from betterthan.data.precision import BFLOAT, HALF, SINGLE
from betterthan.numeric import Floats, Ints


def single_digits(value: float) -> str:
    """As pandas writes a column of single precision to CSV, and orjson to JSON."""
    return str(np.float32(value))


# How programs print numbers: pandas' to_json has ten places, numpy prints eight digits.
PRINTINGS: dict[str, Callable[[float], str]] = {
    "repr": repr,
    "shortest single": single_digits,
    **{
        form: ("{:" + form + "}").format
        for form in (".10f", ".8f", ".7f", ".6f", ".4f", ".9g", ".8g", ".7g")
    },
}
DENOMINATORS = (3, 4, 5, 6, 7, 10, 12, 20, 25, 30, 100)


def printed(values: Floats, form: str) -> Floats:
    """Values as they are read from what was printed."""
    return np.array([float(PRINTINGS[form](x)) for x in values.tolist()])


def scores_as_they_come(
    rng: np.random.Generator,
) -> tuple[tuple[Ints, Ints], Iterator[tuple[str, Floats, Floats]]]:
    """Numerators of two systems' scores, and the scores in each type and print.

    Half precision and bfloat16 hold small denominators only, and nothing that was computed; beside
    doubles, two numbers or fewer do not tell that they came in them.
    """
    n, k = int(rng.integers(8, 60)), int(rng.choice(DENOMINATORS))
    top = int(rng.choice([1, 1, 5, 10]))
    first = rng.integers(0, k * top + 1, n)
    second = np.clip(first + rng.integers(-2, 4, n), 0, k * top)

    def all_of_them() -> Iterator[tuple[str, Floats, Floats]]:
        a, b = first / k, second / k
        yield "double", a, b
        for name, few, most in (("bfloat16", BFLOAT, 10), ("half", HALF, 30)):
            if k <= most and top == 1:
                c, d = few.rounded(a), few.rounded(b)
                yield name, c, d
                e = printed(d, "shortest single")
                yield f"{name}, shortest single", printed(c, "shortest single"), e
                if np.unique(d[d != b]).size > 2:
                    yield f"double beside {name}", a, d
                    yield f"double beside {name}, shortest single", a, e
        one, two = SINGLE.rounded(a), SINGLE.rounded(b)
        steps = ((second - first) / k).astype(np.float32)
        computed = (one.astype(np.float32) + steps).astype(np.float64)
        for form in PRINTINGS:
            if form != "shortest single":
                yield f"double, {form}", printed(a, form), printed(b, form)
            yield f"single, {form}", printed(one, form), printed(two, form)
            yield f"computed single, {form}", printed(one, form), printed(computed, form)

    return (first, second), all_of_them()
