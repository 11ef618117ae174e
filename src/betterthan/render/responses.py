"""Sheets of response tests, their study and simulated test sets, which read back as data."""

from betterthan.errors import how_many
from betterthan.render.explained_claims import of_responses
from betterthan.render.registry import sheet_of
from betterthan.render.single import describe_p
from betterthan.responses import ResponseComparison, ResponseStudy, Simulation
from betterthan.results.number_format import VERDICTS, p_text
from betterthan.results.sheet import Sheet, Table, attributes, row_of


@sheet_of.register
def _(found: ResponseComparison) -> Sheet:
    test = found.test
    how = f"{test.kind}, by {test.engine}: {test.reason}"
    who = attributes(found, "baseline", "candidate", "verdict")
    row = (
        found.baseline,
        found.candidate,
        test.metric,
        f"{test.n:,}",
        f"{test.delta:+.4g}",
        p_text(test.pvalue, test.log10_pvalue, floor=test.floor, alpha=found.alpha),
        test.test.removesuffix(" response"),
    )
    return Sheet(
        title=f"Responses of {found.candidate} against {found.baseline}",
        kind="responses",
        rows=[row_of("responses", test, **who)],
        facts={"alpha": found.alpha, "alternative": test.alternative},
        headlines=(VERDICTS[found.verdict].format(found),),
        tables=(
            Table.of(
                ("baseline", "candidate", "metric", "items", "delta", "p", "test"),
                [row],
                left=("baseline", "candidate", "metric", "test"),
                caption=f"Response test ({how}).",
                label="tab:responses",
            ),
        ),
        card=(
            f"{test.metric}: delta {test.delta:+.4g}, {how_many(test.n, 'item')}   "
            f"p {describe_p(test, found.alpha)}",
            f"{test.test} test, {how}",
        ),
        remarks=(how,),
        notes=test.notes,
        signature=test.signature,
        layout="plain",
        explanation=lambda: of_responses(found),
    )


@sheet_of.register
def _(found: ResponseStudy) -> Sheet:
    spent = [
        (f"{s.items:,}", str(s.responses), f"{s.gain:.4f}", f"{s.sd:.4f}", f"{s.power:.2f}")
        for s in found.splits
    ]
    budget = Table.of(
        ("items", "responses", "gain", "sd", "power"),
        spent,
        caption="Power of the calibrated test as the responses are spent on items or on raters.",
        label="tab:budget",
    )
    return Sheet(
        title="Estimated against true p",
        kind="responses-study",
        rows=[row_of("responses-study", cell) for cell in found.cells],
        facts={
            **attributes(found, "items", "responses", "resamples", "repeats", "splits"),
            "recommendation": found.recommendation,
        },
        headlines=(
            f"Estimated against true p: {how_many(found.items, 'item')} x "
            f"{how_many(found.responses, 'response')}, {found.resamples:,} draws, "
            f"{how_many(found.repeats, 'reference test set')} per eps",
        ),
        tables=(
            _least_errors(found, "metric", "metric"),
            _least_errors(found, "sampling", "sampling strategy"),
            budget,
        ),
        remarks=(found.recommendation,),
        notes=found.notes,
        layout="board",
    )


def _least_errors(found: ResponseStudy, by: str, said: str) -> Table:
    rows = [
        (name, *(f"{row[eps]:.5f}" for eps in found.eps))
        for name, row in found.least_error(by).items()
    ]
    first = f"least error by {by}"
    return Table.of(
        (first, *(f"eps {eps:g}" for eps in found.eps)),
        rows,
        left=(first,),
        caption=f"Least error of the estimated p-value, by {said}.",
        label=f"tab:{by}s",
    )


@sheet_of.register
def _(made: Simulation) -> Sheet:
    rows = [
        {"item": f"i{i + 1}", "system": name, "response": j + 1, "score": float(value)}
        for name, block in (("gold", made.gold), ("a", made.a), ("b", made.b))
        for i, values in enumerate(block)
        for j, value in enumerate(values)
    ]
    table = Table.of(
        ("item", "system", "response", "score"),
        [tuple(str(cell) for cell in row.values()) for row in rows],
        left=("item", "system"),
        caption="Simulated responses.",
        label="tab:simulation",
    )
    return Sheet(
        title="Simulated responses", kind="simulation", rows=rows, tables=(table,), layout="board"
    )
