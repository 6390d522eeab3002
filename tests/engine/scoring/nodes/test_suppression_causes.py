"""Causes of suppression against counting record by record."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import CancelledError, InputError
from engine.lattice import Node
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile
from engine.scoring.nodes.inspection import inspect_node
from engine.scoring.nodes.suppression_causes import suppression_causes
from tests.stopping import Stopping
from tests.strategies import Attributes, Case, cases, cases_with_requirement, few, nodes

HIDDEN = -1


def written(case: Case, node: Node) -> list[tuple[int, ...]]:
    """The released labels of every record, one common label if an attribute is omitted."""
    columns = []
    for attribute, level in zip(case.problem.attributes, node, strict=True):
        codes = attribute.hierarchy.levels[max(level, 0)].codes[attribute.leaves].tolist()
        columns.append([0] * case.n_records if level == HIDDEN else codes)
    return list(zip(*columns, strict=True))


def kept_records(case: Case, node: Node, k: int, l: int) -> list[bool]:  # noqa: E741  as the field says
    rows = written(case, node)
    sizes = Counter(rows)
    values = case.sensitive[0].texts
    distinct = {row: len({v for r, v in zip(rows, values, strict=True) if r == row}) for row in sizes}
    return [sizes[row] >= k and distinct[row] >= l for row in rows]


@few
@given(st.data())
def test_causes_are_those_counted_record_by_record(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=1, max_sensitive=1))
    node, k, l = data.draw(nodes(case)), data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3))  # noqa: E741
    requirement = Requirement((KAnonymity(k), DistinctLDiversity("s0", l)), 0.1)
    found = suppression_causes(LatticeProfile(case.problem), node, requirement)
    kept = kept_records(case, node, k, l)
    assert found.suppressed == kept.count(False)
    assert found.too_many == max(found.suppressed - found.losses.allowed, 0)
    for cause in found.by_attribute:
        q = cause.attribute
        for level, gained, lost in (
            (node[q] + 1, cause.kept_by_step, cause.lost_by_step),
            (HIDDEN, cause.kept_if_hidden, cause.lost_if_hidden),
        ):
            if gained is None:
                assert node[q] == case.problem.lattice.maximum[q]
                continue
            then = kept_records(case, (*node[:q], level, *node[q + 1 :]), k, l)
            pairs = list(zip(kept, then, strict=True))
            assert (gained, lost) == (pairs.count((False, True)), pairs.count((True, False)))
    told = {(value.attribute, value.code): (value.records, value.suppressed) for value in found.rare_values}
    rows, share = written(case, node), found.suppressed / case.n_records
    for q in range(len(node)):
        held = Counter(row[q] for row in rows)
        failing = Counter(row[q] for row, is_kept in zip(rows, kept, strict=True) if not is_kept)
        expected = {
            (q, code): (n, failing[code])
            for code, n in held.items()
            if failing[code] * case.n_records > n * found.suppressed
        }
        assert {key: value for key, value in told.items() if key[0] == q} == expected
    assert all(value.share > share for value in found.rare_values)


@few
@given(cases_with_requirement(), st.data())
def test_suppressed_records_are_those_of_the_inspected_node(
    drawn: tuple[Case, Requirement], data: st.DataObject
) -> None:
    case, requirement = drawn
    node, profile = data.draw(nodes(case)), LatticeProfile(case.problem, requirement)
    found, report = suppression_causes(profile, node, requirement), inspect_node(profile, node, requirement)
    assert (found.suppressed, found.losses) == (report.suppressed, report.losses)
    assert bool(found.by_attribute) == bool(found.suppressed)
    gained = [cause.kept_if_hidden for cause in found.by_attribute]
    assert gained == sorted(gained, reverse=True)


@pytest.fixture
def case() -> Case:
    """Two people of 30 and two of 40 in the north, one of each in the south."""
    ages = ("30", "30", "40", "40", "30", "40")
    places = ("n", "n", "n", "n", "s", "s")
    return Case(
        (
            Attributes("age", ages, rows=(("30", "*"), ("40", "*"))),
            Attributes("place", places, rows=(("n", "*"), ("s", "*"))),
        ),
        (Attributes("illness", ("flu", "flu", "flu", "cold", "cold", "cold")),),
    )


def test_the_attribute_and_the_value_that_split_classes_are_named(case: Case) -> None:
    found = suppression_causes(LatticeProfile(case.problem), (0, 0), Requirement((KAnonymity(2),), 0.0))
    assert (found.suppressed, found.too_many) == (2, 2)
    assert [(c.name, c.kept_by_step, c.kept_if_hidden) for c in found.by_attribute] == [
        ("age", 2, 2),
        ("place", 2, 2),
    ]
    assert [(v.name, v.label, v.records, v.suppressed, v.share) for v in found.rare_values] == [
        ("place", "s", 2, 2, 1.0)
    ]


def test_records_that_a_more_general_node_suppresses_are_not_those_it_keeps(
    case: Case,
) -> None:
    requirement = Requirement((TCloseness("illness", 0.0, "equal"),), 1.0)
    found = suppression_causes(LatticeProfile(case.problem), (0, 0), requirement)
    age = next(cause for cause in found.by_attribute if cause.name == "age")
    # Both classes of 40 years in the north have flu and cold like the table; joined with those of 30 they do
    # not.
    assert (found.suppressed, age.kept_by_step, age.lost_by_step) == (4, 0, 2)


def test_without_suppressed_records_there_is_no_cause(case: Case) -> None:
    found = suppression_causes(LatticeProfile(case.problem), (1, 0), Requirement((KAnonymity(2),), 0.0))
    assert (found.suppressed, found.by_attribute, found.rare_values) == (0, (), ())


def test_a_node_outside_the_lattice_is_refused(case: Case) -> None:
    with pytest.raises(InputError, match="not in the lattice"):
        suppression_causes(LatticeProfile(case.problem), (0, 2), Requirement())


def test_counting_can_be_cancelled(case: Case) -> None:
    with pytest.raises(CancelledError):
        suppression_causes(
            LatticeProfile(case.problem), (0, 0), Requirement((KAnonymity(2),)), Stopping(done=1)
        )
