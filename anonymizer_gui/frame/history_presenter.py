"""List of undo steps, from which the user selects the step to return to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from anonymizer_gui.frame.perspective_bar import PerspectiveBar
from anonymizer_gui.session import Session
from anonymizer_gui.theming import Text, current_theme, font, icon, scaled, theme_manager
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named, vbox


class HistoryPresenter(QObject):
    """Connects the steps of the session with their list."""

    def __init__(self, window: QWidget, bar: PerspectiveBar, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._bar = session, bar
        self._list = HistoryList(window)
        self._list.step_requested.connect(self._on_step_requested)

    def actions(self) -> Mapping[str, Callable[[], object]]:
        """Handlers of menu entries by id."""
        return {"history": self.show_list}

    def show_list(self) -> None:
        """Open the list below its button; while a draft is edited it has the steps of the draft."""
        if self._session.project is None:
            return
        self._show()
        self._list.open_below(self._bar.history_corner())

    def _show(self) -> None:
        session = self._session
        title = self.tr("History of this draft") if session.history.is_drafting else self.tr("History")
        self._list.show_steps(title, session.history.texts, session.history.step, session.history.saved_step)

    def _on_step_requested(self, step: int) -> None:
        self._session.go_to_step(step)
        self._show()


WIDTH, ROW, MOST_ROWS = 320, 26, 14


class _Steps(QListWidget):
    """List view in which Enter works like a click."""

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
    """Popup with the steps; Escape or a click outside closes it."""

    step_requested = Signal(int)  # number of steps to keep applied

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("historyList")
        self.setProperty("card", "true")
        self.setAccessibleName(self.tr("History"))
        self._steps = named(_Steps(), "historySteps", self.tr("Steps, oldest first"))
        self._steps.setFrameShape(QFrame.Shape.NoFrame)
        self._steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._steps.setTextElideMode(Qt.TextElideMode.ElideRight)
        self._steps.setProperty("focus_ring", "inside")
        self._steps.taken.connect(self.step_requested)
        self._title = make_label("", Text.TITLE)
        vbox(self._title, self._steps, spacing=8, margins=(12, 10, 12, 10), of=self)
        theme_manager().theme_changed.connect(self.hide)

    def show_steps(self, title: str, steps: Sequence[str], step: int, saved: int) -> None:
        """Show the steps; `step` are applied, `saved` are in the file (-1 for none)."""
        self._title.setText(title)
        theme = current_theme()
        blank = QPixmap(14, 14)
        blank.fill(Qt.GlobalColor.transparent)
        self._steps.clear()
        for number, text in enumerate((self.tr("Start"), *steps)):
            words = self.tr("{text} (saved)").format(text=text) if number == saved else text
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
        """Return the texts of the list."""
        return [self._steps.item(row).text() for row in range(self._steps.count())]

    def open_below(self, corner: QPoint) -> None:
        """Open with the upper right corner at a point."""
        layout = self.layout()
        assert layout is not None
        layout.activate()
        self.setFixedWidth(scaled(WIDTH))
        self.resize(self.width(), self.sizeHint().height())
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self._steps.setFocus(Qt.FocusReason.PopupFocusReason)
