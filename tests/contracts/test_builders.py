"""Contract of every registered hierarchy builder: defaults, bounds, round trips, valid trees."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.hierarchies.builders.base import HierarchyBuilder, builders
from engine.records import Column, Kind, retype
from engine.records.values import detect_type
from engine.testing import laws
from tests.conftest import EXAMPLES
from tests.contracts.uncommon import uncommon
from tests.engine.hierarchies.columns import column_of

NEEDED: dict[str, dict[str, Any]] = {  # values of parameters without a default
    "taxonomy": {"tree": {"few": ["1", "2"], "letters": {"a and b": ["a", "b"], "c": ["c"]}}},
    "table": {"path": str(EXAMPLES / "adult" / "hierarchies" / "sex.csv")},
}


def defaults(key: str) -> HierarchyBuilder:
    return builders.create(key, **NEEDED.get(key, {}))


def test_an_unknown_builder_or_parameter_names_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'masking'"):
        builders.create("maskin")
    with pytest.raises(InputError, match="Did you mean 'width'"):
        builders.create("intervals", widht=5)


@pytest.mark.parametrize("key", builders)
def test_a_builder_describes_itself_keeps_its_bounds_and_is_restored(key: str) -> None:
    laws.a_builder_describes_itself(builders[key])
    laws.its_parameters_are_explained(builders[key])
    laws.values_outside_bounds_are_refused(builders[key])
    for values in ({}, *({name: value} for name, value in uncommon(builders[key]).items())):
        laws.it_is_restored_from_files(builders, builders.create(key, **values))


records = st.one_of(
    st.integers(-200, 200).map(str),
    st.decimals(-50, 50, places=1).map(str),
    st.text("abc*-[,) 019", max_size=4),
)
numbers = st.integers(0, 99).map(str)
days = st.one_of(st.dates().map(str), st.sampled_from(["", "2024", "31/12/1999", "1.1.2024", "never"]))


@st.composite
def columns(draw: st.DrawFn) -> Column:
    texts = draw(st.lists(draw(st.sampled_from([records, numbers, days])), min_size=1, max_size=25))
    column = column_of(*texts)
    return retype(column, detect_type([label for label in column.labels if label]))


@pytest.mark.parametrize("key", builders)
@given(column=columns())
def test_a_built_hierarchy_is_a_tree_over_all_values_or_refused_with_a_hint(key: str, column: Column) -> None:
    laws.a_built_hierarchy_is_a_tree(defaults(key), column)


@pytest.mark.parametrize("key", builders)
def test_a_builder_accepts_some_column_and_builds_it(key: str) -> None:
    candidates = [
        column_of("1", "2", "33", kind=Kind.INTEGER),
        column_of("a", "bb", "ccc"),
        column_of("1999-12-31", "2024-02-29", kind=Kind.DATE),
    ]
    accepted = [column for column in candidates if defaults(key).accepts(column)]
    assert accepted
    for column in accepted:
        assert defaults(key).build(column).gaps(column) == []
