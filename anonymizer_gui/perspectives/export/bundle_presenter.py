"""Writes the files that explain a release, in a task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.perspectives.export.bundle_dialog import BundleDialog
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from engine.monitor import SILENT, Monitor
from engine.project import Project, Transformation

if TYPE_CHECKING:
    from engine.recoding import Release


class BundlePresenter(QObject):
    """Opens the dialog over the one of the export."""

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._dialog: BundleDialog | None = None

    def show(self, release_path: Path, window: QWidget) -> None:
        """Ask which files and where, by default into a folder beside the release."""
        project = self._session.project
        if project is None or self._session.applied.can_release or self._dialog is not None:
            return
        rules = [project.transformation.rule_of(name) for name in project.identifying]
        dialog = BundleDialog(
            release_path.with_name(f"{release_path.stem}-about"),
            has_reversible=any(rule.is_reversible for rule in rules),
            parent=window,
        )
        self._dialog = dialog
        dialog.write_requested.connect(self._on_write_requested)
        dialog.finished.connect(self._on_finished)
        dialog.open()

    def _on_write_requested(self, folder: Path, parts: tuple[str, ...], may_replace: bool) -> None:
        project, made_with = self._session.project, self._session.applied.made_with
        release = self._session.applied.release
        if project is None or made_with is None or release is None or self._dialog is None:
            return
        if reason := self._session.applied.can_release:
            self._dialog.show_problem(self.tr("Nothing can be written: {0}.").format(reason), "")
            return
        task = Task(
            write_about, made_with, project.transformation, release, folder, parts, overwrite=may_replace
        )
        told = self.tr("Writing was cancelled."), self.tr("Files written before that are whole.")
        self._runner.start(
            self._dialog.follow(task, self._on_written, lambda: told),
            label=self.tr("Writing files about the release"),
            key="export.about",
        )

    def _on_written(self, answer: tuple[list[Path], list[Path]]) -> None:
        if self._dialog is None:
            return
        written, there = answer
        if there:
            self._dialog.ask_to_replace_all(
                self.tr("{0} of these files exist already, such as '{1}'.").format(len(there), there[0].name),
                self.tr("Choose another folder, or replace them; what they hold now is lost then."),
            )
            return
        files = self.tr("1 file") if len(written) == 1 else self.tr("{0} files").format(len(written))
        self._dialog.show_done(self.tr("Written: {0}").format(files))

    def _on_finished(self, _result: int) -> None:
        if self._dialog is not None:
            self._dialog.deleteLater()
            self._dialog = None


def write_about(
    made_with: Project,
    transformation: Transformation,
    release: Release,
    folder: Path,
    parts: tuple[str, ...],
    monitor: Monitor = SILENT,
    *,
    overwrite: bool,
) -> tuple[list[Path], list[Path]]:
    """Return what was written, and else what is there already and was not to be replaced."""
    from engine.project.export_bundle import existing_files, write_bundle
    from engine.recoding.local import remade

    made_with = replace(made_with, transformation=transformation)
    release = remade(made_with, release)  # what leaves now, with the keys of now
    if not overwrite and (there := existing_files(made_with, release, folder, parts)):
        return [], there
    return write_bundle(made_with, release, folder, parts, monitor, overwrite=overwrite), []
