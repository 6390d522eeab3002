"""Every model at the node in a small painted table, since it changes with every node looked at."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from anonymizer_gui.perspectives.explore.inspector.values import ModelLine
from anonymizer_gui.theming import Text, current_theme, font, paint_icon, scaled, theme_manager
from anonymizer_gui.widgets.meter import draw_meter

_LINE, _ICON, _GAP = 18, 13, 8
_METER, _ROOMY = 24, 290  # width of a bar, and of the table from which on there is room for bars
_Align = Qt.AlignmentFlag


class ModelTable(QWidget):
    """Model, sensitive column and value; a check stands before those of the requirement."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: tuple[ModelLine, ...] = ()
        self.setObjectName("modelTable")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme_manager().theme_changed.connect(self.updateGeometry)

    def show_lines(self, lines: Sequence[ModelLine]) -> None:
        """Show the models of another node."""
        if tuple(lines) == self._lines:
            return
        n_before, self._lines = len(self._lines), tuple(lines)
        self.setAccessibleName("; ".join(map(_spoken, self._lines)))
        if len(self._lines) != n_before:
            self.updateGeometry()
        self.update()

    @property
    def lines(self) -> tuple[ModelLine, ...]:
        return self._lines

    def line_rect(self, place: int) -> QRectF:
        """Where a line is drawn."""
        return QRectF(0, place * scaled(_LINE), self.width(), scaled(_LINE))

    def sizeHint(self) -> QSize:
        return QSize(200, max(len(self._lines), 1) * scaled(_LINE))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = event.pos().y() // scaled(_LINE)
            line = self._lines[place] if 0 <= place < len(self._lines) else None
            QToolTip.showText(event.globalPos(), _tooltip(line) if line else "", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        left = scaled(_ICON) + 6.0
        values, columns = self._widths()
        right = self.width() - 2.0
        has_meters = self.width() >= scaled(_ROOMY) and any(line.share is not None for line in self._lines)
        for place, line in enumerate(self._lines):
            rect = self.line_rect(place)
            if line.is_required:
                side = scaled(_ICON)
                icon = QRectF(0, rect.center().y() - side / 2, side, side)
                paint_icon(painter, icon, "check", theme.ok)
            if line.reason:
                told = QFontMetrics(font(Text.CAPTION)).horizontalAdvance(line.reason) + 2.0
                place_of = QRectF(right - told, rect.top(), told, rect.height())
                _write(painter, place_of, line.reason, Text.CAPTION, "text_3", _Align.AlignRight)
                name = QRectF(left, rect.top(), right - told - _GAP - left, rect.height())
                _write(painter, name, line.name, Text.CELL, "text_3")
                continue
            _write(
                painter,
                QRectF(right - values, rect.top(), values, rect.height()),
                line.value,
                Text.CELL_STRONG,
                "text",
                _Align.AlignRight,
            )
            end = right - values - _GAP
            if has_meters:
                end -= scaled(_METER)
                if line.share is not None:
                    place_of = QRectF(end, rect.top(), scaled(_METER), rect.height())
                    draw_meter(painter, place_of, theme, line.share, line.tick)
                end -= _GAP
            if columns:
                _write(
                    painter,
                    QRectF(end - columns, rect.top(), columns, rect.height()),
                    line.column,
                    Text.CELL,
                    "text_3",
                )
                end -= columns + _GAP
            _write(painter, QRectF(left, rect.top(), end - left, rect.height()), line.name, Text.CELL, "text")

    def _widths(self) -> tuple[float, float]:
        """Of the values, and of the columns: none where all lines have the same one."""
        strong, plain = QFontMetrics(font(Text.CELL_STRONG)), QFontMetrics(font(Text.CELL))
        values = max((strong.horizontalAdvance(line.value) for line in self._lines), default=0) + 2.0
        named = {line.column for line in self._lines if line.column}
        if len(named) < 2:
            return values, 0.0
        widest = max(plain.horizontalAdvance(name) for name in named) + 2.0
        return values, min(widest, self.width() * 0.3)


def _write(
    painter: QPainter,
    rect: QRectF,
    text: str,
    use: Text,
    token: str,
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> None:
    painter.setFont(font(use))
    painter.setPen(current_theme().color(token))
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(rect.width()))
    painter.drawText(rect, int(side | _Align.AlignVCenter), shown)


def _spoken(line: ModelLine) -> str:
    column = f" of {line.column}" if line.column else ""
    required = ", required" if line.is_required else ""
    return f"{line.name}{column}: {line.reason or line.value}{required}"


def _tooltip(line: ModelLine) -> str:
    column = f" of {line.column}" if line.column else ""
    required = "\nPart of the requirement." if line.is_required else ""
    return f"{line.name}{column}: {line.reason or line.value}\n{line.detail}{required}"
