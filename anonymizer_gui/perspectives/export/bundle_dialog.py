"""Asks which files that explain a release are written, and into which folder."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QCheckBox, QFileDialog, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.job_strip import JobStrip
from anonymizer_gui.widgets.labels import make_label

_WIDTH = 540
_PARTS = (  # as `engine.project.export_bundle` names them
    ("mapping", "What became of each value of the quasi-identifying columns"),
    ("hierarchies", "The hierarchies"),
    ("recipe", "The recipe, without any table"),
    ("identifiers", "What was written for each value of the identifying columns"),
)


class BundleDialog(FittedDialog):
    """Shows and asks; the presenter writes."""

    write_requested = Signal(object, object, bool)  # folder, parts, whether files may be replaced
    cancel_requested = Signal()

    def __init__(self, folder: Path, *, has_reversible: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bundleDialog")
        self.setWindowTitle(self.tr("Files about the release"))
        self.setModal(True)
        self.setMinimumWidth(scaled(_WIDTH))
        self.folder_edit = QLineEdit(str(folder))
        self.folder_edit.setObjectName("bundleFolder")
        self.folder_edit.setAccessibleName(self.tr("Folder"))
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
        self.banner = ErrorBanner()
        self.job = JobStrip()
        self._done = make_label("", Text.CELL, "ok", wraps=True)
        self._done.setObjectName("bundleDone")
        self._done.hide()
        self.write_button = make_button(self.tr("Write"), kind="primary")
        self.write_button.setObjectName("writeBundleButton")
        self.write_button.setDefault(True)
        self.close_button = make_button(self.tr("Close"))
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(make_label(self.tr("Folder")))
        row.addWidget(self.folder_edit, 1)
        row.addWidget(self._browse)
        buttons = QHBoxLayout()
        buttons.addWidget(self.job, 1)
        buttons.addStretch(0)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.write_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(12)
        column.addLayout(row)
        for check in self.checks.values():
            column.addWidget(check)
        column.addWidget(secret)
        column.addWidget(self.banner)
        column.addWidget(self._done)
        column.addStretch(1)
        column.addLayout(buttons)
        self._browse.clicked.connect(self._on_browse_clicked)
        self.write_button.clicked.connect(lambda: self._request(may_replace=False))
        self.banner.action_requested.connect(lambda: self._request(may_replace=True))
        self.folder_edit.textChanged.connect(lambda _text: self.banner.hide())
        self.job.cancel_requested.connect(self.cancel_requested)
        self.close_button.clicked.connect(self.reject)
        for check in self.checks.values():
            check.toggled.connect(lambda _on: self._update())

    @property
    def written(self) -> str:
        """What was written, in words; empty before."""
        return "" if self._done.isHidden() else self._done.text()

    def show_busy(self, is_busy: bool) -> None:
        """While files are written nothing else can be chosen; Cancel is in the strip."""
        for widget in (self.folder_edit, self._browse, self.write_button, self.close_button):
            widget.setEnabled(not is_busy)
        if is_busy:
            self._done.hide()
            self.banner.hide()
            self.job.start(self.tr("Writing"))
        else:
            self.job.finish()

    def show_done(self, text: str) -> None:
        """Say what was written."""
        self._done.setText(text)
        self._done.show()
        self.fit()
        self.close_button.setFocus()

    def show_problem(self, problem: str, hint: str, *, may_replace: bool = False) -> None:
        """Say what kept the files from being written; `may_replace` where they are there already."""
        self.banner.show_error(problem, hint, self.tr("Replace") if may_replace else "", tone="warn")
        self.fit()
        if may_replace:
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

    def reject(self) -> None:
        if self.close_button.isEnabled():
            super().reject()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.close_button.isEnabled():
            super().closeEvent(event)
        else:
            event.ignore()
