"""Selects the node whose level vector is typed into the field above the lattice."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.lattice.panel import LatticePanel
from anonymizer_gui.session import Session
from engine.errors import InputError
from engine.words import _

if TYPE_CHECKING:
    from engine.frequency import Problem
    from engine.lattice import Node


class FindPresenter(QObject):
    """Presenter of the field in the lattice header."""

    error_raised = Signal(object)  # exception

    def __init__(self, session: Session, state: ExploreState, panel: LatticePanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._state, self._panel = session, state, panel
        panel.find_field.find_requested.connect(self._on_find_requested)
        panel.picture.error_raised.connect(self.error_raised)
        state.forgotten.connect(lambda: panel.find_field.show_problem(""))

    def _on_find_requested(self, text: str) -> None:
        problem = self._state.problem
        if problem is None:
            return
        try:
            node = read_vector(text, problem)
        except InputError as error:
            self._panel.find_field.show_problem(f"{error.problem} {error.hint}".strip())
            return
        self._session.selection.select(node)
        nodes = self._state.nodes
        if nodes is not None and (number := nodes.find(node)) is not None:
            self._panel.view.center_on(number)
        self._panel.view.setFocus(Qt.FocusReason.OtherFocusReason)


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
        found = _("1 level given") if len(parts) == 1 else _("{n} levels given").format(n=len(parts))
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
