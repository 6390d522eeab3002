"""Presenters of the linkage test, which reads a second table, and of the attack test, both run in tasks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.charts.analysis_pane import About
from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.risk.attack_pages import AttackSetup, LinkageSetup
from anonymizer_gui.perspectives.risk.further_page import SettingsPage
from anonymizer_gui.session.analyses import AnalysisDesk
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import Opener, ask_table
from engine.frequency.counted import RECORDS, either
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.project.attack_settings import AttackSettings
from engine.records import Table

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.risk.linkage import LinkageFound
    from engine.findings.subject import Subject


_KEY = "risk.link"  # differs from the key of the reading


class LinkagePresenter(QObject):
    """Holder of the second table until another project is opened or the user removes it."""

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

    def _on_dropped(self) -> None:
        self._runner.cancel(_KEY)
        self._other = None
        self._offer()

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

    error_raised = Signal(object)  # exception

    def __init__(self, page: SettingsPage[AttackSetup], desk: AnalysisDesk, place: str) -> None:
        """Create the presenter; `place` identifies it as the requester to the desk."""
        super().__init__(page)
        self._page, self._session, self._desk = page, desk.session, desk
        self._settings = AttackSettings()
        self._asked = LazyPane(desk, page.pane, self._make, place, self, waits=self._can_start)
        page.setup.changed.connect(self._on_changed)
        page.setup.keep_toggled.connect(self._on_keep_toggled)
        page.card.error_raised.connect(self.error_raised)
        desk.session.project_opened.connect(lambda _project: self._on_project_opened())
        desk.session.parts.attack_test_changed.connect(self._on_kept_changed)

    def show(self) -> None:
        """Show the settings for the columns of the release, and the results if they are known."""
        self._show_settings()
        self._asked.set_wanted(True)

    def forget(self) -> None:
        """Discard the results of another release."""
        self._asked.forget()

    def _can_start(self, subject: Subject) -> bool:
        """Return whether the button starts it; otherwise the pane says why it is not possible."""
        return not self._make().why_not_at_once(subject)

    def _make(self) -> Analysis:
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
