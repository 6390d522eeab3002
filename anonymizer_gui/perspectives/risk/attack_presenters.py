"""Presenters of the tests: of the one with a second table, of the attack test, and of the list of all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QLocale, QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.charts.analysis_pane import About
from anonymizer_gui.charts.chart_card import AnalysisCard
from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.risk.attack_pages import ATTACK_TEST, LINKAGE, AttackSetup, LinkageSetup
from anonymizer_gui.perspectives.risk.leak_remedies import LeakRemediesPresenter, LeakRemediesView
from anonymizer_gui.perspectives.risk.pages_presenter import PagesPresenter
from anonymizer_gui.perspectives.risk.tests_page import (
    POPULATION,
    FurtherPage,
    PageOfTests,
    SettingsPage,
    TrialState,
)
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import Opener, ask_table
from engine.findings.blocks import Chart
from engine.findings.settings import ACCEPTED_RISK
from engine.frequency.counted import RECORDS, either
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count, as_people, as_risk_limit
from engine.params import values_of
from engine.project.attack_settings import AttackSettings
from engine.records import Table
from engine.words import _, ngettext

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.risk.attack_test import AttackTest, AttackTestFound
    from engine.findings.risk.linkage import LinkageFound
    from engine.findings.subject import Subject


_KEY = "risk.link"  # differs from the key of the reading


class LinkagePresenter(QObject):
    """Holder of the second table until another project is opened or the user removes it."""

    table_changed = Signal()

    def __init__(self, page: SettingsPage[LinkageSetup], desk: AnalysisDesk, tables: Opener) -> None:
        super().__init__(page)
        self._page, self._desk, self._runner, self._tables = page, desk, desk.session.runner, tables
        self._other: tuple[str, Table] | None = None
        self._linked: dict[str, str] = {}
        self._is_offered = False
        tables.read.connect(self._on_read)
        tables.failed.connect(self._show_error)
        setup = page.setup
        setup.table_requested.connect(self._on_table_requested)
        setup.table_dropped.connect(self._on_dropped)
        setup.pairs_changed.connect(self._on_pairs_changed)
        setup.link_requested.connect(self._link)
        page.pane.action_requested.connect(self._on_table_requested)
        page.pane.cancel_requested.connect(lambda: self._runner.cancel(_KEY))

    @property
    def has_table(self) -> bool:
        """Return whether a second table was chosen."""
        return self._other is not None

    def start(self) -> None:
        """Link the tables, or ask for the second one."""
        if self._other is None:
            self._on_table_requested()
        else:
            self._link()

    def show(self) -> None:
        """Show the settings for the current release, once the page is visible."""
        if self._is_offered:
            return
        self._is_offered = True
        from engine.findings.risk import linkage

        if not self._page.pane.about.summary:
            self._page.pane.about = About(linkage.TITLE, linkage.SUMMARY, linkage.READING)
        self._offer()

    def forget(self, *, with_table: bool) -> None:
        """Discard the results; if another project was opened, also the second table."""
        self._runner.cancel(_KEY)
        self._is_offered = False
        if with_table:
            self._other, self._linked = None, {}
        self._page.pane.show_empty("")

    # -- the second table ----------------------------------------------------------------------

    def _on_table_requested(self) -> None:
        path = ask_table(self._page.window(), self.tr("Choose a second table"))
        if path is not None:
            self._page.setup.error.hide()
            self._tables.open(path)

    def _on_read(self, path: Path, reading: Any) -> None:
        self._other = (path.name, reading.table)
        self._page.setup.error.hide()
        self._offer()
        self.table_changed.emit()

    def _on_dropped(self) -> None:
        self._runner.cancel(_KEY)
        self._other = None
        self._offer()
        self.table_changed.emit()

    def _offer(self) -> None:
        """Show the table and pair columns of the same name."""
        from engine.findings.risk.linkage import common_columns

        subject, setup = self._desk.subject, self._page.setup
        if subject is None:
            return
        if self._other is None:
            setup.show_table("", "")
            setup.show_pairs((), (), {})
            setup.show_hint("")
            setup.allow(self.tr("Choose a second table first"))
            self._page.pane.show_empty(
                either(
                    subject.counted,
                    self.tr(
                        "An attacker may hold another table about the same people. Choose a similar one to "
                        "see how many people match exactly one record."
                    ),
                    self.tr(
                        "An attacker may hold another table about the same people. Choose a similar one to "
                        "see how many people match exactly one person."
                    ),
                ),
                self.tr("Choose table…"),
            )
            return
        name, table = self._other
        facts = self.tr("{n_records} records · {n} columns")
        setup.show_table(name, facts.format(n_records=as_exact_count(table.n_records), n=len(table.names)))
        pairs = self._linked or common_columns(subject, table)
        pairs = {own: theirs for own, theirs in pairs.items() if theirs in table.names}
        setup.show_pairs(_own_columns(subject), table.names, pairs)
        if pairs:
            hint = self.tr("Columns with the same name are paired; pair others that correspond.")
        else:
            hint = self.tr(
                "No column of {name} has the name of a column of the release. Pair those that correspond."
            ).format(name=name)
        setup.show_hint(hint)
        self._on_pairs_changed()

    def _on_pairs_changed(self) -> None:
        pairs = self._page.setup.pairs()
        self._runner.cancel(_KEY)
        self._page.setup.allow("" if pairs else self.tr("Pair at least one column first"))
        subject = self._desk.subject
        sentence = either(
            RECORDS if subject is None else subject.counted,
            self.tr("Link the tables to see how many people match exactly one record."),
            self.tr("Link the tables to see how many people match exactly one person."),
        )
        if not pairs:
            sentence = self.tr("The tables have no column in common yet: pair at least one.")
        self._page.pane.show_empty(sentence)

    # -- linking -------------------------------------------------------------------------------

    def _link(self) -> None:
        from engine.findings.risk.linkage import link

        subject, pairs = self._desk.subject, self._page.setup.pairs()
        if subject is None or self._other is None or not pairs:
            return
        self._page.setup.error.hide()
        self._page.pane.show_running(self.tr("Linking with {other}").format(other=self._other[0]))
        task = Task(link, subject, self._other[1], pairs)
        task.succeeded.connect(self._show)
        task.failed.connect(self._on_failed)
        task.cancelled.connect(lambda: self._on_cancelled(task))
        task.progressed.connect(lambda done, total, _text: self._page.pane.show_progress(done, total))
        self._runner.start(task, label=self.tr("Linking with {other}").format(other=self._other[0]), key=_KEY)

    def _show(self, found: LinkageFound) -> None:
        self._linked = dict(found.pairs)
        self._page.view.show_findings(found)
        self._page.pane.show_findings(found)

    def _on_failed(self, error: Exception) -> None:
        self._page.pane.show_failed(error)

    def _on_cancelled(self, task: Task) -> None:
        if self._runner.running(_KEY) is None and not self._page.pane.is_shown:
            self._page.pane.show_empty(self.tr("Linking was cancelled."))

    def _show_error(self, error: Exception) -> None:
        self._page.setup.error.show_failure(error)
        self._page.setup.show()


def _own_columns(subject: Subject) -> tuple[str, ...]:
    """Return the quasi-identifying columns first, then the others."""
    known = subject.quasi_identifying
    return (*known, *(name for name in subject.listed if name not in known))


class AttackTestPresenter(QObject):
    """The test starts by its button, and again after a setting was changed."""

    measured = Signal(object)  # AttackTestFound, of the release
    error_raised = Signal(object)  # exception

    def __init__(self, page: SettingsPage[AttackSetup], desk: AnalysisDesk, place: str) -> None:
        """Create the presenter; `place` identifies it as the requester to the desk."""
        super().__init__(page)
        self._page, self._session, self._desk = page, desk.session, desk
        self._settings = AttackSettings()
        self._found: AttackTestFound | None = None
        self._threshold = ACCEPTED_RISK
        self._asked = LazyPane(
            desk, page.pane, self.make, place, self, show=self._show_found, waits=self._can_start
        )
        page.setup.changed.connect(self._on_changed)
        page.setup.keep_toggled.connect(self._on_keep_toggled)
        page.card.error_raised.connect(self.error_raised)
        desk.session.project_opened.connect(lambda _project: self._on_project_opened())
        desk.session.parts.attack_test_changed.connect(self._on_kept_changed)

    def start(self) -> None:
        """Start the test."""
        self.show()
        self._asked.measure()

    def show(self) -> None:
        """Show the settings for the columns of the release, and the results if they are known."""
        self._show_settings()
        self._asked.set_wanted(True)

    def forget(self) -> None:
        """Discard the results of another release."""
        self._found = None
        self._asked.forget()

    def set_threshold(self, threshold: float) -> None:
        """Mark another accepted risk across the attacks."""
        self._threshold = threshold
        if self._found is not None and self._page.pane.is_shown:
            self._show_found(self._found)

    def _show_found(self, found: AttackTestFound) -> None:
        self._found = found
        self.measured.emit(found)
        text = _("accepted risk {limit}").format(limit=as_risk_limit(self._threshold))
        mark = ((self._threshold, text),)
        blocks = [replace(one, marks=mark) if isinstance(one, Chart) else one for one in found.blocks()]
        self._page.view.show_findings(found)
        self._page.view.show_blocks(blocks)

    def _can_start(self, subject: Subject) -> bool:
        """Return whether the button starts it; otherwise the pane says why it is not possible."""
        return not self.make().why_not_at_once(subject)

    def make(self) -> AttackTest:
        """Return the test with the settings shown."""
        from engine.findings.risk.attack_test import AttackTest

        return AttackTest(**values_of(self._settings))

    def _show_settings(self) -> None:
        from engine.findings.risk.attack_test import known_columns

        subject, project = self._desk.subject, self._session.project
        if subject is None:
            return
        released = known_columns(subject)
        secrets = [name for name in released if name not in subject.quasi_identifying]
        is_kept = project is not None and project.attack_test is not None
        gone = {name for name in self._settings.named_columns if name not in released}
        self._settings = self._settings.without(gone)
        self._page.setup.show_settings(self._settings, released, secrets, is_kept=is_kept)

    def _on_changed(self) -> None:
        settings = self._page.setup.settings()
        if settings is None or settings == self._settings:
            return
        self._settings = settings
        project = self._session.project
        if project is not None and project.attack_test is not None:
            self._session.edit(self.tr("Change attack test"), replace(project, attack_test=settings))
        self._asked.reset()

    def _on_keep_toggled(self, is_kept: bool) -> None:
        if (project := self._session.project) is None:
            return
        text = self.tr("Keep attack test") if is_kept else self.tr("Remove attack test")
        self._session.edit(text, replace(project, attack_test=self._settings if is_kept else None))

    def _on_kept_changed(self) -> None:
        """Show the settings of an edit, also one that was undone."""
        project = self._session.project
        if project is None:
            return
        if project.attack_test is not None and project.attack_test != self._settings:
            self._settings = project.attack_test
            self._asked.reset()
        self._show_settings()

    def _on_project_opened(self) -> None:
        project = self._session.project
        kept = None if project is None else project.attack_test
        self._settings = kept or AttackSettings()


_SELECTION = "selection_leak"
_ORDER = (
    ATTACK_TEST,
    POPULATION,
    "special_uniques",
    "stability",
    "narrowing",
    _SELECTION,
    "wildcards",
    LINKAGE,
    "survey_risk",
    "cost_benefit",
)
_IDENTIFIERS = "hipaa"  # of the law of one country, and hidden elsewhere until the palette asks for it
_CONFIGURED = ("survey_risk", "cost_benefit")  # tests whose input is set in Configure transformation
_STATES = "risk.tests"


class TrialsPresenter(QObject):
    """Presenter of the list of tests: which of them can run, what they need, and their last results."""

    perspective_requested = Signal(str)

    def __init__(
        self,
        page: PageOfTests,
        desk: AnalysisDesk,
        pages: PagesPresenter,
        linkage: LinkagePresenter,
        attack_test: AttackTestPresenter,
    ) -> None:
        super().__init__(page)
        self._page, self._desk, self._runner = page, desk, desk.session.runner
        self._pages, self._linkage, self._attack_test = pages, linkage, attack_test
        self._reasons: Mapping[str, str] = {}
        page.run_requested.connect(self._run)
        page.opened.connect(self._on_opened)
        linkage.table_changed.connect(self.ask)
        for key in page.rows:
            self._follow(key)

    def add(self, key: str, title: str, body: QWidget, summary: str) -> None:
        """Append the test of an analysis."""
        self._page.add(key, title, body, summary)
        if key == _SELECTION and isinstance(body, FurtherPage):
            body.add_below(remedies := LeakRemediesView())
            LeakRemediesPresenter(remedies, self._desk, partial(self._pages.make, key))
        self._page.rows[key].setVisible(key != _IDENTIFIERS or _is_in_america())
        self._follow(key)
        self.ask()

    def ask(self) -> None:
        """Find out which tests can run, while their page is visible."""
        if (subject := self._desk.subject) is None or not self._page.isVisible():
            return
        analyses: dict[str, Analysis] = {ATTACK_TEST: self._attack_test.make()}
        for key in self._page.rows:
            if self._pages.knows(key):
                analyses[key] = self._pages.make(key)
        self._runner.run(_reasons, subject, analyses, then=self._show_states, key=_STATES)

    def show(self, key: str) -> None:
        """Open a test, also one that is hidden."""
        if (row := self._page.rows.get(key)) is not None:
            row.show()
            row.set_open(True)
            row.button.setFocus()

    def forget(self) -> None:
        """Close the results of another release."""
        self._runner.cancel(_STATES)
        self._page.close_all()

    def _follow(self, key: str) -> None:
        """Show the last result of a test in its row."""
        row = self._page.rows[key]
        card = row.body if isinstance(row.body, AnalysisCard) else row.body.findChild(AnalysisCard)
        assert isinstance(card, AnalysisCard), "every test has one"
        card.pane.changed.connect(lambda: row.show_result(card.pane.result))

    def _show_states(self, reasons: Mapping[str, str]) -> None:
        if (subject := self._desk.subject) is None:
            return
        missing = "" if self._linkage.has_table else self.tr("Choose a second table first")
        self._reasons = {**reasons, LINKAGE: missing}
        order = [*_ORDER, *(key for key in self._reasons if key not in _ORDER)]
        share = self._attack_test.make().share
        states = {
            key: TrialState(_needs(key, subject, why, share), why, self._button(key, why))
            for key, why in ((key, self._reasons[key]) for key in order if key in self._reasons)
            if key != _IDENTIFIERS or not self._page.rows[key].isHidden()
        }
        self._page.show_states(states)

    def _button(self, key: str, why_not: str) -> str:
        if why_not and key == LINKAGE:
            return self.tr("Choose table…")
        if why_not and key == "survey_risk":
            return self.tr("Choose column…")
        if why_not and key == "cost_benefit":
            return self.tr("Enter sums…")
        return self.tr("Show why not") if why_not else self.tr("Run")

    def _run(self, key: str) -> None:
        if key in _CONFIGURED and self._reasons.get(key):
            self.perspective_requested.emit("configure")
            return
        self._page.rows[key].set_open(True)
        if key == LINKAGE:
            self._linkage.start()
        elif key == ATTACK_TEST:
            self._attack_test.start()
        else:
            self._pages.measure(key)

    def _on_opened(self, key: str) -> None:
        if key == LINKAGE:
            self._linkage.show()
        elif key == ATTACK_TEST:
            self._attack_test.show()
        else:
            self._pages.ask(key)


def _is_in_america() -> bool:
    return QLocale.system().territory() == QLocale.Country.UnitedStates


def _reasons(subject: Subject, analyses: Mapping[str, Analysis], monitor: Monitor = SILENT) -> dict[str, str]:
    """Return for each analysis why it is not possible for a release; empty if it is."""
    found = {}
    for done, (key, analysis) in enumerate(analyses.items()):
        monitor.step(done, len(analyses), analysis.title)
        found[key] = analysis.why_not_at_once(subject)
    return found


def _needs(key: str, subject: Subject, why_not: str, share: float) -> str:
    """Return what a test needs, in a few words; `share` is that of the control group."""
    people = subject.release.problem.people
    if key == ATTACK_TEST and not why_not:
        n = round(share * subject.n_records)
        return ngettext("{n} record held out", "{n} records held out", n).format(n=as_exact_count(n))
    if key == POPULATION and people is not None:
        return _("Population of {people}").format(people=as_people(round(people.size)))
    words = {
        ATTACK_TEST: _("Enough records for a control group"),
        LINKAGE: _("A second table with shared columns"),
        "survey_risk": _("A column with survey weights"),
        "cost_benefit": _("Four sums of money"),
        "wildcards": _("Columns with * in some cells"),
        "stability": _("A release of one node"),
        "narrowing": _("Labels instead of aggregates"),
    }
    return words.get(key, _("Nothing else"))
