"""Requests the risk analyses of the applied or previewed release, and shows their basis."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.models.node_name import own_name
from anonymizer_gui.models.preview_presenter import PreviewPresenter
from anonymizer_gui.perspectives.risk.attack_pages import LINKAGE
from anonymizer_gui.perspectives.risk.attack_presenters import (
    AttackTestPresenter,
    LinkagePresenter,
    TrialsPresenter,
)
from anonymizer_gui.perspectives.risk.crowd_presenter import CrowdPresenter
from anonymizer_gui.perspectives.risk.pages import (
    ATTACKERS,
    ATTACKS,
    CROWD,
    DISTRIBUTION,
    EXPOSED,
    REVEALS,
    SUBSETS,
    SUPPRESSED,
    TESTS,
)
from anonymizer_gui.perspectives.risk.pages_presenter import PagesPresenter
from anonymizer_gui.perspectives.risk.view import RiskPerspective
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.tasks.call_queue import CallQueue
from anonymizer_gui.widgets.file_dialogs import Opener
from anonymizer_gui.widgets.made_ahead import MadeAhead
from engine.numbers import as_risk_limit
from engine.privacy.measured_text import limit_text
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.risk.exposed_records import ExposedRecordsFound
    from engine.findings.risk.selection_leak import SelectionLeakFound
    from engine.findings.subject import Subject

_DOT, _PLACE = " · ", "risk"


class RiskPresenter(QObject):
    """Computes lazily, when a page is first shown."""

    perspective_requested = Signal(str)
    record_requested = Signal(int)  # counted from 0, to be shown in the table
    people_requested = Signal()  # open the population dialog

    def __init__(self, desk: AnalysisDesk, tables: Opener, ahead: MadeAhead | None = None) -> None:
        """Create the presenter; `tables` reads the second table of a linkage test."""
        view = RiskPerspective(ahead=ahead)
        super().__init__(view)
        self._session, self._desk, self._runner = desk.session, desk, desk.session.runner
        self._adding = CallQueue(parent=self)
        self.view = view
        self.preview = PreviewPresenter(desk, "risk", view.preview, view.empty)
        self._pages = PagesPresenter(view, desk, _PLACE)
        self._pages.statement_changed.connect(
            lambda clauses, detail, is_within: view.strip.show_statement(clauses, detail, is_within=is_within)
        )
        self._pages.threshold_changed.connect(view.strip.show_threshold)
        self._pages.error_raised.connect(view.error.show_failure)
        view.records.exposed.table_requested.connect(self.record_requested)
        view.tests.population.setup.change_requested.connect(self._on_change_requested)
        self._crowd = CrowdPresenter(view.crowd, desk, _PLACE)
        self._pages.threshold_changed.connect(self._crowd.set_threshold)
        view.crowd.card.error_raised.connect(view.error.show_failure)
        self._linkage = LinkagePresenter(view.tests.linkage, desk, tables)
        self._attack_test = AttackTestPresenter(view.tests.attack_test, desk, _PLACE)
        self._pages.threshold_changed.connect(self._attack_test.set_threshold)
        self._attack_test.measured.connect(self._pages.show_measured)
        self._attack_test.error_raised.connect(view.error.show_failure)
        self._trials = TrialsPresenter(view.tests, desk, self._pages, self._linkage, self._attack_test)
        self._trials.perspective_requested.connect(self.perspective_requested)
        view.strip.reason_requested.connect(self._on_reason_requested)
        view.strip.threshold_changed.connect(self._pages.set_threshold)
        view.shown.connect(self._on_shown)
        view.page_chosen.connect(lambda _key: self._ask())
        desk.subject_changed.connect(self._on_subject_changed)
        desk.session.project_opened.connect(lambda _project: self._linkage.forget(with_table=True))
        desk.session.project_opened.connect(lambda _project: view.records.exposed.forget())
        desk.session.applied.stale_changed.connect(lambda _text: self._show_made_with())
        self._on_subject_changed()

    @property
    def is_settled(self) -> bool:
        return self._adding.is_idle and self._desk.preview.is_settled and self._desk.is_settled

    def selection_leak(self) -> SelectionLeakFound | None:
        """Return what the choice of the release gives away, if that was measured."""
        found: SelectionLeakFound | None = self._desk.known(self._pages.make("selection_leak"))
        return found

    @property
    def threshold(self) -> float:
        """Accepted risk: records above it are at risk."""
        return self._pages.threshold

    def show_verified(self, file_name: str) -> None:
        """Show that the release was exported and verified."""
        self.view.strip.show_basis(*basis_words(is_verified=True, file_name=file_name))

    def _on_subject_changed(self) -> None:
        self.view.error.hide()
        self.view.strip.show_basis(*basis_words(is_verified=False, is_preview=self._desk.is_preview))
        for part in (self._pages, self._crowd, self._attack_test):
            part.forget()
        self._linkage.forget(with_table=False)
        self._trials.forget()
        if (subject := self._desk.subject) is not None:
            self.view.strip.show_counted(subject.counted)
            self.view.show_results()
        else:
            self.view.show_empty()
        self._show_made_with()
        if self.view.isVisible():
            self._ask()

    def _on_shown(self, is_shown: bool) -> None:
        self.preview.set_visible(is_shown)
        if is_shown:
            self._ask()

    def _ask(self) -> None:
        """Request the visible analyses, and the main statement."""
        if self._desk.subject is None:
            return
        self._adding.ask_each(partial(self._add_further, *page) for page in self._pages.further_pages())
        self._pages.ask(self.view.page)
        if self.view.page == CROWD:
            self._crowd.ask()
        elif self.view.page == TESTS:
            self._trials.ask()

    def _add_further(self, key: str, title: str, page: QWidget, summary: str) -> None:
        """Give an analysis a row among the tests; who is suppressed has a page."""
        if key != SUPPRESSED:
            self._trials.add(key, title, page, summary)
            return
        self.view.fill_suppressed(page)
        if self.view.page == SUPPRESSED:
            self._pages.ask(SUPPRESSED)

    def show_place(self, key: str) -> None:
        """Show a page, or the test or card of an analysis."""
        key, _dot, folded = key.partition(".")
        if folded:
            self.view.attacks.attacks.open_folds(key)
        page = {DISTRIBUTION: ATTACKERS, SUBSETS: ATTACKERS, REVEALS: ATTACKS}.get(key, key)
        if page in self.view.pages:
            self.view.show_page(page)
            return
        self.view.show_page(TESTS)
        self._adding.catch_up()
        self._trials.show(key)

    def _on_change_requested(self, key: str) -> None:
        """Open the place for changing a setting of the population page."""
        if key in ("people", "subset"):
            self.people_requested.emit()
        elif key == "threshold":
            self.view.strip.edit_threshold()
        else:
            self.perspective_requested.emit("configure")

    def _on_reason_requested(self, key: str) -> None:
        """Show the class that reveals most, or the records that unchanged columns single out."""
        self.view.show_page(ATTACKS if key == "class" else EXPOSED)
        if key == "class":
            self._pages.show_most_revealing()
            return
        from engine.findings.risk.exposed_records import singled_out_records

        subject = self._desk.subject
        if subject is not None:
            self._runner.run(
                singled_out_records,
                subject,
                self.threshold,
                then=self._show_singled_out,
                otherwise=self.view.error.show_failure,
                key="risk.singled_out",
            )

    def _show_singled_out(self, found: ExposedRecordsFound) -> None:
        if found.subject is self._desk.subject:
            self.view.records.exposed.show_records(found, are_singled_out=True)

    def _show_made_with(self) -> None:
        subject = self._desk.subject
        if subject is None:
            self.view.show_made_with("")
        else:
            self.view.show_made_with(*made_with_words(subject, self._session.applied.stale_text))


def places() -> Iterator[tuple[str, str]]:
    """Yield key and name of all pages, cards and tests, also by the names of the analyses on them."""
    from engine.findings.base import risk_analyses
    from engine.findings.risk.attacks import VALUE_ATTACKS

    yield CROWD, _("Crowd")
    yield CROWD, _("Overview")  # its earlier name
    yield TESTS, _("Tests")
    yield LINKAGE, _("Linkage test")
    for key, kind in risk_analyses.items():
        yield key, kind.title
    for attack in VALUE_ATTACKS:  # in one line
        yield f"{ATTACKS}.{attack.value}", f"{attack.title[:1].upper()}{attack.title[1:]}"


def basis_words(*, is_verified: bool, file_name: str = "", is_preview: bool = False) -> tuple[str, str, str]:
    """Return text, tone and meaning of the chip that shows the basis of the values."""
    if is_preview:
        return (
            _("Computed from a preview"),
            "neutral",
            _("Values of the selected node. Apply it to make its release the current one."),
        )
    if is_verified:
        return (
            _("Recomputed from the written file"),
            "ok",
            _("'{file_name}' was read back after the export; k, l and t match the release.").format(
                file_name=file_name
            ),
        )
    return (
        _("Computed from the release"),
        "neutral",
        _(
            "Values of the applied release. An export writes it, reads the file back and "
            "recomputes k, l and t."
        ),
    )


def made_with_words(subject: Subject, stale_text: str) -> tuple[str, str]:
    """Return a short name of the described release, and how the current settings differ."""
    release, requirement = subject.release, subject.release.requirement
    models = [f"{model.symbol} = {limit_text(model)}" for model in requirement.models]
    limit = as_risk_limit(requirement.suppression_limit)
    node = "" if release.node is None else own_name(release.node, release.problem)
    parts = [", ".join(models), _("at most {limit} suppressed").format(limit=limit), node]
    text, hint = _("made with {listed}"), stale_text
    if not release.satisfies:
        text, hint = _("fails {listed}"), stale_text or _("The release does not meet its requirement.")
    text = text.format(listed=_DOT.join(filter(None, parts)))
    return (f"{stale_text}{_DOT}{text}", hint) if stale_text else (text, hint)
