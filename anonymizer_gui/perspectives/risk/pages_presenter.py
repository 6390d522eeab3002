"""Asks for what the further pages show: the population, HIPAA's identifiers, and who is suppressed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.analysis_pane import About, AnalysisPane
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.findings_view import FindingsView
from anonymizer_gui.perspectives.risk.asking import Asking
from anonymizer_gui.perspectives.risk.list_page import ListPage
from anonymizer_gui.perspectives.risk.page_values import (
    fraction_curves,
    hipaa_rows,
    settings_of,
    suppressed_rows,
    uniqueness_rows,
)
from anonymizer_gui.perspectives.risk.population_page import POPULATION, PopulationPage
from anonymizer_gui.perspectives.risk.view import IDENTIFIERS, SUPPRESSED

if TYPE_CHECKING:
    from engine.assessment.risk.hipaa import HipaaFound
    from engine.assessment.risk.population_uniqueness import PopulationUniquenessFound
    from engine.assessment.risk.suppressed_groups import SuppressedGroupsFound


class PagesPresenter(QObject):
    """A page is worked out when it is looked at."""

    people_requested = Signal()
    threshold_requested = Signal()
    perspective_requested = Signal(str)

    def __init__(
        self,
        population: PopulationPage,
        identifiers: ListPage,
        suppressed: ListPage,
        asking: Asking,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._population, self._identifiers, self._suppressed = population, identifiers, suppressed
        self._asking = asking
        self._estimator = "dankar"
        self._uniqueness: PopulationUniquenessFound | None = None
        self._panes = {
            POPULATION: population.card.pane_of(POPULATION),
            IDENTIFIERS: identifiers.pane,
            SUPPRESSED: suppressed.pane,
        }
        self._shows: dict[str, Callable[[Any], None]] = {
            POPULATION: self._show_uniqueness,
            IDENTIFIERS: self._show_identifiers,
            SUPPRESSED: self._show_suppressed,
        }
        for key, pane in self._panes.items():
            asking.add_pane(key, pane)
        for card in (population.card, identifiers.card, suppressed.card):
            card.error_raised.connect(asking.error_raised)
        population.uniqueness.estimator_chosen.connect(self._on_estimator_chosen)
        population.settings.change_requested.connect(self._on_change_requested)

    def forget(self) -> None:
        """Let go of what belongs to another release."""
        self._uniqueness = None
        for pane in self._panes.values():
            pane.show_empty("")

    def show_settings(self, threshold: float) -> None:
        """Show what the release was made with."""
        if (subject := self._asking.desk.subject) is not None:
            self._population.settings.show_settings(settings_of(subject, threshold))

    def ask(self, page: str) -> None:
        """Ask for what is on a page."""
        from engine.assessment.base import risk_analyses

        if page in self._shows:
            self._asking.ask(risk_analyses[page](), self._shows[page])

    def further_pages(self) -> Iterator[tuple[str, str, QWidget]]:
        """Key, title and card of the analyses that have no other place, each made once."""
        from engine.assessment.base import risk_analyses

        for key, kind in risk_analyses.items():
            if not self._asking.has_pane(key):
                view = FindingsView(key)
                pane = self._panes[key] = AnalysisPane(view, About.of(kind), key.replace("_", "-"))
                card = AnalysisCard(kind.title)
                card.setObjectName(f"card.{key}")
                card.add_panes([(key, kind.title, pane)])
                card.error_raised.connect(self._asking.error_raised)
                self._asking.add_pane(key, pane)
                self._shows[key] = view.show_findings
                yield key, kind.title, card

    # -- showing -------------------------------------------------------------------------------

    def _show_uniqueness(self, found: PopulationUniquenessFound) -> None:
        self._uniqueness = found
        view = self._population.uniqueness
        view.show_sentence(found.sentence)
        view.show_curves(self._estimator, fraction_curves(found, self._estimator))
        view.show_rows(*uniqueness_rows(found))

    def _show_identifiers(self, found: HipaaFound) -> None:
        self._identifiers.show_lists(found.sentence, [hipaa_rows(found)])

    def _show_suppressed(self, found: SuppressedGroupsFound) -> None:
        self._suppressed.show_lists(found.sentence, suppressed_rows(found))

    # -- choosing ------------------------------------------------------------------------------

    def _on_estimator_chosen(self, estimator: str) -> None:
        self._estimator = estimator
        if self._uniqueness is not None:
            curves = fraction_curves(self._uniqueness, estimator)
            self._population.uniqueness.show_curves(estimator, curves)

    def _on_change_requested(self, key: str) -> None:
        if key in ("people", "subset"):
            self.people_requested.emit()
        elif key == "threshold":
            self.threshold_requested.emit()
        else:
            self.perspective_requested.emit("configure")
