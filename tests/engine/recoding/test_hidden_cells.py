"""Methods that begin from scratch hide cells where the highest levels allowed leave too many suppressed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given

from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import Recoding, RecodingMethod, RecodingTask, Release, make_local_release, rooted
from engine.recoding.cluster import Cluster
from engine.recoding.cover import CheapestFirstCover
from engine.recoding.iterated import Iterated
from engine.recoding.mondrian import Mondrian
from engine.recoding.requirement_check import satisfies
from tests.strategies import Attributes, Case, cases_with_requirement, few

METHODS = [
    Mondrian(),
    Mondrian(cut="strict", first="gain"),
    Cluster(),
    Iterated(iterations=4),
    CheapestFirstCover(),
    CheapestFirstCover(refine=False),
]
BOUNDED = (("1", "low", "*"), ("2", "low", "*"), ("8", "high", "*"), ("9", "high", "*"))


def released(case: Case, requirement: Requirement, method: RecodingMethod) -> Release:
    problem = rooted(case.problem)
    recoding = method.improve(RecodingTask(problem, requirement), SILENT)
    return make_local_release(case.under(requirement), problem, recoding)


@pytest.mark.parametrize("method", [Mondrian(), Cluster()], ids=lambda method: method.key)
def test_one_cell_is_hidden_where_no_allowed_label_is_common(method: RecodingMethod) -> None:
    # 'b' may not be coarsened; x and y have nothing in common but a hidden cell, and z has three.
    case = Case(
        (
            Attributes("a", tuple("11889"), rows=BOUNDED, max_level=1),
            Attributes("b", tuple("xyzzz")),
        )
    )
    release = released(case, Requirement((KAnonymity(2),), 0.0), method)
    assert (release.satisfies, release.n_suppressed) == (True, 0)
    columns = [release.column(name) for name in ("a", "b")]
    rows = ["".join(column.text(i) for column in columns if column) for i in range(5)]
    assert rows[:2] == ["1*", "1*"]
    assert all(row.endswith("z") for row in rows[2:])


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.key)
@few
@given(given_=cases_with_requirement())
def test_what_hiding_everything_meets_is_met(
    method: RecodingMethod, given_: tuple[Case, Requirement]
) -> None:
    case, requirement = given_
    problem = rooted(case.problem)
    nobody = np.zeros(case.n_records, dtype=np.bool_)
    roots = tuple(attribute.hierarchy.height for attribute in problem.attributes)
    everything = Recoding.of_node(roots, nobody)
    assume(satisfies(problem, requirement, everything))
    assert released(case, requirement, method).satisfies
