"""Every renderer against a file that was read by a person.

The results are made up, so that no number here depends on an engine. After an intended change
of layout: ``python tests/render/test_golden.py`` writes the files anew; read the difference.
"""

from pathlib import Path

import pytest

from betterthan.comparison.comparing import Comparison, Comparisons
from betterthan.results.interval import Interval
from betterthan.results.protocol import Result
from betterthan.results.tests import TestResult
from made_up_results import MADE_UP

GOLDEN = Path(__file__).parent / "golden"
STYLES = {"table": "txt", "md": "md", "json": "json", "csv": "csv", "latex": "tex"}


def comparison(**changes: object) -> Comparison:
    """A plausible comparison of two question answerers."""
    test = TestResult(
        test="permutation",
        pvalue=0.00023,
        pvalue_low=0.00023,
        pvalue_high=0.00023,
        log10_pvalue=-3.638,
        delta=0.0569,
        kind="exact",
        engine="lattice transform",
        reason="differences of one size follow a binomial law (McNemar)",
        n=1319,
        alternative="two-sided",
    )
    fields: dict[str, object] = {
        "baseline": "base",
        "candidate": "new",
        "metric": "accuracy",
        "n": 1319,
        "score_baseline": 0.653,
        "score_candidate": 0.7099,
        "delta": 0.0569,
        "interval": Interval(0.0271, 0.0863, 0.95, "Tango score"),
        "pvalue": 0.00023,
        "pvalue_low": 0.00023,
        "pvalue_high": 0.00023,
        "log10_pvalue": -3.638,
        "pvalue_adjusted": 0.00023,
        "log10_pvalue_adjusted": -3.638,
        "resamples_adjusted": None,
        "alternative": "two-sided",
        "alpha": 0.05,
        "correction": "none",
        "kind": "exact",
        "engine": test.engine,
        "reason": test.reason,
        "clusters": None,
        "wins": 240,
        "ties": 914,
        "losses": 165,
        "mde": 0.0428,
        "verdict": "better",
        "notes": (),
        "signature": "betterthan:0.1|perm-lattice|m:accuracy|n:1319|2s|data:9f3c1a00",
        "percent": True,
        "test": test,
    }
    made = {**fields, **changes}
    made.setdefault("kind_adjusted", made["kind"])
    for end in ("low", "high"):
        at = f"pvalue_{end}" if made["correction"] == "none" else "pvalue_adjusted"
        made.setdefault(f"pvalue_adjusted_{end}", made[at])
    return Comparison(**made)  # type: ignore[arg-type]


def together(*found: Comparison, correction: str = "none") -> Comparisons:
    return Comparisons(
        comparisons=found,
        correction=correction,
        alpha=0.05,
        source="2 x csv · 1,319/1,319 items paired",
        notes=("3 of 1,322 items dropped: a system has no score there",) if len(found) > 1 else (),
        signature="betterthan:0.1|permutation-exact|m:accuracy|n:1319|a:0.05|2s|data:9f3c1a00",
    )


def sampled() -> Comparison:
    result = TestResult(
        test="permutation",
        pvalue=0.412,
        pvalue_low=0.403,
        pvalue_high=0.421,
        log10_pvalue=-0.385,
        delta=-0.031,
        kind="sampled",
        engine="Monte Carlo",
        reason="the metric rests on 10 sums, too many to count all swaps",
        n=1319,
        alternative="two-sided",
        resamples=20_000,
    )
    return comparison(
        candidate="A & B_50%",
        metric="bleu|v2",
        score_baseline=31.42,
        score_candidate=31.389,
        delta=-0.031,
        interval=Interval(float("-inf"), 0.043, 0.95, "percentile bootstrap"),
        pvalue=0.412,
        pvalue_low=0.403,
        pvalue_high=0.421,
        pvalue_adjusted=0.412,
        log10_pvalue=-0.385,
        log10_pvalue_adjusted=-0.385,
        kind="sampled",
        engine="Monte Carlo",
        reason=result.reason,
        clusters=12,
        wins=None,
        ties=None,
        losses=None,
        mde=None,
        verdict="can't tell",
        notes=("only 12 clusters: no p-value below 0.000488 is possible, whatever the data",),
        percent=False,
        test=result,
    )


CASES = {
    "one": together(comparison()),
    "sampled": together(sampled()),
    "many": together(
        comparison(
            correction="holm", pvalue_adjusted=0.00046, log10_pvalue_adjusted=-3.337
        ),
        comparison(
            candidate="tiny",
            score_candidate=0.6414,
            delta=-0.0116,
            interval=Interval(-0.0409, 0.0182, 0.975, "Tango score"),
            pvalue=0.4,
            pvalue_adjusted=0.4,
            log10_pvalue=-0.398,
            log10_pvalue_adjusted=-0.398,
            correction="holm",
            verdict="can't tell",
            notes=("border case: the Tango score interval includes zero",),
        ),
        comparison(subset="domain=law", n=300, correction="holm", pvalue_adjusted=0.0,
                   pvalue=0.0, log10_pvalue=-401.2, log10_pvalue_adjusted=-400.9),
        correction="holm",
    ),
    "pairs": together(
        comparison(correction="holm", pvalue_adjusted=0.00046, log10_pvalue_adjusted=-3.337),
        comparison(
            baseline="tiny",
            score_baseline=0.6414,
            correction="holm",
            delta=0.0686,
            interval=Interval(0.031, 0.106, 0.975, "Tango score", float("inf")),
        ),
        correction="holm",
    ),
}  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("case", CASES)
def test_rendering(case: str, style: str) -> None:
    golden = (GOLDEN / f"{case}.{STYLES[style]}").read_text(encoding="utf-8")
    assert CASES[case].rendered(style) + "\n" == golden


@pytest.mark.parametrize("name", MADE_UP)
def test_every_result(name: str) -> None:
    golden = (GOLDEN / f"{name}.all").read_text(encoding="utf-8")
    assert in_all_forms(MADE_UP[name]) == golden


def in_all_forms(result: Result) -> str:
    """All that is written of a result, one form after the other."""
    forms = [*STYLES, "fragment", *["junit"] * bool(result.sheet().cases)]
    parts = (f"===== {form} =====\n{result.rendered(form)}\n" for form in forms)
    return "".join(parts)


if __name__ == "__main__":
    for name, found in CASES.items():
        for style, suffix in STYLES.items():
            text = found.rendered(style) + "\n"
            (GOLDEN / f"{name}.{suffix}").write_text(text, encoding="utf-8")
    for name, result in MADE_UP.items():
        (GOLDEN / f"{name}.all").write_text(in_all_forms(result), encoding="utf-8")
