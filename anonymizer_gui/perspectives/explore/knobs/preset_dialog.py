"""Published thresholds with their sources: what one sets, what leaves for it and what stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QGridLayout, QListWidget, QListWidgetItem, QWidget

from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.fitted_dialog import FittedDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, named, vbox

_ROW = 26  # of the list


@dataclass(frozen=True, slots=True)
class PresetWords:
    """A preset in words."""

    key: str
    title: str
    says: str
    sets: str
    leaves: str
    keeps: str
    source: str
    caution: str


class PresetDialog(FittedDialog):
    """Nothing is set before the source and the sentence of caution stand on the screen."""

    preset_chosen = Signal(str)

    def __init__(self, presets: Sequence[PresetWords], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("presetDialog")
        self.setWindowTitle(self.tr("Published thresholds"))
        self.setMinimumWidth(scaled(680))
        self._presets = tuple(presets)
        self.list = named(QListWidget(), "presetList", self.tr("Presets"))
        for preset in self._presets:
            item = QListWidgetItem(preset.title, self.list)
            item.setSizeHint(QSize(0, scaled(_ROW)))
        self.list.setFixedWidth(scaled(248))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.currentRowChanged.connect(self._show)
        self.list.itemActivated.connect(lambda _item: self._on_accept_clicked())
        self._title = make_label("", Text.HEADING, wraps=True)
        self._says = make_label("", Text.CELL, "text_2", wraps=True)
        self._lines = {
            name: make_label("", Text.CELL, wraps=True) for name in ("sets", "leaves", "keeps", "source")
        }
        captions = {
            "sets": self.tr("Sets"),
            "leaves": self.tr("Removes"),
            "keeps": self.tr("Keeps"),
            "source": self.tr("Source"),
        }
        grid = QGridLayout()
        grid.setColumnStretch(1, 1)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        for row, (name, label) in enumerate(self._lines.items()):
            label.setObjectName(f"preset.{name}")
            caption = make_label(captions[name], Text.CELL, "text_3")
            grid.addWidget(caption, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(label, row, 1)
        self._caution = named(make_label("", Text.CELL, "warn", wraps=True), "preset.caution")
        details = vbox(self._title, self._says, grid, self._caution, STRETCH, spacing=12)
        cancel = make_button(self.tr("Cancel"))
        cancel.clicked.connect(self.reject)
        accept = named(make_button(self.tr("Set these thresholds"), kind="primary"), "acceptButton")
        accept.setDefault(True)
        accept.clicked.connect(self._on_accept_clicked)
        whole = QGridLayout(self)
        whole.setContentsMargins(16, 16, 16, 16)
        whole.setHorizontalSpacing(16)
        whole.setVerticalSpacing(16)
        whole.addWidget(self.list, 0, 0)
        whole.addLayout(details, 0, 1)
        whole.addLayout(button_row(cancel, accept), 1, 0, 1, 2)
        whole.setColumnStretch(1, 1)
        self.list.setCurrentRow(0)
        self.list.setFocus()

    def _show(self, row: int) -> None:
        preset = self._presets[row]
        self._title.setText(preset.title)
        self._says.setText(preset.says)
        for name, label in self._lines.items():
            label.setText(getattr(preset, name))
        self._caution.setText(preset.caution)
        if self.isVisible():
            self.fit()

    def _on_accept_clicked(self) -> None:
        self.preset_chosen.emit(self._presets[self.list.currentRow()].key)
        self.accept()
