"""Asks the desk for the views of this perspective: running, failed and cancelled look the same everywhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.errors import CancelledError

if TYPE_CHECKING:
    from engine.assessment import Analysis

PLACE = "risk"


@dataclass(frozen=True)
class _Question:
    analysis: Analysis
    show: Callable[[Any], None]


class Asking(QObject):
    """One question per pane at a time; the pane says how far it is, and takes figures and caption."""

    error_raised = Signal(object)  # exception

    def __init__(self, desk: AnalysisDesk, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.desk = desk
        self._panes: dict[str, AnalysisPane] = {}
        self._questions: dict[str, _Question] = {}
        desk.progressed.connect(self._on_progressed)
        desk.subject_changed.connect(self._questions.clear)

    def add_pane(self, key: str, pane: AnalysisPane) -> None:
        """Tell a pane of the answers to questions of one kind."""
        self._panes[key] = pane
        pane.cancel_requested.connect(lambda: self.desk.cancel(key, PLACE))
        pane.action_requested.connect(lambda: self._ask_again(key))

    def has_pane(self, key: str) -> bool:
        """Whether the answers to questions of a kind have a place."""
        return key in self._panes

    def ask(self, analysis: Analysis, show: Callable[[Any], None]) -> None:
        """Ask about the applied release; nothing happens where there is none.

        `show` fills the view of the pane.
        """
        subject, pane = self.desk.subject, self._panes[analysis.key]
        if subject is None:
            return
        if why := analysis.why_not(subject):
            pane.show_empty(why)
            return
        if not pane.about.summary:
            pane.set_about(About.of(type(analysis)))
        self._questions[analysis.key] = _Question(analysis, show)
        if self.desk.known(analysis) is None:
            pane.show_running(analysis.title)

        def done(found: Any) -> None:
            show(found)
            pane.show_findings(found)

        self.desk.ask(analysis, done, lambda error: self._on_failed(analysis.key, error), place=PLACE)

    def _ask_again(self, key: str) -> None:
        if (question := self._questions.get(key)) is not None:
            self.ask(question.analysis, question.show)

    def _on_failed(self, key: str, error: Exception) -> None:
        pane = self._panes[key]
        if isinstance(error, CancelledError):
            pane.show_empty(self.tr("This was cancelled."), self.tr("Work it out"))
        else:
            pane.show_failed(error)

    def _on_progressed(self, key: str, done: int, total: int) -> None:
        if key in self._panes and self.desk.is_asked(key, PLACE):
            self._panes[key].show_progress(done, total)
