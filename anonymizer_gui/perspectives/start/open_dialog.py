"""Asks how a table is to be read, with the first records as the choices read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSize, QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from anonymizer_gui.models.records_model import RecordsModel
from anonymizer_gui.perspectives.start.reading import Reading
from anonymizer_gui.theming import Text, scaled
from anonymizer_gui.widgets.buttons import make_button
from anonymizer_gui.widgets.card import Card
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.numbers import as_exact_count
from anonymizer_gui.widgets.tables import CELL_PADDING, prepare_table
from engine.errors import AnonymizerError
from engine.table.reading import ReadOptions
from engine.table.sources import COMMON_ENCODINGS

PREVIEW_RECORDS = 200
WIDEST_COLUMN = 240
TYPING_PAUSE = 300  # milliseconds after the last key before the table is read again
_DELIMITERS = ((";", "Semicolon  ;"), (",", "Comma  ,"), ("\t", "Tab"), ("|", "Bar  |"))


class OpenDialog(QDialog):
    """Shows a reading and emits other options; whoever reads answers with `show_reading`.

    Parameters
    ----------
    name : str
        The file.
    sheets : sequence of str
        What a workbook has to choose from.
    is_text : bool
        Whether the file has a delimiter, an encoding and lines.
    """

    options_changed = Signal(object)  # ReadOptions

    def __init__(
        self, name: str, parent: QWidget | None = None, *, sheets: Sequence[str] = (), is_text: bool = True
    ) -> None:
        super().__init__(parent)
        self._sheets = tuple(sheets)
        self._is_text = is_text
        self.setObjectName("openDialog")
        self.setWindowTitle(self.tr("Open {0}").format(name))
        self.setModal(True)
        self._reading: Reading | None = None
        self._is_filling = False
        self._delimiter = QComboBox()
        self._encoding = QComboBox()
        self._sheet = QComboBox()
        line = self.tr("The first line holds the column names")
        self._header = QCheckBox(line if is_text else self.tr("The first row holds the column names"))
        self._empty = QCheckBox(self.tr("Empty cells"))
        self._words = QLineEdit()
        self._trim = QCheckBox(self.tr("Drop spaces around values"))
        self._note = make_label("", Text.CELL, "warn", wraps=True)
        self._banner = ErrorBanner()
        self._model = RecordsModel(limit=PREVIEW_RECORDS, parent=self)
        self._card = Card(self.tr("Preview"))
        self._open = make_button(self.tr("Open"), kind="primary", icon_name="folder-open")
        self._cancel = make_button(self.tr("Cancel"))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE)
        self._build()
        self._connect()
        self.show_waiting()

    @property
    def reading(self) -> Reading | None:
        """The table as read with what is chosen; None while it is not read, or cannot be."""
        return self._reading

    @property
    def options(self) -> ReadOptions:
        """What is chosen now."""
        words = tuple(self._words.text().split())
        missing = (("",) if self._empty.isChecked() else ()) + words
        has_header = self._header.isChecked() if self._is_text or self._sheets else None
        return ReadOptions(
            delimiter=self._delimiter.currentData() if self._is_text else None,
            encoding=(self._encoding.currentText() or None) if self._is_text else None,
            header=has_header,
            missing=missing,
            trim=self._trim.isChecked(),
            sheet=self._sheet.currentData() if self._sheets else None,
        )

    def show_waiting(self) -> None:
        """Keep the last preview while the file is read anew."""
        self._reading = None
        self._open.setEnabled(False)
        self._card.set_caption(self.tr("reading"))

    def show_reading(self, reading: Reading) -> None:
        """Show what the options gave."""
        self._reading = reading
        self._fill(reading.options)
        self._model.set_table(reading.table)
        self._fit_columns()
        facts = self.tr("{0} records · {1} columns")
        n_records = as_exact_count(reading.table.n_records)
        self._card.set_caption(facts.format(n_records, len(reading.table.columns)))
        guess = self.tr("The encoding is a guess: look at letters with accents in the preview.")
        self._note.setText(guess if reading.encoding_is_guessed else "")
        self._note.setVisible(reading.encoding_is_guessed)
        self._banner.hide()
        self._open.setEnabled(True)

    def show_error(self, error: AnonymizerError) -> None:
        """Say why the choices do not fit the file."""
        self._reading = None
        self._open.setEnabled(False)
        self._model.set_table(None)
        self._card.set_caption("")
        self._banner.show_error(error.problem, error.hint)

    def sizeHint(self) -> QSize:
        return QSize(scaled(880), min(scaled(560), 680))

    def _fit_columns(self) -> None:
        header = self._table.horizontalHeader()
        words = header.fontMetrics()
        for i, name in enumerate(self._model.table.names):
            named = words.horizontalAdvance(name) + 2 * CELL_PADDING + 4
            wanted = max(named, self._table.sizeHintForColumn(i) + 2 * CELL_PADDING)
            header.resizeSection(i, min(wanted, scaled(WIDEST_COLUMN)))

    def _fill(self, options: ReadOptions) -> None:
        self._is_filling = True
        _choose(self._delimiter, options.delimiter or ",")
        if options.encoding:
            _choose(self._encoding, options.encoding)
        if options.sheet is not None and options.sheet in self._sheets:
            _choose(self._sheet, options.sheet)
        self._header.setChecked(options.header is not False)
        self._empty.setChecked("" in options.missing)
        shown = tuple(self._words.text().split())
        words = tuple(word for word in options.missing if word)
        if words != shown:
            self._words.setText(" ".join(words))
        self._trim.setChecked(options.trim)
        self._is_filling = False

    def _build(self) -> None:
        for value, text in _DELIMITERS:
            self._delimiter.addItem(text, value)
        for name in COMMON_ENCODINGS:
            self._encoding.addItem(name, name)
        for name in self._sheets:
            self._sheet.addItem(name, name)
        self._words.setPlaceholderText(self.tr("such as ? NA"))
        named = (
            (self._delimiter, "delimiterBox", self.tr("Delimiter")),
            (self._encoding, "encodingBox", self.tr("Encoding")),
            (self._sheet, "sheetBox", self.tr("Sheet")),
            (self._header, "headerBox", self._header.text()),
            (self._empty, "emptyBox", self.tr("Empty cells are missing values")),
            (self._words, "missingEdit", self.tr("Words that mean missing, with spaces between")),
            (self._trim, "trimBox", self._trim.text()),
            (self._open, "openDialogButton", self.tr("Open")),
            (self._cancel, "cancelButton", self.tr("Cancel")),
        )
        for widget, object_name, accessible_name in named:
            widget.setObjectName(object_name)
            widget.setAccessibleName(accessible_name)
        self._words.setToolTip(self.tr("Words that mean missing, with spaces between"))
        self._table = table = QTableView()
        table.setObjectName("previewTable")
        table.setAccessibleName(self.tr("Preview of the first records"))
        table.setModel(self._model)
        prepare_table(table)
        self._card.set_body(table, 0)
        missing = QHBoxLayout()
        missing.setSpacing(12)
        missing.addWidget(self._empty)
        missing.addWidget(self._words, 1)
        left, right = QFormLayout(), QFormLayout()
        for form in (left, right):
            form.setHorizontalSpacing(12)
            form.setVerticalSpacing(8)
        if self._is_text:
            left.addRow(make_label(self.tr("Delimiter")), self._delimiter)
            left.addRow(make_label(self.tr("Encoding")), self._encoding)
        elif self._sheets:
            left.addRow(make_label(self.tr("Sheet")), self._sheet)
        right.addRow(make_label(self.tr("Missing")), missing)
        checks = QHBoxLayout()
        checks.setSpacing(16)
        if self._is_text or self._sheets:
            checks.addWidget(self._header)
        checks.addWidget(self._trim)
        right.addRow(make_label(self.tr("Lines") if self._is_text else self.tr("Cells")), checks)
        forms = QHBoxLayout()
        forms.setSpacing(24)
        if left.rowCount():
            forms.addLayout(left)
        forms.addLayout(right, 1)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._open)
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 12, 12, 12)
        column.setSpacing(10)
        column.addLayout(forms)
        column.addWidget(self._note)
        column.addWidget(self._banner)
        column.addWidget(self._card, 1)
        column.addLayout(buttons)
        self._note.hide()

    def _connect(self) -> None:
        self._open.clicked.connect(self.accept)
        self._cancel.clicked.connect(self.reject)
        self._open.setDefault(True)
        for box in (self._delimiter, self._encoding):
            box.currentIndexChanged.connect(self._on_chosen)
        self._sheet.currentIndexChanged.connect(self._on_sheet_chosen)
        for check in (self._header, self._empty, self._trim):
            check.toggled.connect(self._on_chosen)
        self._words.textEdited.connect(self._on_typed)
        self._pause.timeout.connect(self._ask)

    def _on_chosen(self) -> None:
        if not self._is_filling:
            self._ask()

    def _on_sheet_chosen(self) -> None:
        if not self._is_filling:
            self.show_waiting()
            self.options_changed.emit(replace(self.options, header=None))  # each sheet has its own first row

    def _on_typed(self) -> None:
        self.show_waiting()
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.show_waiting()
        self.options_changed.emit(self.options)


def _choose(box: QComboBox, value: str) -> None:
    at = box.findData(value)
    if at < 0:
        box.addItem(value, value)
        at = box.count() - 1
    box.setCurrentIndex(at)
