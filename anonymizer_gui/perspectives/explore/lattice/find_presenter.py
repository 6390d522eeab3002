"""Selects the node whose vector is typed over the lattice."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from anonymizer_gui.perspectives.explore.lattice.lattice_panel import LatticePanel
from anonymizer_gui.perspectives.explore.lattice.vectors import read_vector
from anonymizer_gui.perspectives.explore.showing import Showing
from anonymizer_gui.session import Session
from engine.errors import InputError


class FindPresenter(QObject):
    """Serves the tools of the lattice's header that need no more than the nodes."""

    error_raised = Signal(object)  # exception

    def __init__(self, session: Session, showing: Showing, panel: LatticePanel, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._showing, self._panel = session, showing, panel
        panel.find_field.find_requested.connect(self._on_find_requested)
        panel.picture.error_raised.connect(self.error_raised)
        showing.forgotten.connect(lambda: panel.find_field.show_problem(""))

    def _on_find_requested(self, text: str) -> None:
        problem = self._showing.problem
        if problem is None:
            return
        try:
            node = read_vector(text, problem)
        except InputError as error:
            self._panel.find_field.show_problem(f"{error.problem} {error.hint}".strip())
            return
        self._session.selection.select(node)
        nodes = self._showing.nodes
        if nodes is not None and (number := nodes.find(node)) is not None:
            self._panel.view.center_on(number)
        self._panel.view.setFocus(Qt.FocusReason.OtherFocusReason)
