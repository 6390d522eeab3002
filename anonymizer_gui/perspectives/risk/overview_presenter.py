"""Requests the analyses of the first page, and formats their results."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.risk.overview import (
    ATTACKERS,
    ATTACKS,
    DISTRIBUTION,
    EXPOSED,
    IDENTIFIERS,
    REVEALS,
    SUBSETS,
    Overview,
)
from anonymizer_gui.session.analyses import AnalysisDesk

if TYPE_CHECKING:
    from engine.assessment import Analysis
    from engine.assessment.risk.attackers import AttackersFound
    from engine.assessment.risk.exposed_records import ExposedRecordsFound
    from engine.assessment.risk.risk_distribution import RiskDistributionFound
    from engine.assessment.risk.verdict import ClassReveals


MOST_COLUMNS = 3
_LARGEST = 10  # limit of the analysis


class OverviewPresenter(QObject):
    """Holder of the risk threshold, the size of column sets and the chosen sensitive column."""

    statement_changed = Signal(object, str)  # clauses, detail
    threshold_changed = Signal(float)
    record_requested = Signal(int)
    error_raised = Signal(object)  # exception

    def __init__(self, view: Overview, desk: AnalysisDesk, place: str, parent: QObject | None = None) -> None:
        """Create the presenter; `place` identifies it as the requester to the desk."""
        super().__init__(parent)
        self._view, self._desk = view, desk
        self.threshold = 0.2
        self._most_columns = MOST_COLUMNS
        self._column = ""
        self._most_revealing: ClassReveals | None = None
        self._usual: ExposedRecordsFound | None = None  # the most exposed records
        asked: dict[str, tuple[Callable[[], Analysis], Callable[[Any], None]]] = {
            ATTACKERS: (lambda: analysis_of(ATTACKERS, threshold=self.threshold), self._show_attackers),
            DISTRIBUTION: (
                lambda: analysis_of(DISTRIBUTION, threshold=self.threshold),
                self._show_distribution,
            ),
            EXPOSED: (lambda: analysis_of(EXPOSED, threshold=self.threshold), self._show_exposed),
            ATTACKS: (lambda: analysis_of(ATTACKS), view.attacks.show_findings),
            REVEALS: (lambda: analysis_of(REVEALS, column=self._column), view.reveals.show_findings),
            SUBSETS: (self._subsets, view.subsets.show_findings),
            IDENTIFIERS: (lambda: analysis_of(IDENTIFIERS), view.identifiers.show_findings),
        }
        self._asked = {
            key: LazyPane(desk, view.pane(key), make, show, place, self)
            for key, (make, show) in asked.items()
        }
        for card in view.cards:
            card.error_raised.connect(self.error_raised)
        view.distribution.threshold_changing.connect(self.threshold_changed)
        view.distribution.threshold_changed.connect(self.set_threshold)
        view.left_places.page_shown.connect(lambda _key: self.ask())
        view.subsets_wanted.connect(self._on_subsets_wanted)
        view.column_chosen.connect(self._on_column_chosen)
        view.exposed.usual_requested.connect(self._on_usual_requested)
        view.exposed.table_requested.connect(self.record_requested)

    @property
    def keys(self) -> frozenset[str]:
        """Keys of the analyses on the page."""
        return frozenset(self._asked)

    def set_threshold(self, threshold: float) -> None:
        """Set the accepted risk."""
        self._view.distribution.show_threshold(threshold)
        self.threshold_changed.emit(threshold)
        if threshold != self.threshold:
            self.threshold = threshold
            for key in (ATTACKERS, DISTRIBUTION, EXPOSED):
                self._asked[key].update()

    def show_most_revealing(self) -> None:
        """Show the class of the verdict: the one whose most frequent value has the largest share."""
        if self._most_revealing is None:
            return
        from engine.assessment.risk.attribute_disclosure import SHARE

        self._view.reveals.choose(SHARE)
        if self._most_revealing.column != self._column and self._desk.subject is not None:
            self._view.show_columns(self._desk.subject.sensitive, self._most_revealing.column)
            self._on_column_chosen(self._most_revealing.column)
        self._view.right_places.show_page(REVEALS)

    def forget(self) -> None:
        """Discard the results of another release."""
        self._usual = None
        self._view.reveals.forget()
        subject = self._desk.subject
        for asked in self._asked.values():
            asked.forget()
        if subject is not None:
            self._view.show_counted(subject.counted)
            sensitive = subject.sensitive
            if self._column not in sensitive:
                self._column = sensitive[0] if sensitive else ""
            self._view.show_columns(sensitive, self._column)
            largest = _largest_sets(len(subject.quasi_identifying))
            self._view.show_most_columns(min(self._most_columns, largest), largest)

    def ask(self) -> None:
        """Request the analyses of the page; identifiers are looked for only in sight."""
        for key, asked in self._asked.items():
            asked.set_wanted(key != IDENTIFIERS or self._view.left_places.is_in_sight(key))

    def _subsets(self) -> Analysis:
        subject = self._desk.subject
        n_columns = 1 if subject is None else max(len(subject.quasi_identifying), 1)
        return analysis_of(SUBSETS, most_columns=min(self._most_columns, n_columns))

    # -- display -------------------------------------------------------------------------------

    def _show_attackers(self, found: AttackersFound) -> None:
        self._view.attackers.show_findings(found)
        self._most_revealing = found.reveals
        self.statement_changed.emit(found.clauses, found.detail)

    def _show_distribution(self, found: RiskDistributionFound) -> None:
        self._view.distribution.show_curves(found.before, found.after)
        self._view.distribution.show_threshold(found.threshold)

    def _show_exposed(self, found: ExposedRecordsFound) -> None:
        self._usual = found
        self._view.exposed.show_records(found)

    def show_singled_out(self, found: ExposedRecordsFound) -> None:
        """List the records that unchanged columns single out, until the chip is removed."""
        self._view.exposed.show_records(found, are_singled_out=True)

    def _on_usual_requested(self) -> None:
        if self._usual is not None:
            self._show_exposed(self._usual)

    # -- choices -------------------------------------------------------------------------------

    def _on_subsets_wanted(self, most: int) -> None:
        self._most_columns = most
        self._asked[SUBSETS].update()

    def _on_column_chosen(self, column: str) -> None:
        self._column = column
        self._view.reveals.forget()
        self._asked[REVEALS].update()


def analysis_of(key: str, **values: object) -> Analysis:
    """Return a risk analysis with the chosen settings."""
    from engine.assessment import risk_analyses

    return risk_analyses.create(key, **values)


def _largest_sets(n_columns: int) -> int:
    """Return the largest size of sets of `n_columns` that gives a readable number of sets."""
    from engine.assessment.risk.column_subsets import MOST_SETS

    n_sets, largest = n_columns, 1
    for size in range(2, min(n_columns, _LARGEST) + 1):
        n_sets += comb(n_columns, size)
        if n_sets > MOST_SETS:
            break
        largest = size
    return largest
