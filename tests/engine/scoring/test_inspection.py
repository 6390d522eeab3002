"""One node, class by class."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.privacy import Relation
from engine.scoring import LatticeProfile
from engine.scoring.inspection import inspect_node
from tests.slow_reference import SlowNode, default_distance
from tests.strategies import cases_with_requirement, modest, nodes


@modest
@given(st.data())
def test_a_report_counts_classes_records_and_misses_as_the_definition_does(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem, requirement), node, requirement)
    slow = SlowNode(case, node)
    release = slow.under(requirement)
    assert sorted(zip(report.sizes.tolist(), report.fulfilled.tolist(), strict=True)) == sorted(
        zip(slow.sizes, release.met, strict=True)
    )
    assert (report.suppressed, report.allowed) == (release.suppressed, release.allowed)
    assert (report.kept_classes, report.kept_k) == (len(release.kept), release.kept_k)
    assert report.satisfies is release.satisfies
    for entry, model in zip(report.models, requirement.models, strict=True):
        misses = [not met for met in slow.meets(model)]
        assert entry.n_missing == sum(misses)
        assert entry.records_missing == sum(
            size for size, miss in zip(slow.sizes, misses, strict=True) if miss
        )
        # The worst of all classes misses the threshold exactly when any class does.
        is_met = {
            Relation.AT_LEAST: entry.worst >= model.limit * (1 - 1e-9),
            Relation.AT_MOST: entry.worst <= model.limit * (1 + 1e-12),
            Relation.BELOW: entry.worst < model.limit,
        }[model.relation]
        is_large = model.required_k is None or min(slow.sizes) >= model.required_k
        assert (is_met and is_large) is (entry.n_missing == 0)
        assert (entry.worst_kept is None) is (not release.kept)


@modest
@given(st.data())
def test_the_furthest_class_is_a_kept_one_at_the_largest_distance(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement(min_sensitive=1))
    requirement = type(requirement)(
        tuple(m for m in requirement.models if m.key != "t_closeness"), requirement.suppression_limit
    )
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem, requirement), node, requirement)
    slow = SlowNode(case, node)
    met = slow.under(requirement).met
    for found in report.furthest:
        attribute = next(a for a in case.sensitive if a.name == found.column)
        distances = slow.distances(found.column, default_distance(attribute))
        among = [d for d, kept in zip(distances, met, strict=True) if kept or not any(met)]
        assert found.distance == float(max(among))
        assert found.is_kept is any(met)
        assert found.kind == default_distance(attribute)
        counts = dict(zip(found.labels, found.class_counts.tolist(), strict=True))
        candidates = [
            {label: slow.values(found.column, members).count(label) for label in found.labels}
            for members, d in zip(slow.classes, distances, strict=True)
            if float(d) == found.distance
        ]
        assert counts in candidates
        assert found.table_counts.sum() == case.n_records
