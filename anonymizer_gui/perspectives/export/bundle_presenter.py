"""Writes the supporting files of a release in a task."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.list_editors import CheckList
from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.session import Session
from anonymizer_gui.tasks import Task
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox
from engine.monitor import SILENT, Monitor
from engine.project import Project, Transformation
from engine.recoding.ruled import rule_of
from engine.words import N_, _, ngettext

if TYPE_CHECKING:
    from engine.recoding import Release


class BundlePresenter(QObject):
    """Opens the dialog above the export dialog."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._runner = session.runner

    def show(self, release_path: Path, window: QWidget) -> None:
        """Open the dialog; the default is a folder next to the release."""
        project = self._session.project
        if project is None or self._session.applied.can_release:
            return
        rules = [rule_of(project, name) for name in project.table.names]
        dialog = BundleDialog(
            release_path.parent / f"{release_path.stem or project.name}-about",
            has_reversible=any(rule is not None and rule.is_reversible for rule in rules),
            parent=window,
        )
        dialog.write_requested.connect(
            lambda folder, may_replace: self._write(dialog, folder, may_replace=may_replace)
        )
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _write(self, dialog: BundleDialog, folder: Path, *, may_replace: bool) -> None:
        project, made_with = self._session.project, self._session.applied.made_with
        release = self._session.applied.release
        if project is None or made_with is None or release is None:
            return
        if reason := self._session.applied.can_release:
            dialog.show_problem(self.tr("Nothing can be written: {reason}.").format(reason=reason), "")
            return
        parts, transformation = dialog.parts.value(), project.transformation
        task = Task(write_about, made_with, transformation, release, folder, parts, overwrite=may_replace)
        message = self.tr("Writing was cancelled."), self.tr("Files written before are complete.")
        self._runner.start(
            dialog.follow(task, lambda answer: self._on_written(dialog, *answer), lambda: message),
            label=self.tr("Writing supporting files"),
            key="export.about",
        )

    def _on_written(self, dialog: BundleDialog, written: list[Path], there: list[Path]) -> None:
        if there:
            dialog.ask(
                self.tr("{n} of these files already exist, such as '{name}'.").format(
                    n=len(there), name=there[0].name
                ),
                self.tr("Choose another folder, or replace the files. Their current content will be lost."),
            )
            return
        files = ngettext("{n} file", "{n} files", len(written)).format(n=len(written))
        folder = written[0].parent if written else None
        dialog.show_done(self.tr("Written: {files}").format(files=files), folder=folder)


def write_about(
    made_with: Project,
    transformation: Transformation,
    release: Release,
    folder: Path,
    parts: Collection[str],
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

    def __init__(self, folder: Path, *, has_reversible: bool, parent: QWidget | None = None) -> None:
        super().__init__("bundle", self.tr("Supporting files"), _WIDTH, self.tr("Writing"), parent=parent)
        self.target.show_path(folder)
        self.parts = CheckList("bundle", [(part, _(text)) for part, text in _PARTS])
        self.parts.set_value([part for part, _text in _PARTS if part != "identifiers"])
        identifiers = self.parts.box("identifiers")
        identifiers.setEnabled(has_reversible)
        if not has_reversible:
            identifiers.set_hint(self.tr("No pseudonym or hash can be traced to a value"))
        secret = make_label(
            self.tr("These files contain original values. Protect them like the original table."),
            Text.CELL,
            "text_2",
            wraps=True,
        )
        self.write_button = make_button(self.tr("Write"), "writeBundleButton", kind="primary")
        row = hbox(make_label(self.tr("Folder")), self.target.row(), spacing=6)
        self.lay_out(
            row,
            self.parts,
            secret,
            buttons=(self.close_button, self.write_button),
            locked=(self.target.path_edit, self.target.browse_button, self.parts),
        )
        self.parts.changed.connect(self._update)

    def _update(self) -> None:
        self.banner.hide()
        self.write_button.setEnabled(bool(self.parts.value()))
