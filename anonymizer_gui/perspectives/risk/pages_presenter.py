"""Requests the analyses of all pages but the crowd, and of tests without a presenter of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.risk.attack_pages import ATTACK_TEST
from anonymizer_gui.perspectives.risk.pages import ATTACKERS, ATTACKS, DISTRIBUTION, EXPOSED, REVEALS, SUBSETS
from anonymizer_gui.perspectives.risk.tests_page import (
    POPULATION,
    THRESHOLD,
    FurtherPage,
    findings_card,
    settings_of,
)
from anonymizer_gui.perspectives.risk.view import RiskPerspective
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.findings.settings import ACCEPTED_RISK
from engine.params import describe

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.risk.attack_test import AttackTestFound
    from engine.findings.risk.attackers import AttackersFound
    from engine.findings.risk.attacks import AttacksFound
    from engine.findings.risk.exposed_records import ExposedRecordsFound
    from engine.findings.risk.risk_distribution import RiskDistributionFound
    from engine.findings.risk.verdict import ClassReveals


MOST_COLUMNS = 3
_LARGEST = 10  # limit of the analysis
_ON_PAGE = {ATTACKERS: (DISTRIBUTION, SUBSETS), ATTACKS: (ATTACKS, REVEALS)}


class PagesPresenter(QObject):
    """Holder of the accepted risk and of the settings of each analysis, computed when it is first shown."""

    statement_changed = Signal(object, str, bool)  # clauses, detail, whether suppression is within its limit
    threshold_changed = Signal(float)
    error_raised = Signal(object)  # exception

    def __init__(self, view: RiskPerspective, desk: AnalysisDesk, place: str) -> None:
        """Create the presenter; `place` identifies it as the requester to the desk."""
        super().__init__(view)
        self._view, self._desk, self._place = view, desk, place
        self.threshold = ACCEPTED_RISK
        self._most_columns, self._column = MOST_COLUMNS, ""
        self._most_revealing: ClassReveals | None = None
        self._attacks: AttacksFound | None = None
        self._measured = ""  # of inference by the attack test
        self._usual: ExposedRecordsFound | None = None  # the most exposed records
        self._chosen: dict[str, Mapping[str, Any]] = {}  # settings by the key of an analysis
        self._asked: dict[str, LazyPane] = {}
        self._further: list[FurtherPage] = []
        desk.session.snapshot_changed.connect(self._show_keep)
        shown: dict[str, Callable[[Any], None]] = {
            ATTACKERS: self._show_attackers,
            ATTACKS: self._show_attacks,
            DISTRIBUTION: self._show_distribution,
            EXPOSED: self._show_exposed,
        }
        for key in (*shown, REVEALS, SUBSETS):
            self._add(key, view.cards[key], shown.get(key))
        self._add(POPULATION, view.tests.population.card)
        view.attackers.distribution.threshold_changing.connect(self.threshold_changed)
        view.attackers.distribution.threshold_changed.connect(self.set_threshold)
        view.attackers.most_columns.data_chosen.connect(self._on_subsets_wanted)
        view.attacks.column_chosen.connect(self._on_column_chosen)
        view.records.exposed.usual_requested.connect(self._on_usual_requested)

    def set_threshold(self, threshold: float) -> None:
        """Set the accepted risk."""
        self._view.attackers.distribution.show_threshold(threshold)
        self.threshold_changed.emit(threshold)
        self.threshold = threshold
        for asked in self._asked.values():
            asked.update()
        self._show_settings()

    def show_most_revealing(self) -> None:
        """Show the class of the verdict: the one whose most frequent value has the largest share."""
        if self._most_revealing is None:
            return
        from engine.findings.risk.attribute_disclosure import SHARE

        page = self._view.attacks
        page.reveals.choose(SHARE)
        if self._most_revealing.column != self._column and self._desk.subject is not None:
            page.show_columns(self._desk.subject.sensitive, self._most_revealing.column)
            self._on_column_chosen(self._most_revealing.column)

    def forget(self) -> None:
        """Discard the results of another release."""
        self._usual, view = None, self._view
        view.attacks.reveals.forget()
        self._attacks, self._measured = None, ""
        for asked in self._asked.values():
            asked.forget()
        self._show_keep()
        if (subject := self._desk.subject) is None:
            return
        view.attackers.show_counted(subject.counted)
        sensitive = subject.sensitive
        if self._column not in sensitive:
            self._column = sensitive[0] if sensitive else ""
        view.attacks.show_columns(sensitive, self._column)
        largest = _largest_sets(len(subject.quasi_identifying))
        view.attackers.show_most_columns(min(self._most_columns, largest), largest)
        self._choose(len(subject.quasi_identifying))

    def ask(self, page: str) -> None:
        """Request the analyses of a page, and the attackers, which have the main statement."""
        for key in (ATTACKERS, *_ON_PAGE.get(page, (page,))):
            if key in self._asked:
                self._asked[key].set_wanted(True)
        self._show_settings()

    def knows(self, key: str) -> bool:
        """Return whether an analysis is requested by `ask` and `measure`."""
        return key in self._asked

    def measure(self, key: str) -> None:
        """Start an analysis, again if it is known."""
        self._asked[key].set_wanted(True)
        self._asked[key].measure()

    def make(self, key: str) -> Analysis:
        """Return an analysis with the settings chosen for it."""
        from engine.findings.base import risk_analyses

        chosen = dict(self._chosen.get(key, {}))
        if any(descriptor.name == THRESHOLD for descriptor in describe(risk_analyses[key])):
            chosen[THRESHOLD] = self.threshold
        return risk_analyses.create(key, **chosen)

    def further_pages(self) -> Iterator[tuple[str, str, QWidget, str]]:
        """Yield key, title, page and summary of the analyses without a place elsewhere."""
        from engine.findings.base import risk_analyses

        for key, kind in risk_analyses.items():
            if key in self._asked or key == ATTACK_TEST:
                continue
            if all(descriptor.name == THRESHOLD for descriptor in describe(kind)):
                page: QWidget = (card := findings_card(key, kind.title))
            else:
                page = further = FurtherPage(key, kind)
                card = further.card
                further.settings_changed.connect(partial(self._on_settings_changed, key))
                further.keep_requested.connect(self._keep_levels)
                self._further.append(further)
            self._add(key, card)
            yield key, kind.title, page, kind.summary
        self._show_keep()

    def _add(self, key: str, card: AnalysisCard, show: Callable[[Any], None] | None = None) -> None:
        """Update the pane of a card with the release."""
        make = partial(self.make, key)
        self._asked[key] = LazyPane(self._desk, card.pane_of(key), make, self._place, self, show=show)
        card.error_raised.connect(self.error_raised)

    # -- display -------------------------------------------------------------------------------

    def _show_settings(self) -> None:
        if (subject := self._desk.subject) is not None:
            self._view.tests.population.setup.show_settings(settings_of(subject, self.threshold))

    def _show_attackers(self, found: AttackersFound) -> None:
        self._view.attackers.attackers.show_findings(found)
        self._view.crowd.bars.show_blocks(found.blocks()[:1])
        self._most_revealing = found.reveals
        subject = self._desk.subject
        self.statement_changed.emit(found.clauses, found.detail, subject is None or subject.release.is_within)

    def _show_attacks(self, found: AttacksFound) -> None:
        self._attacks = found
        self._view.attacks.attacks.show_findings(found.with_measured(self._measured))

    def show_measured(self, tested: AttackTestFound) -> None:
        """Show what an attack test of this release measured in place of the reason of inference."""
        self._measured = tested.inference_words(date.today().isoformat())
        if self._attacks is not None:
            self._show_attacks(self._attacks)

    def _show_distribution(self, found: RiskDistributionFound) -> None:
        self._view.attackers.distribution.show_curves(found.before, found.after)
        self._view.attackers.distribution.show_threshold(found.threshold)

    def _show_exposed(self, found: ExposedRecordsFound) -> None:
        self._usual = found
        self._view.records.exposed.show_records(found)

    def _on_usual_requested(self) -> None:
        if self._usual is not None:
            self._show_exposed(self._usual)

    # -- choices -------------------------------------------------------------------------------

    def _choose(self, n_columns: int) -> None:
        """Set what the pages choose; there are no sets of more columns than are quasi-identifying."""
        self._chosen[SUBSETS] = {"most_columns": min(self._most_columns, max(n_columns, 1))}
        self._chosen[REVEALS] = {"column": self._column}

    def _on_subsets_wanted(self, most: int) -> None:
        self._most_columns = most
        self._on_settings_changed(SUBSETS, {"most_columns": most})

    def _on_column_chosen(self, column: str) -> None:
        self._column = column
        self._view.attacks.reveals.forget()
        self._on_settings_changed(REVEALS, {"column": column})

    def _on_settings_changed(self, key: str, chosen: Mapping[str, Any]) -> None:
        self._chosen[key] = chosen
        self._asked[key].update()

    def _keep_levels(self) -> None:
        if (levels := self._levels()) is not None:
            self._desk.session.keep_levels(levels)

    def _levels(self) -> Mapping[str, int] | None:
        """Return the levels of the applied node; asking the desk would make its subject too early."""
        release = self._desk.session.applied.release
        return None if release is None or release.recoding is not None else release.levels

    def _show_keep(self) -> None:
        """Show whether the levels of the release can be kept for a series."""
        from engine.project.edits import keep_levels

        project, levels, why_not = self._desk.session.project, self._levels(), ""
        if levels is None or project is None:
            why_not = self.tr("Only an applied node has levels to keep")
        elif keep_levels(project, levels) is project:
            why_not = self.tr("No other levels are allowed")
        for page in self._further:
            page.show_keep(why_not)


def _largest_sets(n_columns: int) -> int:
    """Return the largest size of sets of `n_columns` that gives a readable number of sets."""
    from engine.findings.risk.column_subsets import MOST_SETS

    n_sets, largest = n_columns, 1
    for size in range(2, min(n_columns, _LARGEST) + 1):
        n_sets += comb(n_columns, size)
        if n_sets > MOST_SETS:
            break
        largest = size
    return largest
