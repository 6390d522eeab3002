"""Overview of the complete lattice with a frame around the visible part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.lattice.card_layout import Arrangement
from anonymizer_gui.perspectives.explore.lattice.geometry import LatticeGeometry
from anonymizer_gui.perspectives.explore.lattice.layout import LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP
from anonymizer_gui.theming import current_theme, scaled
from anonymizer_gui.widgets.accessible import Accessible, Role

_WIDTH, _HEIGHT, _MARGIN = 196, 92, 10


def frame_in_view(geometry: LatticeGeometry, cards: Arrangement | None) -> QRectF:
    """Return the visible part of a lattice, or the rows of its cards, in shares of the lattice."""
    if cards is not None:
        n_rows = geometry.layout.n_rows
        rows = [band.row for band in cards.bands]
        return QRectF(0.0, 1 - (max(rows) + 1) / n_rows, 1.0, (max(rows) - min(rows) + 1) / n_rows)
    left, top = geometry.share_of(geometry.area.topLeft())
    right, bottom = geometry.share_of(geometry.area.bottomRight())
    return QRectF(left, top, right - left, bottom - top)


class Minimap(QWidget):
    """Rows as bars, their satisfying share in colour, and the frame of the visible part."""

    looked_at = Signal(float, float)  # shares of the lattice's width and height

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._layout: LatticeLayout | None = None
        self._classes: NDArray[np.uint8] | None = None
        self._shares: NDArray[np.float64] | None = None
        self.frame = QRectF(0, 0, 1, 1)  # visible part, in shares of the lattice
        self.setObjectName("minimap")
        self.setAccessibleName(self.tr("Visible part of the lattice"))
        self.setToolTip(
            self.tr("The whole lattice; the frame is the visible part. Click or drag to move it.")
        )
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def show_lattice(self, layout: LatticeLayout | None, classes: NDArray[np.uint8] | None) -> None:
        """Show another lattice, or the same one in other colours."""
        self._layout, self._classes, self._shares = layout, classes, None
        self.update()

    def show_frame(self, frame: QRectF) -> None:
        """Set the visible part, in shares of the lattice's width and height."""
        clipped = frame.intersected(QRectF(0, 0, 1, 1))
        if clipped != self.frame:
            self.frame = clipped
            self.update()

    def point_at(self, across: float, down: float) -> QPointF:
        """Return the pixel of a position given in shares of the lattice."""
        inner = self._inner()
        return QPointF(inner.left() + across * inner.width(), inner.top() + down * inner.height())

    def as_accessible(self) -> Accessible:
        return Accessible(Role.Graphic)

    def sizeHint(self) -> QSize:
        return QSize(scaled(_WIDTH), scaled(_HEIGHT))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._look_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._look_at(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, layout = current_theme(), self._layout
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.border), 1))
        painter.setBrush(QColor(theme.surface))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if layout is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        inner, shares = self._inner(), self._row_shares(layout)
        widest = max(len(row) for row in layout.rows)
        step = inner.height() / layout.n_rows
        bar = max(step - 1, 1.0)
        for row, nodes in enumerate(layout.rows):
            y = inner.top() + (layout.n_rows - 1 - row) * step
            width = max(inner.width() * len(nodes) / widest, 1.0)
            left = inner.center().x() - width / 2
            painter.fillRect(QRectF(left, y, width, bar), QColor(theme.fail))
            met = width * shares[row]
            if met > 0:
                met = max(met, 1.0)
                painter.fillRect(QRectF(inner.center().x() - met / 2, y, met, bar), QColor(theme.ramp[3]))
        frame = QRectF(self.point_at(self.frame.left(), self.frame.top()),
                       self.point_at(self.frame.right(), self.frame.bottom()))  # fmt: skip
        painter.setPen(QPen(QColor(theme.ink), 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(frame.adjusted(-1, -1, 1, 1))

    def _row_shares(self, layout: LatticeLayout) -> NDArray[np.float64]:
        if self._shares is None:
            rows, classes = layout.positions[:, 0], self._classes
            counts = np.bincount(rows, minlength=layout.n_rows)
            met = np.zeros(layout.n_rows)
            if classes is not None:
                met = np.bincount(rows[classes < N_RAMP], minlength=layout.n_rows).astype(np.float64)
            self._shares = met / np.maximum(counts, 1)
        return self._shares

    def _inner(self) -> QRectF:
        return QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)

    def _look_at(self, position: QPointF) -> None:
        inner = self._inner()
        across = (position.x() - inner.left()) / inner.width()
        down = (position.y() - inner.top()) / inner.height()
        self.looked_at.emit(min(max(across, 0.0), 1.0), min(max(down, 0.0), 1.0))
