"""Cell suppression: the fewest cells, by weight; records that were kept stay as they are."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InputError
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import Recoding, RecodingTask, make_local_release, make_release, rooted
from engine.recoding.cells import Cells, cheapest_sets
from tests.strategies import Attributes, Case, cases_with_requirement, modest, nodes


def flat(name: str, texts: str) -> Attributes:
    """A column whose values can be kept or hidden."""
    return Attributes(name, tuple(texts), rows=tuple((value, "*") for value in sorted(set(texts))))


# Two of each of ax1 and by1 are safe; the three that begin with c are alone.
CASE = Case((flat("p", "aabbccc"), flat("q", "xxyyxyz"), flat("r", "1111112")))
TWO = Requirement((KAnonymity(2),), 1.0)


def shown(case: Case, requirement: Requirement, weights: list[float] | None = None) -> list[str]:
    problem, node = rooted(case.problem), case.problem.lattice.minimum
    start = Recoding.of_node(node, make_release(case.under(requirement), case.problem, node).suppressed)
    task = RecodingTask(
        problem, requirement, weights=None if weights is None else np.array(weights), start=start
    )
    release = make_local_release(case.under(requirement), problem, Cells().improve(task, SILENT))
    columns = [release.column(name) for name in problem.names]
    return ["".join(column.text(i) for column in columns if column) for i in range(case.n_records)]


def test_only_as_many_cells_are_hidden_as_make_a_record_safe() -> None:
    # cx1, cy1 and cz2 are alone. Without q the first two are alike; the third finds nobody.
    assert shown(CASE, TWO) == ["ax1", "ax1", "by1", "by1", "c*1", "c*1", "***"]


def test_records_that_need_it_lose_a_second_cell() -> None:
    case = Case((flat("p", "aaabbbccc"), flat("q", "xxxyyyxyz"), flat("r", "111111112")))
    expected = ["ax1"] * 3 + ["by1"] * 3 + ["c**"] * 3
    assert shown(case, Requirement((KAnonymity(3),), 1.0)) == expected


def test_columns_that_matter_more_are_hidden_later() -> None:
    case = Case((flat("p", "aabb"), flat("q", "xyxy")))
    assert shown(case, TWO, [1.0, 0.5]) == ["a*", "a*", "b*", "b*"]
    assert shown(case, TWO, [0.5, 1.0]) == ["*x", "*y", "*x", "*y"]


def test_without_a_release_to_start_from_it_says_so() -> None:
    with pytest.raises(InputError, match="none is given"):
        Cells().improve(RecodingTask(rooted(CASE.problem), TWO), SILENT)


@modest
@given(st.data())
def test_kept_records_stay_as_they_are_and_nobody_else_is_suppressed(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    node = data.draw(nodes(case))
    start = Recoding.of_node(node, make_release(case.under(requirement), case.problem, node).suppressed)
    task = RecodingTask(rooted(case.problem), requirement, start=start)
    found = Cells(combinations=data.draw(st.sampled_from([1, 3, 4096]))).improve(task, SILENT)
    assert not (found.suppressed & ~start.suppressed).any()
    changed = found.levels != start.levels
    assert not changed[~start.suppressed].any()
    roots = np.array([attribute.hierarchy.height for attribute in task.problem.attributes])
    assert (found.levels == np.where(changed, roots, start.levels)).all()


@given(st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=1, max_size=6), st.data())
def test_sets_of_columns_come_in_the_order_of_their_price(prices: list[float], data: st.DataObject) -> None:
    columns = sorted(data.draw(st.sets(st.integers(0, len(prices) - 1))))
    found = list(cheapest_sets(np.array(prices), columns))
    everything = chain.from_iterable(combinations(columns, n) for n in range(1, len(columns) + 1))
    assert sorted(map(tuple, found)) == sorted(everything)
    totals = [sum(prices[q] for q in columns) for columns in found]
    assert totals == pytest.approx(sorted(totals))
