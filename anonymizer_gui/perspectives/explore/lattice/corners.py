"""Overlays in the corners of the lattice: level filter, legend and hints."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QWidget

from anonymizer_gui.perspectives.explore.lattice.layout import LatticeGeometry, LatticeLayout
from anonymizer_gui.perspectives.explore.lattice.neighbourhood import Arrangement
from anonymizer_gui.perspectives.explore.lattice.raster import N_RAMP
from anonymizer_gui.theming import (
    Text,
    font_scale,
    scaled,
)
from anonymizer_gui.theming.painter import ThemedPainter
from anonymizer_gui.widgets.accessible import Accessible, Role
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.drawn import Drawn
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, gridbox, hbox, vbox
from anonymizer_gui.widgets.level_boxes import LevelBoxes

_BOX, _NAME_WIDTH = 16, 84
_SHARE_OF_HEIGHT = 0.8
_Align = Qt.AlignmentFlag


@dataclass(frozen=True, slots=True)
class LevelRow:
    """Row of the filter: descriptions of the allowed levels of an attribute, in ascending order."""

    name: str
    n_levels: int
    meanings: tuple[str, ...]


CORNER_RADIUS = 6  # px at the edges of a frame, outside which nodes are visible


class Corner(Drawn, QWidget):
    """Overlay with an opaque background, and a frame if nodes may be below it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_solid = False

    def set_solid(self, solid: bool) -> None:
        if solid != self._is_solid:
            self._is_solid = solid
            self.update()

    def draw(self, painter: ThemedPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if not self._is_solid:
            # Only lines between rows are below, which would cross the text.
            painter.fill(self.rect(), "surface")
        else:
            painter.save()
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.outline(frame, "border", radius=CORNER_RADIUS, filled="surface")
            painter.restore()


class LevelFilter(Corner):
    """Rows are attributes, boxes are levels; unticking a box dims the nodes with that level.

    Folded behind its title if the boxes would fill most of the height.
    """

    levels_changed = Signal(object)  # {attribute index: frozenset of levels shown}
    size_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("levelFilter")
        self._rows: tuple[LevelRow, ...] = ()
        self.boxes: list[LevelBoxes] = []
        self._names: list[ElidedLabel] = []
        self._is_folded = False
        self._arranged: tuple[int, float] | None = None
        self._frame = QWidget()
        self._grid = gridbox(spacing=(6, 0), margins=0, of=self._frame)
        self._title = make_label(self.tr("Visible levels"), Text.SECTION, "text_2")
        self._fold = make_button(
            self.tr("Visible levels"), "unfoldLevels", kind="quiet", small=True, icon_name="chevron-down"
        )
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._on_unfolded)
        self._all = make_button(self.tr("Show all"), "showAllLevels", kind="link", small=True)
        self._all.clicked.connect(self.show_all)
        self._all.hide()
        self._column = vbox(
            hbox(self._title, self._fold, self._all, STRETCH, spacing=8),
            self._frame,
            spacing=2,
            margins=(8, 2, 8, 6),
            of=self,
        )

    def show_attributes(self, rows: Sequence[LevelRow]) -> None:
        """Show other attributes with all levels."""
        if tuple(rows) == self._rows:
            self._show_levels({}, [None] * len(rows))
            self._all.hide()
            return
        self._rows = tuple(rows)
        for widget in [*self.boxes, *self._names]:
            widget.setParent(None)
            widget.deleteLater()
        self.boxes, self._names = [], []
        for row in self._rows:
            boxes = LevelBoxes(self.tr("Levels of {name}").format(name=row.name), row.n_levels, box_size=_BOX)
            boxes.setObjectName(f"levels.{row.name}")
            boxes.allowed_changed.connect(self._on_changed)
            self.boxes.append(boxes)
            self._names.append(ElidedLabel(row.name, Text.CAPTION, "text_2"))
        self._show_levels({}, [None] * len(rows))
        self._all.hide()
        self._arranged = None
        self._arrange(len(self._rows))
        before: QWidget = self._all
        for boxes in self.boxes:
            QWidget.setTabOrder(before, boxes)
            before = boxes

    def fit_into(self, height: int, *, folded: bool = False) -> None:
        """Fit into a height: one column of attributes, or folded with as many columns as needed."""
        line = scaled(_BOX) + 2
        whole = (len(self._rows) + 2) * line
        self._is_folded = folded or whole > height * _SHARE_OF_HEIGHT
        self._title.setVisible(not self._is_folded)
        self._fold.setVisible(self._is_folded)
        self._frame.setVisible(self.is_open)
        per_column = len(self._rows)
        if self._is_folded:
            per_column = max((height - self._fold.sizeHint().height() - 12) // line, 1)
        self._arrange(per_column)

    @property
    def is_open(self) -> bool:
        """True if the boxes are in sight."""
        return not self._is_folded or self._fold.isChecked()

    def reserved(self) -> QRect:
        """Return the corner that a fitted lattice leaves free; empty while folded."""
        return QRect() if self._is_folded else self.inked()

    def inked(self) -> QRect:
        """Return the painted area, without margins."""
        return self.geometry().adjusted(4, 4, -4, -8)

    def show_selected(self, levels: Sequence[int] | None) -> None:
        """Fill the boxes of the selected node's levels."""
        self._show_levels(self.shown(), [None] * len(self._rows) if levels is None else levels)

    def shown(self) -> Mapping[int, frozenset[int]]:
        """Return the levels shown, for the attributes with hidden ones."""
        return {
            i: boxes.allowed()
            for i, (row, boxes) in enumerate(zip(self._rows, self.boxes, strict=True))
            if len(boxes.allowed()) < row.n_levels
        }

    def show_filter(self, shown: Mapping[int, frozenset[int]]) -> None:
        """Update the boxes after the filter was changed elsewhere."""
        if dict(shown) == dict(self.shown()):
            return
        self._show_levels(shown, [boxes.chosen() for boxes in self.boxes])
        self._all.setVisible(bool(self.shown()))
        self.adjustSize()
        self.size_changed.emit()

    def show_all(self) -> None:
        """Show all levels."""
        self._show_levels({}, [boxes.chosen() for boxes in self.boxes])
        self._on_changed(None)

    def _show_levels(self, allowed: Mapping[int, Collection[int]], chosen: Sequence[int | None]) -> None:
        """Show the allowed levels of attributes with hidden ones, and the chosen level of each attribute."""
        for i, (row, boxes) in enumerate(zip(self._rows, self.boxes, strict=True)):
            boxes.show_levels(row.n_levels, allowed.get(i, range(row.n_levels)), chosen[i], row.meanings)

    def _arrange(self, per_column: int) -> None:
        if self._arranged != (arranged := (per_column, font_scale())):
            self._arranged = arranged
            for i, (name, boxes) in enumerate(zip(self._names, self.boxes, strict=True)):
                across, down = divmod(i, max(per_column, 1))
                name.setFixedWidth(scaled(_NAME_WIDTH))
                self._grid.addWidget(name, down, 2 * across)
                self._grid.addWidget(boxes, down, 2 * across + 1, _Align.AlignLeft)
                for widget in (name, boxes):
                    widget.show()  # a layout shows them later, and has no room for hidden ones
        self._grid.activate()
        self._column.activate()
        self.adjustSize()

    def _on_unfolded(self) -> None:
        self._frame.setVisible(self._fold.isChecked())
        self.raise_()
        self.adjustSize()
        self.size_changed.emit()

    def _on_changed(self, _levels: object) -> None:
        shown = self.shown()
        self._all.setVisible(bool(shown))
        self.adjustSize()
        self.levels_changed.emit(shown)
        self.size_changed.emit()


_WIDTH, _HEIGHT, _MARGIN = 196, 92, 10


def frame_in_view(geometry: LatticeGeometry, cards: Arrangement | None) -> QRectF:
    """Return the visible part of a lattice, or the rows of its cards, in shares of the lattice."""
    if cards is not None:
        n_rows = geometry.layout.n_rows
        rows = [band.row for band in cards.bands]
        return QRectF(0.0, 1 - (max(rows) + 1) / n_rows, 1.0, (max(rows) - min(rows) + 1) / n_rows)
    left, top = geometry.share_of(geometry.seen.topLeft())
    right, bottom = geometry.share_of(geometry.seen.bottomRight())
    return QRectF(left, top, right - left, bottom - top)


class Minimap(Corner):
    """Rows as bars, their satisfying share in colour, and the frame of the visible part."""

    looked_at = Signal(float, float)  # shares of the lattice's width and height

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.set_solid(True)
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

    def draw(self, painter: ThemedPainter) -> None:
        super().draw(painter)
        layout = self._layout
        if layout is None:
            return
        inner, shares = self._inner(), self._row_shares(layout)
        widest = max(len(row) for row in layout.rows)
        step = inner.height() / layout.n_rows
        bar = max(step - 1, 1.0)
        for row, nodes in enumerate(layout.rows):
            y = inner.top() + (layout.n_rows - 1 - row) * step
            width = max(inner.width() * len(nodes) / widest, 1.0)
            left = inner.center().x() - width / 2
            painter.fill(QRectF(left, y, width, bar), "fail")
            met = width * shares[row]
            if met > 0:
                met = max(met, 1.0)
                painter.fillRect(
                    QRectF(inner.center().x() - met / 2, y, met, bar), QColor(painter.theme.ramp[3])
                )
        frame = QRectF(self.point_at(self.frame.left(), self.frame.top()),
                       self.point_at(self.frame.right(), self.frame.bottom()))  # fmt: skip
        painter.outline(frame.adjusted(-1, -1, 1, 1), "ink", 1.6)

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
        margin = min(_MARGIN, self.height() // 10)
        return QRectF(self.rect()).adjusted(margin, margin, -margin, -margin)

    def _look_at(self, position: QPointF) -> None:
        inner = self._inner()
        across = (position.x() - inner.left()) / inner.width()
        down = (position.y() - inner.top()) / inner.height()
        self.looked_at.emit(min(max(across, 0.0), 1.0), min(max(down, 0.0), 1.0))
