"""Spreadsheets of half the world write 0,5: read as 0.5 where nothing else can be meant."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from betterthan.errors import BadValueError, FormatError
from betterthan.readers.sources import read

DECIMALS = st.decimals(-1000, 1000, places=4).map(lambda x: f"{x:f}")
WHOLE = st.integers(-9, 9).map(str)
BLANK = st.sampled_from(["NA", "nan", "-"])


@given(
    table=st.lists(
        st.tuples(DECIMALS, st.one_of(DECIMALS, WHOLE), st.one_of(DECIMALS, BLANK)),
        max_size=12,
    ),
    separator=st.sampled_from(";\t"),
)
@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60
)
def test_what_is_written_with_commas_is_what_is_written_with_points(
    tmp_path: Path, table: list[tuple[str, str, str]], separator: str
) -> None:
    table = [("0.25", "-1.5", "NA"), *table]
    rows = [("id", "a", "b", "c"), *((f"0,{k}", *row) for k, row in enumerate(table))]
    points, commas = tmp_path / "points.csv", tmp_path / "commas.csv"
    text = "\n".join(separator.join(row) for row in rows)
    points.write_text(text, encoding="utf-8")
    text = "\n".join(separator.join(cell.replace(".", ",") for cell in row) for row in rows)
    commas.write_text(text, encoding="utf-8")
    try:
        one = read(points, missing="pairwise", systems=("a", "b", "c"))
    except FormatError as error:  # shares beside what may be percentages
        with pytest.raises(FormatError, match=re.escape(str(error).partition(": ")[2])):
            read(commas, missing="pairwise", systems=("a", "b", "c"))
        return
    other = read(commas, missing="pairwise", systems=("a", "b", "c"))
    assert np.array_equal(one.values, other.values, equal_nan=True)
    assert one.values[:, 0, 0].tolist() == [float(row[0]) for row in table]
    assert other.items is not None
    assert other.items[0] == "0,0"  # an id stays as it is written


def test_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("id;a;b\n1;0,5;0,75\n2;12,5 %;1\n", encoding="utf-8")
    with pytest.raises(BadValueError, match=r"12\.5 %"):  # percent beside shares is no number
        read(path)
    path.write_text("id;a;b\n1;50,5 %;75 %\n2;12,5 %;1,25 %\n", encoding="utf-8")
    scores = read(path)
    assert scores.values[:, :, 0].tolist() == [[50.5, 75.0], [12.5, 1.25]]
    assert "0,5 as 0.5" in scores.source


@pytest.mark.parametrize(
    ("cells", "refused"),
    [
        (("950", "1.052"), True),
        (("950", "-12.052", "0"), True),
        (("950", "1.052", "NA"), True),
        (("950", "1.05"), False),  # %.3g
        (("950", "1.052", "0.052"), False),
        (("100", "99.875"), False),  # a perfect score
        (("950.000", "1.052"), False),
        (("9", "1.052"), False),
        (("1950", "1.052"), False),
        (("2.950", "1.052"), False),
    ],
)
@pytest.mark.parametrize("separator", [";", "\t"])
def test_points_that_may_group_thousands_are_asked_about(
    tmp_path: Path, cells: tuple[str, ...], refused: bool, separator: str
) -> None:
    path, rows = tmp_path / "t.csv", [("id", "a", "b")]
    rows += [(f"q{k}", cell, "0.5") for k, cell in enumerate(cells)]
    path.write_text("\n".join(separator.join(row) for row in rows), encoding="utf-8")
    if not refused:
        assert read(path, systems=("a", "b")).values[0, 0, 0] == float(cells[0])
        return
    with pytest.raises(FormatError, match=r"column 'a' holds .*\.052 beside 950: does the point"):
        read(path, missing="drop")
