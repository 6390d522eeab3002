"""Selects the node whose levels are typed into the field above the lattice, as words or numbers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, Signal

from anonymizer_gui.models.node_name import LevelWords
from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from anonymizer_gui.perspectives.explore.node_filter import LevelPattern
from anonymizer_gui.session import Session
from engine.errors import InputError
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.kernels.arrays import IntArray
    from engine.lattice import Node, Nodes


class FindPresenter(QObject):
    """Presenter of the field in the lattice header."""

    error_raised = Signal(object)  # exception

    def __init__(self, session: Session, state: ExploreState, panel: LatticePanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._state, self._panel = session, state, panel
        panel.find_field.find_requested.connect(self._on_find_requested)
        panel.picture.error_raised.connect(self.error_raised)
        state.forgotten.connect(lambda: panel.find_field.show_problem(""))
        session.project_opened.connect(lambda _project: panel.find_field.clear())

    def _on_find_requested(self, text: str) -> None:
        problem = self._state.problem
        if problem is None:
            return
        try:
            node = self._read(text, problem)
        except InputError as error:
            self._panel.find_field.show_problem(f"{error.problem} {error.hint}".strip())
            return
        self._session.selection.select(node)
        nodes = self._state.nodes
        if nodes is not None and (number := nodes.find(node)) is not None:
            self._panel.view.center_on(number)
        self._panel.find_field.selectAll()  # the next search replaces it; in the nodes, Enter would apply

    def _read(self, text: str, problem: Problem) -> Node:
        """Return the node of a vector, or the best one that words describe."""
        state = self._state
        words, nodes, scores = state.words, state.nodes, state.scores
        if not _WORDS.search(text) or words is None or nodes is None:
            return read_vector(text, problem)
        matching = np.flatnonzero(levels_in_words(text, problem, words).mask(nodes.levels))
        if scores is None or not len(matching):
            return _first_of(matching, nodes, text)
        ranks, values = scores.ranks[matching], scores.values[matching]
        order = np.lexsort((np.nan_to_num(values, nan=np.inf), np.where(ranks > 0, ranks, np.inf)))
        return nodes.node(int(matching[order[0]]))


def _first_of(matching: IntArray, nodes: Nodes, text: str) -> Node:
    if not len(matching):
        raise InputError(
            _("No node has all of “{text}”.").format(text=text.strip()),
            hint=_("Name levels of different columns, such as age 20, city hidden."),
        )
    return nodes.node(int(matching[0]))


def levels_in_words(text: str, problem: Problem, words: LevelWords) -> LevelPattern:
    """Read levels in words, separated by commas: "age 20, city hidden".

    Raises
    ------
    InputError
        No level of any column has the words of a part.
    """
    allowed: dict[int, frozenset[int]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        found = _levels_of(part.casefold().split(), problem, words)
        if not found:
            raise InputError(
                _("No level is called “{part}”.").format(part=part),
                hint=_("Type a column and words of its level, such as age 20, city hidden."),
            )
        for attribute, levels in found.items():
            allowed[attribute] = allowed.get(attribute, levels) & levels
    return LevelPattern(allowed)


def _levels_of(tokens: list[str], problem: Problem, words: LevelWords) -> dict[int, frozenset[int]]:
    """Return the levels of the first column whose name or levels have all tokens."""
    for q, entry in enumerate(problem.attributes):
        described = {
            level: f"{entry.name}: {words.level(q, level)}".casefold()
            for level in range(entry.minimum, entry.maximum + 1)
        }
        levels = frozenset(
            level for level, line in described.items() if all(token in line for token in tokens)
        )
        if levels:
            return {q: levels}
    return {}


_WORDS = re.compile(r"[^\W\d_]{2,}")
_MOST_NAMES = 10
_LARGEST_DIGIT = 9


def read_vector(text: str, problem: Problem) -> Node:
    """Return the node of a text with one level per quasi-identifying column, in column order.

    Raises
    ------
    InputError
        The number of levels is wrong, or a level is not a number or not allowed.
    """
    names, lattice = problem.names, problem.lattice
    parts = re.findall(r"[^\s,;\[\]()]+", text)
    if len(parts) == 1 and len(names) > 1 and re.fullmatch(r"[0-9]+", parts[0]):
        parts = list(parts[0])
        if len(parts) == len(names) and max(lattice.maximum) > _LARGEST_DIGIT:
            raise InputError(
                _("Some levels have two digits."), hint=_("Separate the levels by spaces: 0 3 12.")
            )
    wrong = next((part for part in parts if not re.fullmatch(r"[0-9]{1,6}", part)), None)
    if wrong is not None:
        raise InputError(_("'{wrong}' is not a level.").format(wrong=wrong), hint=_example(problem))
    if len(parts) != len(names):
        found = ngettext("{n} level given", "{n} levels given", len(parts)).format(n=len(parts))
        wanted = _("a node has {n}, one for each of {names}.").format(n=len(names), names=_listed(names))
        raise InputError(f"{found}; {wanted}", hint=_example(problem))
    node = tuple(int(part) for part in parts)
    for name, level, low, high in zip(names, node, lattice.minimum, lattice.maximum, strict=True):
        if not low <= level <= high:
            raise InputError(_not_allowed(name, level, low, high))
    return node


def _not_allowed(name: str, level: int, low: int, high: int) -> str:
    if low == high:
        return _("{name} has only level {low} here, not {level}.").format(name=name, low=low, level=level)
    return _("{name} has levels {low} to {high} here, not {level}.").format(
        name=name, low=low, high=high, level=level
    )


def _example(problem: Problem) -> str:
    top = " ".join(str(level) for level in problem.lattice.maximum[:_MOST_NAMES])
    more = " …" if len(problem.lattice.maximum) > _MOST_NAMES else ""
    return _("The most general node is {top}.").format(top=top + more)


def _listed(names: tuple[str, ...]) -> str:
    if len(names) <= _MOST_NAMES:
        return ", ".join(names)
    n_more = len(names) - _MOST_NAMES + 1
    return ", ".join([*names[: _MOST_NAMES - 1], _("{n_more} more").format(n_more=n_more)])
