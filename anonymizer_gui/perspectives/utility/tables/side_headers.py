"""The headers of one side: columns with the band of their role, rows with the mark of suppressed records."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QWidget

from anonymizer_gui.models.side_model import SideModel
from anonymizer_gui.theming import Text, current_theme, font, paint_icon, scaled, theme_manager
from engine.table import role_word

COLUMN_HEADER_HEIGHT, _BAND, _PADDING, _MARK, _NARROWEST = 28, 3, 6, 12, 52
_Align = Qt.AlignmentFlag


class SideColumns(QHeaderView):
    """A click asks to sort; the arrow says by what the records are sorted."""

    def __init__(self, model: SideModel, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._side = model
        self._sorted_by: tuple[str, bool] | None = None
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setMinimumSectionSize(32)
        theme_manager().theme_changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def show_sorted(self, sorted_by: tuple[str, bool] | None) -> None:
        """Mark the column the records are sorted by, and whether its values fall."""
        self._sorted_by = sorted_by
        self.viewport().update()

    def least_width(self, place: int) -> int:
        """A width that shows the name."""
        name = self._side.table.names[place]
        words = QFontMetrics(font(Text.HEADER)).horizontalAdvance(name)
        return min(words + 2 * _PADDING + 4, scaled(132))

    def sizeHint(self) -> QSize:
        return QSize(0, scaled(COLUMN_HEADER_HEIGHT))

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(scaled(_NARROWEST), scaled(COLUMN_HEADER_HEIGHT))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        if not rect.isValid() or logicalIndex >= len(self._side.roles):
            return
        theme, name = current_theme(), self._side.table.names[logicalIndex]
        painter.save()
        painter.fillRect(rect, QColor(theme.surface_2))
        band = QRect(rect.left(), rect.top(), rect.width() - 1, _BAND)
        painter.fillRect(band, QColor(theme.role(role_word(self._side.roles[logicalIndex])).fill))
        painter.setPen(QColor(theme.border_strong))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        room = rect.adjusted(_PADDING, _BAND, -_PADDING, 0)
        if self._sorted_by is not None and self._sorted_by[0] == name:
            side = scaled(_MARK)
            mark = QRectF(room.right() - side, room.center().y() - side / 2 + 1, side, side)
            paint_icon(painter, mark, "arrow-down" if self._sorted_by[1] else "arrow-up", theme.accent)
            room.setRight(room.right() - side - 3)
        painter.setFont(font(Text.HEADER))
        is_dropped = self._side.is_release and self._side.is_dropped(logicalIndex)
        painter.setPen(QColor(theme.text_3 if is_dropped else theme.text))
        shown = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, room.width())
        column = self._side.table.columns[logicalIndex]
        across = _Align.AlignRight if column.data_type.is_numeric else _Align.AlignLeft
        painter.drawText(room, int(_Align.AlignVCenter | across), shown)
        painter.restore()

    def _on_theme_changed(self) -> None:
        self.setFixedHeight(scaled(COLUMN_HEADER_HEIGHT))
        self.viewport().update()


class SideRows(QHeaderView):
    """Record numbers; suppressed records have a mark beside theirs."""

    def __init__(self, model: SideModel, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._side = model
        self.setSectionsClickable(False)
        self.setHighlightSections(False)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def wanted_width(self) -> int:
        """A width for the largest number and a mark."""
        digits = str(max(self._side.table.n_records, 10))
        return QFontMetrics(font(Text.HEADER)).horizontalAdvance(digits) + scaled(_MARK) + 14

    def sizeHint(self) -> QSize:
        return QSize(self.wanted_width(), 0)  # Qt would ask for the texts of two hundred rows

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(self.wanted_width(), self.defaultSectionSize())

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        if not rect.isValid() or logicalIndex >= self._side.n_shown:
            return
        theme = current_theme()
        painter.save()
        painter.fillRect(rect, QColor(theme.surface))
        painter.setPen(QColor(theme.border_strong if self._side.ends_class(logicalIndex) else theme.grid))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if self._side.is_suppressed(logicalIndex):
            side = scaled(_MARK)
            mark = QRectF(rect.left() + 5, rect.center().y() - side / 2, side, side)
            paint_icon(painter, mark, "eye-off", theme.text_2)
        painter.setFont(font(Text.HEADER))
        painter.setPen(QColor(theme.text_3))
        number = str(self._side.record_of(logicalIndex) + 1)
        painter.drawText(rect.adjusted(0, 0, -8, 0), int(_Align.AlignVCenter | _Align.AlignRight), number)
        painter.restore()
