"""Writes the supporting files of a release in a task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QWidget

from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task, TaskRunner
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.file_dialogs import typed_path
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox, named
from engine.monitor import SILENT, Monitor
from engine.project import Project, Transformation
from engine.recoding.ruled import rule_of
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from engine.recoding import Release


class BundlePresenter(QObject):
    """Opens the dialog above the export dialog."""

    def __init__(self, session: Session, runner: TaskRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = runner
        self._dialog: BundleDialog | None = None

    def show(self, release_path: Path, window: QWidget) -> None:
        """Open the dialog; the default is a folder next to the release."""
        project = self._session.project
        if project is None or self._session.applied.can_release or self._dialog is not None:
            return
        rules = [rule_of(project, name) for name in project.table.names]
        dialog = BundleDialog(
            release_path.parent / f"{release_path.stem or project.name}-about",
            has_reversible=any(rule is not None and rule.is_reversible for rule in rules),
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
            self._dialog.show_problem(self.tr("Nothing can be written: {reason}.").format(reason=reason), "")
            return
        task = Task(
            write_about, made_with, project.transformation, release, folder, parts, overwrite=may_replace
        )
        message = self.tr("Writing was cancelled."), self.tr("Files written before are complete.")
        self._runner.start(
            self._dialog.follow(task, self._on_written, lambda: message),
            label=self.tr("Writing supporting files"),
            key="export.about",
        )

    def _on_written(self, answer: tuple[list[Path], list[Path]]) -> None:
        if self._dialog is None:
            return
        written, there = answer
        if there:
            self._dialog.ask_to_replace_all(
                self.tr("{n} of these files already exist, such as '{name}'.").format(
                    n=len(there), name=there[0].name
                ),
                self.tr("Choose another folder, or replace the files. Their current content will be lost."),
            )
            return
        files = ngettext("{n} file", "{n} files", len(written)).format(n=len(written))
        self._dialog.show_done(self.tr("Written: {files}").format(files=files))

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
    """Write the files and return their paths, or else the existing files that were not replaced."""
    from engine.project.export_bundle import existing_files, write_bundle
    from engine.recoding.local import remade

    made_with = replace(made_with, transformation=transformation)
    release = remade(made_with, release)  # release with the current keys
    if not overwrite and (there := existing_files(made_with, release, folder, parts)):
        return [], there
    return write_bundle(made_with, release, folder, parts, monitor, overwrite=overwrite), []


_WIDTH = 540
_PARTS = (  # keys of `engine.project.export_bundle`
    ("mapping", N_("Value mapping of the quasi-identifying columns")),
    ("hierarchies", N_("Hierarchies")),
    ("recipe", N_("Recipe, without any table")),
    ("identifiers", N_("Replacement of each value of the identifying columns")),
)


class BundleDialog(WritingDialog):
    """Displays choices and emits requests; the presenter writes."""

    write_requested = Signal(object, object, bool)  # folder, parts, whether files may be replaced

    def __init__(self, folder: Path, *, has_reversible: bool, parent: QWidget | None = None) -> None:
        super().__init__("bundle", self.tr("Supporting files"), _WIDTH, self.tr("Writing"), parent)
        self.folder_edit = named(QLineEdit(str(folder)), "bundleFolder", self.tr("Folder"))
        self._browse = make_button(self.tr("Browse…"), icon_name="folder-open")
        self.checks: dict[str, QCheckBox] = {}
        for part, text in _PARTS:
            check: QCheckBox = ElidedCheckBox(_(text))
            check.setObjectName(f"bundle.{part}")
            check.setChecked(part != "identifiers")
            self.checks[part] = check
        self.checks["identifiers"].setEnabled(has_reversible)
        if not has_reversible:
            self.checks["identifiers"].setToolTip(self.tr("No pseudonym or hash can be traced to a value"))
        secret = make_label(
            self.tr("These files contain original values. Protect them like the original table."),
            Text.CELL,
            "text_2",
            wraps=True,
        )
        self.write_button = named(make_button(self.tr("Write"), kind="primary"), "writeBundleButton")
        self.write_button.setDefault(True)
        row = hbox(make_label(self.tr("Folder")), (self.folder_edit, 1), self._browse, spacing=6)
        self.lay_out(
            row,
            *self.checks.values(),
            secret,
            buttons=(self.close_button, self.write_button),
            locked=(self.folder_edit, self._browse, self.write_button),
        )
        self._browse.clicked.connect(self._on_browse_clicked)
        self.write_button.clicked.connect(lambda: self._request(may_replace=False))
        self.banner.action_requested.connect(lambda: self._request(may_replace=True))
        self.folder_edit.textChanged.connect(lambda _text: self.banner.hide())
        for check in self.checks.values():
            check.toggled.connect(lambda _on: self._update())

    def ask_to_replace_all(self, problem: str, hint: str) -> None:
        """Report that files exist, and offer to replace them."""
        self.banner.show_error(problem, hint, self.tr("Replace"), tone="warn")
        self.fit()
        self.banner.focus_action()

    def _request(self, *, may_replace: bool) -> None:
        text = self.folder_edit.text().strip()
        parts = tuple(part for part, check in self.checks.items() if check.isChecked())
        if text and parts:
            self.write_requested.emit(typed_path(text), parts, may_replace)
        else:
            self.folder_edit.setFocus()

    def _update(self) -> None:
        self.banner.hide()
        self.write_button.setEnabled(any(check.isChecked() for check in self.checks.values()))

    def _on_browse_clicked(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder"), self.folder_edit.text())
        if folder:
            self.folder_edit.setText(folder)
