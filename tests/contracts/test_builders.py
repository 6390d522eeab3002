"""Contract of every registered hierarchy builder: defaults, bounds, round trips, valid trees."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.hierarchies.builders.base import HierarchyBuilder, builders
from engine.params import values_of
from engine.table import Column, Kind, retype
from engine.table.values import detect_type
from engine.testing import laws
from tests.conftest import EXAMPLES
from tests.engine.hierarchies.columns import column_of

NEEDED: dict[str, dict[str, Any]] = {  # values of parameters without a default
    "taxonomy": {"tree": {"few": ["1", "2"], "letters": {"a and b": ["a", "b"], "c": ["c"]}}},
    "table": {"path": str(EXAMPLES / "adult" / "hierarchies" / "sex.csv")},
}


def defaults(key: str) -> HierarchyBuilder:
    return builders.create(key, **NEEDED.get(key, {}))


def test_the_first_builders_are_registered() -> None:
    assert {"intervals", "masking", "grouping", "rounding", "suppress", "top_bottom"} <= set(builders)
    assert {"dates", "taxonomy", "frequency", "table"} <= set(builders)


def test_an_unknown_builder_or_parameter_names_the_nearest() -> None:
    with pytest.raises(InputError, match="Did you mean 'masking'"):
        builders.create("maskin")
    with pytest.raises(InputError, match="Did you mean 'width'"):
        builders.create("intervals", widht=5)


@pytest.mark.parametrize("key", builders)
def test_a_builder_has_a_name_and_a_purpose(key: str) -> None:
    laws.a_builder_describes_itself(builders[key])
    laws.its_parameters_are_explained(builders[key])


@pytest.mark.parametrize("key", builders)
def test_a_step_outside_a_bound_is_refused_with_a_hint(key: str) -> None:
    laws.values_outside_bounds_are_refused(builders[key])


@pytest.mark.parametrize("key", builders)
def test_parameters_survive_a_file(key: str) -> None:
    given_values: dict[str, dict[str, Any]] = {
        "intervals": {"width": 0.1, "cuts": (1, 2.5), "merge": (2, 3), "top": 80.0, "label": "interval"},
        "masking": {"direction": "left_to_right", "characters_per_level": 2, "padding": "0"},
        "grouping": {"groups": ((("x", ("a", "b")),), (("y", ("x", "c")),))},
        "rounding": {"bases": (0.5, 10), "direction": "down"},
        "top_bottom": {"bottom": 20.0, "top": 80.5},
        "dates": {"granularities": ("day", "week"), "input_formats": ("%d.%m.%y",), "bottom": 1900},
        "taxonomy": {"tree": (("x", ("a", ("y", ("b",)))), ("x2", ("c",)), "d")},
        "frequency": {"direction": "highest_first", "levels": 2, "by": "value", "label": "rest"},
        "table": {"path": "levels.csv", "header": True, "delimiter": "|", "encoding": "cp1252"},
    }
    for values in ({}, given_values.get(key, {})):
        builder = builders.create(key, **values)
        again = tomllib.loads(tomli_w.dumps(values_of(builder)))
        assert builders.create(key, **again) == builder


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
