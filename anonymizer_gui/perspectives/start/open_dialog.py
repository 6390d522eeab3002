"""Dialog with the import settings of a table and a preview of its first records."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QShowEvent
from PySide6.QtWidgets import QDialog, QHeaderView, QStackedWidget, QToolTip, QWidget

from anonymizer_gui.models.column_summary import form_words, type_words
from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.perspectives.start.columns_page import ColumnsPage
from anonymizer_gui.perspectives.start.raw_page import Offer, OfferRow, RawTable
from anonymizer_gui.perspectives.start.read_form import ColumnChoice, ReadForm, choices_for, with_columns
from anonymizer_gui.tables.table_view import CELL_PADDING, FITTED_COLUMNS, SEVERAL, TableView
from anonymizer_gui.theming import Text, current_theme, font, paint_text, scaled
from anonymizer_gui.widgets.buttons import button_row, make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.chip import Chip
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import take_room
from anonymizer_gui.widgets.labels import ElidedLabel, make_label
from anonymizer_gui.widgets.layouts import fixed, hbox, vbox
from anonymizer_gui.widgets.segmented import SegmentedControl
from engine.errors import AnonymizerError
from engine.filters.conditions import quoted_name, quoted_text
from engine.numbers import as_exact_count
from engine.qi_detection.value_forms import OfferedForms
from engine.records.candidates import Candidate, Misfits
from engine.records.opening.raw_rows import RawRows
from engine.records.options import ROWS, ReadOptions
from engine.records.reading import Reading
from engine.records.types import DataType
from engine.records.values import zeros_of
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
MOST_OFFERS = 3  # side by side
MOST_NAMED = 4  # columns or records named in a note
_WIDTH, _HEIGHT, _MOST_HEIGHT = 960, 640, 680
_PREVIEW, _COLUMNS, _RAW = _ORDER = "preview", "columns", "raw"


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
    raw_wanted = Signal(object)  # ReadOptions
    offers_wanted = Signal(object)  # Table

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
        self._raw: RawRows | None = None
        self._raw_of: object = None  # options on which the raw rows depend, of those asked for last
        self._offered: Mapping[str, OfferedForms] = {}
        self._raw_table = RawTable(self.tr("Rows of the file"))
        self._offers = OfferRow()
        self._summary = ElidedLabel("", Text.CELL, "text_2")
        self._format = make_button(self.tr("Format…"), "formatButton", kind="link")
        self._reason = make_label("", Text.CELL, "text_3")
        self._columns = ColumnsPage()
        self._note = make_label("", Text.CELL, "warn", wraps=True)
        self._banner = ErrorBanner()
        self._model = RecordsModel(limit=PREVIEW_RECORDS, parent=self)
        self._card = Card(self.tr("Table"))
        self._chip = Chip(self.tr("Provisional types"), "warn")
        pages = [(_PREVIEW, self.tr("Preview")), (_COLUMNS, self.tr("Columns and types"))]
        self._has_rows = ROWS in has
        if self._has_rows:
            pages.insert(0, (_RAW, self.tr("Raw rows")))
        self._pages = SegmentedControl(pages, self.tr("View of the table"))
        self._pages.set_current(_PREVIEW)
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
        if reading.encoding_is_guessed:
            self._choices.show()
        self._asked = self.options
        self._last = reading
        self._show_ready()
        self._show_around()
        self.offers_wanted.emit(reading.table)

    def show_error(self, error: AnonymizerError) -> None:
        """Show why the options do not fit the file."""
        self.reading, self._asked = None, None
        self._open.setEnabled(False)
        self._model.set_table(None)
        self._card.set_caption("")
        self._note.hide()
        self._chip.hide()
        self._banner.show_error(error.problem, error.hint)
        if not self._has_rows or self._raw is not None:
            self._show_choices()
        self._offered = {}
        self._show_around()

    def show_broken(self, error: AnonymizerError) -> None:
        """Show why the file cannot be read completely; the preview stays."""
        self.reading, self._asked = None, None
        self._open.setEnabled(False)
        self._card.set_caption(self.tr("not read completely"))
        self._banner.show_error(error.problem, error.hint)
        self._choices.show()  # other options may fit

    def show_raw(self, raw: RawRows | None) -> None:
        """Show the rows of the file as they are, first if they need a decision."""
        is_first, self._raw = self._raw is None, raw
        if raw is not None:
            if is_first and (raw.n_titles > self._choices.options.skip_lines or self._last is None):
                self._go_to(_RAW)
            self._show_around()
            if is_first and self._last is None:
                self._show_choices()

    def _show_choices(self) -> None:
        """Show the options of the format of a file that could not be read, unless rows are to be skipped."""
        if self._n_titles():
            self._banner.focus_action()
        else:
            self._choices.show()

    def _n_titles(self) -> int:
        """Return the number of rows that look like titles and are not skipped."""
        is_due = self._raw is not None and self._raw.n_titles > self._choices.options.skip_lines
        return self._raw.n_titles if is_due and self._raw is not None else 0

    def show_offers(self, offered: Mapping[str, OfferedForms]) -> None:
        """Offer other forms of values of columns."""
        self._offered = offered
        self._show_offers()

    def _show_around(self) -> None:
        """Show what is around the table: summary, raw rows, guess of titles, offers."""
        options = self._choices.options
        self._summary.setText(self._choices.summary())
        layout = options.sheet, options.delimiter, options.encoding, options.quote, options.comment
        if self._has_rows and layout != self._raw_of:
            self._raw_of = layout
            self.raw_wanted.emit(options)
        raw = self._raw
        if raw is None:
            return
        leaves_out = self._left_out(raw) in options.leave_out and raw.total is not None
        has_header = options.header is not False
        self._raw_table.show_raw(raw, options.skip_lines, has_header=has_header, leaves_out=leaves_out)
        if n := self._n_titles():
            problem = ngettext(
                "The first row looks like a title.", "The first {n} rows look like a title.", n
            )
            names = self.tr("The column names seem to be in row {row}.").format(row=n + 1)
            button = ngettext("Skip {n} row", "Skip {n} rows", n).format(n=n)
            act = partial(self._choices.choose, "skip_lines", n)
            self._banner.show_error(problem.format(n=n), names, button, act, tone="warn")
        self._reason.setVisible(not self._open.isEnabled() and bool(n))
        self._show_offers()

    def _show_offers(self) -> None:
        offers, options, raw = [], self._choices.options, self._raw
        if options.leave_out:
            words = self.tr("Excluded: {filter}").format(filter=options.leave_out)
            undo = partial(self._choices.choose, "leave_out", "")
            offers.append(Offer(words, self.tr("Leave out nothing"), undo))
        elif raw is not None and raw.total is not None and self._left_out(raw):
            row, text = as_exact_count(raw.total.row), raw.total.text
            words = self.tr("Row {row} looks like a total: “{text}”").format(row=row, text=text)
            button = self.tr("Leave out row {row}").format(row=row)
            offers.append(
                Offer(words, button, partial(self._choices.choose, "leave_out", self._left_out(raw)))
            )
        for choice in self._columns.choices if self._last is not None else ():
            if choice.is_taken and choice.forms:
                words = self.tr("“{column}” is read in the form {form}").format(
                    column=choice.name, form=form_words(choice.forms)
                )
                offers.append(
                    Offer(words, self.tr("Read as in the file"), partial(self._set_forms, choice, ()))
                )
            elif choice.is_taken and (found := self._offered.get(choice.name)) is not None:
                offers.append(self._offer_of(choice, found))
        self._offers.show_offers(offers[:MOST_OFFERS])

    def _offer_of(self, choice: ColumnChoice, found: OfferedForms) -> Offer:
        few, many = found.n_cells
        if n := zeros_of(found.forms):
            words = self.tr("“{column}”: {few} codes have fewer than {n} digits, {many} have {n}")
            button = self.tr("Fill with zeros to {n}").format(n=n)
        else:
            words = self.tr("“{column}”: dates in two formats, {few} and {many} cells")
            button = self.tr("Read both")
        words = words.format(column=choice.name, few=as_exact_count(few), many=as_exact_count(many), n=n)
        return Offer(words, button, partial(self._set_forms, choice, found.forms))

    def _set_forms(self, choice: ColumnChoice, forms: tuple[str, ...]) -> None:
        choice.forms = forms
        choice.forget_type()
        self._read_or_rest()

    def _left_out(self, raw: RawRows) -> str:
        """Return the filter that leaves out the total; empty if its column has no name of its own."""
        if raw.total is None:
            return ""
        heading = raw.heading(max(self._choices.options.skip_lines, raw.n_titles), raw.total.place)
        names = [choice.name for choice in self._columns.choices if choice.source == heading]
        name = names[0] if len(names) == 1 else "" if names else heading
        return f"{quoted_name(name)} = {quoted_text(raw.total.text)}" if name else ""

    def _go_to(self, page: str) -> None:
        self._pages.set_current(page)
        self._stack.setCurrentIndex(_ORDER.index(page))

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
        self._stack.addWidget(self._raw_table)
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
        sheet = self._choices.sheet_field()
        sheets = () if sheet is None else (sheet.take_label(), sheet)
        vbox(
            hbox(*sheets, (self._summary, 1), self._format, spacing=8),
            self._choices,
            self._note,
            self._banner,
            (self._card, 1),
            self._offers,
            hbox((self._reason, 1), button_row(self._cancel, self._open)),
            spacing=10,
            margins=12,
            of=self,
        )
        self._choices.hide()
        self._offers.hide()
        self._reason.setText(self.tr("Set the column names first."))
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
        self._pages.selected.connect(self._go_to)
        self._format.clicked.connect(lambda: self._choices.setVisible(self._choices.isHidden()))
        self._raw_table.header_requested.connect(lambda row: self._choices.choose("skip_lines", row - 1))

    def _on_type_requested(self, name: str) -> None:
        self._go_to(_COLUMNS)
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
