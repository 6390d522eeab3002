"""From a project to the codes, hierarchies and lattice that scoring needs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from engine.errors import HierarchyGapError, InputError
from engine.hierarchies import Hierarchy
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.t_closeness import TCloseness
from engine.project import AttributeHierarchy, Project, edits
from engine.project.compile import attribute_weights, compile_problem
from engine.records import Kind, Role
from tests.slow_reference import paths
from tests.strategies import Attributes, Case, cases, modest

ROWS = (("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"))


def case(**changes: object) -> Case:
    first = replace(Attributes("first", ("b", "a", "b"), rows=ROWS), **changes)  # type: ignore[arg-type]
    return Case(
        (first, Attributes("second", ("1", "1", "2"), Kind.INTEGER)), (Attributes("s", ("u", "v", "u")),)
    )


@modest
@given(cases())
def test_every_record_has_the_labels_of_its_value_on_every_level(case: Case) -> None:
    problem = case.problem
    assert problem.n_records == case.n_records
    assert problem.names == tuple(a.name for a in case.qi)
    for attribute, compiled in zip(case.qi, problem.attributes, strict=True):
        expected = paths(attribute)
        for level, entry in enumerate(compiled.hierarchy.levels):
            labels = [entry.labels[code] for code in entry.codes[compiled.leaves]]
            assert labels == [expected[text][level] for text in attribute.texts]
        assert (compiled.minimum, compiled.maximum) == (attribute.levels[0], attribute.levels[-1])
        assert compiled.hierarchy.n_leaves == len(expected)
    assert [a.name for a in problem.sensitive] == [a.name for a in case.sensitive]


def test_a_quasi_identifier_without_a_hierarchy_is_unchanged() -> None:
    problem = case().problem
    assert problem.attributes[1].hierarchy.height == 0
    assert problem.lattice.maximum == (2, 0)


def test_bounded_levels_keep_their_numbers() -> None:
    lattice = case(min_level=1, max_level=2).problem.lattice
    assert (lattice.minimum, lattice.maximum) == ((1, 0), (2, 0))


@pytest.mark.parametrize("levels", [(0, 3), (2, 1), (-1, 2)])
def test_levels_outside_the_hierarchy_are_refused_with_those_that_exist(levels: tuple[int, int]) -> None:
    project = edits.set_levels(case().project, "first", *levels)
    with pytest.raises(InputError, match="its hierarchy has levels 0 to 2"):
        compile_problem(project)


def test_without_a_quasi_identifier_there_is_nothing_to_compile() -> None:
    project = edits.set_roles(case().project, ["first", "second"], Role.INSENSITIVE)
    with pytest.raises(InputError, match="No column is quasi-identifying"):
        compile_problem(project)


def test_values_that_a_hierarchy_lacks_are_named() -> None:
    lacking = AttributeHierarchy(Hierarchy.from_rows([("a", "*")]))
    project = edits.set_hierarchy(case().project, "first", lacking)
    with pytest.raises(HierarchyGapError, match=r"'first'.*'b'") as refusal:
        compile_problem(project)
    assert refusal.value.context["values"] == ("b",)


def test_a_model_on_a_column_that_is_not_sensitive_is_refused() -> None:
    for column in ("first", "nowhere"):
        project = replace(case().project, requirement=Requirement((DistinctLDiversity(column, 2),)))
        with pytest.raises(InputError, match=f"'{column}' is not a sensitive column"):
            compile_problem(project)


def test_a_model_without_its_column_is_refused() -> None:
    project = replace(case().project, requirement=Requirement((DistinctLDiversity(l=2),)))
    with pytest.raises(InputError, match="has no column"):
        compile_problem(project)


def test_the_ordered_distance_on_text_is_refused_with_the_reason() -> None:
    project = replace(case().project, requirement=Requirement((TCloseness("s", 0.2, "ordered"),)))
    with pytest.raises(InputError, match="text, which has no order"):
        compile_problem(project)


def by_tree(rows: tuple[tuple[str, ...], ...] = ()) -> Project:
    """A project that compares `s`, of values u and v, by the hierarchical distance."""
    made = replace(case(), sensitive=(Attributes("s", ("u", "v", "u"), rows=rows),)).project
    return replace(made, requirement=Requirement((TCloseness("s", 0.2, "hierarchical"),)))


def test_the_hierarchy_of_a_sensitive_column_is_what_the_hierarchical_distance_compares_by() -> None:
    attribute = compile_problem(by_tree((("u", "x", "*"), ("w", "x", "*"), ("v", "y", "*")))).sensitive[0]
    assert attribute.distances == ("equal", "hierarchical")
    assert attribute.default_distance == "equal"
    assert attribute.tree.groups.tolist() == [[0, 2], [0, 1]]
    assert attribute.tree.grouped.tolist() == [[2, 0, 1], [2, 1, 0]]


def test_several_labels_on_top_have_one_root_above_them() -> None:
    attribute = compile_problem(by_tree((("u", "x"), ("v", "y")))).sensitive[0]
    assert attribute.tree.height == 2


def test_the_hierarchical_distance_without_a_hierarchy_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="hierarchical distance cannot be used: 's' has no hierarchy"):
        compile_problem(by_tree())
    with pytest.raises(InputError, match="lacks 1 of its values, such as 'v'"):
        compile_problem(by_tree((("u", "*"),)))


def test_a_hierarchy_of_a_sensitive_column_that_no_model_reads_may_have_gaps() -> None:
    project = replace(by_tree((("u", "*"),)), requirement=Requirement((TCloseness("s", 0.2, "equal"),)))
    assert compile_problem(project).sensitive[0].distances == ("equal",)


def test_weights_are_given_in_the_order_of_the_attributes_and_omitted_if_all_are_1() -> None:
    project = case().project
    assert attribute_weights(project, case().problem) is None
    weighted = edits.set_weights(project, {"second": 3.0, "not a column": 9.0})
    assert np.array_equal(attribute_weights(weighted, case().problem), [1.0, 3.0])
    equal = edits.set_weights(project, {"first": 2.0, "second": 2.0})
    assert np.array_equal(attribute_weights(equal, case().problem), [2.0, 2.0])


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (Kind.DECIMAL, ("1", "1.0", "2")),
        (Kind.INTEGER, ("7", "8", "+7")),
        (Kind.BOOLEAN, ("true", "TRUE", "false")),
        (Kind.DATE, ("2020-1-5", "2020-01-05", "2020-01-06")),
    ],
)
def test_a_sensitive_value_written_in_two_ways_is_refused(kind: Kind, texts: tuple[str, str, str]) -> None:
    # They would count as two values, and l-diversity would hold of a class that shares one.
    written = replace(case(), sensitive=(Attributes("s", texts, kind),))
    with pytest.raises(InputError, match="'s' has the same value in several forms") as error:
        compile_problem(written.project)
    assert "read the column as text" in error.value.hint
    as_texts = replace(case(), sensitive=(Attributes("s", texts),))
    assert compile_problem(as_texts.project).sensitive[0].n_values == 3
