"""P-values in writing: the side of alpha is always seen."""

import math

from hypothesis import example, given
from hypothesis import strategies as st

from betterthan.results.number_format import format_p


@given(
    alpha=st.floats(1e-6, 0.5),
    away=st.floats(-1e-3, 1e-3) | st.floats(-1.0, 1.0) | st.just(0.0),
)
@example(alpha=0.05, away=0.00032)
@example(alpha=0.05, away=-0.00034)
@example(alpha=0.0312, away=0.03125 / 0.0312 - 1)
@example(alpha=1e-4, away=-1e-3)
def test_what_is_written_lies_on_the_side_of_alpha_that_p_does(alpha: float, away: float) -> None:
    p = alpha * (1.0 + away)
    if p <= 0.0:
        return
    told = float(format_p(p, math.log10(p), alpha=alpha).removeprefix("= "))
    # The logarithm, from which small ones are written, is good to about 14 digits.
    if p >= 1e-4 or abs(p - alpha) > 1e-12 * alpha:
        assert (told < alpha, told > alpha) == (p < alpha, p > alpha)
    assert abs(told - p) <= 0.051 * p


def test_no_more_digits_than_it_takes() -> None:
    assert format_p(0.050016, math.log10(0.050016)) == "= 0.05002"
    assert format_p(0.0504, math.log10(0.0504)) == "= 0.0504"
    assert format_p(0.051, math.log10(0.051)) == "= 0.051"
    assert format_p(0.03125, math.log10(0.03125)) == "= 0.031"
    assert format_p(0.05, math.log10(0.05)) == "= 0.050"
