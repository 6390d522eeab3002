"""Shows the steps of Undo and Redo, and goes to the one that is chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.frame.history_list import HistoryList
from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.session import Session


class HistoryPresenter(QObject):
    """Connects the session's steps with the list of them."""

    def __init__(self, window: QWidget, bar: PerspectiveBar, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._bar = session, bar
        self._list = HistoryList(window)
        self._list.step_requested.connect(self._on_step_requested)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """What the menus can ask for."""
        return {"history": self.show_list}

    def show_list(self) -> None:
        """Open the list below its button; while a draft is edited it holds the steps of that."""
        if self._session.project is None:
            return
        self._show()
        self._list.open_below(self._bar.history_corner())

    def _show(self) -> None:
        session = self._session
        title = self.tr("History of this draft") if session.history.is_drafting else self.tr("History")
        self._list.show_steps(title, session.history.texts, session.history.step, session.history.saved_step)

    def _on_step_requested(self, step: int) -> None:
        self._session.go_to_step(step)
        self._show()
