"""Asks which files that explain a release are written, and into which folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QFileDialog, QLineEdit, QWidget

from anonymizer_gui.forms.writing import WritingDialog
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import hbox, named

_WIDTH = 540
_PARTS = (  # as `engine.project.export_bundle` names them
    ("mapping", "What became of each value of the quasi-identifying columns"),
    ("hierarchies", "The hierarchies"),
    ("recipe", "The recipe, without any table"),
    ("identifiers", "What was written for each value of the identifying columns"),
)


class BundleDialog(WritingDialog):
    """Shows and asks; the presenter writes."""

    write_requested = Signal(object, object, bool)  # folder, parts, whether files may be replaced

    def __init__(self, folder: Path, *, has_reversible: bool, parent: QWidget | None = None) -> None:
        super().__init__("bundle", self.tr("Files about the release"), _WIDTH, self.tr("Writing"), parent)
        self.folder_edit = named(QLineEdit(str(folder)), "bundleFolder", self.tr("Folder"))
        self._browse = make_button(self.tr("Browse…"), icon_name="folder-open")
        self.checks: dict[str, QCheckBox] = {}
        for part, text in _PARTS:
            check: QCheckBox = ElidedCheckBox(self.tr(text))
            check.setObjectName(f"bundle.{part}")
            check.setChecked(part != "identifiers")
            self.checks[part] = check
        self.checks["identifiers"].setEnabled(has_reversible)
        if not has_reversible:
            self.checks["identifiers"].setToolTip(self.tr("No pseudonym or hash leads back to a value"))
        secret = make_label(
            self.tr("These files name original values: keep them as safe as the table itself."),
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
        """Say that files are there already, and offer to replace them."""
        self.banner.show_error(problem, hint, self.tr("Replace"), tone="warn")
        self.fit()
        self.banner.focus_action()

    def _request(self, *, may_replace: bool) -> None:
        text = self.folder_edit.text().strip()
        parts = tuple(part for part, check in self.checks.items() if check.isChecked())
        if text and parts:
            self.write_requested.emit(Path(text).expanduser(), parts, may_replace)
        else:
            self.folder_edit.setFocus()

    def _update(self) -> None:
        self.banner.hide()
        self.write_button.setEnabled(any(check.isChecked() for check in self.checks.values()))

    def _on_browse_clicked(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.tr("Folder"), self.folder_edit.text())
        if folder:
            self.folder_edit.setText(folder)
