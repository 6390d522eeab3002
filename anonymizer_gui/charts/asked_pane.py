"""Keeps one pane in step with the release: asks its question when somebody looks, and shows the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.errors import CancelledError

if TYPE_CHECKING:
    from engine.assessment import Analysis

Make = Callable[[], "Analysis | None"]
Show = Callable[[Any], None]  # fills the view of the pane


class AskedPane(QObject):
    """What takes long is only asked when a person says so.

    Parameters
    ----------
    desk : AnalysisDesk
    pane : AnalysisPane
    make : callable
        The question of now; None where it cannot be asked yet.
    show : callable
        Takes the findings into the view.
    place : str
        Who asks, such as "risk"; a later question of a kind from there supersedes the one before.
    waits : bool
        Whether it takes long, so that in its place stands what it tells, until a person asks for it.
    has_button : bool
        Whether it is asked for by a button in its place.
    """

    def __init__(
        self,
        desk: AnalysisDesk,
        pane: AnalysisPane,
        make: Make,
        show: Show,
        place: str,
        parent: QObject | None = None,
        *,
        waits: bool = False,
        has_button: bool = True,
    ) -> None:
        super().__init__(parent)
        self._waits, self._has_button = waits, has_button
        self._desk, self._pane, self._make, self._show = desk, pane, make, show
        self._place = place
        self._is_wanted = False
        self._is_told = False  # to measure, by the person, for the release of now
        self._asked: Analysis | None = None
        pane.action_requested.connect(self.measure)
        pane.cancel_requested.connect(self._cancel)
        desk.progressed.connect(self._on_progressed)

    @property
    def is_settled(self) -> bool:
        """Whether no answer is waited for."""
        return self._asked is None or not self._desk.is_asked(self._asked.key, self._place)

    def set_wanted(self, is_wanted: bool) -> None:
        """Somebody looks at it, or no longer does."""
        if is_wanted != self._is_wanted:
            self._is_wanted = is_wanted
            self.update()

    def forget(self) -> None:
        """There is another release, or none: nothing that is shown is true any more."""
        self._asked, self._is_told, self._is_wanted = None, False, False
        self._pane.show_empty("")

    def update(self) -> None:
        """Show the answer to the question of now, if somebody looks."""
        subject = self._desk.subject
        if not self._is_wanted or subject is None:
            return
        analysis = self._make()
        if analysis is None or analysis == self._asked:
            return
        if not self._pane.about.summary:
            self._pane.set_about(About.of(type(analysis)))
        is_known = self._desk.known(analysis) is not None
        if self._waits and not is_known and not self._is_told:
            self._asked = None
            if self._has_button:
                self._pane.show_empty(self._pane.about.summary, self.tr("Measure"))
            else:
                how = self.tr("Choose the columns above, then Measure.")
                self._pane.show_empty(f"{self._pane.about.summary} {how}")
            return
        if why := analysis.why_not(subject):
            self._asked = None
            self._pane.show_empty(why)
            return
        self._ask(analysis)

    def reset(self) -> None:
        """Something else is asked: what takes long waits until a person says so once more."""
        self._is_told, self._asked = False, None
        self.update()

    def measure(self) -> None:
        """Ask what takes long."""
        self._is_told, self._asked = True, None
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
                self._asked, self._is_told = None, False
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
        if self._asked is not None and key == self._asked.key and self._desk.is_asked(key, self._place):
            self._pane.show_progress(done, total)
