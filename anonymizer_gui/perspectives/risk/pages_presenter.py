"""Requests the analyses of the further pages: population, and those without a view of their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.risk.further_page import THRESHOLD, FurtherPage, findings_card
from anonymizer_gui.perspectives.risk.population_page import POPULATION, PopulationPage, settings_of
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.params import describe

if TYPE_CHECKING:
    from engine.assessment import Analysis


class PagesPresenter(QObject):
    """Each page is computed when it is first shown."""

    people_requested = Signal()
    threshold_requested = Signal()
    perspective_requested = Signal(str)
    error_raised = Signal(object)  # exception

    def __init__(
        self,
        population: PopulationPage,
        desk: AnalysisDesk,
        place: str,
        parent: QObject | None = None,
    ) -> None:
        """Create the presenter; `place` identifies it as the requester to the desk."""
        super().__init__(parent)
        self._population = population
        self._desk, self._place = desk, place
        self._threshold = 0.2
        self._chosen: dict[str, Mapping[str, Any]] = {}  # settings of further pages, by key
        self._asked: dict[str, LazyPane] = {}
        self._add(POPULATION, population.card, population.uniqueness.show_findings)
        population.settings.change_requested.connect(self._on_change_requested)

    def forget(self) -> None:
        """Discard the results of another release."""
        for asked in self._asked.values():
            asked.forget()

    def show_settings(self, threshold: float) -> None:
        """Show the settings of the release, and analyses for this accepted risk."""
        self._threshold = threshold
        for asked in self._asked.values():
            asked.update()
        if (subject := self._desk.subject) is not None:
            self._population.settings.show_settings(settings_of(subject, threshold))

    def ask(self, page: str) -> None:
        """Request the analyses of a page."""
        if page in self._asked:
            self._asked[page].set_wanted(True)

    def further_pages(self, elsewhere: Collection[str]) -> Iterator[tuple[str, str, QWidget]]:
        """Yield key, title and page of the analyses without a page elsewhere."""
        from engine.assessment.base import risk_analyses

        for key, kind in risk_analyses.items():
            if key in self._asked or key in elsewhere:
                continue
            if all(descriptor.name == THRESHOLD for descriptor in describe(kind)):
                card, view = findings_card(key, kind.title)
                page: QWidget = card
            else:
                page = further = FurtherPage(key, kind)
                card, view = further.card, further.view
                further.settings_changed.connect(partial(self._on_settings_changed, key))
            self._add(key, card, view.show_findings)
            yield key, kind.title, page

    def _add(self, key: str, card: AnalysisCard, show: Callable[[Any], None]) -> None:
        """Update the pane of a card with the release."""

        def make() -> Analysis:
            from engine.assessment.base import risk_analyses

            chosen = dict(self._chosen.get(key, {}))
            if any(descriptor.name == THRESHOLD for descriptor in describe(risk_analyses[key])):
                chosen[THRESHOLD] = self._threshold
            return risk_analyses.create(key, **chosen)

        self._asked[key] = LazyPane(self._desk, card.pane_of(key), make, show, self._place, self)
        card.error_raised.connect(self.error_raised)

    def _on_settings_changed(self, key: str, chosen: Mapping[str, Any]) -> None:
        self._chosen[key] = chosen
        self._asked[key].update()

    def _on_change_requested(self, key: str) -> None:
        if key in ("people", "subset"):
            self.people_requested.emit()
        elif key == "threshold":
            self.threshold_requested.emit()
        else:
            self.perspective_requested.emit("configure")
