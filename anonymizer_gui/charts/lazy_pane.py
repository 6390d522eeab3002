"""Request of one pane's analysis while the pane is visible, and display of the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.errors import CancelledError

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.subject import Subject

Make = Callable[[], "Analysis | None"]
Show = Callable[[Any], None]  # fills the view of the pane


class LazyPane(QObject):
    """Updates a pane when it is visible; slow analyses only start on request.

    Parameters
    ----------
    make : callable
        Returns the analysis for the current settings, or None if it cannot run yet.
    place : str
        Requesting page, such as "risk"; a later request of the same kind from there replaces this one.
    show : callable, optional
        Fills the view with the findings; by default the view does.
    waits : callable, optional
        Whether the analysis of a release is slow: the pane describes it until the user starts it.
    has_button : bool
        Whether the user starts it by a button in the pane.
    """

    def __init__(
        self,
        desk: AnalysisDesk,
        pane: AnalysisPane,
        make: Make,
        place: str,
        parent: QObject | None = None,
        *,
        show: Show | None = None,
        waits: Callable[[Subject], bool] | None = None,
        has_button: bool = True,
    ) -> None:
        super().__init__(parent)
        self._waits, self._has_button = waits, has_button
        view: Any = pane.view
        self._desk, self._pane, self._make, self._show = desk, pane, make, show or view.show_findings
        self._place = place
        self._is_wanted = False
        self._is_requested = False  # by the user, for the current release
        self._asked: Analysis | None = None
        pane.action_requested.connect(self.measure)
        pane.cancel_requested.connect(self._cancel)
        desk.progressed.connect(self._on_progressed)

    def set_wanted(self, is_wanted: bool) -> None:
        """Set whether the pane is visible."""
        if is_wanted != self._is_wanted:
            self._is_wanted = is_wanted
            self.update()

    def forget(self) -> None:
        """Discard the findings, because the release has changed or was removed."""
        self._asked, self._is_requested, self._is_wanted = None, False, False
        self._pane.show_empty("")
        for view in self._pane.findChildren(FindingsView):
            view.forget()

    def update(self) -> None:
        """Request the analysis for the current settings, if the pane is visible."""
        subject = self._desk.subject
        if not self._is_wanted or subject is None:
            return
        analysis = self._make()
        if analysis is None or analysis == self._asked:
            return
        if not self._pane.about.summary:
            self._pane.set_about(About.of(type(analysis)))
        is_known = self._desk.known(analysis) is not None
        waits = self._waits is not None and self._waits(subject)
        if waits and not is_known and not self._is_requested:
            self._asked = None
            if self._has_button:
                self._pane.show_empty(self._pane.about.summary, self.tr("Measure"))
            else:
                how = self.tr("Choose the columns above, then Measure.")
                self._pane.show_empty(f"{self._pane.about.summary} {how}")
            return
        if why := analysis.why_not_at_once(subject):
            self._asked = None
            self._pane.show_empty(why)
            return
        self._ask(analysis)

    def reset(self) -> None:
        """Discard the request after a change of options; a slow analysis waits for the user again."""
        self._is_requested, self._asked = False, None
        self.update()

    def measure(self) -> None:
        """Start the slow analysis."""
        self._is_requested, self._asked = True, None
        self.update()

    # -------------------------------------------------------------------------------------------

    def _ask(self, analysis: Analysis) -> None:
        self._asked = analysis

        def done(found: Any) -> None:
            if self._asked == analysis:
                self._pane.show_findings(found)
                self._show(found)

        def fail(error: Exception) -> None:
            if self._asked != analysis:
                return
            if isinstance(error, CancelledError):
                self._asked, self._is_requested = None, False
                again = self.tr("Measure") if self._has_button else ""
                self._pane.show_empty(self.tr("Cancelled."), again)
                return
            self._pane.show_failed(error)

        if self._desk.known(analysis) is None:
            self._pane.show_running()
        self._desk.ask(analysis, done, fail, place=self._place)

    def _cancel(self) -> None:
        if self._asked is not None:
            self._desk.cancel(self._asked.key, self._place)

    def _on_progressed(self, key: str, done: int, total: int) -> None:
        if self._asked is not None and key == self._asked.key and self._desk.is_pending(key, self._place):
            self._pane.show_progress(done, total)
