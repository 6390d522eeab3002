"""Menu of a node in the lattice, the map and the list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from anonymizer_gui.perspectives.explore.explore_state import ExploreState
from anonymizer_gui.perspectives.explore.pinned.presenter import PinnedPresenter
from anonymizer_gui.session import Session
from anonymizer_gui.widgets.layouts import named
from engine.numbers import as_vector

if TYPE_CHECKING:
    from engine.lattice import Node


class NodeMenu(QObject):
    """Offers to compare, apply, pin and copy a node, selected or not."""

    def __init__(
        self, session: Session, state: ExploreState, pinned: PinnedPresenter, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._session, self._state, self._pinned = session, state, pinned

    def open(self, number: int, place: QPoint, view: QWidget) -> None:
        """Open the menu of a node at a point of the screen."""
        menu = named(QMenu(view), "nodeMenu")
        self.fill(menu, number)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(place)

    def fill(self, menu: QMenu, number: int) -> None:
        """Add the entries of a node at the start of a menu."""
        nodes = self._state.nodes
        if nodes is None or not 0 <= number < nodes.n_nodes:
            return
        node, before = nodes.node(number), menu.actions()
        self._add_comparison(menu, node)
        menu.addAction(self.tr("Apply"), partial(self._state.apply, number))
        words = self.tr("Unpin") if self._pinned.is_pinned(node) else self.tr("Pin")
        menu.addAction(words, partial(self._pinned.toggle, node))
        copied = as_vector(node)
        menu.addAction(self.tr("Copy levels"), partial(QGuiApplication.clipboard().setText, copied))
        if before:
            menu.addSeparator()
            for action in before:  # actions that are added again move to the end
                menu.addAction(action)

    def _add_comparison(self, menu: QMenu, node: Node) -> None:
        selected, optimum = self._state.selected, self._session.results.optimum
        action: QAction
        if selected is not None and selected != node:
            action = menu.addAction(self.tr("Compare with the selected node"))
            action.triggered.connect(partial(self._pinned.compare, selected, node))
            return
        action = menu.addAction(self.tr("Compare with the optimum"))
        if optimum is None or optimum == node:
            action.setEnabled(False)
        else:
            action.triggered.connect(partial(self._pinned.compare, optimum, node))
