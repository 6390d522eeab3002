"""Runs the dialog of population and subset: counts while it is filled, and makes the edit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.configure.table.population_choice import (
    PopulationChoice,
    choice_of,
    preview_of,
    read_people,
    read_rows,
    setting_of,
)
from anonymizer_gui.perspectives.configure.table.population_dialog import PopulationDialog
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import TaskRunner
from anonymizer_gui.widgets.file_dialogs import ask_open
from engine.errors import AnonymizerError
from engine.project import edits
from engine.project.population import Population
from engine.project.subset import Subset
from engine.table.filtering import filter_names, values_like


class PopulationPresenter(QObject):
    """At most one dialog; its result is one undo step."""

    def __init__(
        self, session: Session, runner: TaskRunner, view: QWidget, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._runner, self._view = session, runner, view
        self._dialog: PopulationDialog | None = None

    def ask(self) -> None:
        """Open the dialog with the settings of the project."""
        project = self._session.project
        if project is None or self._dialog is not None:
            return
        dialog = self._dialog = PopulationDialog(choice_of(project), self._view)
        table = project.table
        dialog.filter_edit.set_known(filter_names(table), lambda name, part: values_like(table, name, part))
        dialog.choice_changed.connect(self._on_choice_changed)
        dialog.choice_made.connect(self._on_choice_made)
        dialog.people_requested.connect(self._on_people_requested)
        dialog.rows_requested.connect(self._on_rows_requested)
        dialog.finished.connect(self._on_finished)
        dialog.open()

    def _on_choice_changed(self, choice: PopulationChoice) -> None:
        if (project := self._session.project) is not None:
            self._start("preview", preview_of, choice, project.table, then=PopulationDialog.show_preview)

    def _on_people_requested(self) -> None:
        project, path = self._session.project, self._ask_for_table(self.tr("Population table"))
        if project is not None and path is not None:
            self._start("people", read_people, path, project, then=PopulationDialog.show_people)

    def _on_rows_requested(self) -> None:
        project, path = self._session.project, self._ask_for_table(self.tr("Records of the subset"))
        if project is not None and path is not None:
            self._start("rows", read_rows, path, project, then=PopulationDialog.show_rows)

    def _on_choice_made(self, choice: PopulationChoice) -> None:
        project = self._session.project
        if project is None:
            return
        made = setting_of(choice)
        if isinstance(made, Subset):
            self._session.edit(self.tr("Set subset"), edits.set_subset(project, made))
        elif isinstance(made, Population):
            self._session.edit(self.tr("Set population"), edits.set_population(project, made))
        else:
            after = edits.set_subset(edits.set_population(project, None), None)
            self._session.edit(self.tr("Remove population"), after)

    def _on_finished(self, _result: int) -> None:
        for key in ("preview", "people", "rows"):
            self._runner.cancel(f"configure.{key}")
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None

    def _ask_for_table(self, title: str) -> Path | None:
        from engine.table.readers import table_endings

        endings = " ".join(f"*{ending}" for ending in table_endings())
        assert self._dialog is not None
        return ask_open(
            self._dialog, title, self.tr("Tables ({endings});;All files (*)").format(endings=endings)
        )

    def _start(
        self,
        key: str,
        function: Callable[..., Any],
        *args: Any,
        then: Callable[[PopulationDialog, Any], None],
    ) -> None:
        """Run a job for the dialog, which may be closed before it ends."""

        def show(found: Any) -> None:
            if self._dialog is not None:
                then(self._dialog, found)

        self._runner.run(function, *args, then=show, otherwise=self._show_error, key=f"configure.{key}")

    def _show_error(self, error: AnonymizerError) -> None:
        if self._dialog is not None:
            position = error.context.get("position")
            place = position if isinstance(position, int) else None
            self._dialog.show_error(error.problem, error.hint, place)
