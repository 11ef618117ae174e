"""The page of the benchmarks says what was measured."""

from bench import page
from bench.growth import JOBS, Case, Job, Timing, seconds


def test_growth_is_the_exponent_between_the_largest_sizes() -> None:
    job = Job("squares", (10, 100, 1000), "one pass", "a peer", lambda n: Case(int, int))
    quick = Job("alone", (10,), "one pass", "", lambda n: Case(int, int))
    measured = [Timing(job, n, 1e-6 * n**2, 1e-6 * n, None) for n in job.sizes[:-1]]
    measured += [Timing(job, 1000, 1.0, 0.001, 3.0), Timing(quick, 10, 0.5, 0.1, None)]
    rows = [row.strip("| ").split(" | ") for row in page._rows(measured)]
    assert [row[1] for row in rows] == ["10", "100", "1,000", "10"]
    assert rows[2][2:] == ["1", "0.001", "one pass", "3", "a peer", "2.00"]
    assert all("a peer" not in row for row in (*rows[:2], rows[3]))


def test_the_page_names_what_is_installed() -> None:
    text = page._introduction()
    assert "scipy 1." in text
    assert "`growth`" in text
    assert "{" not in text


def test_every_job_has_a_case_that_runs() -> None:
    for job in JOBS:
        if job.name.startswith(("exact", "Parquet")):
            case = job.make(1000)
            assert min(seconds(case.ours), seconds(case.floor)) >= 0.0
