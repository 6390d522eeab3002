"""Proposed builders: by type, values and name, each with a reason, each usable."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hierarchies import Hierarchy
from engine.hierarchies.propose import propose
from engine.params import values_of
from engine.table import Column, Kind, read_csv, retype
from engine.table.values import detect_type
from tests.engine.hierarchies.columns import column_of

INTEGER = Kind.INTEGER
AGES = [str(age) for age in range(17, 91)]
QUARTERS = [str(i / 4) for i in range(400)]


@pytest.mark.parametrize(
    ("column", "key", "values"),
    [
        (column_of(*AGES, kind=INTEGER, name="age"), "intervals", {"width": 5, "merge": (2, 2)}),
        (column_of(*AGES, kind=INTEGER), "intervals", {"width": 5, "merge": (2, 2)}),
        (column_of("32042", "32021", "32024", "32046", "32045", kind=INTEGER, name="ZIP code"), "masking",
         {"direction": "right_to_left", "characters_per_level": 1}),
        (column_of("01067", "10115", "20095", "80331", "99999"), "masking", {"direction": "right_to_left"}),
        (column_of("E11.9", "I10", "J45.0", "K52.9", "N39.0"), "masking", {"direction": "right_to_left"}),
        (column_of("m", "f", name="sex"), "suppress", {}),
        (column_of("true", "false", kind=Kind.BOOLEAN), "suppress", {}),
        (column_of("0", "1", kind=INTEGER), "suppress", {}),
        (column_of("Rome", "Turin", "Oslo", "Bergen", "Bonn"), "suppress", {}),
        (column_of("", ""), "suppress", {}),
        (column_of("2020-01-05", "2021-02-03", kind=Kind.DATE), "masking", {"direction": "right_to_left"}),
        (column_of("05/01/2020", "13/02/2021", kind=Kind.DATE), "masking", {"direction": "left_to_right"}),
        (column_of("A", "B", "C", "D", "E", kind=Kind.ORDERED), "grouping", {"sizes": (2, 2)}),
        (column_of(*QUARTERS, kind=Kind.DECIMAL), "intervals", {"width": 10, "merge": (2, 2)}),
    ],
)  # fmt: skip
def test_the_proposal_fits_the_column(column: Column, key: str, values: dict[str, object]) -> None:
    builder, reason = propose(column)
    assert (builder.key, values_of(builder) | values) == (key, values_of(builder))
    assert reason.endswith(".")


def test_every_column_of_adult_gets_a_hierarchy_ending_in_a_star(tables: Path) -> None:
    for column in read_csv(tables / "adult_arx.csv").columns:
        builder, _ = propose(column)
        assert builder.accepts(column)
        hierarchy = builder.build(column)
        assert (hierarchy.gaps(column), hierarchy.top_label) == ([], "*")


def test_a_few_numbers_far_out_become_one_group() -> None:
    numbers = [str(i % 100) for i in range(1000)] + ["1000000"]
    builder, _ = propose(column_of(*numbers, kind=INTEGER, name="visits"))
    hierarchy = builder.build(column_of(*numbers, kind=INTEGER))
    assert hierarchy.label("1000000", 1).startswith(">=")
    assert len(hierarchy.levels[1].labels) <= 20


texts = st.one_of(
    st.integers(-(10**6), 10**6).map(str), st.decimals(-1000, 1000, places=2).map(str), st.text(max_size=5)
)


@settings(deadline=None)
@given(st.lists(texts, min_size=1, max_size=30))
def test_whatever_is_proposed_builds_a_tree(values: list[str]) -> None:
    column = column_of(*values)
    column = retype(column, detect_type([label for label in column.labels if label]))
    builder, _ = propose(column)
    assert builder.accepts(column)
    hierarchy = builder.build(column)
    assert Hierarchy.from_rows(hierarchy.rows()).top_label == "*"
    assert hierarchy.gaps(column) == []
