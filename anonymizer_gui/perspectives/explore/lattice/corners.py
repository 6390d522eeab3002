"""Overlays in the corners of the lattice: level filter, legend and hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QWidget

from anonymizer_gui.theming import (
    Text,
    current_theme,
    font_scale,
    scaled,
)
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, named, vbox
from anonymizer_gui.widgets.level_boxes import LevelBoxes

_BOX, _NAME_WIDTH = 12, 84
_SHARE_OF_HEIGHT = 0.8
_Align = Qt.AlignmentFlag


@dataclass(frozen=True, slots=True)
class LevelRow:
    """Row of the filter: descriptions of the allowed levels of an attribute, in ascending order."""

    name: str
    n_levels: int
    meanings: tuple[str, ...]


CORNER_RADIUS = 6  # px at the edges of a frame, outside which nodes are visible


class Corner(QWidget):
    """Overlay with an opaque background, and a frame if nodes may be below it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_solid = False

    def set_solid(self, solid: bool) -> None:
        if solid != self._is_solid:
            self._is_solid = solid
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        if not self._is_solid:
            # Only lines between rows are below, which would cross the text.
            painter.fillRect(self.rect(), QColor(theme.surface))
        else:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor(theme.border), 1))
            painter.setBrush(QColor(theme.surface))
            radius = CORNER_RADIUS
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


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
        self._boxes: list[LevelBoxes] = []
        self._names: list[ElidedLabel] = []
        self._is_folded = False
        self._arranged: tuple[int, float] | None = None
        self._frame = QWidget()
        self._grid = QGridLayout(self._frame)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(0)
        self._title = make_label(self.tr("Visible levels"), Text.SECTION, "text_2")
        self._fold = make_button(
            self.tr("Visible levels"), kind="quiet", small=True, icon_name="chevron-down"
        )
        self._fold.setObjectName("unfoldLevels")
        self._fold.setCheckable(True)
        self._fold.toggled.connect(self._on_unfolded)
        self._all = named(make_button(self.tr("Show all"), kind="link", small=True), "showAllLevels")
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
            for row, boxes in zip(self._rows, self._boxes, strict=True):
                boxes.show_levels(row.n_levels, range(row.n_levels), None, row.meanings)
            self._all.hide()
            return
        self._rows = tuple(rows)
        for widget in [*self._boxes, *self._names]:
            widget.setParent(None)
            widget.deleteLater()
        self._boxes, self._names = [], []
        for row in self._rows:
            boxes = LevelBoxes(self.tr("Levels of {name}").format(name=row.name), row.n_levels, box_size=_BOX)
            boxes.setObjectName(f"levels.{row.name}")
            boxes.show_levels(row.n_levels, range(row.n_levels), None, row.meanings)
            boxes.allowed_changed.connect(self._on_changed)
            self._boxes.append(boxes)
            self._names.append(ElidedLabel(row.name, Text.CAPTION, "text_2"))
        self._all.hide()
        self._arranged = None
        self._arrange(len(self._rows))
        before: QWidget = self._all
        for boxes in self._boxes:
            QWidget.setTabOrder(before, boxes)
            before = boxes

    def fit_into(self, height: int, *, folded: bool = False) -> None:
        """Fit into a height: one column of attributes, or folded with as many columns as needed."""
        line = scaled(_BOX) + 2
        whole = (len(self._rows) + 2) * line
        self._is_folded = folded or whole > height * _SHARE_OF_HEIGHT
        self._title.setVisible(not self._is_folded)
        self._fold.setVisible(self._is_folded)
        self._frame.setVisible(not self._is_folded or self._fold.isChecked())
        per_column = len(self._rows)
        if self._is_folded:
            per_column = max((height - self._fold.sizeHint().height() - 12) // line, 1)
        self._arrange(per_column)

    def reserved(self) -> QRect:
        """Return the corner that a fitted lattice leaves free; empty while folded."""
        return QRect() if self._is_folded else self.inked()

    def inked(self) -> QRect:
        """Return the painted area, without margins."""
        return self.geometry().adjusted(4, 4, -4, -8)

    def show_selected(self, levels: Sequence[int] | None) -> None:
        """Fill the boxes of the selected node's levels."""
        for i, (row, boxes) in enumerate(zip(self._rows, self._boxes, strict=True)):
            chosen = None if levels is None else levels[i]
            boxes.show_levels(row.n_levels, boxes.allowed(), chosen, row.meanings)

    def shown(self) -> Mapping[int, frozenset[int]]:
        """Return the levels shown, for the attributes with hidden ones."""
        return {
            i: boxes.allowed()
            for i, (row, boxes) in enumerate(zip(self._rows, self._boxes, strict=True))
            if len(boxes.allowed()) < row.n_levels
        }

    def show_filter(self, shown: Mapping[int, frozenset[int]]) -> None:
        """Update the boxes after the filter was changed elsewhere."""
        if dict(shown) == dict(self.shown()):
            return
        for i, (row, boxes) in enumerate(zip(self._rows, self._boxes, strict=True)):
            allowed = shown.get(i, range(row.n_levels))
            boxes.show_levels(row.n_levels, allowed, boxes.chosen(), row.meanings)
        self._all.setVisible(bool(self.shown()))
        self.adjustSize()
        self.size_changed.emit()

    def boxes(self, attribute: int) -> LevelBoxes:
        return self._boxes[attribute]

    def show_all(self) -> None:
        """Show all levels."""
        for row, boxes in zip(self._rows, self._boxes, strict=True):
            boxes.show_levels(row.n_levels, range(row.n_levels), boxes.chosen(), row.meanings)
        self._on_changed(None)

    def _arrange(self, per_column: int) -> None:
        if self._arranged != (arranged := (per_column, font_scale())):
            self._arranged = arranged
            for i, (name, boxes) in enumerate(zip(self._names, self._boxes, strict=True)):
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
