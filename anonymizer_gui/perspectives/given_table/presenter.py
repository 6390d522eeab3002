"""Assesses a table: reads it, suggests roles, and measures again after every change."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.given_table.assessment import (
    AssessmentRequest,
    assess_table,
    n_suppressed,
    report_material,
    suggest_columns,
    told_besides,
)
from anonymizer_gui.perspectives.given_table.view import EXPOSED, UTILITY, WILDCARDS, GivenTablePerspective
from anonymizer_gui.session.saving import holds_project
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.widgets.file_dialogs import Opener, ask_save, ask_table
from engine.errors import InputError
from engine.files import atomic_write
from engine.numbers import as_exact_count
from engine.records import Role, Table
from engine.words import _

if TYPE_CHECKING:
    from engine.findings.table_assessment import TableAssessment
    from engine.qi_detection.suggest import RoleSuggestion


class GivenTablePresenter(QObject):
    """Independent of the project: an assessment needs neither recipe nor hierarchies."""

    opened = Signal()  # a table is ready to be assessed
    left = Signal()
    # Path, counted unit, function that returns its ReportedFile.
    report_requested = Signal(object, object, object)

    def __init__(self, runner: TaskRunner, tables: Opener, originals: Opener, window: QWidget) -> None:
        view = GivenTablePerspective()
        super().__init__(view)
        self.view = view
        self._runner, self._window = runner, window
        self._tables, self._originals = tables, originals
        self._path: Path | None = None
        self._table: Table | None = None
        self._original: tuple[Path, Table] | None = None
        self._assessment: TableAssessment | None = None
        self._threshold, self._wildcards = 0.2, ""
        tables.read.connect(self._on_table_read)
        tables.failed.connect(runner.error_raised)
        originals.read.connect(self._on_original_read)
        originals.failed.connect(view.error.show_failure)
        view.back_requested.connect(self._on_back)
        view.another_requested.connect(self.ask)
        view.original_requested.connect(self._on_original_requested)
        view.original_dropped.connect(self._on_original_dropped)
        view.copy_requested.connect(self._on_copy)
        view.save_requested.connect(self._on_save)
        view.report_requested.connect(self._on_report)
        view.retry_requested.connect(self._measure)
        view.threshold_chosen.connect(self._on_threshold)
        view.columns.roles_changed.connect(self._on_roles_changed)
        view.columns.options_changed.connect(self._on_options_changed)

    def ask(self) -> None:
        """Let the user choose a table to assess."""
        path = ask_table(self._window, self.tr("Assess an anonymized file"))
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Assess a file; errors are raised by the runner."""
        error = _no_table(path)
        if error is not None:
            self._runner.error_raised.emit(error)
        else:
            self._tables.open(path)

    # -- reading -------------------------------------------------------------------------------

    def _on_table_read(self, path: Path, reading: Any) -> None:
        self._path, self._table = path, reading.table
        self._original = self._assessment = None
        table: Table = reading.table
        facts = self.tr("{n_records} records · {n} columns")
        facts = facts.format(n_records=as_exact_count(table.n_records), n=len(table.columns))
        view = self.view
        view.error.hide()
        view.show_file(path.name, facts)
        view.show_original("")
        view.show_empty(self.tr("Examining the columns."))
        view.columns.reset_options()
        view.columns.model.show_table(table, {}, {})
        view.columns.show_counts(0, 0)
        view.threshold.show_share(self._threshold)
        view.besides.hide()
        sheet = reading.options.sheet or ""
        self._start("judge.besides", told_besides, path, sheet, then=view.show_besides)
        self._start(
            "judge.roles", suggest_columns, table, then=lambda found: self._on_suggested(table, found)
        )
        self.opened.emit()

    def _on_suggested(self, table: Table, found: tuple[RoleSuggestion, ...]) -> None:
        if table is self._table:
            roles, reasons = {s.column: s.role for s in found}, {s.column: s.reason for s in found}
            self.view.columns.model.show_table(table, roles, reasons)
            self._on_roles_changed()

    def _on_original_requested(self) -> None:
        path = ask_table(self._window, self.tr("Choose the original table"))
        if path is None:
            return
        error = _no_table(path)
        if error is not None:
            self.view.error.show_failure(error)
        else:
            self.view.error.hide()
            self._originals.open(path)

    def _on_original_read(self, path: Path, reading: Any) -> None:
        self._original = (path, reading.table)
        self.view.show_original(path.name)
        self.view.details.show_page(UTILITY)
        self._measure()

    def _on_original_dropped(self) -> None:
        self._original = None
        self.view.show_original("")
        self._measure()

    # -- measuring -----------------------------------------------------------------------------

    def _request(self) -> AssessmentRequest:
        columns = self.view.columns
        return AssessmentRequest(
            columns.model.names(Role.QUASI_IDENTIFYING),
            columns.model.names(Role.SENSITIVE),
            self._threshold,
            columns.options,
        )

    def _on_roles_changed(self) -> None:
        model = self.view.columns.model
        self.view.columns.show_others(model.others, model.other_numbers)
        table, request = self._table, self._request()
        if table is None:
            return
        self.view.columns.show_counts(len(request.quasi_identifying), len(request.sensitive))
        self._start(
            "judge.stars",
            n_suppressed,
            table,
            request.quasi_identifying,
            then=self.view.columns.show_suppressed,
        )
        self._measure()

    def _on_options_changed(self) -> None:
        wildcards = self.view.columns.options.wildcards
        if wildcards and wildcards != self._wildcards:
            self.view.details.show_page(WILDCARDS)
        self._wildcards = wildcards
        self._measure()

    def _on_threshold(self, threshold: float) -> None:
        self._threshold = threshold
        self._measure()

    def _measure(self) -> None:
        table, request = self._table, self._request()
        if table is None:
            return
        self.view.error.hide()
        if not request.quasi_identifying:
            self._runner.cancel("judge")
            self._assessment = None
            self.view.show_empty(self.tr("Select the columns that attackers could know about a person."))
            return
        original = None if self._original is None else self._original[1]
        if self._assessment is None:
            self.view.show_empty(self.tr("Assessing the table."))
        self.view.show_updating(True)
        task = Task(assess_table, table, request, original)
        task.succeeded.connect(self._show)
        task.failed.connect(self._on_assessment_failed)
        task.cancelled.connect(lambda: self._on_cancelled(task))
        self._runner.start(task, label=self.tr("Assessing the table"), key="judge")

    def _show(self, found: TableAssessment) -> None:
        self._assessment = found
        view = self.view
        view.show_updating(False)
        view.show_counted(found.given.counted)
        statement = found.statement()
        view.show_statement(statement.sentence, statement.caption, statement.tone)
        view.models.show_blocks([found.models])
        view.attacks.show_blocks([found.attack_table])
        view.attacks_card.set_caption(found.attack_counts)
        view.risks.show_blocks(found.risks)
        n_shown, n_classes = len(found.exposed), found.check.n_classes
        caption = self.tr("{n_shown} of {n_classes} classes, the smallest first")
        if n_shown == n_classes:
            caption = self.tr("all {n_classes} classes, the smallest first")
        caption = caption.format(n_shown=as_exact_count(n_shown), n_classes=as_exact_count(n_classes))
        view.details.show_details(EXPOSED, [found.exposed_table], caption)
        view.details.show_details(UTILITY, found.lost)
        view.details.show_misfit(found.misfit)
        counts = "" if found.wildcards is None else found.wildcards.counts
        view.details.show_details(WILDCARDS, found.second_reading, counts)

    def _on_assessment_failed(self, error: Exception) -> None:
        self.view.show_updating(False)
        self._assessment = None
        self.view.show_empty(self.tr("This cannot be assessed; see the message above."), can_retry=True)
        self.view.error.show_failure(error)

    def _on_cancelled(self, task: Task) -> None:
        if self._runner.running("judge") is not None or self._table is None:
            return  # superseded by another one
        if not self._request().quasi_identifying:
            return
        self.view.show_updating(False)
        hint = self.tr("These results belong to the previous column selection.")
        if self._assessment is None:
            hint = self.tr("Nothing measured yet.")
            self.view.show_empty(self.tr("The assessment was cancelled."), can_retry=True)
        self.view.error.show_error(
            self.tr("The assessment was cancelled."), hint, self.tr("Assess again"), tone="warn"
        )

    # -- output --------------------------------------------------------------------------------

    def _on_copy(self) -> None:
        if self._assessment is not None and self._path is not None:
            QGuiApplication.clipboard().setText(f"{self._path.name}\n{self._assessment.as_text()}")
            self.view.show_note(self.tr("copied"))

    def _on_save(self) -> None:
        found, path = self._assessment, self._path
        if found is None or path is None:
            return
        name = f"{path.name.split('.')[0]}-judged.json"
        target = ask_save(self._window, self.tr("Save values"), self.tr("Values (*.json)"), name, "json")
        if target is not None:
            self._start(
                "judge.save",
                _save,
                found,
                target,
                then=lambda _none: self.view.show_note(self.tr("saved as {name}").format(name=target.name)),
            )

    def _on_report(self) -> None:
        path, found, original = self._path, self._assessment, self._original
        if path is not None and found is not None:
            self.report_requested.emit(
                path,
                found.given.counted,
                lambda settings, _monitor: report_material(path, found, original, settings),
            )

    def _on_back(self) -> None:
        self._runner.cancel("judge")
        self.left.emit()

    def _start(self, key: str, function: Callable[..., Any], *args: Any, then: Callable[[Any], None]) -> None:
        self._runner.run(function, *args, then=then, otherwise=self.view.error.show_failure, key=key)


def _save(found: TableAssessment, path: Path) -> None:
    text = json.dumps(found.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    with atomic_write(path) as file:
        file.write((text + "\n").encode())


def _no_table(path: Path) -> InputError | None:
    """Return why a path cannot be a table, before it is read."""
    if os.path.isdir(path):
        return InputError(
            _("'{name}' is a folder.").format(name=path.name), hint=_("Choose a table in the folder.")
        )
    if holds_project(path):
        return InputError(
            _("'{name}' is a project or recipe, not a released table.").format(name=path.name),
            hint=_("Choose the exported file; File > Open opens projects and recipes."),
        )
    return None
