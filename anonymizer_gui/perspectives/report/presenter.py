"""Writes reports of the applied release, and of files anonymized elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.report.dialog import ReportDialog
from anonymizer_gui.perspectives.report.statement_dialog import StatementDialog
from anonymizer_gui.session import Session
from anonymizer_gui.session.release_controller import Written, WrittenRelease
from anonymizer_gui.tasks import Task
from anonymizer_gui.widgets.file_dialogs import folder_next_to
from engine.errors import ExportError
from engine.findings.settings import ACCEPTED_RISK, REPORT, ReportSettings
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.project import Project
from engine.project.edits import set_statement
from engine.project.outlines import outline_of
from engine.project.statement import StatementAnswers
from engine.words import _

if TYPE_CHECKING:
    from engine.project.pins_and_runs import Pin
    from engine.recoding import Release
    from engine.report import SearchFacts
    from engine.report.sections.material import ReportInput


class ReportPresenter(QObject):
    """Opens the dialog for the release or file at that time."""

    export_requested = Signal()

    def __init__(self, session: Session, written: WrittenRelease, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._runner = session, session.runner
        self._written, self._window = written, window
        self._dialog: ReportDialog | None = None
        self._file: tuple[Path, Material] | None = None
        self._settings = ReportSettings()  # of the last report
        self._folder: Path | None = None
        self._shows_after_export = False
        self.accepted_risk: Callable[[], float] = lambda: ACCEPTED_RISK  # accepted risk of the window
        written.changed.connect(self._show_file)
        session.project_opening.connect(self._on_project_opening)

    def show_release(self) -> None:
        """Open the dialog for the applied release; without one there is nothing to report."""
        project, release = self._session.applied.made_with, self._session.applied.release
        if project is None or release is None or self._dialog is not None:
            return
        self._file = None
        now = self._written.now
        beside = project.source or self._session.saved.path
        near = now.path if now is not None and not now.is_on_cluster else beside
        folder = self._folder or folder_next_to(near)
        stem = near.name.split(".")[0] if near is not None else project.name
        self._open(folder / f"{stem}-report.pdf")
        if reason := self._session.applied.can_release:
            self._refuse(reason)

    def show_file(self, path: Path, material: Material) -> None:
        """Open the dialog for an assessed file."""
        if self._dialog is None:
            self._file = path, material
            folder = self._folder or folder_next_to(path)
            self._open(folder / f"{path.name.split('.')[0]}-report.pdf")

    def _open(self, path: Path) -> None:
        last = self._settings
        risk = ACCEPTED_RISK if self._file is not None else self.accepted_risk()
        settings = ReportSettings(last.purpose, last.recipient, last.author, language=last.language)
        if self._file is None:
            settings = replace(settings, form=last.form)
        dialog = self._dialog = ReportDialog(replace(settings, accepted_risk=risk), self._window)
        dialog.form_chosen.connect(self._show_questions)
        dialog.answers_requested.connect(self._on_answers_requested)
        self._show_questions(settings.form)
        if self._file is not None:
            dialog.offer_report_only(self.tr("A statement needs a release of this project"))
        dialog.target.show_path(path)
        dialog.export_requested.connect(self._on_export_requested)
        dialog.write_requested.connect(self._on_write_requested)
        dialog.finished.connect(self._on_finished)
        self._show_file()
        dialog.open()

    def _show_questions(self, form: str) -> None:
        """Show how many fields a form has, and how many questions of it are open."""
        dialog, project = self._dialog, self._session.project
        if dialog is None or project is None or self._file is not None or form == REPORT:
            if dialog is not None:
                dialog.show_questions("")
            return
        outline, answers = outline_of(form), project.statement
        dialog.show_empty(
            {"purpose": answers.purpose, "recipient": answers.recipient, "author": answers.responsible}
        )
        n_asking = sum(bool(field.asks) for field in outline.fields)
        n_open = len(outline.open_questions(answers))
        words = self.tr(
            "{n} fields, of which {asking} ask for answers: {open} of {total} questions are open."
        )
        counts = (len(outline.fields), n_asking, n_open, len(outline.asks))
        n_fields, asking, open_, total = map(as_exact_count, counts)
        dialog.show_questions(words.format(n=n_fields, asking=asking, open=open_, total=total))

    def _on_answers_requested(self, form: str) -> None:
        dialog, project = self._dialog, self._session.project
        if dialog is None or project is None:
            return
        outline = outline_of(form)
        title, names = _(outline.title), project.table.names
        asking = StatementDialog(title, project.statement, outline.asks, names, dialog)
        asking.answers_chosen.connect(lambda answers: self._on_answers_chosen(form, answers))
        asking.ask()

    def _on_answers_chosen(self, form: str, answers: StatementAnswers) -> None:
        self._session.change(self.tr("Answer a statement"), set_statement, answers)
        self._show_questions(form)

    def _refuse(self, reason: str) -> None:
        assert self._dialog is not None
        self._dialog.show_problem(
            self.tr("No report can be written about this release: {reason}.").format(
                reason=reason[:1].lower() + reason[1:]
            ),
            self.tr("Re-apply a node with the current settings, or undo the changes."),
            tone="warn",
        )
        self._dialog.write_button.setEnabled(False)
        self._dialog.write_button.setToolTip(reason)

    def _show_file(self) -> None:
        if self._dialog is None:
            return
        if self._file is not None:
            text = self.tr("Assesses {name} without changes.").format(name=self._file[0].name)
            self._dialog.show_file(text, is_verified=False, may_export=False)
            return
        now = self._written.now
        if now is None:
            text = self.tr("The release has not been exported, so the report has no file to verify.")
            self._dialog.show_file(text, is_verified=False, may_export=True)
        else:
            text = self.tr("Contains the values recomputed from {name}, and its SHA-256 checksum.")
            if now.is_on_cluster:
                text = self.tr("Contains the values recomputed from {name}, which the cluster wrote.")
            text = text.format(name=now.path.name)
            self._dialog.show_file(text, is_verified=True, may_export=False)

    def _on_export_requested(self) -> None:
        assert self._dialog is not None
        self._shows_after_export = True
        self._dialog.close()
        self.export_requested.emit()

    def on_export_closed(self) -> None:
        """Continue with the report that required the export."""
        if self._shows_after_export:
            self._shows_after_export = False
            self.show_release()

    def _on_write_requested(self, path: Path, may_replace: bool) -> None:
        dialog = self._dialog
        if dialog is None or (settings := dialog.settings) is None:
            return
        if self._file is not None:
            _path, material = self._file
        else:
            project, release = self._session.applied.made_with, self._session.applied.release
            if project is None or release is None or self._session.applied.can_release:
                return
            if (now := self._session.project) is not None:  # with its present attack test and answers
                project = replace(project, attack_test=now.attack_test, statement=now.statement)
            search = search_facts(self._session)
            pins = self._session.remembered.pins
            material = of_release(project, release, search, self._written.now, path.parent, pins)
        task = Task(write, material, settings, path, overwrite=may_replace)
        dialog.follow(task, lambda is_written: self._on_written(path, is_written))
        self._runner.start(task, key="report")

    def _on_written(self, path: Path, is_written: bool) -> None:
        if self._dialog is None:
            return
        if is_written:
            self._folder = path.parent
            self._dialog.show_done(self.tr("Written: {path}").format(path=path), folder=path.parent)
        else:
            self._dialog.ask_to_replace(path)

    def _on_project_opening(self) -> None:
        if self._dialog is not None and self._file is None:
            self._dialog.reject()

    def _on_finished(self, _result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            self._settings = dialog.settings or self._settings
            dialog.deleteLater()


Material = Callable[["ReportSettings", Monitor], "ReportInput"]
"""Returns what a report describes, read when it is written."""


def search_facts(session: Session) -> SearchFacts | None:
    """Return how much of the lattice was searched for the applied release; None if unknown."""
    from engine.report import SearchFacts

    release, profile = session.applied.release, session.results.profile
    if release is None or profile is None or session.applied.stale_text or session.shown.is_preview:
        return None
    scored, total = profile.n_scored, profile.problem.lattice.n_nodes
    if release.node is None or release.node != session.results.optimum:
        return SearchFacts("none", scored, total, given=release.node)
    return SearchFacts("optimal" if session.results.is_optimum_proved else "best_known", scored, total)


def of_release(
    project: Project,
    release: Release,
    search: SearchFacts | None,
    written: Written | None,
    folder: Path,
    pins: tuple[Pin, ...] = (),
) -> Material:
    """Return the material of a release; its recipe is shown as a file in `folder` would have it.

    The material raises `ExportError` if the released file changed after its verification.
    """

    def material(settings: ReportSettings, _monitor: Monitor) -> ReportInput:
        from engine.findings.subject import Subject
        from engine.report import ReportedRelease

        if written is not None and not written.is_on_cluster:
            _refuse_changed(written)
        verification = None if written is None else written.verification
        return ReportedRelease(Subject(project, release), settings, search, verification, folder, pins)

    return material


def write(
    material: Material, settings: ReportSettings, path: Path, monitor: Monitor = SILENT, *, overwrite: bool
) -> bool:
    """Write a report; return False for an existing file that may not be replaced.

    Raises
    ------
    ExportError
        The file cannot be written, or what it describes has changed.
    """
    from engine.report import refuse_report_ending, report_of, write_report

    refuse_report_ending(path)
    found = material(settings, monitor)
    if os.path.lexists(path) and not overwrite:
        return False
    write_report(report_of(found, PartMonitor(monitor, 0, 2)), path, PartMonitor(monitor, 1, 2))
    return True


def _refuse_changed(written: Written) -> None:
    from engine.report.sections.material import FileMark

    if FileMark.of(written.path) != written.verification.file:
        raise ExportError(
            _("'{name}' changed since it was verified.").format(name=written.path.name),
            hint=_("Export the release again: the report identifies the file by its verified checksum."),
            file=str(written.path),
        )
