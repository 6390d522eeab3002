"""A label that underlines the terms of the glossary with dots and explains them on hover."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QToolTip, QWidget

from anonymizer_gui.theming import current_theme
from anonymizer_gui.widgets.terms import FoundTerm, find_terms

_LINE_SEPARATOR = "\u2028"


class TermLabel(QLabel):
    """A plain label whose terms are explained."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._places_of: tuple[str, QRect] | None = None
        self._places: tuple[tuple[FoundTerm, list[QRectF]], ...] = ()

    def term_places(self) -> tuple[tuple[FoundTerm, list[QRectF]], ...]:
        """Return the terms with the rectangles of their words, one for each line of text that they are on."""
        now = (self.text(), self.contentsRect())
        if now != self._places_of:
            self._places_of, found = now, find_terms(self.text())
            self._places = self._find_places(found) if found else ()
        return self._places

    def term_at(self, position: QPoint) -> FoundTerm | None:
        """Return the term below a point of the label."""
        for term, rects in self.term_places():
            if any(rect.adjusted(-1, -1, 1, 2).contains(QPointF(position)) for rect in rects):
                return term
        return None

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not (places := self.term_places()):
            return
        painter = QPainter(self)
        pen = QPen(QColor(current_theme().text_3), 1)
        pen.setDashPattern([1, 2])
        painter.setPen(pen)
        ascent = self.fontMetrics().ascent()
        for _term, rects in places:
            for rect in rects:
                y = round(rect.top() + ascent) + 2.5
                painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._places_of = None

    def event(self, event: QEvent) -> bool:
        """Explain the term below the pointer; the label's own tooltip follows."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            term = self.term_at(event.pos())
            if term is not None:
                QToolTip.showText(event.globalPos(), self._explanation(term), self)
                return True
        return super().event(event)

    def _explanation(self, term: FoundTerm) -> str:
        text = f"<b>{escape(term.term)}</b>: {escape(term.meaning)}"
        own = self.toolTip()
        return f"<p>{text}</p>" + (f"<p>{escape(own)}</p>" if own else "")

    def _find_places(self, found: tuple[FoundTerm, ...]) -> tuple[tuple[FoundTerm, list[QRectF]], ...]:
        """Lay the text out as the label draws it."""
        area, text = self.contentsRect(), self.text().replace("\n", _LINE_SEPARATOR)
        layout = QTextLayout(text, self.font())
        option = QTextOption(self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask)
        wraps = self.wordWrap()
        option.setWrapMode(QTextOption.WrapMode.WordWrap if wraps else QTextOption.WrapMode.ManualWrap)
        layout.setTextOption(option)
        layout.beginLayout()
        height, leading = 0.0, self.fontMetrics().leading()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(area.width())
            height += leading
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        top = float(area.top())
        if self.alignment() & Qt.AlignmentFlag.AlignVCenter:
            top += (area.height() - height) / 2
        elif self.alignment() & Qt.AlignmentFlag.AlignBottom:
            top += area.height() - height
        return tuple((term, _rects(layout, term, QPointF(area.left(), top))) for term in found)


def _rects(layout: QTextLayout, term: FoundTerm, offset: QPointF) -> list[QRectF]:
    rects = []
    for number in range(layout.lineCount()):
        line = layout.lineAt(number)
        first = max(term.start, line.textStart())
        last = min(term.start + term.length, line.textStart() + line.textLength())
        if first < last:
            ends = [_x_of(line, place) for place in (first, last)]
            y = line.y() + offset.y()
            rects.append(QRectF(min(ends) + offset.x(), y, abs(ends[1] - ends[0]), line.height()))
    return rects


def _x_of(line: object, place: int) -> float:
    found = line.cursorToX(place)  # type: ignore[attr-defined]  # the stub has no overload for an int
    return float(found[0] if isinstance(found, tuple) else found)
