"""The replay of a search step by step, forth and back: what it knew of every node at each step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import prod

import numpy as np
from numpy.typing import NDArray

from engine.cached import cached_property
from engine.kernels.arrays import BoolArray, IntArray
from engine.lattice import Lattice
from engine.search.trace import ABSENT, Rule, Step, Trace


class State(IntEnum):
    """State of a node in a search."""

    NOT_REACHED = 0
    SET_ASIDE = 1
    INFERRED_FAILS = 2
    INFERRED_SATISFIES = 3
    CHECKED_FAILS = 4
    CHECKED_SATISFIES = 5


States = NDArray[np.uint8]
SATISFYING = (State.INFERRED_SATISFIES, State.CHECKED_SATISFIES)
FAILING = (State.INFERRED_FAILS, State.CHECKED_FAILS)


@dataclass(frozen=True)
class Stage:
    """Consecutive steps on the same attributes.

    Attributes
    ----------
    first, end : int
        The range of steps, `end` excluded.
    n_nodes : int
        Nodes of the lattice of these attributes alone.
    """

    first: int
    end: int
    attributes: tuple[int, ...]
    n_nodes: int

    def n_settled(self, at: int) -> int:
        """Return the steps of the stage among the first `at` of the replay."""
        return min(max(at - self.first, 0), self.end - self.first)


class Replay:
    """The steps of a trace by number, and the state before each.

    Parameters
    ----------
    lattice : Lattice
        Lattice of the trace; steps on a subset of the attributes belong to none of its nodes.

    Attributes
    ----------
    rules : tuple of Rule
        The rules, each once.
    numbers : ndarray of int64, shape (n_steps,)
        The node of each step, -1 for steps on a subset of the attributes.
    before, after : ndarray of uint8, shape (n_steps,)
        The `State` of the step's node before and after it.
    """

    def __init__(self, trace: Trace, lattice: Lattice) -> None:
        self.lattice = lattice
        self._levels, self._found, self._places, self.rules = trace.columns()
        self._absent = self._levels == ABSENT
        self.numbers: IntArray = (
            self._levels.astype(np.int64) - np.array(lattice.minimum, dtype=np.int64)
        ) @ np.array(lattice.strides, dtype=np.int64)
        self.numbers[self._absent.any(axis=1)] = -1
        is_check = np.array([rule.is_check for rule in self.rules], dtype=np.bool_)[self._places]
        self.checks: IntArray = np.flatnonzero(is_check)
        self.after: States = _states(self._found, is_check)
        self.before: States = self._states_before()

    @property
    def n_steps(self) -> int:
        return len(self.numbers)

    @property
    def n_checks(self) -> int:
        """Step numbers that counted the classes of a node."""
        return len(self.checks)

    def step(self, number: int) -> Step:
        """Return one step as in the trace."""
        found = int(self._found[number])
        node = tuple(self._levels[number].tolist())
        return Step(node, None if found < 0 else bool(found), self.rule(number))

    def rule(self, number: int) -> Rule:
        """Return the rule of a step."""
        return self.rules[int(self._places[number])]

    def n_by_rule(self, first: int, end: int) -> IntArray:
        """Return the number of steps per rule in a range, shape (n_rules,)."""
        return np.bincount(self._places[first:end], minlength=len(self.rules))

    def n_checked(self, at: int) -> int:
        """Return the number of checks among the first `at` steps."""
        return int(np.searchsorted(self.checks, at))

    def after_checks(self, n_checks: int) -> int:
        """Return the number of steps up to a number of checks, with all that the last of them implies."""
        return int(self.checks[n_checks]) if n_checks < self.n_checks else self.n_steps

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """Stages in order, each of steps on the same attributes."""
        if not self.n_steps:
            return ()
        changes = np.flatnonzero((self._absent[1:] != self._absent[:-1]).any(axis=1)) + 1
        starts = [0, *changes.tolist()]
        stages = []
        for first, end in zip(starts, [*starts[1:], self.n_steps], strict=True):
            attributes = tuple(np.flatnonzero(~self._absent[first]).tolist())
            n_nodes = prod(self.lattice.shape[q] for q in attributes)
            stages.append(Stage(first, end, attributes, n_nodes))
        return tuple(stages)

    def stage(self, number: int) -> Stage:
        """Return the stage of a step."""
        return self.stages[int(np.searchsorted(self._starts, number, side="right")) - 1]

    def states_at(self, at: int) -> States:
        """Return the `State` of every node after the first `at` steps, shape (n_nodes,)."""
        playhead = Playhead(self)
        playhead.move(at)
        return playhead.states

    def part_states(self, stage: Stage, at: int) -> States:
        """Return the `State` of every node of a stage's attributes alone after the first `at` steps.

        Nodes are numbered as by a lattice of these attributes, the last one varying fastest.
        """
        states: States = np.full(stage.n_nodes, State.NOT_REACHED, dtype=np.uint8)
        end = min(max(at, stage.first), stage.end)
        states[self._part_numbers(stage, np.arange(stage.first, end))] = self.after[stage.first : end]
        return states

    @cached_property
    def ruled_out_after(self) -> IntArray:
        """Number of steps after which a failing subset of its attributes rules a node out, shape (n_nodes,).

        `n_steps` + 1 for nodes that no subset rules out: a node fails if its levels fail for fewer
        attributes (subset property).
        """
        never = self.n_steps + 1
        after: IntArray = np.full(self.lattice.n_nodes, never, dtype=np.int64)
        whole = after.reshape(self.lattice.shape)
        for stage in self.stages:
            if len(stage.attributes) == len(self.lattice.shape):
                continue
            fails = stage.first + np.flatnonzero(self._found[stage.first : stage.end] == 0)
            of_part: IntArray = np.full(stage.n_nodes, never, dtype=np.int64)
            np.minimum.at(of_part, self._part_numbers(stage, fails), fails + 1)
            ones = [n if q in stage.attributes else 1 for q, n in enumerate(self.lattice.shape)]
            np.minimum(whole, of_part.reshape(ones), out=whole)
        return after

    def _part_numbers(self, stage: Stage, steps: IntArray) -> IntArray:
        """Return the nodes of some steps of a stage within its own lattice."""
        attributes = list(stage.attributes)
        levels = self._levels[steps][:, attributes].astype(np.int64)
        levels -= np.array(self.lattice.minimum, dtype=np.int64)[attributes]
        shape = tuple(self.lattice.shape[q] for q in attributes)
        return np.asarray(np.ravel_multi_index(tuple(levels.T), shape), dtype=np.int64)

    def satisfying(self) -> BoolArray:
        """Nodes known to satisfy at the end of the search, shape (n_nodes,)."""
        return np.isin(self.states_at(self.n_steps), SATISFYING)

    @cached_property
    def _starts(self) -> IntArray:
        return np.array([stage.first for stage in self.stages], dtype=np.int64)

    def _states_before(self) -> States:
        before: States = np.full(self.n_steps, State.NOT_REACHED, dtype=np.uint8)
        order = np.argsort(self.numbers, kind="stable")
        again = np.flatnonzero(np.diff(self.numbers[order]) == 0)
        before[order[again + 1]] = self.after[order[again]]
        return before


class Playhead:
    """A position in a replay, moved forth and back at the cost of the steps in between.

    Attributes
    ----------
    at : int
        Number of steps done.
    states : ndarray of uint8, shape (n_nodes,)
        The `State` of every node; updated by `move`.
    n_by_rule : ndarray of int64, shape (n_rules,)
        Number of steps done per rule.
    """

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self.at = 0
        self.states: States = np.full(replay.lattice.n_nodes, State.NOT_REACHED, dtype=np.uint8)
        self.n_by_rule: IntArray = np.zeros(len(replay.rules), dtype=np.int64)
        self._n_by_state: IntArray = np.zeros(len(State), dtype=np.int64)
        self._n_by_state[State.NOT_REACHED] = replay.lattice.n_nodes

    def count(self, state: State) -> int:
        """Return the number of nodes in a state."""
        return int(self._n_by_state[state])

    def shown_states(self) -> States:
        """Return the states, where nodes that a subset of their attributes rules out fail."""
        states = self.states.copy()
        is_out = (self._replay.ruled_out_after <= self.at) & (states == State.NOT_REACHED)
        states[is_out] = State.INFERRED_FAILS
        return states

    def move(self, to: int) -> None:
        """Move to the position after the first `to` steps, or after the last one."""
        replay, to = self._replay, min(max(to, 0), self._replay.n_steps)
        first, end = min(self.at, to), max(self.at, to)
        steps = first + np.flatnonzero(replay.numbers[first:end] >= 0)
        before, after = replay.before[steps], replay.after[steps]
        sign = 1 if to > self.at else -1
        self.n_by_rule += sign * replay.n_by_rule(first, end)
        n_states = len(State)
        self._n_by_state += sign * (
            np.bincount(after, minlength=n_states) - np.bincount(before, minlength=n_states)
        )
        # the last write of several steps at one node counts, so going back writes in reverse order
        if to > self.at:
            self.states[replay.numbers[steps]] = after
        else:
            self.states[replay.numbers[steps[::-1]]] = before[::-1]
        self.at = to


def _states(found: NDArray[np.int8], is_check: BoolArray) -> States:
    """Return the state after each step of its node."""
    states = np.where(found > 0, State.INFERRED_SATISFIES, State.INFERRED_FAILS)
    states += np.where(is_check, State.CHECKED_FAILS - State.INFERRED_FAILS, 0)
    return np.where(found < 0, State.SET_ASIDE, states).astype(np.uint8)
