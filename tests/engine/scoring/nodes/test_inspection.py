"""One node, class by class."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from engine.errors import ParameterError
from engine.params import Integer, describe
from engine.privacy import PrivacyModel, Relation, Requirement
from engine.privacy.values import MeasuredModel, measured_kinds
from engine.scoring import LatticeProfile
from engine.scoring.nodes.inspection import inspect_node
from tests.slow_reference import SlowNode, default_distance
from tests.strategies import cases_with_requirement, modest, nodes

MARGIN = 1e-6


@modest
@given(st.data())
def test_a_report_counts_classes_records_and_failures_as_defined(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem, requirement), node, requirement)
    slow = SlowNode(case, node)
    release = slow.under(requirement)
    assert sorted(zip(report.sizes.tolist(), report.fulfilled.tolist(), strict=True)) == sorted(
        zip(slow.sizes, release.met, strict=True)
    )
    assert (report.suppressed, report.losses.allowed) == (release.suppressed, release.allowed)
    assert (report.kept_classes, report.kept_k) == (len(release.kept), release.kept_k)
    assert report.satisfies is release.satisfies
    for entry, model in zip(report.models, requirement.models, strict=True):
        misses = [not met for met in slow.meets(model)]
        assert entry.n_missing == sum(misses)
        assert entry.records_missing == sum(
            size for size, miss in zip(slow.sizes, misses, strict=True) if miss
        )
        # the worst of all classes fails the threshold exactly if any class does
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
    assume(report.furthest)
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


@modest
@given(st.data())
def test_every_model_is_measured_over_the_kept_classes_whether_it_is_required_or_not(
    data: st.DataObject,
) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem, requirement), node, requirement)
    slow = SlowNode(case, node)
    met = slow.under(requirement).met
    columns = [attribute.name for attribute in case.sensitive]
    wanted = [
        (kind.key, column)
        for kind in measured_kinds()
        for column in (columns if "column" in {d.name for d in describe(kind)} else [""])
    ]
    measured = [entry for entry in report.values if entry.kind in measured_kinds()]
    assert [(entry.key, entry.column) for entry in measured] == (wanted if any(met) else [])
    for entry in measured:
        is_bounded = entry.value is not None and not math.isinf(entry.value)
        assert _kept_meet(slow, met, _beside(entry, requirement, MARGIN)) is is_bounded
        if entry.value:  # nothing is stricter than zero
            assert not _kept_meet(slow, met, _beside(entry, requirement, -MARGIN))


@modest
@given(st.data())
def test_risks_are_measured_over_the_kept_classes(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    report = inspect_node(LatticeProfile(case.problem, requirement), node, requirement)
    slow = SlowNode(case, node)
    sizes = [size for size, kept in zip(slow.sizes, slow.under(requirement).met, strict=True) if kept]
    found = {entry.key: entry.value for entry in report.values if entry.kind not in measured_kinds()}
    if not sizes:
        assert found == {}
        return
    n = sum(sizes)
    assert found == {
        "average_risk": float(Fraction(len(sizes), n)),
        "highest_risk": float(Fraction(1, min(sizes))),
        "records_at_risk": float(Fraction(sum(size for size in sizes if size < 5), n)),
        "sample_uniqueness": float(Fraction(sizes.count(1), n)),
    }


def _kept_meet(slow: SlowNode, met: list[bool], model: PrivacyModel | None) -> bool:
    return model is not None and all(m for m, kept in zip(slow.meets(model), met, strict=True) if kept)


def _beside(entry: MeasuredModel, requirement: Requirement, margin: float) -> PrivacyModel | None:
    """The model with a threshold slightly laxer than measured, or stricter; None if there is none."""
    value = 1e9 if entry.value is not None and math.isinf(entry.value) else entry.value
    if value is None:
        return None
    parameters = {d.name: d for d in describe(entry.kind)}
    threshold = parameters[entry.kind.threshold_name]
    if isinstance(threshold, Integer):
        limit: float = value + (0 if margin > 0 else 1)
    elif entry.kind.relation is Relation.AT_LEAST:
        limit = value * (1 - margin)
    else:
        limit = value * (1 + margin) + (margin if margin > 0 else 0)
    limit = max(limit, threshold.minimum) if margin > 0 else limit  # type: ignore[attr-defined]
    limit = min(limit, threshold.maximum) if margin > 0 else limit  # type: ignore[attr-defined]
    told = {name: told for name, told in entry.reported.items() if told is not None}
    if entry.column:
        told["column"] = entry.column
    if "distance" in parameters:
        told["distance"] = requirement.distance(entry.column) or told["distance"]
    try:
        return entry.kind(**told, **{entry.kind.threshold_name: limit})
    except ParameterError:
        return None  # no stricter threshold is possible, so none can fail
