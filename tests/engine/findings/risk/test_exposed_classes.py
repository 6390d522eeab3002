"""The classes that are easiest to find, against a count by hand and by dictionaries."""

from __future__ import annotations

import pytest
from hypothesis import given as cases
from hypothesis import strategies as st

from engine.errors import InputError
from engine.findings.given_table import GivenTable
from engine.findings.table_assessment import exposed_classes
from tests.engine.findings.test_given_table import PEOPLE, table
from tests.strategies import few


def test_the_smallest_classes_come_first_and_then_the_first_record() -> None:
    found = exposed_classes(GivenTable(PEOPLE, ("sex", "zip"), ("ill", "job")))
    assert [(c.size, c.record, c.values, c.n_values) for c in found] == [
        (1, 2, ("m", "1"), (1, 1)),
        (1, 3, ("m", "2"), (1, 1)),
        (1, 4, ("*", "*"), (1, 1)),
        (2, 0, ("f", "1"), (2, 1)),
    ]
    assert [c.risk for c in found] == [1, 1, 1, 0.5]


@few
@cases(st.lists(st.tuples(*[st.sampled_from("ab ")] * 3), min_size=1, max_size=30), st.integers(0, 6))
def test_no_class_left_out_is_smaller_than_one_that_is_listed(rows: list[tuple[str, ...]], most: int) -> None:
    people = table(
        x="".join(r[0] for r in rows), y="".join(r[1] for r in rows), s="".join(r[2] for r in rows)
    )
    groups: dict[tuple[str, str], list[str]] = {}
    first: dict[tuple[str, str], int] = {}
    for i, (x, y, s) in enumerate(rows):
        groups.setdefault((x.strip(), y.strip()), []).append(s)
        first.setdefault((x.strip(), y.strip()), i)
    wanted = sorted(groups, key=lambda key: (len(groups[key]), first[key]))[:most]
    found = exposed_classes(GivenTable(people, ("x", "y"), ("s",)), most)
    assert [c.values for c in found] == wanted
    assert [(c.size, *c.n_values) for c in found] == [(len(groups[k]), len(set(groups[k]))) for k in wanted]


def test_fewer_than_no_classes_are_refused() -> None:
    with pytest.raises(InputError):
        exposed_classes(GivenTable(PEOPLE, ("sex",)), -1)
