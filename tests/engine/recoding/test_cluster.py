"""k-member clusters: their sizes, who joins whom, and large tables cut into blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.distinct_l_diversity import DistinctLDiversity
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import RecodingTask, make_local_release, rooted
from engine.recoding.allowed_labels import LabelCosts
from engine.recoding.cluster import Cluster, Grower
from engine.recoding.distinct import DistinctRecords
from tests.strategies import Attributes, Case, cases, cases_with_requirement, modest

AGES = tuple((str(age), f"{age // 10}0s", "*") for age in (21, 22, 25, 61, 62, 65))


def people(ages: tuple[str, ...], illnesses: tuple[str, ...]) -> Case:
    return Case((Attributes("age", ages, rows=AGES),), (Attributes("illness", illnesses),))


def texts(case: Case, requirement: Requirement) -> list[str]:
    problem = rooted(case.problem)
    recoding = Cluster().improve(RecodingTask(problem, requirement), SILENT)
    column = make_local_release(case.under(requirement), problem, recoding).column("age")
    return [column.text(i) for i in range(case.n_records)]


def test_alike_records_come_together() -> None:
    case = people(("21", "61", "25", "65", "22", "62"), ("a",) * 6)
    decades = ["20s", "60s", "20s", "60s", "20s", "60s"]
    assert texts(case, Requirement((KAnonymity(3),), 0.0)) == decades


def test_a_record_left_over_joins_the_cluster_that_it_costs_least() -> None:
    case = people(("21", "21", "61", "61", "62"), ("a",) * 5)
    assert texts(case, Requirement((KAnonymity(2),), 0.0)) == ["21", "21", "60s", "60s", "60s"]


def test_a_cluster_goes_on_growing_until_its_sensitive_values_differ() -> None:
    case = people(("21", "21", "22", "61", "61", "62"), ("flu", "flu", "gout", "cold", "cold", "flu"))
    requirement = Requirement((KAnonymity(2), DistinctLDiversity("illness", 2)), 0.0)
    assert texts(case, requirement) == ["20s", "20s", "20s", "60s", "60s", "60s"]


@modest
@given(cases(), st.integers(1, 6))
def test_clusters_have_k_records_each_and_are_as_many_as_there_can_be(case: Case, k: int) -> None:
    problem = rooted(case.problem)
    records = DistinctRecords(problem)
    grower = Grower(records, Requirement((KAnonymity(k),), 0.0), LabelCosts(problem), SILENT)
    tops, n_tops = records.top_classes()
    expected = 0
    for top in range(n_tops):
        rows = np.flatnonzero(tops == top)
        grower.grow(rows, 0)
        expected += int(records.counts[rows].sum()) // k
    found = grower.shares()
    sizes = np.bincount(found.groups, weights=found.counts)
    assert sizes.tolist() == [k] * expected
    taken = np.bincount(found.rows, weights=found.counts, minlength=records.n_rows)
    assert (taken <= records.counts).all()


@modest
@given(cases_with_requirement())
def test_each_record_takes_in_the_cheapest_free_one(given_: tuple[Case, Requirement]) -> None:
    """The greedy rule, recounted: nobody free would have cost the first pair less than its second record."""
    case, _ = given_
    problem = rooted(case.problem)
    records = DistinctRecords(problem)
    costs = LabelCosts(problem)
    rows = np.flatnonzero(records.top_classes()[0] == 0)
    assume(records.counts[rows].sum() > 1)
    grower = Grower(records, Requirement((KAnonymity(2),), 0.0), costs, SILENT)
    grower.grow(rows, 0)
    found = grower.shares()
    pair = np.repeat(found.rows, found.counts)[:2].tolist()
    free = {row: int(records.counts[row]) for row in rows.tolist()}
    free[pair[0]] -= 1
    prices = {row: price_of(records, pair[0], row) for row, n in free.items() if n}
    assert prices[pair[1]] == pytest.approx(min(prices.values()))


def price_of(records: DistinctRecords, one: int, other: int) -> float:
    """What two rows cost under the lowest labels they share, column by column."""
    total = 0.0
    for q, attribute in enumerate(records.problem.attributes):
        a, b = records.leaves[one, q], records.leaves[other, q]
        levels = attribute.hierarchy.levels
        allowed = range(attribute.minimum, attribute.maximum + 1)
        common = next(g for g in allowed if levels[g].codes[a] == levels[g].codes[b])
        others = max(attribute.hierarchy.n_leaves - 1, 1)
        n_covered = int((levels[common].codes == levels[common].codes[a]).sum())
        total += (n_covered - 1) / others / len(records.problem.attributes)
    return total


def test_blocks_hold_every_row_once_and_are_no_larger_than_asked() -> None:
    random = np.random.default_rng(0)
    values = [tuple(map(str, random.integers(100, size=600).tolist())) for _ in range(3)]
    rows = tuple((str(i), str(i // 10), "*") for i in range(100))
    case = Case(tuple(Attributes(f"q{i}", column, rows=rows) for i, column in enumerate(values)))
    records = DistinctRecords(rooted(case.problem))
    blocks = list(Cluster(block=100)._blocks(records))
    assert sorted(np.concatenate(blocks).tolist()) == list(range(records.n_rows))
    assert max(map(len, blocks)) <= 100
    task = RecodingTask(records.problem, Requirement((KAnonymity(3),), 0.0))
    recoding = Cluster(block=100).improve(task, SILENT)
    assert make_local_release(case.under(task.requirement), task.problem, recoding).satisfies
