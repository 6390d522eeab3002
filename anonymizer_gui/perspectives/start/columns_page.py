"""Columns of a file as a table: selection, names, order, types, and cells that do not fit."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QWidget

from anonymizer_gui.models.column_summary import type_words
from anonymizer_gui.perspectives.start.read_form import TYPING_PAUSE, ColumnChoice
from anonymizer_gui.tables.rows_model import Cell, Heading
from anonymizer_gui.tables.table_view import SEVERAL, TableView
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.buttons import make_button, make_icon_button
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, vbox
from engine.numbers import as_exact_count
from engine.records.candidates import Candidate, Misfits
from engine.records.types import DataType, Kind
from engine.records.values import DATE_FORMATS

TAKE, NAME, TYPE, UNFIT = range(4)
MOST_TYPES = 8  # offered types
MOST_ORDERED = 60  # values whose order is edited in one line
BETWEEN = " < "
_WIDTHS, _MISFIT_WIDTHS = (0, 0, 116, 74), (70, 160)


class ColumnsPage(QWidget):
    """Columns at the left, the choices for the current one at the right."""

    changed = Signal()
    typing = Signal()
    candidates_wanted = Signal(object)  # Column
    misfits_wanted = Signal(object, object)  # Column, DataType

    def __init__(self) -> None:
        super().__init__()
        self.choices: list[ColumnChoice] = []
        self._is_filling = False
        self.is_complete = True  # otherwise the columns are those of the first records
        self._typed = QTimer(self, singleShot=True, interval=TYPING_PAUSE)
        # Last typed text: whether it parses as a type.
        self._typed_text: tuple[ColumnChoice, str, bool] | None = None
        self._offered: tuple[object, DataType] | None = None
        self._build()
        self._connect()

    def n_undecided(self, name: str) -> int:
        """Return how many cells of a column prevent its type."""
        return next((choice.n_undecided for choice in self.choices if choice.name == name), 0)

    def edit_type(self, name: str) -> None:
        """Go to a column, ready to choose its type."""
        row = next((i for i, choice in enumerate(self.choices) if choice.name == name), None)
        if row is not None:
            self._table.setCurrentIndex(self._table.texts.index(row, TYPE))
            self._type.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_choices(self, choices: list[ColumnChoice]) -> None:
        """Show the columns of another file."""
        self._offered = None
        self._list(choices)
        if choices:
            self._table.setCurrentIndex(self._table.texts.index(0, NAME))
        self._go_to_first_unfit()
        self._show_current()

    def refresh(self) -> None:
        """Show the columns as read last."""
        self._table.texts.refresh()
        if not self.isVisible():  # the user must not see the column change
            self._go_to_first_unfit()
        self._show_current()

    def _go_to_first_unfit(self) -> None:
        current = self._current()
        if current is None or not current.n_undecided:
            unfit = next((i for i, choice in enumerate(self.choices) if choice.n_undecided), None)
            if unfit is not None:
                self._table.setCurrentIndex(self._table.texts.index(unfit, NAME))

    def show_candidates(self, column: object, candidates: Sequence[Candidate]) -> None:
        """Offer the types that some cells of the current column parse as."""
        choice = self._current()
        if choice is None or choice.column is not column or choice.column is None:
            return
        self._is_filling = True
        box, shown = self._type, self._shown_type(choice)
        box.clear()
        offered = [*candidates[:MOST_TYPES], candidates[-1]]
        if all(entry.data_type != shown for entry in offered):
            box.addItem(type_words(shown), shown)
        for i, entry in enumerate(offered):
            if entry.data_type in [offer.data_type for offer in offered[:i]]:
                continue
            share = f"{_floored(entry.share)} %"
            words = type_words(entry.data_type)
            is_text = entry.data_type.kind is Kind.TEXT
            box.addItem(words if is_text else f"{words} · {share}", entry.data_type)
        kinds = {box.itemData(i).kind for i in range(box.count())}
        if Kind.DATE not in kinds:
            box.addItem(self.tr("Date, other format…"), DataType(Kind.DATE, DATE_FORMATS[0]))
        n_values = len(choice.column.labels) - choice.column.has_missing
        if Kind.ORDERED not in kinds and n_values <= MOST_ORDERED:
            values = choice.column.labels[:n_values]
            box.addItem(self.tr("Ordered category…"), DataType(Kind.ORDERED, "", tuple(values)))
        box.setCurrentIndex(next(i for i in range(box.count()) if box.itemData(i) == shown))
        self._is_filling = False

    def show_misfits(self, column: object, data_type: DataType, misfits: Misfits) -> None:
        """Set a requested type; cells that do not fit wait for a decision."""
        choice = next((c for c in self.choices if c.column is column), None)
        if choice is None:
            return
        if choice.wanted == data_type:
            choice.missing &= {value for value, _ in misfits.values}
        else:
            choice.missing.clear()
        choice.wanted = data_type
        choice.misfits = misfits if misfits.n_cells else None
        self.refresh()

    # Display ------------------------------------------------------------------------------------

    def _current(self) -> ColumnChoice | None:
        row = self._table.currentIndex().row()
        return self.choices[row] if 0 <= row < len(self.choices) else None

    def _list(self, choices: list[ColumnChoice]) -> None:
        self.choices = choices
        titles = (self.tr("Column"), self.tr("Name"), self.tr("Type"), self.tr("Misfits"))
        self._titles = titles
        self._table.texts.show_made([Heading(title) for title in titles], choices, self._cell)

    def _cell(self, choice: ColumnChoice, column: int) -> Cell:
        text = self._text(choice, column)
        tone = "text" if choice.is_taken else "text_3"
        if column == UNFIT and choice.n_undecided:
            tone = "warn"
        is_ticked = choice.is_taken if column == TAKE else None
        return Cell(text, tone=tone, spoken=f"{self._titles[column]}: {text}", is_ticked=is_ticked)

    def _text(self, choice: ColumnChoice, column: int) -> str:
        if column == TAKE:
            return choice.source
        if column == NAME:
            return choice.name
        if column == TYPE:
            data_type = choice.type_given or (choice.column.data_type if choice.column else None)
            return type_words(data_type) if data_type else ""
        if choice.misfits is None:
            return ""
        n_left = choice.n_undecided
        return as_exact_count(n_left) if n_left else self.tr("all decided") if choice.missing else ""

    def _on_ticked(self, row: int, _column: int, takes: bool) -> None:
        if not takes and sum(choice.is_taken for choice in self.choices) == 1:
            return  # a table has at least one column
        self.choices[row].is_taken = takes
        self._table.texts.refresh()
        self._show_current()
        self.changed.emit()

    def _misfit_cell(self, choice: ColumnChoice | None, cell: int, column: int) -> Cell:
        assert choice is not None, "there are lines"
        assert choice.misfits is not None, "there are lines"
        record, value = choice.misfits.cells(cell, cell + 1)[0]
        if column == 0:
            return Cell(as_exact_count(record + 1))
        if column == 1:
            return Cell(value)
        if value in choice.missing:
            return Cell(self.tr("read as missing"), tone="text_2")
        return Cell(self.tr("unchanged"), tone="warn")

    def _shown_type(self, choice: ColumnChoice) -> DataType:
        if choice.wanted is not None:
            return choice.wanted
        assert choice.column is not None, "a column that was read"
        return choice.column.data_type

    def _show_current(self) -> None:
        choice = self._current()
        is_read = choice is not None and choice.is_taken and choice.column is not None
        self._is_filling = True
        self._name.setEnabled(choice is not None)
        if choice is not None and not self._name.hasFocus():
            self._name.setText(choice.name)
        self._type.setEnabled(is_read)
        shown = self._shown_type(choice) if is_read and choice is not None else DataType()
        if self._type.currentData() != shown or not is_read:
            self._type.clear()
            if is_read:
                self._type.addItem(type_words(shown), shown)
        has_detail = shown.kind in (Kind.DATE, Kind.ORDERED)
        self._detail_label.setVisible(has_detail)
        self._detail.setVisible(has_detail)
        if has_detail and not self._detail.hasFocus():
            is_date = shown.kind is Kind.DATE
            self._detail_label.setText(self.tr("Format") if is_date else self.tr("Order"))
            self._detail.setText(shown.format if is_date else BETWEEN.join(shown.values))
        self._is_filling = False
        self._show_unfit(choice)
        row = self._table.currentIndex().row()
        self._up.setEnabled(row > 0)
        self._down.setEnabled(0 <= row < len(self.choices) - 1)
        if is_read and choice is not None and self._offered != (choice.column, shown):
            self._offered = choice.column, shown
            self.candidates_wanted.emit(choice.column)

    def _show_unfit(self, choice: ColumnChoice | None) -> None:
        misfits = None if choice is None else choice.misfits
        headings = (
            Heading(self.tr("Record"), is_number=True),
            Heading(self.tr("Value")),
            Heading(self.tr("Result")),
        )
        cells = range(0 if misfits is None else misfits.n_cells)
        self._misfit_table.texts.show_made(headings, cells, partial(self._misfit_cell, choice))
        for widget in (self._misfit_table, self._all_missing, self._some_missing, self._leave):
            widget.setVisible(misfits is not None)
        if misfits is None or choice is None:
            fits = self.tr("Every cell fits the type.")
            if not self.is_complete:
                fits = self.tr("Every cell read so far fits the type.")
            self._words.setText(fits if choice is not None else "")
            return
        words, n_left = type_words(misfits.data_type), choice.n_undecided
        n_cells = as_exact_count(misfits.n_cells)
        if n_left:
            now = choice.column.data_type if choice.column else DataType()
            text = self.tr(
                "{n_cells} cells are not valid as “{words}”. The column stays “{now}” unless you "
                "read them as missing."
            )
            self._words.setText(text.format(n_cells=n_cells, words=words, now=type_words(now)))
        else:
            self._words.setText(
                self.tr("{n_cells} cells are not valid as “{words}” and are read as missing.").format(
                    n_cells=n_cells, words=words
                )
            )
        self._leave.setEnabled(bool(choice.missing))
        self._all_missing.setEnabled(n_left > 0)

    # Actions --------------------------------------------------------------------------------------

    def _on_typed(self, *, is_type: bool) -> None:
        choice = self._current()
        if choice is None:
            return
        self._typed_text = choice, (self._detail if is_type else self._name).text(), is_type
        self.typing.emit()
        self._typed.start()

    def _on_paused(self) -> None:
        self._typed.stop()
        if self._typed_text is None:
            return
        (choice, text, is_type), self._typed_text = self._typed_text, None
        if not is_type:
            choice.name = text
            self._table.texts.refresh()
            self.changed.emit()
            return
        shown = self._shown_type(choice)
        if shown.kind is Kind.DATE:
            self.misfits_wanted.emit(choice.column, DataType(Kind.DATE, text.strip() or DATE_FORMATS[0]))
        else:
            values = tuple(dict.fromkeys(part.strip() for part in text.split(BETWEEN.strip())))
            self.misfits_wanted.emit(choice.column, DataType(Kind.ORDERED, "", values))

    def _on_current_changed(self) -> None:
        self._on_paused()  # the typed text belongs to the previous column
        self._show_current()

    def _on_type_chosen(self) -> None:
        choice = self._current()
        if not self._is_filling and choice is not None and self._type.currentData() is not None:
            self.typing.emit()
            self.misfits_wanted.emit(choice.column, self._type.currentData())

    def _decide(self, values: set[str], *, is_missing: bool) -> None:
        choice = self._current()
        if choice is None or choice.misfits is None:
            return
        if is_missing:
            choice.missing |= values
            choice.wanted = choice.misfits.data_type
        else:
            choice.missing -= values
        self.refresh()
        self.changed.emit()

    def _on_all_missing(self) -> None:
        choice = self._current()
        if choice is not None and choice.misfits is not None:
            self._decide({value for value, _ in choice.misfits.values}, is_missing=True)

    def _on_some_missing(self) -> None:
        rows = self._misfit_table.selectionModel().selectedRows()
        texts = self._misfit_table.texts
        self._decide({texts.cell(index.row(), 1).text for index in rows}, is_missing=True)

    def _on_leave(self) -> None:
        choice = self._current()
        if choice is not None:
            self._decide(set(choice.missing), is_missing=False)

    def _move(self, step: int) -> None:
        row = self._table.currentIndex().row()
        to = row + step
        if 0 <= row < len(self.choices) and 0 <= to < len(self.choices):
            order = list(self.choices)
            order.insert(to, order.pop(row))
            self._list(order)
            self._table.setCurrentIndex(self._table.texts.index(to, NAME))
            self.changed.emit()

    # Layout ---------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._table = TableView("columnsTable", self.tr("Columns of the file"), widths=_WIDTHS)
        title = self.tr("Cells that do not fit the type")
        self._misfit_table = TableView("misfitsTable", title, chooses=SEVERAL, widths=_MISFIT_WIDTHS)
        self._misfit_table.horizontalHeader().setStretchLastSection(True)
        self._name, self._type, self._detail = QLineEdit(), QComboBox(), QLineEdit()
        self._detail_label = make_label("")
        self._words = make_label("", Text.CELL, "text_2", wraps=True)
        self._up = make_icon_button("arrow-up", self.tr("Move the column up"))
        self._down = make_icon_button("arrow-down", self.tr("Move the column down"))
        self._all_missing = make_button(self.tr("Read all as missing"), small=True)
        self._some_missing = make_button(self.tr("Selected only"), small=True)
        self._leave = make_button(self.tr("Leave unchanged"), small=True)
        named = (
            (self._name, "columnNameEdit", self.tr("Name of the column in the table")),
            (self._type, "typeBox", self.tr("Type of the column, with the share of valid cells")),
            (
                self._detail,
                "typeDetailEdit",
                self.tr("Date format, such as %d.%m.%Y; or all values in order"),
            ),
            (self._up, "moveUpButton", self._up.toolTip()),
            (self._down, "moveDownButton", self._down.toolTip()),
            (self._all_missing, "allMissingButton", self.tr("Read every invalid cell as missing")),
            (self._some_missing, "someMissingButton", self.tr("Read the selected values as missing")),
            (self._leave, "leaveButton", self.tr("Leave every cell unchanged")),
        )
        for widget, object_name, words in named:
            widget.setObjectName(object_name)
            widget.setAccessibleName(words)
            widget.setToolTip(words)
        self._type.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        name_row = hbox((self._name, 1), self._up, self._down, spacing=4)
        form = QFormLayout()
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.addRow(make_label(self.tr("Name")), name_row)
        form.addRow(make_label(self.tr("Type")), self._type)
        form.addRow(self._detail_label, self._detail)
        side = vbox(
            form,
            self._words,
            (self._misfit_table, 1),
            hbox(self._all_missing, self._some_missing, self._leave, STRETCH, spacing=8),
            spacing=8,
            margins=12,
        )
        side.addStretch(0)
        hbox((self._table, 1), (side, 1), spacing=0, margins=0, of=self)

    def _connect(self) -> None:
        self._table.texts.tick_requested.connect(self._on_ticked)
        self._table.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self._name.textEdited.connect(lambda _text: self._on_typed(is_type=False))
        self._detail.textEdited.connect(lambda _text: self._on_typed(is_type=True))
        self._typed.timeout.connect(self._on_paused)
        self._type.currentIndexChanged.connect(self._on_type_chosen)
        self._all_missing.clicked.connect(self._on_all_missing)
        self._some_missing.clicked.connect(self._on_some_missing)
        self._leave.clicked.connect(self._on_leave)
        self._up.clicked.connect(lambda: self._move(-1))
        self._down.clicked.connect(lambda: self._move(1))


def _floored(share: float) -> str:
    """Return a share in percent with one decimal, rounded down: 100 means all."""
    tenths = int(share * 1000)
    return f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"
