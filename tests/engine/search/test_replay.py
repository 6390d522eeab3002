"""Replays: every position of a search, forth and back, with an end that agrees with the lattice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lattice import Lattice
from engine.monitor import SILENT
from engine.privacy import Requirement
from engine.scoring import LatticeProfile, score_lattice
from engine.scoring.evaluate import evaluate
from engine.search import SearchTask, search_algorithms
from engine.search.replay import Playhead, Replay, State
from engine.search.trace import ABSENT, Rule, Step, Trace
from tests.strategies import Case, cases_with_requirement, few

COUNTED = Rule("counted", "its classes were counted", is_check=True)
ABOVE = Rule("above", "it is above a node that satisfies")
ASIDE = Rule("aside", "it cannot be better than the best known")
LATTICE = Lattice((0, 1), (1, 3))  # nodes 0 to 5
SETTLING = [key for key, kind in search_algorithms.items() if kind.settles_all]
UNKNOWN = int(State.NOT_REACHED)


def replayed() -> Replay:
    """A part, a check of node 1 and two inferred nodes, one excluded and then checked after all."""
    trace = Trace(2)
    trace.add((ABSENT, 1), False, COUNTED)
    trace.add((ABSENT, 2), True, COUNTED)
    trace.add((ABSENT, 3), True, ABOVE)
    trace.add((0, 2), True, COUNTED)
    trace.extend([(0, 3), (1, 3)], True, ABOVE)
    trace.add((0, 1), None, ASIDE)
    trace.add((0, 1), False, COUNTED)
    return Replay(trace, LATTICE)


def test_the_state_of_every_node_is_known_after_every_step() -> None:
    replay = replayed()
    states = [replay.states_at(at).tolist() for at in (3, 4, 6, 7, 8)]
    checked, inferred = int(State.CHECKED_SATISFIES), int(State.INFERRED_SATISFIES)
    assert states == [
        [UNKNOWN] * 6,
        [UNKNOWN, checked, *[UNKNOWN] * 4],
        [UNKNOWN, checked, inferred, UNKNOWN, UNKNOWN, inferred],
        [int(State.SET_ASIDE), checked, inferred, UNKNOWN, UNKNOWN, inferred],
        [int(State.CHECKED_FAILS), checked, inferred, UNKNOWN, UNKNOWN, inferred],
    ]
    assert replay.satisfying().tolist() == [False, True, True, False, False, True]


def test_steps_on_a_subset_of_attributes_are_grouped_by_stage() -> None:
    replay = replayed()
    parts, whole = replay.stages
    assert (parts.attributes, parts.first, parts.end, parts.n_nodes) == ((1,), 0, 3, 3)
    assert (whole.attributes, whole.first, whole.end, whole.n_nodes) == ((0, 1), 3, 8, 6)
    assert [parts.n_settled(at) for at in (0, 2, 3, 8)] == [0, 2, 3, 3]
    assert replay.stage(2) is parts
    assert replay.stage(3) is whole
    assert replay.step(1) == Step((ABSENT, 2), True, COUNTED)
    assert replay.step(6) == Step((0, 1), None, ASIDE)


def test_checks_are_counted() -> None:
    replay = replayed()
    assert replay.n_checks == 4
    assert [replay.n_checked(at) for at in (0, 1, 2, 3, 4, 7, 8)] == [0, 1, 2, 2, 3, 3, 4]
    assert [replay.after_checks(n) for n in range(5)] == [0, 1, 3, 7, 8]


def test_a_trace_without_steps_gives_an_empty_replay() -> None:
    replay = Replay(Trace(2), LATTICE)
    assert (replay.n_steps, replay.n_checks, replay.stages, replay.after_checks(0)) == (0, 0, (), 0)
    assert replay.states_at(0).tolist() == [UNKNOWN] * 6


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([True, False, None]), st.booleans())), st.data())
def test_going_back_restores_the_earlier_state(
    steps: list[tuple[int, bool | None, bool]], data: st.DataObject
) -> None:
    trace = Trace(2)
    for number, satisfies, is_check in steps:
        trace.add(LATTICE.node(number), satisfies, COUNTED if is_check else ABOVE)
    replay = Replay(trace, LATTICE)
    playhead = Playhead(replay)
    for at in data.draw(st.lists(st.integers(0, len(steps)), min_size=1, max_size=6)):
        playhead.move(at)
        expected = np.full(6, UNKNOWN, dtype=np.uint8)
        for i in range(at):
            expected[replay.numbers[i]] = replay.after[i]
        np.testing.assert_array_equal(playhead.states, expected)
        assert [playhead.count(state) for state in State] == np.bincount(expected, minlength=6).tolist()
        assert playhead.n_by_rule.tolist() == replay.n_by_rule(0, at).tolist()


def scored(case: Case, requirement: Requirement) -> LatticeProfile:
    return score_lattice(case.problem, profile=LatticeProfile(case.problem, requirement))


@pytest.mark.parametrize("key", SETTLING)
@few
@given(cases_with_requirement(), st.booleans())
def test_an_algorithm_that_decides_all_nodes_agrees_with_the_complete_lattice(
    key: str, drawn: tuple[Case, Requirement], is_looked_up: bool
) -> None:
    case, requirement = drawn
    profile, lattice = scored(case, requirement), case.problem.lattice
    task = SearchTask(case.problem, requirement, profile=profile if is_looked_up else None)
    result = search_algorithms.create(key).run(task, SILENT)
    replay, evaluation = Replay(result.trace, lattice), evaluate(profile, requirement)
    np.testing.assert_array_equal(replay.satisfying(), evaluation.satisfies)
    np.testing.assert_array_equal(lattice.minimal(replay.satisfying()), evaluation.minimal)
    assert not np.any((replay.ruled_out_after <= replay.n_steps) & evaluation.satisfies)
    assert (replay.n_checks, replay.n_steps) == (result.trace.n_checked, len(result.trace))


@pytest.mark.parametrize("key", [key for key in search_algorithms if key not in SETTLING])
@few
@given(cases_with_requirement())
def test_other_algorithms_never_claim_that_a_failing_node_satisfies(
    key: str, drawn: tuple[Case, Requirement]
) -> None:
    case, requirement = drawn
    profile, lattice = scored(case, requirement), case.problem.lattice
    result = search_algorithms.create(key).run(SearchTask(case.problem, requirement, profile=profile), SILENT)
    found = Replay(result.trace, lattice).satisfying()
    assert not np.any(found & ~evaluate(profile, requirement).satisfies)
    if result.node is not None:
        assert found[lattice.number(result.node)]


def test_a_failing_subset_rules_out_the_nodes_with_its_levels() -> None:
    replay = replayed()
    never, first = replay.n_steps + 1, replay.stages[0]
    assert replay.ruled_out_after.tolist() == [1, never, never, 1, never, never]
    assert replay.part_states(first, 0).tolist() == [UNKNOWN] * 3
    assert replay.part_states(first, 1).tolist() == [State.CHECKED_FAILS, UNKNOWN, UNKNOWN]
    assert replay.part_states(first, replay.n_steps).tolist() == [
        State.CHECKED_FAILS,
        State.CHECKED_SATISFIES,
        State.INFERRED_SATISFIES,
    ]
    playhead = Playhead(replay)
    playhead.move(1)
    assert playhead.count(State.INFERRED_FAILS) == 0
    assert np.flatnonzero(playhead.shown_states() == State.INFERRED_FAILS).tolist() == [0, 3]
