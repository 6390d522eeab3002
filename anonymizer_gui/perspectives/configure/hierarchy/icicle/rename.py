"""Line edit laid over a group, or a level, to change its label or name."""

from __future__ import annotations

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from anonymizer_gui.theming import Text, font, scaled

_LEAST_WIDTH, _HEIGHT = 120, 26


class RenameLine(QLineEdit):
    """Enter or loss of focus accepts the text; Escape cancels."""

    renamed = Signal(int, str, str)  # level, label, new label
    named = Signal(int, str)  # level, its new name, perhaps empty
    closed = Signal()

    def __init__(self, host: QWidget) -> None:
        super().__init__(host)
        self._host = host
        self._level, self._label, self._names_level = 0, "", False
        self.setObjectName("groupRename")
        self.setProperty("overlay", True)
        self.setProperty("compact", "true")
        self.setProperty("focus_ring", "none")  # its frame serves as the focus ring
        self.hide()

    def begin(self, level: int, label: str, box: QRect) -> None:
        """Show the line edit over the box of a group, with its label selected."""
        self.setAccessibleName(self.tr("New label of {label}").format(label=label))
        self.setPlaceholderText("")
        self._open(level, label, box, names_level=False)

    def begin_naming(self, level: int, name: str, proposal: str, box: QRect) -> None:
        """Show the line edit over the name of a level; without one, `proposal` is shown in grey."""
        self.setAccessibleName(self.tr("Name of level {level}").format(level=level))
        self.setPlaceholderText(proposal)
        self._open(level, name, box, names_level=True)

    def _open(self, level: int, label: str, box: QRect, *, names_level: bool) -> None:
        self._level, self._label, self._names_level = level, label, names_level
        self.setFont(font(Text.CELL))
        self.setText(label)
        place = QRect(box.topLeft(), box.size())
        place.setWidth(max(box.width(), scaled(_LEAST_WIDTH)))
        place.setHeight(scaled(_HEIGHT))
        host = self._host.rect()
        place.moveLeft(min(max(place.left(), 2), host.width() - place.width() - 2))
        place.moveTop(min(max(box.top(), 2), host.height() - place.height() - 2))
        self.setGeometry(place)
        self.show()
        self.raise_()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def cancel(self) -> None:
        """Hide the line edit without a change."""
        if self.isVisible():
            had_focus = self.hasFocus()
            self._level = 0
            self.hide()
            if had_focus:
                self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancel()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._finish()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._finish()

    def _finish(self) -> None:
        level, text = self._level, self.text().strip()
        self.cancel()
        if not level or text == self._label:
            return
        if self._names_level:
            self.named.emit(level, text)
        elif text:
            self.renamed.emit(level, self._label, text)
