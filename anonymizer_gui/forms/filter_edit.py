"""Text field for filter expressions, with completion and a mark at a syntax error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QRectF, QStringListModel, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView

from anonymizer_gui.theming import Text, font, theme_manager
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.labels import set_style_property
from engine.filters import ValueKind
from engine.filters.completion import Completions, Values, complete

_MOST_SHOWN = 10


class FilterEdit(Drawn, QLineEdit):
    """Enter submits; Enter or Tab accepts a completion, Ctrl+Space opens the list."""

    is_over = True

    filter_submitted = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._known: Mapping[str, ValueKind] = {}
        self._values: Values = _no_values
        self._offered = Completions(0, 0, ())
        self._error_at: int | None = None
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._completer.setWidget(self)
        self._completer.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._completer.setMaxVisibleItems(_MOST_SHOWN)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._popup.setObjectName("filterWords")
        self._popup.setAccessibleName(self.tr("Possible continuations"))
        self._completer.activated.connect(self._take)
        self.textEdited.connect(self._on_edited)

    def set_known(self, known: Mapping[str, ValueKind], values: Values) -> None:
        """Set the names that can be completed and the source of their values."""
        self._known, self._values = known, values

    def forget_known(self) -> None:
        """Drop all references to the table."""
        self.set_known({}, _no_values)

    def offered(self) -> tuple[str, ...]:
        """Return the completions in the open list, else an empty tuple."""
        return self._offered.words if self._popup.isVisible() else ()

    def show_error(self, position: int | None, problem: str, *, moves_cursor: bool = True) -> None:
        """Mark the position of a syntax error; None if it has no position.

        `moves_cursor` moves the cursor there; leave it False for an error shown while typing.
        """
        self._error_at = position
        set_style_property(self, "invalid", "true")
        self.setToolTip(problem)
        self.setAccessibleDescription(problem)
        if position is not None and moves_cursor:
            self.setCursorPosition(min(position, len(self.text())))
        self.update()

    def clear_error(self) -> None:
        """Remove the error mark."""
        self._error_at = None
        set_style_property(self, "invalid", "false")
        self.setToolTip("")
        self.setAccessibleDescription("")
        self.update()

    def error_span(self) -> tuple[int, int] | None:
        """Return start and end of the marked text, or None."""
        if self._error_at is None:
            return None
        text, start = self.text(), min(self._error_at, len(self.text()))
        end = text.find(" ", start)
        return start, max(len(text) if end < 0 else end, start + 1)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):  # before the focus moves
            offered = self.offered() if event.key() == Qt.Key.Key_Tab else ()
            if offered:
                self._take(self._popup.currentIndex().data() or offered[0])
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        closes = event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Backtab)
        if popup.isVisible() and (closes or (is_enter and popup.currentIndex().isValid())):
            event.ignore()  # lets the list handle the key
            return
        if is_enter:
            popup.hide()
            self.filter_submitted.emit(self.text())
            return
        if event.key() == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier:
            self._offer()
            return
        super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._popup.hide()

    def draw(self, painter: ThemedPainter) -> None:
        """Underline the error."""
        if (span := self.error_span()) is None:
            return
        # The text may be scrolled, so the cursor gives the left edge.
        measure, text = self.fontMetrics(), self.text()
        cursor = self.cursorRect()
        begin = cursor.center().x() - measure.horizontalAdvance(text[: self.cursorPosition()])
        left, right = (begin + measure.horizontalAdvance(text[:place]) for place in span)
        right = max(right, left + measure.averageCharWidth())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setClipRect(self.rect().adjusted(4, 0, -4, 0))
        painter.ink("danger", 2)
        line = QRectF(left, cursor.bottom() - 1, right - left, 0)
        painter.drawLine(line.topLeft(), line.topRight())

    def _on_edited(self, _text: str) -> None:
        self.clear_error()
        self._offer()

    def _offer(self) -> None:
        self._offered = complete(self.text(), self.cursorPosition(), self._known, self._values)
        popup = self._popup
        typed = self.text()[self._offered.start : self._offered.end]
        if not self._offered.words or self._offered.words == (typed,):
            popup.hide()
            return
        self._words.setStringList(list(self._offered.words))
        popup.setFont(font(Text.CELL))
        measure = popup.fontMetrics()
        room = max(measure.horizontalAdvance(word) for word in self._offered.words) + 40
        place = self.cursorRect()
        place.setWidth(min(room, max(self.width(), 160)))
        theme_manager().dress(self._popup)
        self._completer.complete(place)
        popup.setCurrentIndex(self._words.index(-1))

    def _take(self, word: str) -> None:
        found, text = self._offered, self.text()
        self._popup.hide()
        after = text[found.end :]
        space = "" if word.endswith((" ", "(")) or after.startswith(" ") else " "
        self.setText(text[: found.start] + word + space + after)
        self.setCursorPosition(found.start + len(word) + len(space))
        self.clear_error()
        self.textEdited.emit(self.text())


def _no_values(_name: str, _part: str) -> Sequence[str]:
    return ()
