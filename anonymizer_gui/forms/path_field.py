"""A field for the path of a file, with a button that asks for it."""

from __future__ import annotations

from PySide6.QtCore import QDynamicPropertyChangeEvent, QEvent, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from anonymizer_gui.widgets import file_dialogs
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import set_style_property


class PathField(QWidget):
    """The path may be typed or chosen; what is wrong with it is shown at the line."""

    changed = Signal()

    def __init__(self, title: str, filters: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title, self._filters = title, filters
        self.line = QLineEdit()
        self.line.setPlaceholderText(self.tr("none"))
        self.line.setAccessibleName(title)
        self.line.textChanged.connect(lambda _text: self.changed.emit())
        self.button = make_button(self.tr("Choose…"), small=True)
        self.button.setAccessibleName(self.tr("Choose {0}").format(title.lower()))
        self.button.clicked.connect(self._on_choose)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.line, 1)
        row.addWidget(self.button)
        self.setFocusProxy(self.line)

    def path(self) -> str:
        """The path as it is written, empty for none."""
        return self.line.text().strip()

    def set_path(self, path: str) -> None:
        """Write a path."""
        self.line.setText(path)

    def _on_choose(self) -> None:
        path = file_dialogs.ask_open(self, self.tr("Choose {0}").format(self._title.lower()), self._filters)
        if path is not None:
            self.set_path(str(path))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QDynamicPropertyChangeEvent) and event.propertyName() == b"invalid":
            set_style_property(self.line, "invalid", self.property("invalid"))
        return super().event(event)
