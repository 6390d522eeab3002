"""The classes of a table as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import InputError, TableError
from engine.findings.given_table import GivenTable
from engine.frequency import Measure
from engine.frequency.classes import DISTINCT
from engine.records import DataType, Kind, Table
from engine.records.values import make_column


def table(**columns: str) -> Table:
    """Columns of one-letter cells; a blank is a missing cell."""
    made = []
    for name, cells in columns.items():
        texts = ["" if cell == " " else cell for cell in cells]
        labels = list(dict.fromkeys(texts))
        codes = np.array([labels.index(text) for text in texts], dtype=np.int32)
        made.append(make_column(name, labels, codes, DataType(Kind.TEXT), ""))
    return Table(tuple(made))


PEOPLE = table(sex="ffmm*", zip="1112*", ill="abaab", job="xxyyx")


def test_classes_are_the_records_equal_in_all_named_columns() -> None:
    classes = GivenTable(PEOPLE, ("sex", "zip"), ("ill",)).classes
    assert sorted(classes.measured.sizes.tolist()) == [1, 1, 1, 2]
    assert classes.labels[0] == classes.labels[1]
    assert classes.measured.measured(Measure(DISTINCT, "ill"))[classes.labels[0]] == 2


def test_the_other_sensitive_columns_may_be_known_too() -> None:
    given = GivenTable(PEOPLE, ("zip",), ("ill", "job"))
    assert sorted(given.classes_for("ill").measured.sizes.tolist()) == [1, 1, 3]
    given = replace(given, others_as_qi=True)
    assert sorted(given.classes_for("ill").measured.sizes.tolist()) == [1, 1, 1, 2]
    assert sorted(given.classes_for("job").measured.sizes.tolist()) == [1, 1, 1, 2]


def test_records_of_stars_can_be_left_out() -> None:
    given = GivenTable(PEOPLE, ("sex", "zip"), ("ill",)).without_suppressed()
    assert given.n_records == 4
    assert "*" not in given.table.column("sex").labels
    assert given.table.column("ill").counts.tolist() == [3, 1]


def test_records_with_a_missing_cell_can_be_left_out_else_missing_is_a_value() -> None:
    given = GivenTable(table(sex="f  m", ill="abab"), ("sex",), ("ill",))
    assert sorted(given.classes.measured.sizes.tolist()) == [1, 1, 2]
    kept = given.without_missing()
    assert kept.n_records == 2
    assert not kept.table.column("sex").has_missing


@pytest.mark.parametrize(
    ("qi", "sa", "problem"),
    [
        ((), ("ill",), "No column"),
        (("sex", "sex"), (), "listed twice"),
        (("sex", "ill"), ("ill",), "listed twice"),
        (("sexe",), (), "no column 'sexe'"),
    ],
)
def test_columns_that_cannot_be_measured_by_are_refused(
    qi: tuple[str, ...], sa: tuple[str, ...], problem: str
) -> None:
    with pytest.raises((InputError, TableError), match=problem):
        GivenTable(PEOPLE, qi, sa)


def test_a_table_that_loses_all_records_is_refused() -> None:
    with pytest.raises(InputError, match="no records"):
        GivenTable(table(sex="**"), ("sex",)).without_suppressed()
