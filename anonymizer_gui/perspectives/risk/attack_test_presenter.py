"""Runs the attack test of the release with the settings of its form, which the project may keep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from anonymizer_gui.charts.lazy_pane import LazyPane
from anonymizer_gui.perspectives.risk.attack_test_page import AttackSetup
from anonymizer_gui.perspectives.risk.further_page import SettingsPage
from anonymizer_gui.session.analyses import AnalysisDesk
from engine.params import values_of
from engine.project.attack_settings import AttackSettings

if TYPE_CHECKING:
    from engine.findings.base import Analysis
    from engine.findings.subject import Subject


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
