"""Header of the preview in the open dialog: the type of each column below its name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter
from PySide6.QtWidgets import QHeaderView, QToolTip, QWidget

from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.models.type_words import type_words
from anonymizer_gui.theming import Text, current_theme, font, scaled, theme_manager
from anonymizer_gui.widgets.tables import CELL_PADDING
from engine.numbers import as_exact_count
from engine.words import ngettext

_HEIGHT = 40
_Align = Qt.AlignmentFlag


class PreviewHeader(QHeaderView):
    """A click on a column requests to change its type."""

    type_requested = Signal(str)  # name of the column

    def __init__(
        self, model: RecordsModel, unfit: Callable[[str], int], parent: QWidget | None = None
    ) -> None:
        """Create the header; `unfit` returns how many cells of a column prevent a type."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._records, self._unfit = model, unfit
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.sectionClicked.connect(lambda place: self.type_requested.emit(self._records.table.names[place]))
        theme_manager().theme_changed.connect(self.fit_height)

    def fit_height(self) -> None:
        """Follow the font scale."""
        self.setFixedHeight(scaled(_HEIGHT))
        self.viewport().update()

    def type_text(self, place: int) -> str:
        """Return the type of a column, and the number of cells that do not match it."""
        column = self._records.table.columns[place]
        words = type_words(column.data_type)
        if n_unfit := self._unfit(column.name):
            words += " · " + ngettext("{n} misfit", "{n} misfits", n_unfit).format(n=as_exact_count(n_unfit))
        return words

    def wanted_width(self, place: int) -> int:
        """Return the width that shows name and type."""
        name = QFontMetrics(font(Text.HEADER)).horizontalAdvance(self._records.table.names[place])
        kind = QFontMetrics(font(Text.CAPTION)).horizontalAdvance(self.type_text(place))
        return max(name, kind) + 2 * CELL_PADDING + 4

    def sizeHint(self) -> QSize:
        return QSize(0, scaled(_HEIGHT))

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(scaled(32), scaled(_HEIGHT))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        table = self._records.table
        if not rect.isValid() or logicalIndex >= len(table.columns):
            return
        theme, column = current_theme(), table.columns[logicalIndex]
        painter.save()
        is_under_pointer = self.logicalIndexAt(self.mapFromGlobal(self.cursor().pos())) == logicalIndex
        painter.fillRect(
            rect, QColor(theme.hover if is_under_pointer and self.underMouse() else theme.surface_2)
        )
        painter.setPen(QColor(theme.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        across = _Align.AlignRight if column.data_type.is_numeric else _Align.AlignLeft
        half = rect.height() // 2
        room = rect.adjusted(CELL_PADDING, 3, -CELL_PADDING, -half)
        kind = rect.adjusted(CELL_PADDING, half - 1, -CELL_PADDING, -4)
        tone = theme.warn if self._unfit(column.name) else theme.text_3
        for text, use, color, place in (
            (column.name, Text.HEADER, theme.text, room),
            (self.type_text(logicalIndex), Text.CAPTION, tone, kind),
        ):
            painter.setFont(font(use))
            painter.setPen(QColor(color))
            shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, place.width())
            painter.drawText(place, int(_Align.AlignVCenter | across), shown)
        painter.restore()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self.logicalIndexAt(event.pos())
            if 0 <= place < len(self._records.table.columns):
                words = self.tr("{name}: {type}. Click to change name or type.").format(
                    name=self._records.table.names[place], type=self.type_text(place)
                )
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().viewportEvent(event)
