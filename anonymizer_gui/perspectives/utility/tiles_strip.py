"""Row of tiles with the main values, and the display options of the tables."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from anonymizer_gui.models.sides import AS_INPUT, BY_CLASS
from anonymizer_gui.theming import Text, follow_theme
from anonymizer_gui.widgets.buttons import fold_text, make_button
from anonymizer_gui.widgets.drawn import FitsRoom
from anonymizer_gui.widgets.labels import CaptionLabel, ElidedLabel, make_label, make_line
from anonymizer_gui.widgets.layouts import fixed, hbox, named, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl

STRIP_HEIGHT = 58
LOSS, KEPT, SUPPRESSED, CLASSES, MEAN = "loss", "kept", "suppressed", "classes", "mean"


class TilesStrip(FitsRoom, QFrame):
    """If space is short, hides the texts of buttons first, then units, then the last tiles."""

    grouping_chosen = Signal(str)
    linked_toggled = Signal(bool)
    changed_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("strip", "true")
        self.setObjectName("utilityTiles")
        captions = {
            LOSS: self.tr("Loss"),
            KEPT: self.tr("Kept records"),
            SUPPRESSED: self.tr("Suppressed"),
            CLASSES: self.tr("Classes"),
            MEAN: self.tr("Mean class size"),
        }
        self.tiles: dict[str, StatTile] = {}
        self._lines: list[QFrame] = []
        row = hbox(spacing=4, margins=(4, 0, 12, 0), of=self)
        for key, caption in captions.items():
            tile = named(StatTile(caption), f"tile.{key}")
            self.tiles[key] = tile
            line = fixed(make_line(Qt.Orientation.Vertical), height=STRIP_HEIGHT - 20)
            self._lines.append(line)
            row.addWidget(tile)
            row.addWidget(line)
        row.addStretch(1)
        self.grouping = named(
            SegmentedControl(
                [(BY_CLASS, self.tr("Group by class")), (AS_INPUT, self.tr("Input order"))],
                self.tr("Order of the records"),
            ),
            "grouping",
        )
        self.grouping.set_current(AS_INPUT)
        self.grouping.selected.connect(self.grouping_chosen)
        words = self.tr("Scroll both tables together")
        linked = make_button(self.tr("Linked scrolling"), icon_name="link", small=True)
        self.linked = named(linked, "linkedScrolling", words, words)
        self.linked.setCheckable(True)
        self.linked.setChecked(True)
        self.linked.toggled.connect(self.linked_toggled)
        words = self.tr("Show only the columns that the release changes")
        only_changed = make_button(self.tr("Changed columns only"), icon_name="eye", small=True)
        self.only_changed = named(only_changed, "changedColumnsOnly", words, words)
        self.only_changed.setCheckable(True)
        self.only_changed.toggled.connect(self.changed_toggled)
        row.addWidget(self.only_changed)
        row.addSpacing(4)
        row.addWidget(self.grouping)
        row.addSpacing(4)
        row.addWidget(self.linked)
        fixed(self, height=STRIP_HEIGHT)
        follow_theme(self._fit)

    def show_tile(self, key: str, value: str, unit: str = "", hint: str = "") -> None:
        """Show another value."""
        tile = self.tiles[key]
        tile.show_value(value, unit, exact=hint)
        self._fit()

    def _fit(self) -> None:
        """Show everything that fits: tiles from the first on, their units, and the texts of buttons."""
        tiles = list(self.tiles.values())
        for step in range(len(tiles) + 2):
            fold_text(self.linked, self.tr("Linked scrolling"), is_folded=step > 0)
            fold_text(self.only_changed, self.tr("Changed columns only"), is_folded=step > 0)
            n_shown = len(tiles) - max(step - 2, 0)
            shown = [tile.sizeHint() if step < 2 else tile.minimumSizeHint() for tile in tiles[:n_shown]]
            wanted = sum(size.width() + 9 for size in shown)
            wanted += self.grouping.sizeHint().width() + self.linked.sizeHint().width() + 44
            wanted += self.only_changed.sizeHint().width()
            if wanted <= self.width():
                break
        for place, (tile, line) in enumerate(zip(tiles, self._lines, strict=True)):
            # Only now: a tile that appears lays out the strip, with what would not fit.
            tile.setVisible(place < n_shown)
            line.setVisible(place < n_shown)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()  # a tile has another font or text
        return super().event(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.height())  # what does not fit is folded


_SIDE, _GAP = 12, 6


class StatTile(QWidget):
    """Caption, value and unit; adjacent tiles have separators, never boxes."""

    def __init__(self, caption: str, value: str = "", unit: str = "") -> None:
        super().__init__()
        self._caption = ElidedLabel(caption, Text.CAPTION, "text_3")
        self.value = make_label(value, Text.STAT)
        self._unit = CaptionLabel(unit, Text.CELL, "text_2")
        row = hbox(
            (self.value, 0, Qt.AlignmentFlag.AlignBaseline),
            (self._unit, 1, Qt.AlignmentFlag.AlignBaseline),
            spacing=_GAP,
        )
        vbox(self._caption, row, spacing=0, margins=(_SIDE, 6, _SIDE, 6), of=self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        """Return the room for caption and value; the unit gives way."""
        value = self.value.sizeHint().width() + _GAP  # before the unit, even without room for it
        width = max(self._caption.sizeHint().width(), value) + 2 * _SIDE
        return QSize(width, super().minimumSizeHint().height())

    def show_value(self, value: str, unit: str = "", exact: str = "") -> None:
        """Set the value; `exact` is the tooltip of an abbreviated one."""
        self.value.setText(value)
        self.value.setToolTip(exact)
        self._unit.setText(unit)
