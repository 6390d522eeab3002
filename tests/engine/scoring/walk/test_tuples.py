"""Base tuples, their roll-up, and the walk that reaches every node."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.frequency.measured import MeasuredClasses
from engine.frequency.problem import narrowed
from engine.hierarchies import Hierarchy, Level
from engine.scoring.profile import walk
from engine.scoring.walk import packing
from engine.scoring.walk.packing import FrequencySet
from engine.scoring.walk.tuples import at_node, base_tuples, measured_classes
from tests.slow_reference import SlowNode, all_nodes
from tests.strategies import Attributes, Case, cases, few, modest, nodes


def class_sizes(case: Case, found: FrequencySet) -> Counter[int]:
    _, classes = measured_classes(case.problem, found)
    return Counter(classes.sizes.tolist())


@pytest.mark.parametrize("word_bits", [0, 62])
@few
@given(case=cases(max_qi=2))
def test_the_walk_reaches_every_node_once_from_the_lowest(word_bits: int, case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "WORD_BITS", word_bits)
        visited = list(walk(case.problem, base_tuples(case.problem)))
    numbers = [number for number, _ in visited]
    assert numbers[0] == 0
    assert sorted(numbers) == list(range(case.problem.lattice.n_nodes))
    for number, found in visited:
        slow = SlowNode(case, case.problem.lattice.node(number))
        assert class_sizes(case, found) == Counter(slow.sizes)


@modest
@given(st.data())
def test_one_node_counted_from_the_base_has_its_own_classes(data: st.DataObject) -> None:
    case = data.draw(cases())
    node = data.draw(nodes(case))
    expected = Counter(SlowNode(case, node).sizes)
    assert class_sizes(case, at_node(base_tuples(case.problem), node)) == expected
    # a lattice reduced to the node begins at the node
    assert class_sizes(case, base_tuples(narrowed(case.problem, node))) == expected
    assert narrowed(case.problem, node).lattice.n_nodes == 1


@modest
@given(st.data())
def test_pairs_of_class_and_sensitive_value_carry_the_records_of_both(data: st.DataObject) -> None:
    case = data.draw(cases(min_sensitive=1))
    node = data.draw(nodes(case))
    _, classes = measured_classes(case.problem, at_node(base_tuples(case.problem), node))
    slow = SlowNode(case, node)
    for attribute in case.problem.sensitive:
        expected = Counter(
            tuple(sorted(Counter(slow.values(attribute.name, members)).items())) for members in slow.classes
        )
        assert found_values(classes, attribute.name, attribute.column.labels) == expected


def found_values(classes: MeasuredClasses, column: str, labels: tuple[str, ...]) -> Counter[object]:
    """Sensitive values with their records per class, as a multiset of classes."""
    pairs = classes.pairs(column)
    values: list[list[tuple[str, int]]] = [[] for _ in classes.sizes]
    for label, value, count in zip(pairs.classes, pairs.values, pairs.counts, strict=True):
        values[label].append((labels[value], int(count)))
    return Counter(tuple(sorted(entry)) for entry in values)


def test_a_node_outside_the_lattice_cannot_be_narrowed_to() -> None:
    case = Case((Attributes("q", ("a", "b"), rows=(("a", "*"), ("b", "*"))),))
    with pytest.raises(InputError, match="not in the lattice"):
        narrowed(case.problem, (2,))
    assert all_nodes(case) == [(0,), (1,)]


def test_a_hierarchy_too_deep_to_score_is_refused_by_name() -> None:
    n_leaves, levels = 7 * 999 + 1, []
    for step in range(8):
        kept = n_leaves - step * 999
        codes = np.minimum(np.arange(n_leaves), kept - 1).astype(np.int32)
        levels.append(Level(tuple(str(i) for i in range(kept)), codes))
    deep = Hierarchy(tuple(levels))
    case = Case((Attributes("income", tuple(str(i) for i in range(n_leaves))),))
    attribute = case.problem.attributes[0]
    problem = type(case.problem)(
        case.problem.n_records,
        (type(attribute)(attribute.column, deep, attribute.leaves, 0, deep.height),),
        (),
    )
    with pytest.raises(InputError, match="hierarchy of 'income' is too large"):
        base_tuples(problem)
