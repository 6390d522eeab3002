"""Dialog with the import settings of a table and a preview of its first records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QShowEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QStackedWidget, QToolTip, QWidget

from anonymizer_gui.models.column_summary import type_words
from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.perspectives.start.columns_page import ColumnsPage
from anonymizer_gui.perspectives.start.read_form import ReadForm, choices_for, with_columns
from anonymizer_gui.tables.table_view import CELL_PADDING, FITTED_COLUMNS, SEVERAL, TableView
from anonymizer_gui.theming import Text, current_theme, font, paint_text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import fixed, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.errors import AnonymizerError
from engine.numbers import as_exact_count
from engine.records.candidates import Candidate, Misfits
from engine.records.options import ReadOptions
from engine.records.reading import Reading
from engine.records.types import DataType
from engine.words import ngettext

_HEADER_HEIGHT = 40


class PreviewHeader(QHeaderView):
    """A click on a column requests to change its type."""

    type_requested = Signal(str)  # name of the column

    def __init__(self, model: RecordsModel, unfit: Callable[[str], int], parent: QWidget) -> None:
        """Create the header; `unfit` returns how many cells of a column prevent a type."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._records, self._unfit = model, unfit
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.sectionClicked.connect(lambda place: self.type_requested.emit(self._records.table.names[place]))
        fixed(self, height=_HEADER_HEIGHT)

    def type_text(self, place: int) -> str:
        """Return the type of a column, and the number of cells that do not match it."""
        column = self._records.table.columns[place]
        words = type_words(column.data_type)
        if n_unfit := self._unfit(column.name):
            words += " · " + ngettext("{n} misfit", "{n} misfits", n_unfit).format(n=as_exact_count(n_unfit))
        return words

    def wanted_width(self, place: int) -> int:
        """Return the width that shows name and type."""
        name = QFontMetrics(font(Text.HEADER)).horizontalAdvance(self._records.table.names[place])
        kind = QFontMetrics(font(Text.CAPTION)).horizontalAdvance(self.type_text(place))
        return max(name, kind) + 2 * CELL_PADDING + 4

    def sizeHint(self) -> QSize:
        return QSize(0, scaled(_HEADER_HEIGHT))

    def sectionSizeFromContents(self, logicalIndex: int) -> QSize:  # noqa: N803  # Qt's name
        return QSize(scaled(32), scaled(_HEADER_HEIGHT))

    def paintSection(self, painter: QPainter, rect: QRect, logicalIndex: int) -> None:  # noqa: N803  # Qt's name
        table = self._records.table
        if not rect.isValid() or logicalIndex >= len(table.columns):
            return
        theme, column = current_theme(), table.columns[logicalIndex]
        painter.save()
        is_under_pointer = self.logicalIndexAt(self.mapFromGlobal(self.cursor().pos())) == logicalIndex
        painter.fillRect(
            rect, QColor(theme.hover if is_under_pointer and self.underMouse() else theme.surface_2)
        )
        painter.setPen(QColor(theme.border))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        half = rect.height() // 2
        room = rect.adjusted(CELL_PADDING, 3, -CELL_PADDING, -half)
        kind = rect.adjusted(CELL_PADDING, half - 1, -CELL_PADDING, -4)
        tone, is_right = "warn" if self._unfit(column.name) else "text_3", column.data_type.is_numeric
        paint_text(painter, room, column.name, Text.HEADER, is_right=is_right)
        paint_text(painter, kind, self.type_text(logicalIndex), Text.CAPTION, tone, is_right=is_right)
        painter.restore()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            place = self.logicalIndexAt(event.pos())
            if 0 <= place < len(self._records.table.columns):
                words = self.tr("{name}: {type}. Click to change name or type.").format(
                    name=self._records.table.names[place], type=self.type_text(place)
                )
                QToolTip.showText(event.globalPos(), words, self)
                return True
        return super().viewportEvent(event)


PREVIEW_RECORDS = 200
WIDEST_COLUMN = 240
MOST_NAMED = 4  # columns or records named in a note
_WIDTH, _HEIGHT, _MOST_HEIGHT = 960, 640, 680
_PREVIEW, _COLUMNS = "preview", "columns"


class OpenDialog(QDialog):
    """Emits changed options; the presenter replies with `show_reading`.

    Parameters
    ----------
    name : str
        Name of the file.
    has, offered
        See `ReadForm`.
    before : ReadOptions
        Import settings of the table that this one replaces.
    chosen : ReadOptions or None
        Earlier choices for this file.
    """

    options_changed = Signal(object)  # ReadOptions
    candidates_wanted = Signal(object, object)  # Column, ReadOptions
    misfits_wanted = Signal(object, object)  # Column, DataType

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        *,
        has: Collection[str],
        offered: Mapping[str, Sequence[tuple[str, str]]],
        before: ReadOptions = ReadOptions(),
        chosen: ReadOptions | None = None,
    ) -> None:
        super().__init__(parent)
        self._before, self._chosen = before, chosen
        self.setObjectName("openDialog")
        self.setWindowTitle(self.tr("Open {name}").format(name=name))
        self.reading: Reading | None = None
        self._last: Reading | None = None
        self._asked: ReadOptions | None = None  # options of the last reading
        self._renames = True  # whether the next reading has other columns
        self._choices = ReadForm(has, offered)
        self._columns = ColumnsPage()
        self._note = make_label("", Text.CELL, "warn", wraps=True)
        self._banner = ErrorBanner()
        self._model = RecordsModel(limit=PREVIEW_RECORDS, parent=self)
        self._card = Card(self.tr("Table"))
        self._chip = Chip(self.tr("Provisional types"), "warn")
        self._pages = SegmentedControl(
            [(_PREVIEW, self.tr("Preview")), (_COLUMNS, self.tr("Columns and types"))],
            self.tr("View of the table"),
        )
        self._stack = QStackedWidget()
        self._open = make_button(self.tr("Open"), kind="primary", icon_name="folder-open")
        self._cancel = make_button(self.tr("Cancel"))
        self._build()
        self._connect()
        if chosen is not None:
            self._choices.give(chosen)
        self.show_waiting()

    @property
    def options(self) -> ReadOptions:
        """Chosen options."""
        options = self._choices.options
        if self._renames:
            return options
        return with_columns(options, self._columns.choices)

    def show_waiting(self) -> None:
        """Keep the last preview while the file is read again."""
        self.reading = None
        self._open.setEnabled(False)
        self._card.set_caption(self.tr("reading"))

    def show_progress(self, share: float) -> None:
        """Show the share of the file that has been read."""
        if self.reading is not None and not self.reading.is_complete:
            self._card.set_caption(self._facts(self.reading, share))

    def show_reading(self, reading: Reading) -> None:
        """Show the result of the options, or its first records."""
        is_new = self._renames
        self._choices.fill(reading.options, is_complete=reading.is_complete)
        codings = [column.coding for column in reading.table.columns]
        self._choices.show_labels(any(coding.values for coding in codings if coding is not None))
        self._take_columns(reading)
        if is_new and self.options != replace(self._choices.options, take=reading.options.take):
            self._ask()  # to restore names, order and types
            return
        self._model.set_table(reading.table)
        self._fit_columns()
        notes = self._notes(reading)
        self._note.setText(" ".join(notes))
        self._note.setVisible(bool(notes))
        self._banner.hide()
        self._asked = self.options
        self._last = reading
        self._show_ready()

    def show_error(self, error: AnonymizerError) -> None:
        """Show why the options do not fit the file."""
        self.reading, self._asked = None, None
        self._open.setEnabled(False)
        self._model.set_table(None)
        self._card.set_caption("")
        self._note.hide()
        self._chip.hide()
        self._banner.show_error(error.problem, error.hint)

    def show_broken(self, error: AnonymizerError) -> None:
        """Show why the file cannot be read completely; the preview stays."""
        self.reading, self._asked = None, None
        self._open.setEnabled(False)
        self._card.set_caption(self.tr("not read completely"))
        self._banner.show_error(error.problem, error.hint)

    def show_candidates(self, column: object, candidates: Sequence[Candidate]) -> None:
        """Offer the types that some cells of a column parse as."""
        self._columns.show_candidates(column, candidates)

    def show_misfits(self, column: object, data_type: DataType, misfits: Misfits) -> None:
        """Set a requested type if every cell fits, else list the cells that do not."""
        self._columns.show_misfits(column, data_type, misfits)
        self._read_or_rest()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._open.isEnabled():
            self._open.setFocus()  # Enter opens with the detected options

    def _show_ready(self) -> None:
        assert self._last is not None, "there is a reading"
        self.reading = self._last
        self._card.set_caption(self._facts(self._last))
        self._chip.setVisible(not self._last.is_complete)
        self._open.setEnabled(True)

    def _facts(self, reading: Reading, share: float = 0.0) -> str:
        table = reading.table
        facts = self.tr("{n_records} records · {n} columns")
        if table.home is not None:
            facts = f"{facts} · {table.home.place}"
        if not reading.is_complete:
            facts = self.tr("first {n_records} records · {n} columns · {share} % read")
        return facts.format(
            n_records=as_exact_count(table.n_records), n=len(table.columns), share=int(100 * share)
        )

    def _take_columns(self, reading: Reading) -> None:
        self._columns.is_complete = reading.is_complete
        if self._renames:
            self._renames = False
            choices = choices_for(reading, self._before, self._chosen)
            self._chosen = None
            self._columns.show_choices(choices)
            return
        names, was_complete = set(reading.table.names), self._last is not None and self._last.is_complete
        is_more = reading.is_complete and not was_complete
        for choice in self._columns.choices:
            if not choice.is_taken or choice.name not in names:
                continue
            if is_more or not choice.missing:
                n_undecided = choice.n_undecided
                choice.column = reading.table.column(choice.name)
                unfit = reading.misfits.get(choice.name)
                if choice.wanted is None or unfit is not None:
                    choice.misfits = unfit
                elif is_more and n_undecided:  # not requested, because some of the first cells do not fit
                    self.misfits_wanted.emit(choice.column, choice.wanted)
        self._columns.refresh()

    def _notes(self, reading: Reading) -> list[str]:
        notes = []
        named = [
            f"{choice.place} “{choice.name}”"
            for choice in self._columns.choices
            if choice.is_taken and choice.name == choice.given_name != choice.source
        ]
        if named:
            text = self.tr("Unnamed columns were given names: {names}.")
            notes.append(text.format(names=_some(named)))
        if reading.encoding_is_guessed:
            notes.append(self.tr("The encoding is a guess: check letters with accents in the preview."))
        unfit = [choice.name for choice in self._columns.choices if choice.is_taken and choice.n_undecided]
        if unfit:
            text = self.tr(
                "Some cells do not match the type of nearly all others: {names}. See “Columns and types”."
            )
            notes.append(text.format(names=_some(unfit)))
        if filled := reading.filled:
            text = self.tr("Short records were padded with missing cells: {names}.")
            notes.append(text.format(names=_some([as_exact_count(record + 1) for record in filled])))
        return notes

    def _fit_columns(self) -> None:
        cells = self._table.fontMetrics()
        for i in range(min(len(self._model.table.names), FITTED_COLUMNS)):
            texts = self._model.longest_texts(i, PREVIEW_RECORDS)
            longest = max(map(cells.horizontalAdvance, texts), default=0)
            wanted = max(self._header.wanted_width(i), longest + 2 * CELL_PADDING + 7)
            self._header.resizeSection(i, min(wanted, scaled(WIDEST_COLUMN)))

    def _build(self) -> None:
        title = self.tr("Preview of the first records")
        self._table = table = TableView("previewTable", title, self._model, chooses=SEVERAL)
        self._header = PreviewHeader(self._model, self._columns.n_undecided, table)
        table.setHorizontalHeader(self._header)
        self._stack.addWidget(table)
        self._stack.addWidget(self._columns)
        self._pages.setObjectName("openPages")
        self._chip.setObjectName("provisionalChip")
        self._chip.setToolTip(
            self.tr("The types are based on the first records; the rest of the file is still being read")
        )
        self._chip.hide()
        self._card.add_tool(self._chip)
        self._card.add_tool(self._pages)
        self._card.set_body(self._stack, 0)
        for button, object_name in ((self._open, "openDialogButton"), (self._cancel, "cancelButton")):
            button.setObjectName(object_name)
            button.setAccessibleName(button.text())
        vbox(
            self._choices,
            self._note,
            self._banner,
            (self._card, 1),
            button_row(self._cancel, self._open),
            spacing=10,
            margins=12,
            of=self,
        )
        self._note.hide()
        take_room(self, QSize(scaled(_WIDTH), min(scaled(_HEIGHT), _MOST_HEIGHT)))

    def _connect(self) -> None:
        self._open.clicked.connect(self.accept)
        self._cancel.clicked.connect(self.reject)
        self._open.setDefault(True)
        self._choices.chosen.connect(self._on_text_choice)
        self._choices.typing.connect(self.show_waiting)
        self._columns.changed.connect(self._read_or_rest)
        self._columns.typing.connect(self.show_waiting)
        self._columns.candidates_wanted.connect(self._on_candidates_wanted)
        self._columns.misfits_wanted.connect(self.misfits_wanted)
        self._header.type_requested.connect(self._on_type_requested)
        self._pages.selected.connect(lambda key: self._stack.setCurrentIndex(int(key == _COLUMNS)))

    def _on_type_requested(self, name: str) -> None:
        self._pages.set_current(_COLUMNS)
        self._stack.setCurrentIndex(1)
        self._columns.edit_type(name)

    def _on_candidates_wanted(self, column: object) -> None:
        last = self._last or self.reading
        self.candidates_wanted.emit(column, ReadOptions() if last is None else last.options)

    def _on_text_choice(self, renames: bool) -> None:
        self._renames |= renames
        for choice in self._columns.choices:
            choice.forget_type()  # other cells may be missing, or be numbers
        self._ask()

    def _read_or_rest(self) -> None:
        """Read again, unless the options are those of the last reading."""
        if self._last is not None and self._asked == self.options:
            self._show_ready()
        else:
            self._ask()

    def _ask(self) -> None:
        self._choices.stop_waiting()
        self.show_waiting()
        self.options_changed.emit(self.options)


def _some(names: Sequence[str]) -> str:
    """Return the first few names, and the number of the others."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" +{as_exact_count(more)}" if more > 0 else "")
