"""How wide the columns of a table have to be for what stands in them."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QFontMetrics

from anonymizer_gui.theming import Text, font
from anonymizer_gui.widgets.tables import CELL_PADDING

_MEASURED = 40  # rows that are looked at; asking a view for all of them takes as long as painting them
_SORTED = " ↓"


def column_width(model: QAbstractItemModel, place: int) -> int:
    """Pixels for the title of a column, sorted or not, and for its first texts."""
    title = str(model.headerData(place, Qt.Orientation.Horizontal) or "").rstrip(" ↓↑")
    in_header = QFontMetrics(font(Text.HEADER)).horizontalAdvance(title + _SORTED)
    metrics = QFontMetrics(font(Text.CELL_STRONG))
    texts = (str(model.index(row, place).data() or "") for row in range(min(model.rowCount(), _MEASURED)))
    in_cells = max(map(metrics.horizontalAdvance, texts), default=0)
    return max(in_header, in_cells) + 2 * CELL_PADDING + 4
