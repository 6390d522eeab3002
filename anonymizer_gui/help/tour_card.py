"""Card of the tour: one sentence, one task, and a frame around the widget it refers to."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from anonymizer_gui.theming import Text, current_theme, scaled
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.icon_label import IconLabel
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox

_WIDTH, _MARGIN, _FRAME, _RADIUS = 380, 16, 3, 8


class TourCard(Card):
    """Card at the lower left of the window; `TourFrame` draws the frame around the widget."""

    next_requested = Signal()
    back_requested = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent=parent)
        self.setObjectName("tourCard")
        self.setAutoFillBackground(True)
        self._sentence = named(make_label("", Text.CELL, wraps=True), "tourSentence")
        self._task = named(make_label("", Text.CELL_STRONG, wraps=True), "tourTask")
        self._done = IconLabel("circle-check", 16, "ok")
        self._back = named(make_button(self.tr("Back"), small=True), "tourBack")
        self._next = named(make_button(self.tr("Next"), small=True), "tourNext")
        self._back.clicked.connect(self.back_requested)
        self._next.clicked.connect(self.next_requested)
        task = hbox((self._task, 1), self._done, spacing=8)
        buttons = hbox(self._back, STRETCH, self._next, spacing=8)
        self.set_body(vbox(self._sentence, task, buttons, spacing=10))
        close = named(make_icon_button("x", self.tr("Leave the tour")), "tourClose")
        close.clicked.connect(self.left)
        self.add_tool(close)
        parent.installEventFilter(self)
        self.hide()

    def show_stop(self, title: str, sentence: str, task: str, *, is_first: bool, is_last: bool) -> None:
        """Show a stop of the tour with its task not yet completed."""
        self.set_title(title)
        self._sentence.setText(sentence)
        self._task.setText(task)
        self._back.setEnabled(not is_first)
        self._next.setText(self.tr("Finish") if is_last else self.tr("Next"))
        self.show_done(is_done=False)
        self.show()
        self._place()
        self.raise_()

    def show_done(self, *, is_done: bool) -> None:
        """Mark the task of this stop as completed or not."""
        self._done.setVisible(is_done)
        self._next.setProperty("kind", "primary" if is_done else "")
        self._next.style().polish(self._next)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        parent, layout = self.parentWidget(), self.layout()
        assert parent is not None
        assert layout is not None
        width = min(scaled(_WIDTH), parent.width() - 2 * _MARGIN)
        self.setFixedWidth(width)
        layout.activate()
        height = self.heightForWidth(width)
        self.setGeometry(_MARGIN, parent.height() - height - 3 * _MARGIN, width, height)


class TourFrame(QWidget):
    """Frame around a widget; mouse clicks pass through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tourFrame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._around: QWidget | None = None
        parent.installEventFilter(self)
        self.hide()

    def show_around(self, widget: QWidget | None) -> None:
        """Draw the frame around a widget, or hide it for None."""
        if self._around is not None and isValid(self._around):  # a rebuilt part deletes its widgets
            self._around.removeEventFilter(self)
        self._around = widget
        if widget is not None:
            widget.installEventFilter(self)
        self._follow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self._follow()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(current_theme().color("accent"), _FRAME))
        inside = self.rect().adjusted(_FRAME, _FRAME, -_FRAME, -_FRAME)
        painter.drawRoundedRect(inside, _RADIUS, _RADIUS)

    def _follow(self) -> None:
        widget, parent = self._around, self.parentWidget()
        if widget is None or parent is None or not isValid(widget) or not widget.isVisible():
            self.hide()
            return
        place = QRect(widget.mapTo(parent, widget.rect().topLeft()), widget.size())
        self.setGeometry(place.adjusted(-_FRAME, -_FRAME, _FRAME, _FRAME).intersected(parent.rect()))
        self.show()
        self.raise_()
