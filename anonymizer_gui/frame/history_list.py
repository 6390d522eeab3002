"""The steps of Undo and Redo as a list, to go back and forth in by one click."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from anonymizer_gui.theming import Text, current_theme, font, icon, scaled, theme_manager
from anonymizer_gui.widgets.labels import make_label

WIDTH, ROW, MOST_ROWS = 320, 26, 14


class _Steps(QListWidget):
    """Enter is a click."""

    taken = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.itemClicked.connect(lambda item: self.taken.emit(self.row(item)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.taken.emit(self.currentRow())
        else:
            super().keyPressEvent(event)


class HistoryList(QFrame):
    """The popup; Escape or a click beside it closes it."""

    step_requested = Signal(int)  # how many steps are to stand

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("historyList")
        self.setProperty("card", "true")
        self.setAccessibleName(self.tr("History"))
        self._steps = _Steps()
        self._steps.setObjectName("historySteps")
        self._steps.setAccessibleName(self.tr("Steps, the first one first"))
        self._steps.setFrameShape(QFrame.Shape.NoFrame)
        self._steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._steps.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._steps.setProperty("focus_ring", "inside")
        self._steps.taken.connect(self.step_requested)
        self._title = make_label("", Text.TITLE)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self._steps)
        theme_manager().theme_changed.connect(self.hide)

    def show_steps(self, title: str, steps: Sequence[str], step: int, saved: int) -> None:
        """Show the steps with the one that stands last, and the one that is in the file (-1 for none)."""
        self._title.setText(title)
        theme = current_theme()
        blank = QPixmap(14, 14)
        blank.fill(Qt.GlobalColor.transparent)
        self._steps.clear()
        for number, text in enumerate((self.tr("Beginning"), *steps)):
            words = self.tr("{0} (saved)").format(text) if number == saved else text
            item = QListWidgetItem(words)
            item.setToolTip(words)
            item.setSizeHint(QSize(0, scaled(ROW)))
            item.setFont(font(Text.CELL_STRONG if number == step else Text.CELL))
            item.setForeground(QColor(theme.text_3 if number > step else theme.text))
            item.setIcon(icon("check", 14, "accent") if number == step else blank)
            self._steps.addItem(item)
        self._steps.setCurrentRow(step)
        rows = min(self._steps.count(), MOST_ROWS)
        self._steps.setFixedHeight(rows * scaled(ROW) + 2)
        self._steps.scrollToItem(self._steps.item(step))

    def texts(self) -> list[str]:
        """What is listed."""
        return [self._steps.item(row).text() for row in range(self._steps.count())]

    def open_below(self, corner: QPoint) -> None:
        """Open with the upper right corner there."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.setFixedWidth(scaled(WIDTH))
        self.resize(self.width(), self.sizeHint().height())
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self._steps.setFocus(Qt.FocusReason.PopupFocusReason)
