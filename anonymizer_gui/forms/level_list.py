"""Editor for one number per level of a hierarchy: one line per level."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from anonymizer_gui.forms.number_spin import IntegerSpin
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import at_least, fixed, hbox, vbox
from engine.numbers import as_exact_count
from engine.params import Integers
from engine.words import _

_SPIN_WIDTH, _COUNT_WIDTH = 56, 28
_LARGEST = 2**31 - 1


class LevelList(QWidget):
    """List of numbers, empty for no levels; the number of groups of each level is shown at its right."""

    changed = Signal()

    def __init__(self, descriptor: Integers, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._descriptor = descriptor
        self._lines: list[_LevelLine] = []
        self._n_groups: tuple[int, ...] = ()
        self.add_button = make_button(self.tr("Add a level"), kind="link", icon_name="plus", small=True)
        self.add_button.setObjectName(f"param.{descriptor.name}.add")
        self.add_button.setToolTip(self.tr("Add a level below the top level"))
        self.add_button.clicked.connect(self._on_add_clicked)
        self._column = vbox((self.add_button, 0, Qt.AlignmentFlag.AlignLeft), spacing=4, margins=0, of=self)

    def value(self) -> list[int]:
        """Return the numbers, lowest level first."""
        return [line.spin.value() for line in self._lines]

    def set_value(self, values: Sequence[int]) -> None:
        """Replace the numbers."""
        before = self.value()
        while len(self._lines) > len(values):
            self._take(self._lines[-1])
        for line, value in zip(self._lines, values, strict=False):
            with QSignalBlocker(line.spin):
                line.spin.setValue(value)
        for value in values[len(self._lines) :]:
            self._append(value)
        if self.value() != before:
            self.changed.emit()

    def show_groups(self, n_groups: Sequence[int]) -> None:
        """Show the number of groups of each level, level 0 first."""
        self._n_groups = tuple(n_groups)
        for line in self._lines:
            line.show_groups(self._n_groups)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Set the tab order by lines; changing a parent breaks it."""
        stops: list[QWidget] = [stop for line in self._lines for stop in (line.spin, line.remove_button)]
        for first, second in pairwise([*stops, self.add_button]):
            self.setTabOrder(first, second)

    def _append(self, value: int) -> _LevelLine:
        line = _LevelLine(self._descriptor, len(self._lines), value)
        line.spin.valueChanged.connect(self.changed)
        line.remove_button.clicked.connect(lambda: self._on_remove_clicked(line))
        self._column.insertWidget(len(self._lines), line)
        line.show()  # a layout shows it later, and a hidden line cannot have the focus
        if not self._lines:  # later widgets come last in the tab order, not by position
            self.setTabOrder(self.add_button, line.spin)
        self._lines.append(line)
        line.show_groups(self._n_groups)
        self._order_tabs()
        return line

    def _take(self, line: _LevelLine) -> None:
        self._lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.setParent(None)
        line.deleteLater()
        for place, left in enumerate(self._lines):
            left.show_place(place)
            left.show_groups(self._n_groups)

    def _on_add_clicked(self) -> None:
        line = self._append(self._next_value())
        self.changed.emit()
        line.spin.setFocus()
        line.spin.selectAll()

    def _on_remove_clicked(self, line: _LevelLine) -> None:
        place = self._lines.index(line)
        self._take(line)
        left = self._lines[min(place, len(self._lines) - 1)].spin if self._lines else self.add_button
        left.setFocus()
        self.changed.emit()

    def _next_value(self) -> int:
        """Return a number for another level: the last one continued as usual, repeated or doubled."""
        values = tuple(self.value())
        usual = [tuple(entry) for entry in self._descriptor.usual if isinstance(entry, tuple)]
        for entry in usual:
            if entry[: len(values)] == values and len(entry) > len(values):
                return int(entry[len(values)])
        if not values:
            return max(2, self._descriptor.minimum)
        grows = any(len(entry) > 1 and entry[0] < entry[1] for entry in usual)
        return min(values[-1] * 2 if grows else values[-1], _LARGEST)


class _LevelLine(QWidget):
    def __init__(self, descriptor: Integers, place: int, value: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._level = make_label("", Text.CELL_STRONG)
        self.spin = fixed(IntegerSpin(descriptor.minimum, _LARGEST), width=_SPIN_WIDTH)
        self.spin.setValue(value)
        self.spin.setToolTip(descriptor.help)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self._count = at_least(make_label("", Text.CELL, "text_2"), width=_COUNT_WIDTH)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.remove_button = make_icon_button("x", "")
        hbox(
            self._level,
            self.spin,
            (self._words, 1),
            self._count,
            self.remove_button,
            spacing=6,
            margins=0,
            of=self,
        )
        self.show_place(place)

    def show_place(self, place: int) -> None:
        """Show the level that the line belongs to."""
        self._number = number = self._descriptor.first_level + place
        level = self.tr("Level {number}").format(number=number)
        self._level.setText(level)
        self._words.setText(_(self._descriptor.unit).format(below=number - 1))
        self.spin.setObjectName(f"param.{self._descriptor.name}.{number}")
        self.spin.setAccessibleName(f"{self._descriptor.label}, {level}")
        self.remove_button.setObjectName(f"param.{self._descriptor.name}.{number}.remove")
        self.remove_button.setAccessibleName(self.tr("Remove level {number}").format(number=number))
        self.remove_button.setToolTip(self.tr("Remove level {number}").format(number=number))

    def show_groups(self, n_groups: Sequence[int]) -> None:
        """Show the number of groups of the level, if the level exists."""
        is_known = self._number < len(n_groups)
        self._count.setText(as_exact_count(n_groups[self._number]) if is_known else "")
        self._count.setToolTip(
            self.tr("Groups of level {number}").format(number=self._number) if is_known else ""
        )
