"""Editors of lists: check boxes, columns in an order, and a number per level."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QVBoxLayout, QWidget

from anonymizer_gui.forms.number_spin import IntegerSpin
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.accessible import name_editable
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.elided_combo_box import ElidedCheckBox
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import at_least, fixed, hbox, vbox
from engine.errors import ParameterError
from engine.numbers import as_exact_count, decimal_mark
from engine.params import Integers
from engine.words import _

# A field in quotation marks, or text up to the next semicolon without surrounding blanks.
_FIELD = re.compile(r'[^\S\n]*("(?:[^"]|"")*"|[^;]*?)[^\S\n]*(;|$)')
_SEPARATOR = re.compile(r"[;\s]\s*|,\s+")
NamedLevels = Sequence[Sequence[tuple[str, Sequence[str]]]]


def numbers_to_text(values: Iterable[float]) -> str:
    """Return numbers in a row; separated by semicolons where the comma is the decimal mark."""
    return (", " if decimal_mark() == "." else "; ").join(map(number_to_text, values))


def number_to_text(value: float) -> str:
    """Return a number with all its digits; a whole one without a decimal mark."""
    text = f"{value:.0f}" if value == int(value) and abs(value) < 1e15 else repr(value)
    return text.replace(".", decimal_mark())


def text_to_numbers(text: str, label: str) -> list[float]:
    """Parse numbers separated by commas, semicolons or spaces.

    Where the comma is the decimal mark, 0,5 is one number and 1,2,3 are three.

    Raises
    ------
    ParameterError
        An entry is not a number.
    """
    words = _SEPARATOR.split(text.strip())
    parts = [word for each in words for word in ([each] if _is_decimal(each) else each.split(","))]
    return [text_to_number(word, label) for word in parts if word]


def _is_decimal(word: str) -> bool:
    return decimal_mark() == "," and word.count(",") == 1


def text_to_number(word: str, label: str) -> float:
    """Parse one number; integers become int, so that they are written as typed.

    Raises
    ------
    ParameterError
        The word is not a number.
    """
    try:
        return int(word)
    except ValueError:
        pass
    try:
        return float(word.replace(",", "."))
    except ValueError:
        raise ParameterError(
            _("{label}: '{word}' is not a number.").format(label=label, word=word),
            hint=_("Separate numbers by commas, as in 5, 10, 20."),
        ) from None


def texts_to_lines(values: Iterable[str]) -> str:
    """Return one value per line."""
    return "\n".join(values)


def groups_to_text(levels: NamedLevels) -> str:
    """Return one group per line, label first, separated by semicolons; an empty line ends a level."""
    return "\n\n".join(
        "\n".join("; ".join(map(quoted, (label, *members))) for label, members in groups) for groups in levels
    )


def text_to_groups(text: str) -> list[list[tuple[str, list[str]]]]:
    """Parse the format of `groups_to_text`; blanks next to semicolons count only inside quotation marks."""
    levels: list[list[tuple[str, list[str]]]] = [[]]
    for line in text.split("\n"):
        if not line.strip():
            levels.append([])
            continue
        fields = [unquoted(match[1]) for match in _FIELD.finditer(line) if match[1] or match[2]]
        levels[-1].append((fields[0], [field for field in fields[1:] if field]))
    return [level for level in levels if level]


def quoted(field: str) -> str:
    """Return a text, in quotation marks if it would otherwise be parsed differently."""
    if field != field.strip() or ";" in field or field.startswith('"') or not field:
        doubled = field.replace('"', '""')
        return f'"{doubled}"'
    return field


def unquoted(field: str) -> str:
    """Return the text that `quoted` was given."""
    if len(field) >= 2 and field.startswith('"') and field.endswith('"'):
        return field[1:-1].replace('""', '"')
    return field


class CheckList(QWidget):
    """Options in a fixed order; the value lists the ticked ones in this order.

    With `are_sentences` captions begin with a capital letter, unlike names of columns.
    """

    changed = Signal()

    def __init__(self, name: str, options: Sequence[tuple[str, str]], *, are_sentences: bool = True) -> None:
        super().__init__()
        self._captions = {
            key: text[:1].upper() + text[1:] if are_sentences else text for key, text in options
        }
        self._boxes: dict[str, ElidedCheckBox] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for key in self._captions:
            box = self._boxes[key] = ElidedCheckBox(self._captions[key])
            box.setObjectName(f"param.{name}.{key}")
            box.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # text may be elided
            box.toggled.connect(self.changed)
            column.addWidget(box)

    def box(self, key: str) -> ElidedCheckBox:
        """Return the check box of an option."""
        return self._boxes[key]

    def value(self) -> list[str]:
        """Return the keys of the ticked options."""
        return [key for key, box in self._boxes.items() if box.isChecked()]

    def set_value(self, keys: Collection[str]) -> None:
        """Tick these options only."""
        before = self.value()
        for key, box in self._boxes.items():
            with QSignalBlocker(box):
                box.setChecked(key in keys)
            box.update()
        if self.value() != before:
            self.changed.emit()

    def show_examples(self, examples: Mapping[str, str]) -> None:
        """Show an example after the name of each option."""
        for key, box in self._boxes.items():
            caption, example = self._captions[key], examples.get(key, "")
            box.set_text(f"{caption}: {example}" if example else caption)


class _LineList(QWidget):
    """Lines of one level each, lowest first, with a button that adds a line."""

    changed = Signal()

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._lines: list[Any] = []
        self.add_button = make_button(self.tr("Add a level"), kind="link", icon_name="plus", small=True)
        self.add_button.setObjectName(f"param.{name}.add")
        self.add_button.setToolTip(tip)
        self.add_button.clicked.connect(self._on_add_clicked)
        self._column = vbox((self.add_button, 0, Qt.AlignmentFlag.AlignLeft), spacing=4, margins=0, of=self)

    def value(self) -> list[Any]:
        """Return the values of the lines, lowest level first."""
        raise NotImplementedError

    def _made(self, value: Any) -> QWidget:
        """Return another line, with `entry` and `remove_button`."""
        raise NotImplementedError

    def _next_value(self) -> Any:
        raise NotImplementedError

    def set_value(self, values: Sequence[Any]) -> None:
        """Replace the values."""
        before = self.value()
        if list(values) == before:
            return
        for line in reversed(self._lines[len(values) :]):
            self._take(line)
        for line, value in zip(self._lines, values, strict=False):
            with QSignalBlocker(line.entry):
                line.set_value(value)
        for value in values[len(self._lines) :]:
            self._append(value)
        if self.value() != before:
            self.changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._order_tabs()

    def _order_tabs(self) -> None:
        """Set the tab order by lines; changing a parent breaks it."""
        stops = [stop for line in self._lines for stop in (line.entry, line.remove_button)]
        for first, second in pairwise([*stops, self.add_button]):
            self.setTabOrder(first, second)

    def _append(self, value: Any) -> None:
        line: Any = self._made(value)
        line.remove_button.clicked.connect(lambda: self._on_remove_clicked(line))
        self._column.insertWidget(len(self._lines), line)
        line.show()  # a layout shows it later, and a hidden line cannot have the focus
        if not self._lines:  # later widgets come last in the tab order, not by position
            self.setTabOrder(self.add_button, line.entry)
        self._lines.append(line)
        self._show_places()
        self._order_tabs()

    def _take(self, line: Any) -> None:
        self._lines.remove(line)
        self._column.removeWidget(line)
        line.hide()
        line.setParent(None)
        line.deleteLater()
        self._show_places()

    def _show_places(self) -> None:
        for place, line in enumerate(self._lines):
            line.show_place(place)

    def _on_add_clicked(self) -> None:
        before = self.value()
        self._append(self._next_value())
        if self.value() != before:
            self.changed.emit()
        self._lines[-1].entry.setFocus()

    def _on_remove_clicked(self, line: Any) -> None:
        place, before = self._lines.index(line), self.value()
        self._take(line)
        (self._lines[min(place, len(self._lines) - 1)].entry if self._lines else self.add_button).setFocus()
        if self.value() != before:
            self.changed.emit()


class ColumnList(_LineList):
    """One column per line, chosen from the known ones or typed; empty lines are ignored."""

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        super().__init__(name, _("Choose the column that groups these groups"))
        self._name, self._columns = name, columns

    def value(self) -> list[str]:
        """Return the columns, lowest level first."""
        return [text for line in self._lines if (text := line.entry.currentText())]

    def _made(self, value: str) -> QWidget:
        line = _ColumnLine(self._name, self._columns)
        line.set_value(value)
        line.entry.editTextChanged.connect(lambda _text: self.changed.emit())
        return line

    def _next_value(self) -> str:
        return ""


class _ColumnLine(QWidget):
    """Combo box for a column, and a button that removes the line."""

    def __init__(self, name: str, columns: Sequence[str]) -> None:
        super().__init__()
        self._name = name
        self.entry = open_box(columns)
        self.set_value = self.entry.setEditText
        self.remove_button = make_icon_button("x", self.tr("Remove"))
        hbox((self.entry, 1), self.remove_button, spacing=4, margins=0, of=self)

    def show_place(self, place: int) -> None:
        """Name the parts by the level of the line."""
        level = place + 2  # level 1 groups the values of level 0
        self.entry.setObjectName(f"param.{self._name}.{level}")
        name_editable(self.entry, self.tr("Groups of level {level} in column").format(level=level))
        self.remove_button.setAccessibleName(self.tr("Remove level {level}").format(level=level))


def open_box(columns: Sequence[str]) -> QComboBox:
    """Return an editable combo box of columns, initially empty."""
    box = QComboBox()
    box.setEditable(True)
    box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    # Long names must not widen a narrow panel.
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(8)
    for name in columns:
        box.addItem(name, name)
    box.setCurrentIndex(-1)
    line = box.lineEdit()
    assert line is not None
    line.setPlaceholderText(box.tr("none"))
    return box


_SPIN_WIDTH, _COUNT_WIDTH = 56, 28
_LARGEST = 2**31 - 1


class LevelList(_LineList):
    """List of numbers, empty for no levels; the number of groups of each level is shown at its right."""

    def __init__(self, descriptor: Integers) -> None:
        super().__init__(descriptor.name, _("Add a level below the top level"))
        self._descriptor = descriptor
        self._n_groups: tuple[int, ...] = ()

    def value(self) -> list[int]:
        """Return the numbers, lowest level first."""
        return [line.entry.value() for line in self._lines]

    def show_groups(self, n_groups: Sequence[int]) -> None:
        """Show the number of groups of each level, level 0 first."""
        self._n_groups = tuple(n_groups)
        for line in self._lines:
            line.show_groups(self._n_groups)

    def _show_places(self) -> None:
        super()._show_places()
        self.show_groups(self._n_groups)

    def _made(self, value: int) -> QWidget:
        line = _LevelLine(self._descriptor, value)
        line.entry.valueChanged.connect(self.changed)
        return line

    def _on_add_clicked(self) -> None:
        super()._on_add_clicked()
        self._lines[-1].entry.selectAll()

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
    def __init__(self, descriptor: Integers, value: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._level = make_label("", Text.CELL_STRONG)
        self.entry = fixed(IntegerSpin(descriptor.minimum, _LARGEST), width=_SPIN_WIDTH)
        self.set_value = self.entry.setValue
        self.set_value(value)
        self.entry.setToolTip(descriptor.help)
        self._words = ElidedLabel("", Text.CELL, "text_2")
        self._count = at_least(make_label("", Text.CELL, "text_2"), width=_COUNT_WIDTH)
        self._count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.remove_button = make_icon_button("x", "")
        hbox(
            self._level,
            self.entry,
            (self._words, 1),
            self._count,
            self.remove_button,
            spacing=6,
            margins=0,
            of=self,
        )

    def show_place(self, place: int) -> None:
        """Show the level that the line belongs to."""
        self._number = number = self._descriptor.first_level + place
        level = self.tr("Level {number}").format(number=number)
        self._level.setText(level)
        self._words.setText(_(self._descriptor.unit).format(below=number - 1))
        self.entry.setObjectName(f"param.{self._descriptor.name}.{number}")
        self.entry.setAccessibleName(f"{self._descriptor.label}, {level}")
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
