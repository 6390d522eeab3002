"""The classes of a node as a table, against a slow recount of the records."""

from __future__ import annotations

from collections import Counter
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.hierarchies.natural_order import natural_key
from engine.scoring import LatticeProfile
from engine.scoring.nodes.class_table import NOT_MISSED, ClassChoice, ClassTable, Kind
from tests.slow_reference import SlowNode, default_distance
from tests.strategies import Case, cases_with_requirement, few, nodes


def drawn(data: st.DataObject, min_sensitive: int = 0) -> tuple[ClassTable, SlowNode]:
    """A table of classes, and the same node recounted."""
    case, requirement = data.draw(cases_with_requirement(min_sensitive=min_sensitive))
    node = data.draw(nodes(case))
    with patch(
        "engine.scoring.walk.packing.WORD_BITS", data.draw(st.sampled_from((62, 0)))
    ):  # packed and wide
        table = ClassTable.of(LatticeProfile(case.problem, requirement), node, requirement)
    return table, SlowNode(case, node)


def numbers_by_labels(table: ClassTable) -> dict[tuple[str, ...], int]:
    found = {table.labels(number): number for number in range(table.n_classes)}
    assert len(found) == table.n_classes
    return found


def labels_of(slow: SlowNode, members: list[int]) -> tuple[str, ...]:
    return tuple(str(slow.frame[a.name][members[0]]) for a in slow.case.qi)


def kind_of(table: ClassTable, case: Case, column: str) -> str:
    attribute = next(a for a in case.sensitive if a.name == column)
    return table.requirement.distance(column) or default_distance(attribute)


@few
@given(st.data())
def test_every_class_has_the_labels_records_and_measures_of_its_definition(data: st.DataObject) -> None:
    table, slow = drawn(data)
    by_labels = numbers_by_labels(table)
    release = slow.under(table.requirement)
    assert len(by_labels) == len(slow.classes)
    misses = [slow.meets(model) for model in table.requirement.models]
    for place, members in enumerate(slow.classes):
        number = by_labels[labels_of(slow, members)]
        assert table.sizes[number] == len(members)
        assert table.records(number).tolist() == sorted(members)
        assert table.fulfilled[number] == release.met[place]
        missed = [i for i, met in enumerate(misses) if not met[place]]
        assert table.missed_first[number] == (missed[0] if missed else NOT_MISSED)
        for attribute in slow.case.sensitive:
            assert table.distinct(attribute.name)[number] == slow.distinct(attribute.name)[place]
            exact = slow.distances(attribute.name, kind_of(table, slow.case, attribute.name))[place]
            assert abs(float(table.distances(attribute.name)[number]) - float(exact)) < 1e-12


@few
@given(st.data())
def test_every_column_sorts_and_only_the_chosen_classes_are_listed(data: st.DataObject) -> None:
    table, _ = drawn(data)
    for column in table.columns:
        values = table.values(column)
        for descending in (False, True):
            for of in (None, table.fulfilled):
                order = table.order(column, descending=descending, of=of)
                chosen = range(table.n_classes) if of is None else np.flatnonzero(of).tolist()
                assert sorted(order.tolist()) == list(chosen)
                if column.kind is Kind.LABEL:
                    texts = [natural_key(table.label(i, column.place)) for i in order.tolist()]
                    assert texts == sorted(texts, reverse=descending)
                else:
                    sorted_values = values[order]
                    assert np.array_equal(
                        sorted_values, np.sort(sorted_values)[::-1] if descending else np.sort(sorted_values)
                    )


@few
@given(st.data())
def test_a_class_is_picked_by_its_worst_value(data: st.DataObject) -> None:
    table, slow = drawn(data, min_sensitive=1)
    column = data.draw(st.sampled_from([a.name for a in slow.case.sensitive]))
    by_labels = numbers_by_labels(table)
    members = {by_labels[labels_of(slow, records)]: records for records in slow.classes}
    kept = [n for n in members if table.fulfilled[n]] or list(members)
    gone = [n for n in members if not table.fulfilled[n]]
    values = {n: Counter(slow.values(column, records)) for n, records in members.items()}
    distances = dict(enumerate(table.distances(column).tolist()))
    badness = {
        ClassChoice.SMALLEST: lambda n: -len(members[n]),
        ClassChoice.LEAST_DIVERSE: lambda n: -len(values[n]),
        ClassChoice.MOST_ALIKE: lambda n: max(values[n].values()) / len(members[n]),
        ClassChoice.FURTHEST: lambda n: distances[n],
        ClassChoice.FURTHEST_SUPPRESSED: lambda n: distances[n],
    }
    for pick, worst in badness.items():
        among = gone if pick is ClassChoice.FURTHEST_SUPPRESSED else kept
        found = table.pick(pick, column)
        assert (found is None) is (not among)
        if found is None:
            continue
        assert found in among
        assert worst(found) == max(worst(n) for n in among)
        told = table.distribution(column, found, pick)
        assert dict(zip(told.labels, told.class_counts.tolist(), strict=True)) == {
            label: values[found][label] for label in told.labels
        }
        assert told.distance == distances[found]
        assert told.is_kept == table.fulfilled[found]


@few
@given(st.data())
def test_the_classes_a_model_suppresses_are_listed_worst_first(data: st.DataObject) -> None:
    table, slow = drawn(data)
    for number, model in enumerate(table.requirement.models):
        told = table.missing(number, 3).tolist()
        missed = np.flatnonzero(table.missed_first == number)
        assert len(told) == min(3, len(missed))
        assert set(told) <= set(missed.tolist())
        measured = model.measure(table.classes)
        worst = sorted(measured[missed].tolist(), reverse=model.relation.name != "AT_LEAST")
        assert [measured[n] for n in told] == worst[: len(told)]
    assert slow.case.n_records == table.sizes.sum()
