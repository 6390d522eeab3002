"""Labels with sizes from the type table and colours from the tokens."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QHelpEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QStyleOption, QStylePainter, QToolTip, QWidget

from anonymizer_gui.theming import Text, font
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.terms import FoundTerm, find_terms

_LINE_SEPARATOR = "\u2028"


class TermLabel(Drawn, QLabel):
    """A plain label whose terms are explained; the first of its card with a term underlines it."""

    is_over = True

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

    def underlined(self) -> list[QRectF]:
        """Return the rectangles of the terms that no earlier label of the card has."""
        above: set[str] = set()
        if not (own := self.term_places()):
            return []
        card = self._card()
        here = self._place_in(card)
        for other in card.findChildren(TermLabel):
            if other is not self and other.isVisibleTo(card) and other._place_in(card) < here:
                above |= {found.term.casefold() for found, _rects in other.term_places()}
        return [rect for found, rects in own if found.term.casefold() not in above for rect in rects]

    def _card(self) -> QWidget:
        """Return the card or window around the label."""
        around: QWidget = self
        while not around.property("card") and (outer := around.parentWidget()) is not None:
            around = outer
        return around

    def _place_in(self, card: QWidget) -> tuple[int, int]:
        corner = self.mapTo(card, QPoint())
        return corner.y(), corner.x()

    def draw(self, painter: ThemedPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.ink("text_3", dashes=[1, 2])
        ascent = self.fontMetrics().ascent()
        for rect in self.underlined():
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


_OF_VALUES = frozenset(
    (Text.HEADING, Text.FIGURE, Text.STAT, Text.CELL_STRONG, Text.CHIP, Text.AXIS, Text.TICK)
)


def set_tone(widget: QWidget, tone: str) -> None:
    """Set the colour token of a label for the style sheet."""
    set_style_property(widget, "tone", tone)


def set_style_property(widget: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet selects by, and restyle the widget if it changed."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()


def make_label(
    text: str = "",
    use: Text = Text.CELL,
    tone: str = "text",
    *,
    wraps: bool = False,
    parent: QWidget | None = None,
    explains: bool = True,
) -> QLabel:
    """Make a plain label; text from data is never interpreted as markup.

    Where the window speaks, terms of the glossary are explained; headings, numbers, values and names are
    plain.
    """
    label = TermLabel(parent) if explains and use not in _OF_VALUES else QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setProperty("use", use.value)
    label.setProperty("tone", tone)
    label.setWordWrap(wraps)
    return label


def make_line(orientation: Qt.Orientation = Qt.Orientation.Horizontal) -> QFrame:
    """Return a separator line one pixel thick."""
    line = QFrame()
    line.setProperty("line", "horizontal" if orientation == Qt.Orientation.Horizontal else "vertical")
    return line


class ElidedLabel(QLabel):
    """Label that elides its text to the available room, with the full text in its tooltip."""

    def __init__(
        self,
        text: str = "",
        use: Text = Text.CELL,
        tone: str = "text",
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("use", use.value)
        self.setProperty("tone", tone)
        self._mode = mode
        self._hint = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setText(text)

    def set_hint(self, hint: str) -> None:
        """Set a tooltip shown when the text is not elided."""
        self._hint = hint
        self._update_tooltip()

    def shown_text(self) -> str:
        """Return the text as drawn."""
        return self.fontMetrics().elidedText(self.text(), self._mode, self.contentsRect().width())

    def is_elided(self) -> bool:
        return self.shown_text() != self.text()

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._update_tooltip()

    def minimumSizeHint(self) -> QSize:
        least = self.fontMetrics().horizontalAdvance(self.text()[:3] + "…") if len(self.text()) > 4 else 0
        return QSize(min(least, self.sizeHint().width()), super().sizeHint().height())

    def sizeHint(self) -> QSize:
        # One pixel more than the advance, or a fractional width would elide the text.
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 2, super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tooltip()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()
            self._update_tooltip()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOption()
        option.initFrom(self)
        painter.drawItemText(
            self.contentsRect(),
            int(self.alignment()),
            option.palette,
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )

    def _update_tooltip(self) -> None:
        self.setToolTip(self.text() if self.is_elided() else self._hint)


class ValueLabel(QLabel):
    """Label of a value that changes often: its surroundings are laid out only if it needs other room."""

    def __init__(self, use: Text) -> None:
        super().__init__()
        self._use = use
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("use", use.value)
        self.setProperty("tone", "text")

    def sizeHint(self) -> QSize:
        """Return the size in the font of the theme; Qt keeps that of a font in use while it restyles."""
        metrics = QFontMetrics(font(self._use))
        return metrics.size(0, self.text())

    def setText(self, text: str) -> None:
        if text != self.text():
            super().setText(text)
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()

    def _fit(self) -> None:
        # Qt lays out nothing for a label of fixed size.
        if (wanted := self.sizeHint()) != self.maximumSize():
            self.setFixedSize(wanted)


class TwoLineLabel(ElidedLabel):
    """Heading that continues in smaller letters on a second line before it is elided."""

    lines_changed = Signal(int)  # number of lines

    def __init__(self) -> None:
        super().__init__("", Text.HEADING)

    def shown_text(self) -> str:
        if self._is_large():
            return super().shown_text()
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        words = self.text().split(" ")
        n_first = len(words)
        while n_first > 1 and metrics.horizontalAdvance(" ".join(words[:n_first])) > room:
            n_first -= 1
        lines = (" ".join(words[:n_first]), " ".join(words[n_first:]))
        return "\n".join(metrics.elidedText(line, self._mode, room) for line in lines if line)

    def is_elided(self) -> bool:
        return self.shown_text().replace("\n", " ") != self.text()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._fit()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(font(Text.HEADING)).horizontalAdvance(self.text()) + 2
        height = super().sizeHint().height()
        return QSize(width, height if self._is_large() else max(height, 2 * self.fontMetrics().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _is_large(self) -> bool:
        return bool(self.property("use") == Text.HEADING.value)

    def _fit(self) -> None:
        advance = QFontMetrics(font(Text.HEADING)).horizontalAdvance(self.text())
        use = Text.HEADING if advance <= self.contentsRect().width() else Text.TITLE
        set_style_property(self, "use", use.value)
        self.updateGeometry()
        self.lines_changed.emit(1 if use is Text.HEADING else 2)


_PARTS = re.compile(r"; | · ")


class CaptionLabel(ElidedLabel):
    """Label that gives way: without room it loses its last parts, then all of its text, but no letters.

    Parts are separated by a semicolon or a dot. The tooltip has the complete text.
    """

    def __init__(
        self, text: str = "", use: Text = Text.CAPTION, tone: str = "text_3", parent: QWidget | None = None
    ) -> None:
        super().__init__(text, use, tone, parent=parent)

    def shown_text(self) -> str:
        text, room = self.text(), self.contentsRect().width()
        ends = [len(text), *(found.start() for found in reversed(list(_PARTS.finditer(text))))]
        advance = self.fontMetrics().horizontalAdvance
        return next((text[:end] for end in ends if advance(text[:end]) <= room), "")

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())
