"""Alternatives to the optimum against their definitions, over the values of all nodes counted by hand."""

from __future__ import annotations

from math import hypot, isnan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.advice.alternatives import Alternative, Gain, alternatives, without_one_level
from engine.lattice import Node
from engine.monitor import SILENT
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.prices import prices_of
from tests.slow_reference import SlowNode, all_nodes
from tests.strategies import Case, cases_with_requirement, few

TOLERANCE = 1e-9
Values = dict[Node, tuple[float, int]]  # metric and suppressed records of the nodes that satisfy


def slow_values(case: Case, requirement: Any, metric: str) -> Values:
    found = {}
    for node in all_nodes(case):
        release = SlowNode(case, node).under(requirement)
        if release.satisfies and not isnan(value := release.metric(metric)):
            found[node] = value, release.suppressed
    return found


def brings(one: Alternative, gain: Gain, optimum: Node, values: Values) -> bool:
    """Return whether an alternative has a gain as it is defined."""
    least, now = values[optimum]
    value, suppressed = values[one.node]
    match gain:
        case Gain.DETAIL:
            assert one.column is not None
            return one.node[one.column] < optimum[one.column]
        case Gain.UNCHANGED:
            near = [node for node, (v, _) in values.items() if v <= 1.1 * least + TOLERANCE]
            most = max(node.count(0) for node in near)
            rivals = [values[node][0] for node in near if node.count(0) == most]
            return one.node.count(0) == most > optimum.count(0) and value <= min(rivals) + TOLERANCE
        case Gain.FEWER:
            near = [node for node, (v, _) in values.items() if v <= 1.05 * least + TOLERANCE]
            return suppressed == min(values[node][1] for node in near) <= 0.9 * now
        case Gain.BALANCE:
            return suppressed <= 0.9 * now and is_furthest(one.node, values)
    raise AssertionError(gain)


def is_furthest(node: Node, values: Values) -> bool:
    """Return whether no node lies further from the line between the ends of the Pareto front."""
    points = sorted(set(values.values()), key=lambda point: (point[1], point[0]))
    front = [p for p in points if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in points)]
    width, height = front[-1][1] - front[0][1], front[0][0] - front[-1][0]

    def distance(point: tuple[float, int]) -> float:
        x, y = (point[1] - front[0][1]) / width, (point[0] - front[-1][0]) / height
        return (1 - x - y) / hypot(1, 1)

    return distance(values[node]) >= max(map(distance, front)) - 1e-6


@few
@given(cases_with_requirement(max_qi=3, max_height=3), st.sampled_from(("loss", "precision")))
def test_each_alternative_has_its_gain_and_costs_at_most_a_quarter(question: Any, metric: str) -> None:
    case, requirement = question
    profile = score_lattice(case.problem, SILENT, LatticeProfile(case.problem, requirement))
    evaluation = evaluate(profile, requirement)
    found, number = alternatives(evaluation, metric), evaluation.optimum(metric)
    if number is None:
        assert not found
        return
    optimum, values = evaluation.lattice.node(number), slow_values(case, requirement, metric)
    assert len({one.node for one in found}) == len(found), "equal nodes are one row"
    for one in found:
        assert one.node != optimum
        assert one.price <= 0.25 * values[optimum][0] + TOLERANCE
        for gain in one.gains:
            if gain is Gain.STRICTER:
                check_stricter(case, requirement, metric, one, values[optimum][0])
                continue
            assert one.price == pytest.approx(values[one.node][0] - values[optimum][0], abs=TOLERANCE)
            assert one.suppressed == values[one.node][1]
            assert brings(one, gain, optimum, values)
    cells = [
        (q, node)
        for node, (value, _) in values.items()
        for q in range(len(optimum))
        if node[q] < optimum[q] and value - values[optimum][0] < 0.25 * values[optimum][0] - TOLERANCE
    ]
    assert any(Gain.DETAIL in one.gains for one in found) == bool(cells), "found where there is one"


def check_stricter(case: Case, requirement: Any, metric: str, one: Alternative, least: float) -> None:
    models = requirement.models
    index = next(i for i, model in enumerate(models) if model.__class__.__name__ == "KAnonymity")
    assert one.k == min(k for k in (5, 10, 20, 50) if k > models[index].k)
    under = slow_values(case, requirement.with_limit(index, one.k), metric)
    assert under[one.node][0] == pytest.approx(min(value for value, _ in under.values()), abs=TOLERANCE)
    assert one.price == pytest.approx(under[one.node][0] - least, abs=TOLERANCE)


@few
@given(cases_with_requirement(max_qi=3, max_height=2), st.data())
def test_releasing_a_level_brings_the_best_node_with_the_others(question: Any, data: st.DataObject) -> None:
    case, requirement = question
    attributes = case.problem.attributes
    insisted = {q: data.draw(st.integers(0, a.hierarchy.height)) for q, a in enumerate(attributes)}
    profile = score_lattice(case.problem, SILENT, LatticeProfile(case.problem, requirement))
    evaluation = evaluate(profile, requirement)
    prices = prices_of(evaluation, "loss", [a.hierarchy.height + 1 for a in attributes], insisted)
    values = slow_values(case, requirement, "loss")
    now = min((v for node, (v, _) in values.items() if list(node) == list(insisted.values())), default=1e9)
    found = {one.column: one for one in without_one_level(evaluation, "loss", prices, insisted)}
    for column in insisted:
        others = [q for q in insisted if q != column]
        rest = [v for node, (v, _) in values.items() if all(node[q] == insisted[q] for q in others)]
        if min(rest, default=now) >= now - TOLERANCE:
            assert column not in found or found[column].price >= now - 1 - TOLERANCE
            continue
        one = found[column]
        assert values[one.node][0] == pytest.approx(min(rest), abs=TOLERANCE)
        assert one.price == pytest.approx(min(rest) - min(v for v, _ in values.values()), abs=TOLERANCE)
