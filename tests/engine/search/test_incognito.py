"""Incognito: subsets of the attributes, their candidates, and the sources of frequency sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from engine.errors import InputError
from engine.kernels.arrays import BoolArray
from engine.lattice import Lattice
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.privacy.k_anonymity import KAnonymity
from engine.privacy.t_closeness import TCloseness
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.scoring.walk.tuples import base_tuples
from engine.search import SearchResult, SearchTask, incognito, search_algorithms
from engine.search.incognito import Part, check_parts, is_met
from engine.search.search import Search
from engine.search.trace import ABSENT
from tests.strategies import Attributes, Case, cases_with_requirement, few

VARIANTS = ("basic", "super_roots", "cube")

# Figures 1 and 2 of the paper (LeFevre, DeWitt, Ramakrishnan 2005).
PATIENTS = Case(
    (
        Attributes(
            "Birthdate",
            ("1/21/76", "4/13/86", "2/28/76", "1/21/76", "4/13/86", "2/28/76"),
            rows=(("1/21/76", "*"), ("2/28/76", "*"), ("4/13/86", "*")),
        ),
        Attributes(
            "Sex",
            ("Male", "Female", "Male", "Male", "Female", "Female"),
            rows=(("Male", "Person"), ("Female", "Person")),
        ),
        Attributes(
            "Zipcode",
            ("53715", "53715", "53703", "53703", "53706", "53706"),
            rows=(
                ("53715", "5371*", "537**"),
                ("53710", "5371*", "537**"),
                ("53706", "5370*", "537**"),
                ("53703", "5370*", "537**"),
            ),
        ),
    )
)
TWO_ANONYMOUS = Requirement((KAnonymity(2),), 0.0)


def searched(case: Case, requirement: Requirement, variant: str = "basic") -> SearchResult:
    return search_algorithms.create("incognito", variant=variant).run(
        SearchTask(case.problem, requirement), SILENT
    )


def test_the_example_of_the_paper_takes_the_published_steps() -> None:
    checked = [
        (step.node, step.satisfies) for step in searched(PATIENTS, TWO_ANONYMOUS).trace if step.rule.is_check
    ]
    none = ABSENT
    assert checked[:3] == [((0, none, none), True), ((none, 0, none), True), ((none, none, 0), True)]
    assert checked[3:6] == [((0, 0, none), False), ((0, 1, none), True), ((1, 0, none), True)]
    # Example 3.1 is the part of sex and zip code: <S0, Z0> fails, <S1, Z0> satisfies and so do all above it,
    # <S0, Z1> fails, <S0, Z2> satisfies.
    sex_and_zip = [(node[1:], holds) for node, holds in checked if node[0] == none and none not in node[1:]]
    assert sex_and_zip == [((0, 0), False), ((0, 1), False), ((1, 0), True), ((0, 2), True)]
    # Figure 7: the candidates of three attributes without a candidate below them.
    assert checked[-3:] == [((1, 1, 0), True), ((0, 1, 2), True), ((1, 0, 2), True)]
    assert len(checked) == 17


def test_all_nodes_that_satisfy_are_known_in_the_example() -> None:
    result = searched(PATIENTS, TWO_ANONYMOUS)
    assert result.satisfying is not None
    lattice = PATIENTS.problem.lattice
    found = {lattice.node(number) for number in np.flatnonzero(result.satisfying).tolist()}
    assert found == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}
    assert result.efficiency.nodes_inferred == len(result.trace) - 17


@pytest.mark.parametrize(
    ("variant", "scans", "rollups"),
    [
        # Roots: three parts of one attribute, three of two, and three roots of the candidates of all.
        # From parents: 3 + 3 + 2 nodes of parts of two.
        ("basic", 9, 8),
        # The roots of all are above (0, 0, 0) only, which is the base itself.
        ("super_roots", 9, 8),
        # The base tuples once, from which the lowest nodes of six parts come, and the three roots of all.
        ("cube", 4, 14),
    ],
)
def test_every_frequency_set_of_the_example_is_counted(variant: str, scans: int, rollups: int) -> None:
    efficiency = searched(PATIENTS, TWO_ANONYMOUS, variant).efficiency
    assert (efficiency.scans, efficiency.rollups) == (scans, rollups)
    # One for each level raised on the way: sex and zip 2 * 1 + 1 (to <S0, Z1>, <S1, Z0>, <S0, Z2>),
    # birthdate and zip likewise, birthdate and sex 2, and 3 + 3 + 2 to the roots of all.
    assert efficiency.generalization_steps == 3 + 3 + 2 + 8


def test_several_roots_of_a_part_are_rolled_up_from_the_node_below_all() -> None:
    rows = tuple((str(i), str(i // 2), str(i // 4), "*") for i in range(8))
    texts = [tuple(str((i * step + i // 5) % 8) for i in range(24)) for step in (1, 3, 5)]
    case = Case(tuple(Attributes(f"q{j}", texts[j], rows=rows, min_level=j % 2) for j in range(3)))
    requirement = Requirement((KAnonymity(4),), 0.0)
    basic, super_roots = searched(case, requirement), searched(case, requirement, "super_roots")
    assert list(basic.trace) == list(super_roots.trace)
    assert super_roots.efficiency.scans < basic.efficiency.scans


@few
@given(cases_with_requirement(max_qi=3))
def test_a_cube_that_does_not_fit_gives_the_same(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(incognito, "MOST_CUBE_BYTES", 100)
        small = searched(case, requirement, "cube")
    assert list(small.trace) == list(searched(case, requirement, "cube").trace)


def test_candidates_are_nodes_that_satisfy_in_every_smaller_part() -> None:
    part = Part(Lattice((0, 0, 0), (1, 1, 2)), (0, 1, 2))
    holding: dict[tuple[int, ...], BoolArray] = {
        (0, 1): np.array([[False, True], [True, True]]),
        (0, 2): np.array([[False, False, True], [True, True, True]]),
        (1, 2): np.array([[False, False, True], [True, True, True]]),
    }
    found = {part.node(number) for number in np.flatnonzero(part.candidates(holding)).tolist()}
    assert found == {(0, 1, 2), (1, 0, 2), (1, 1, 0), (1, 1, 1), (1, 1, 2)}


def test_nodes_of_a_part_mark_omitted_attributes() -> None:
    part = Part(Lattice((0, 1, 0), (1, 3, 2)), (0, 2))
    assert part.lowest == (0, ABSENT, 0)
    assert part.node(5) == (1, ABSENT, 2)
    assert part.placed(5, (9, 8, 7)) == (1, 8, 2)
    np.testing.assert_array_equal(part.nodes(np.array([0, 5])), [(0, ABSENT, 0), (1, ABSENT, 2)])


@few
@given(cases_with_requirement(max_qi=3))
def test_a_frequency_set_is_evaluated_like_the_complete_lattice(judged) -> None:  # type: ignore[no-untyped-def]
    case, requirement = judged
    profile = LatticeProfile(case.problem, requirement)
    expected = evaluate(score_lattice(case.problem, profile=profile), requirement).satisfies[0]
    assert is_met(case.problem, requirement, base_tuples(case.problem)) == expected


def test_models_that_do_not_carry_over_are_noted_and_counted_at_every_remaining_node() -> None:
    case = Case(PATIENTS.qi, (Attributes("Disease", ("a", "b", "c", "d", "e", "f")),))
    close = TCloseness("Disease", 0.8)
    alone = searched(case, Requirement((close,), 0.4))
    assert alone.notes == (
        "If records may be suppressed, a node more general than one that meets t-closeness may fail it. "
        "Every node was counted.",
    )
    assert {step.rule.key for step in alone.trace} == {"unpruned"}
    assert alone.nodes_checked == alone.nodes_total == 12
    both = searched(case, Requirement((KAnonymity(3), close), 0.4))
    assert both.notes == (
        "If records may be suppressed, a node more general than one that meets t-closeness may fail it. "
        "Nodes were excluded only for failing k-anonymity; all others were counted.",
    )
    assert {"part_fails", "unpruned"} <= {step.rule.key for step in both.trace}
    assert searched(case, Requirement((KAnonymity(3), close), 0.0)).notes == ()


def test_too_many_parts_are_refused_with_the_algorithms_that_need_none() -> None:
    rows = (("a", "*"), ("b", "*"))
    problem = Case(tuple(Attributes(f"q{i}", ("a", "b"), rows=rows) for i in range(16))).problem
    assert problem.lattice.n_nodes == 65_536
    with pytest.raises(InputError, match="43\u202f046\u202f720") as refused:
        check_parts(problem.lattice)
    assert "flash" in refused.value.hint
    with pytest.raises(InputError, match="43\u202f046\u202f720"):
        search_algorithms.create("incognito").run(SearchTask(problem, TWO_ANONYMOUS), SILENT)


def test_work_is_counted_up_to_where_a_limit_stops_it() -> None:
    task = SearchTask(PATIENTS.problem, TWO_ANONYMOUS, steps=6)
    result = search_algorithms.create("incognito").run(task, SILENT)
    assert (result.nodes_checked, result.node, result.guarantee, result.is_proved) == (6, None, "none", False)
    assert result.efficiency.scans + result.efficiency.rollups == 6
    assert Search(task, SILENT).satisfying is None
