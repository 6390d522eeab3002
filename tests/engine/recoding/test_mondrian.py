"""Mondrian: cuts by hand, parts that do not overlap where cuts are strict, and figures on Adult."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.average_risk import AverageRisk
from engine.privacy.k_anonymity import KAnonymity
from engine.recoding import Recoding, RecodingTask, make_local_release, rooted
from engine.recoding.mondrian import Mondrian
from tests.strategies import Attributes, Case, cases_with_requirement, modest

PLACES = (("Rome", "Italy", "*"), ("Milan", "Italy", "*"), ("Paris", "France", "*"), ("Lyon", "France", "*"))

TWO = (("x", "*"), ("y", "*"))


def travellers(*places: str) -> Case:
    return Case((Attributes("place", places, rows=PLACES),))


def recoded(case: Case, requirement: Requirement, method: Mondrian) -> Recoding:
    return method.improve(RecodingTask(rooted(case.problem), requirement), SILENT)


def labels(case: Case, requirement: Requirement, method: Mondrian) -> list[str]:
    release = make_local_release(
        case.under(requirement), rooted(case.problem), recoded(case, requirement, method)
    )
    column = release.column("place")
    return [column.text(i) for i in range(release.n_records)]


def test_a_part_is_cut_by_the_children_of_its_label_as_long_as_all_pieces_are_safe() -> None:
    # Italy 2 + 2 and France 3: the top is cut, Italy is cut, France (2 + 1) is not.
    case = travellers("Rome", "Rome", "Milan", "Milan", "Paris", "Paris", "Lyon")
    found = labels(case, Requirement((KAnonymity(2),), 0.0), Mondrian(cut="strict"))
    assert found == ["Rome", "Rome", "Milan", "Milan", "France", "France", "France"]


def test_pieces_too_small_stay_under_the_label_they_share_where_cuts_are_relaxed() -> None:
    # Of Italy, 3 + 1 with 2 required, nothing can be cut; of the top, 4 + 1, only by taking Italy along.
    case = travellers("Rome", "Rome", "Rome", "Milan", "Paris")
    requirement = Requirement((KAnonymity(2),), 0.0)
    assert labels(case, requirement, Mondrian(cut="strict")) == ["*"] * 5
    # A third country of one traveller: the two small ones stay together, Italy is cut off and then cut.
    rows = (*PLACES, ("Oslo", "Norway", "*"))
    case = Case((Attributes("place", ("Rome", "Rome", "Milan", "Milan", "Paris", "Oslo"), rows=rows),))
    assert labels(case, requirement, Mondrian(cut="strict")) == ["*"] * 6
    assert labels(case, requirement, Mondrian()) == ["Rome", "Rome", "Milan", "Milan", "*", "*"]


def test_the_smallest_safe_piece_is_taken_along_where_what_is_left_is_too_small() -> None:
    rows = (*PLACES, ("Oslo", "Norway", "*"))
    case = Case((Attributes("place", ("Rome", "Rome", "Rome", "Paris", "Paris", "Oslo"), rows=rows),))
    found = labels(case, Requirement((KAnonymity(2),), 0.0), Mondrian())
    assert found == ["Rome", "Rome", "Rome", "*", "*", "*"]


def test_the_column_of_the_widest_label_is_cut_first_as_it_is_weighed() -> None:
    # Both cuts are safe alone and exclude each other.
    case = Case(
        tuple(
            Attributes(name, texts, rows=TWO) for name, texts in (("a", tuple("xxyy")), ("b", tuple("xyxy")))
        )
    )
    for weights, levels in (((1.0, 0.5), [0, 1]), ((0.5, 1.0), [1, 0])):
        task = RecodingTask(
            rooted(case.problem), Requirement((KAnonymity(2),), 0.0), weights=np.array(weights)
        )
        assert Mondrian().improve(task, SILENT).levels.tolist() == [levels] * 4


def test_what_is_judged_as_a_whole_makes_parts_as_large_as_need_be() -> None:
    # 12 records may make 4 classes for an average risk of 1/3: parts of three, not of one.
    rows = tuple((str(i), str(i // 3), "*") for i in range(12))
    case = Case((Attributes("place", tuple(map(str, range(12))), rows=rows),))
    requirement = Requirement((AverageRisk(0.34),), 0.0)
    assert labels(case, requirement, Mondrian()) == [str(i // 3) for i in range(12)]


@modest
@given(st.data())
def test_parts_of_strict_cuts_do_not_overlap(data: st.DataObject) -> None:
    case, requirement = data.draw(cases_with_requirement())
    problem = rooted(case.problem)
    recoding = recoded(case, requirement, Mondrian(cut="strict"))
    kept = np.flatnonzero(~recoding.suppressed)
    regions = set()
    for i in kept.tolist():
        region = []
        for q, attribute in enumerate(problem.attributes):
            codes = attribute.hierarchy.levels[recoding.levels[i, q]].codes
            region.append(frozenset(np.flatnonzero(codes == codes[attribute.leaves[i]]).tolist()))
        regions.add(tuple(region))
    assume(len(regions) > 1)
    for one, other in combinations(regions, 2):
        assert any(not (a & b) for a, b in zip(one, other, strict=True))
