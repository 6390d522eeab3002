"""Reading of a file: the user's choices for its columns, and the form of the options."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget

from anonymizer_gui.forms.editors import FormContext, MissingField
from anonymizer_gui.forms.field import ParamField
from anonymizer_gui.forms.param_form import ParamForm
from anonymizer_gui.widgets.layouts import STRETCH, gridbox, hbox, nest
from engine.params import Param, default_of, describe, unneeded
from engine.records import Column
from engine.records.candidates import Misfits
from engine.records.columns_taken import places_of, selection
from engine.records.options import SHEETS, VALUE_LABELS, Placing, ReadOptions
from engine.records.reading import Reading
from engine.records.types import DataType
from engine.words import _


@dataclass(eq=False)
class ColumnChoice:
    """One column of the file.

    Attributes
    ----------
    place : int
        Position in the file, from 1.
    source : str
        Heading in the file.
    name : str
        Name in the table.
    given_name : str
        Name before any choice: the heading, or another one if it is empty or repeated.
    column : Column or None
        Column as read without choices for its cells; None if it was never read.
    wanted : DataType or None
        Type chosen by the user; None for the detected one.
    misfits : Misfits or None
        Cells that do not parse as the chosen type, or as the type of nearly all cells.
    missing : set of str
        Values among those that are read as missing.
    forms : tuple of str
        Forms of its values; see `ReadOptions`.
    """

    place: int
    source: str
    name: str
    given_name: str
    is_taken: bool = True
    column: Column | None = None
    wanted: DataType | None = None
    misfits: Misfits | None = None
    missing: set[str] = field(default_factory=set)
    forms: tuple[str, ...] = ()

    @property
    def n_undecided(self) -> int:
        """Number of cells that prevent the chosen type, or the type of nearly all cells."""
        if self.misfits is None:
            return 0
        return sum(n for value, n in self.misfits.values if value not in self.missing)

    @property
    def type_given(self) -> DataType | None:
        """Type for reading the column; None if it is detected or a cell does not fit."""
        return None if self.n_undecided else self.wanted

    def forget_type(self) -> None:
        """Return to the detected type."""
        self.wanted, self.misfits = None, None
        self.missing.clear()


def choices_for(
    reading: Reading, before: ReadOptions = ReadOptions(), chosen: ReadOptions | None = None
) -> list[ColumnChoice]:
    """Return the columns of a file, named and selected as in earlier options.

    Parameters
    ----------
    reading : Reading
        With all columns.
    before : ReadOptions
        Options of the table that this one replaces; columns that no longer exist are ignored.
    chosen : ReadOptions or None
        Earlier choices for the same file; types, missing cells and omitted columns are restored too.
    """
    before = chosen or before
    headings, columns = reading.headings, reading.table.columns
    choices = [
        ColumnChoice(i, heading, column.name, column.name, column=column)
        for i, (heading, column) in enumerate(zip(headings, columns, strict=True), start=1)
    ]
    for choice in choices:
        choice.misfits = reading.misfits.get(choice.name)
    places = places_of(before.take, headings)
    first = [choices[place] for place in dict.fromkeys(places) if place is not None]
    for column, place in zip(before.take, places, strict=True):
        if place is not None:
            choices[place].name = column.name
    choices = [*first, *(choice for choice in choices if choice not in first)]
    for choice in choices:
        choice.forms = before.forms.get(choice.name, ())
    if chosen is not None:
        for choice in choices:
            choice.is_taken = not chosen.take or choice in first
            choice.wanted = chosen.types.get(choice.name)
            choice.missing = set(chosen.column_missing.get(choice.name, ()))
    return choices


def with_columns(options: ReadOptions, choices: Sequence[ColumnChoice]) -> ReadOptions:
    """Return options that also have the choices for columns.

    Parameters
    ----------
    choices : sequence of ColumnChoice
        In table order.
    """
    taken = [choice for choice in choices if choice.is_taken]
    is_plain = all(
        choice.is_taken and choice.place == i and choice.name == choice.source
        for i, choice in enumerate(choices, start=1)
    )
    headings = [choice.source for choice in sorted(choices, key=lambda choice: choice.place)]
    take = selection(headings, ((choice.place - 1, choice.name) for choice in taken))
    types = {c.name: given for c in taken if (given := c.type_given) is not None}
    missing = {c.name: tuple(sorted(c.missing)) for c in taken if c.missing}
    forms = {c.name: c.forms for c in taken if c.forms}
    return replace(options, take=() if is_plain else take, types=types, column_missing=missing, forms=forms)


TYPING_PAUSE = 300  # milliseconds after the last key before the table is read again
_ACROSS = 5  # fields side by side
_LEAST_WIDTH = 70
# Options of other dialogs: of columns, of databases, and of commands.
_ELSEWHERE = ("scratch", "column_missing", "take", "replacements", "forms", "may_lack", "order_by")
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
        self._offered = offered
        self._renames = False  # whether a typed change does
        self._open = {_detected_as(field) for field in self._fields.values()} - {""}
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE)
        self._pause.timeout.connect(self._announce)
        self._show(ReadOptions())
        self.show_labels(False)

    @property
    def options(self) -> ReadOptions:
        """Chosen and held options; the others are left open for detection."""
        held = (field for field in self._fields.values() if _detected_as(field) not in self._open)
        found = {field.descriptor.name: field.value() for field in held}
        return ReadOptions(**{name: value for name, value in found.items() if value is not None})

    def summary(self) -> str:
        """Return the values of the fields in a line: the choices, and what differs from the default."""
        shown = []
        for name, entry in self._fields.items():
            value, box = entry.held(), entry.editor.widget
            is_usual = value == default_of(ReadOptions, name) or value in ("", (), ("",))
            if is_usual or entry.descriptor.needs == SHEETS or entry.isHidden():
                continue
            if isinstance(box, QCheckBox):
                shown += [entry.descriptor.label] if value else []
                continue
            text = box.currentText() if isinstance(box, QComboBox) else str(value)
            if isinstance(box, MissingField):
                text = ", ".join(word or _("empty cells") for word in value)
            shown.append(_("{label}: {value}").format(label=entry.descriptor.label, value=text))
        return " · ".join(shown)

    def sheet_field(self) -> ParamField | None:
        """Return the choice of a sheet, for a place outside of the form; None for files without sheets."""
        return next((f for f in self._fields.values() if f.descriptor.needs == SHEETS), None)

    def choose(self, name: str, value: Any) -> None:
        """Choose a value, as the user does in a field."""
        entry = self._fields[name]
        self._is_filling = True
        entry.editor.set_value(value)
        self._is_filling = False
        self._open.discard(_detected_as(entry))
        self._renames |= not entry.descriptor.is_about_cells
        self._announce()

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
        for entry in self._fields.values():
            if entry.descriptor.needs == VALUE_LABELS:
                entry.setVisible(are_there)

    def stop_waiting(self) -> None:
        """Accept typed text without waiting for the pause."""
        self._pause.stop()

    def _show(self, options: ReadOptions) -> None:
        self._is_filling = True
        for name, entry in self._fields.items():
            value = getattr(options, name)
            if value is None:  # detected by nothing in the file
                offered = self._offered.get(name, ()) if entry.descriptor.needs == SHEETS else ()
                value = next((key for key, _caption in offered), next(iter(entry.descriptor.usual), None))
            if entry.held() != value and not _is_typed(entry):
                entry.editor.set_value(value)
        self._is_filling = False

    def _field(
        self, descriptor: Param, shown: Mapping[str, Any], context: FormContext, shows_help: bool
    ) -> ParamField:
        entry = super()._field(descriptor, shown, context, shows_help)
        entry.editor.on_change(lambda: self._on_changed(entry))
        return entry

    def _lay_out(self, column: QVBoxLayout) -> None:
        """Lay out fields side by side, the widest last, and below them check boxes, and where records are."""
        fields = [
            entry
            for entry in self._fields.values()
            if entry.descriptor.name not in _PLACING and entry.descriptor.needs != SHEETS
        ]
        checks = [entry for entry in fields if isinstance(entry.editor.widget, QCheckBox)]
        cells = [entry for entry in fields if entry not in checks]
        cells.sort(key=lambda entry: isinstance(entry.editor.widget, MissingField))
        grid = gridbox(spacing=(12, 8))
        for number, entry in enumerate(cells):
            row, place = divmod(number, _ACROSS)
            is_last = number == len(cells) - 1
            if is_last and place == _ACROSS - 1:  # a field of words needs more room than others
                row, place = row + 1, 0
            entry.editor.widget.setMinimumWidth(_LEAST_WIDTH)
            grid.addWidget(entry, row, place, 1, _ACROSS - place if is_last else 1)
        for place in range(_ACROSS):
            grid.setColumnStretch(place, 1)
        column.setSpacing(8)
        nest(column, grid)
        nest(column, hbox(*checks, STRETCH, spacing=16))
        placing = [self._fields[name] for name in _PLACING if name in self._fields]
        parts: list[QWidget] = [part for entry in placing for part in (entry.take_label(), entry)]
        if parts:
            nest(column, hbox(*parts, STRETCH, spacing=8))

    def _on_changed(self, entry: ParamField) -> None:
        if self._is_filling:
            return
        changed = entry.descriptor
        self._open.discard(_detected_as(entry))
        if changed.needs == SHEETS:
            self._open.add("header")  # each sheet has its own first row
        self._renames |= not changed.is_about_cells
        box = entry.editor.widget
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


def _detected_as(entry: ParamField) -> str:
    """Return the option as which that of a field is detected if no value is given; empty if it is not."""
    setting = entry.descriptor
    is_detected = default_of(ReadOptions, setting.name) is None
    return setting.detected_with or (setting.name if is_detected else "")


def _is_typed(entry: ParamField) -> bool:
    """Return whether the user is typing a text that is not offered."""
    box = entry.editor.widget
    if not isinstance(box, QComboBox):
        return False
    edit = box.lineEdit()
    return edit is not None and edit.hasFocus() and box.findText(box.currentText()) < 0
