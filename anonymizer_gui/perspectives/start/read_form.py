"""Form of the options by which a file is read, generated from their declarations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QVBoxLayout, QWidget

from anonymizer_gui.forms.editors import FormContext, MissingField
from anonymizer_gui.forms.field import ParamField
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.widgets.layouts import STRETCH, hbox, nest
from engine.params import Param, default_of, describe, unneeded
from engine.table.options import SHEETS, VALUE_LABELS, Placing, ReadOptions

TYPING_PAUSE = 300  # milliseconds after the last key before the table is read again
_ACROSS = 5  # fields side by side
_LEAST_WIDTH = 70
# Options of other dialogs: of columns, of databases, and of commands.
_ELSEWHERE = ("scratch", "column_missing", "take", "replacements", "may_lack", "order_by")
_PLACING = tuple(setting.name for setting in describe(Placing))


class ReadForm(ParamForm):
    """Shows the options of a reading, and emits changes by the user.

    An option that the user has not chosen shows what was detected. It is held from then on if the columns
    depend on it, and otherwise detected by each reading.

    Parameters
    ----------
    has : collection of str
        What the file has that options are about, such as lines.
    offered : mapping of str to sequence of pairs of str
        Values that the file offers, with their captions, by option.
    """

    chosen = Signal(bool)  # whether the columns of the file may change
    typing = Signal()

    def __init__(self, has: Collection[str], offered: Mapping[str, Sequence[tuple[str, str]]]) -> None:
        omitted = (*_ELSEWHERE, *unneeded(ReadOptions, has))
        super().__init__(ReadOptions, context=FormContext(offered=offered), omitted=omitted)
        self._is_filling = False
        self._renames = False  # whether a typed change does
        self._open = {_detected_as(field) for field in self._fields.values()} - {""}
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE)
        self._pause.timeout.connect(self._announce)
        self._show(ReadOptions())
        self.show_labels(False)

    @property
    def options(self) -> ReadOptions:
        """Chosen and held options; the others are left open for detection."""
        held = (field for field in self._fields.values() if _detected_as(field) not in self._open)
        found = {field.descriptor.name: field.value() for field in held}
        return ReadOptions(**{name: value for name, value in found.items() if value is not None})

    def give(self, options: ReadOptions) -> None:
        """Set earlier choices."""
        self._open -= {name for name in self._open if getattr(options, name) is not None}
        self._show(options)

    def fill(self, options: ReadOptions, *, is_complete: bool = True) -> None:
        """Show the options found by a reading; the first records do not determine the encoding."""
        if self._pause.isActive():
            return  # another reading follows
        kept = {name for name in self._open if self._fields[name].descriptor.is_about_cells}
        self._open &= kept if is_complete else kept | {"encoding"}
        self._show(options)

    def show_labels(self, are_there: bool) -> None:
        """Offer the choice between labels and codes only if values have labels."""
        for field in self._fields.values():
            if field.descriptor.needs == VALUE_LABELS:
                field.setVisible(are_there)

    def stop_waiting(self) -> None:
        """Accept typed text without waiting for the pause."""
        self._pause.stop()

    def _show(self, options: ReadOptions) -> None:
        self._is_filling = True
        for name, field in self._fields.items():
            value = getattr(options, name)
            if value is None:  # detected by nothing in the file
                value = next(iter(field.descriptor.usual), None)
            if field.held() != value and not _is_typed(field):
                field.editor.set_value(value)
        self._is_filling = False

    def _field(
        self, descriptor: Param, shown: Mapping[str, Any], context: FormContext, shows_help: bool
    ) -> ParamField:
        field = super()._field(descriptor, shown, context, shows_help)
        field.editor.on_change(lambda: self._on_changed(field))
        return field

    def _lay_out(self, column: QVBoxLayout) -> None:
        """Lay out fields side by side, the widest last, and below them check boxes, and where records are."""
        fields = [field for field in self._fields.values() if field.descriptor.name not in _PLACING]
        checks = [field for field in fields if isinstance(field.editor.widget, QCheckBox)]
        cells = [field for field in fields if field not in checks]
        cells.sort(key=lambda field: isinstance(field.editor.widget, MissingField))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        for number, field in enumerate(cells):
            row, place = divmod(number, _ACROSS)
            is_last = number == len(cells) - 1
            if is_last and place == _ACROSS - 1:  # a field of words needs more room than others
                row, place = row + 1, 0
            field.editor.widget.setMinimumWidth(_LEAST_WIDTH)
            grid.addWidget(field, row, place, 1, _ACROSS - place if is_last else 1)
        for place in range(_ACROSS):
            grid.setColumnStretch(place, 1)
        column.setSpacing(8)
        nest(column, grid)
        nest(column, hbox(*checks, STRETCH, spacing=16))
        placing = [self._fields[name] for name in _PLACING if name in self._fields]
        parts: list[QWidget] = [part for field in placing for part in (field.take_label(), field)]
        if parts:
            nest(column, hbox(*parts, STRETCH, spacing=8))

    def _on_changed(self, field: ParamField) -> None:
        if self._is_filling:
            return
        changed = field.descriptor
        self._open.discard(_detected_as(field))
        if changed.needs == SHEETS:
            self._open.add("header")  # each sheet has its own first row
        self._renames |= not changed.is_about_cells
        box = field.editor.widget
        is_listed = isinstance(box, QComboBox) and box.findText(box.currentText()) >= 0
        if is_listed or isinstance(box, QCheckBox):
            self._announce()
        else:
            self.typing.emit()
            self._pause.start()

    def _announce(self) -> None:
        self._pause.stop()
        renames, self._renames = self._renames, False
        self.chosen.emit(renames)


def _detected_as(field: ParamField) -> str:
    """Return the option as which that of a field is detected if no value is given; empty if it is not."""
    setting = field.descriptor
    is_detected = default_of(ReadOptions, setting.name) is None
    return setting.detected_with or (setting.name if is_detected else "")


def _is_typed(field: ParamField) -> bool:
    """Return whether the user is typing a text that is not offered."""
    box = field.editor.widget
    if not isinstance(box, QComboBox):
        return False
    edit = box.lineEdit()
    return edit is not None and edit.hasFocus() and box.findText(box.currentText()) < 0
