"""Import settings of a file, from its delimiter to its missing words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QWidget,
)

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.forms.number_spin import IntegerSpin
from anonymizer_gui.theming import scaled
from anonymizer_gui.widgets.accessible import name_editable
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import STRETCH, hbox, nest, vbox
from engine.params import Choice, describe, values_of
from engine.table.options import AUTO, FILL, LABELS, REFUSE, ReadOptions
from engine.table.sources import COMMON_ENCODINGS

TYPING_PAUSE = 300  # milliseconds after the last key before the table is read again
MOST_SKIPPED = 999_999
_DECLARED = {setting.name: setting for setting in describe(ReadOptions)}
_ACROSS = 5  # fields side by side
_MEMORY_WIDTH = 110
# Options with a field here, and those of other dialogs; any further one gets a field below the others.
_OF_FILE = (
    "sheet",
    "delimiter",
    "encoding",
    "decimal",
    "thousands",
    "header",
    "quote",
    "comment",
    "skip_lines",
)
_OF_CELLS = ("missing", "trim", "ragged", "value_labels", "catalog", "source", "memory")
_ELSEWHERE = ("scratch", "column_missing", "take", "replacements", "may_lack", "order_by")
_WORD = re.compile(r'"([^"]*)"|(\S+)')


class TextChoices(QWidget):
    """Shows the options of a reading, and emits changes by the user.

    Parameters
    ----------
    sheets : sequence of str
        Sheets of a workbook.
    is_text : bool
        Whether the file has a delimiter, an encoding and lines.
    places : sequence of str
        Where the records of a large table may be while they are worked on; empty for any other table.
    has_labels : bool
        Whether values may have labels, as in files of statistical programs.
    catalogs : sequence of str or None
        Separate files in the folder of the table that may have the labels; None if it never has one.
    """

    changed = Signal(bool)  # whether the columns of the file may change
    typing = Signal()
    sheet_chosen = Signal()

    def __init__(
        self,
        sheets: Sequence[str],
        is_text: bool,
        places: Sequence[str] = (),
        *,
        has_labels: bool = False,
        catalogs: Sequence[str] | None = None,
    ) -> None:
        super().__init__()
        self._has_labels = has_labels
        self._catalogs = catalogs
        self._sheets = tuple(sheets)
        self._is_text = is_text
        self._places = tuple(places)
        self._is_filling = False
        self._marks_are_given = False
        self._quote_is_given = False
        self._typed_renames = False
        self._left_open: set[QWidget] = set()  # fields neither filled by a reading nor chosen
        self._delimiter = QComboBox()
        self._encoding = QComboBox()
        self._quote = QComboBox()
        self._decimal = QComboBox()
        self._thousands = QComboBox()
        self._sheet = QComboBox()
        self._labels = QComboBox()
        self._of_labels: tuple[QWidget, ...] = ()
        self._catalog = QComboBox()
        self._source = QComboBox()
        self._memory = QLineEdit()
        self._comment = QLineEdit()
        self._skip = IntegerSpin(0, MOST_SKIPPED)
        line = self.tr("The first line has the column names")
        self._header = QCheckBox(line if is_text else self.tr("The first row has the column names"))
        self._empty = QCheckBox(self.tr("Empty cells"))
        self._words = QLineEdit()
        self._trim = QCheckBox(self.tr("Remove spaces around values"))
        self._ragged = QCheckBox(self.tr("Pad short records with missing cells"))
        self._further = ParamForm(ReadOptions, omitted=_OF_FILE + _OF_CELLS + _ELSEWHERE, parent=self)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE)
        self._left_open |= {self._delimiter, self._encoding, self._header, self._catalog}
        self._fill_boxes()
        self._header.setChecked(True)
        self._empty.setChecked(True)
        self._name()
        self._lay_out()
        self._connect()

    @property
    def options(self) -> ReadOptions:
        """Chosen options; those not chosen by the user are left open for detection."""
        words = tuple(quoted or plain for quoted, plain in _WORD.findall(self._words.text()))
        missing = (("",) if self._empty.isChecked() else ()) + words
        has_rows = self._is_text or bool(self._sheets)
        chosen = ReadOptions(
            delimiter=self._delimiter_chosen()
            if self._is_text and self._delimiter not in self._left_open
            else None,
            encoding=self._encoding_chosen() if self._is_text else None,
            header=self._header.isChecked() if has_rows and self._header not in self._left_open else None,
            missing=missing,
            trim=self._trim.isChecked(),
            sheet=self._sheet.currentData() if self._sheets else None,
            quote=self._quote.currentData() if self._is_text and self._quote_is_given else None,
            decimal=self._decimal.currentData() if self._marks_are_given else None,
            thousands=self._thousands.currentData() if self._marks_are_given else "",
            comment=self._comment.text() if self._is_text else "",
            skip_lines=self._skip.value() if has_rows else 0,
            ragged=FILL if self._is_text and self._ragged.isChecked() else REFUSE,
            value_labels=self._labels.currentData() if self._has_labels else LABELS,
            catalog=self._catalog_chosen(),
            source=self._source.currentData() if self._places else AUTO,
            memory=self._memory.text().strip() if self._places else "",
        )
        return self._further.applied_to(chosen) or chosen

    def give(self, options: ReadOptions) -> None:
        """Set earlier choices."""
        self._quote_is_given = options.quote is not None
        self._marks_are_given = options.decimal is not None
        self.fill(options)
        for box, given in (
            (self._delimiter, options.delimiter),
            (self._encoding, options.encoding),
            (self._header, options.header),
            (self._catalog, options.catalog),
        ):
            if given is None:
                self._left_open.add(box)

    def fill(self, options: ReadOptions, *, is_complete: bool = True) -> None:
        """Show the options found by a reading; the first records do not determine the encoding."""
        self._is_filling = True
        self._left_open &= set() if is_complete else {self._encoding}
        if not self._is_typing(self._delimiter):
            _choose(self._delimiter, options.delimiter or ",")
        if options.encoding and not self._is_typing(self._encoding):
            _choose(self._encoding, options.encoding)
        if options.sheet is not None and options.sheet in self._sheets:
            _choose(self._sheet, options.sheet)
        _choose(self._labels, options.value_labels)
        if not self._is_typing(self._catalog):
            _choose(self._catalog, options.catalog or "")
        _choose(self._quote, '"' if options.quote is None else options.quote)
        _choose(self._decimal, options.decimal or ".")
        _choose(self._thousands, options.thousands)
        self._header.setChecked(options.header is not False)
        self._empty.setChecked("" in options.missing)
        shown = tuple(quoted or plain for quoted, plain in _WORD.findall(self._words.text()))
        words = tuple(word for word in options.missing if word)
        is_typing = self._pause.isActive()  # which a reading of earlier options does not replace
        if words != shown and not is_typing:
            self._words.setText(" ".join(f'"{word}"' if " " in word else word for word in words))
        self._trim.setChecked(options.trim)
        if self._comment.text() != options.comment and not is_typing:
            self._comment.setText(options.comment)
        self._skip.setValue(options.skip_lines)
        self._ragged.setChecked(options.ragged == FILL)
        if self._places:
            _choose(self._source, options.source)
            if self._memory.text().strip() != options.memory and not is_typing:
                self._memory.setText(options.memory)
        self._further.show_values(values_of(options))
        self._is_filling = False

    def show_labels(self, are_there: bool) -> None:
        """Offer the choice between labels and codes only if values have labels."""
        for widget in self._of_labels:
            widget.setVisible(are_there)

    def _is_typing(self, box: QComboBox) -> bool:
        """Return whether the user is typing a custom text into a combo box."""
        edit = box.lineEdit()
        return edit is not None and edit.hasFocus() and box.findText(box.currentText()) < 0

    def stop_waiting(self) -> None:
        """Accept typed text without waiting for the pause."""
        self._pause.stop()

    def _delimiter_chosen(self) -> str | None:
        text = self._delimiter.currentText()
        at = self._delimiter.findText(text)
        if at >= 0:
            return str(self._delimiter.itemData(at))
        return {"": None, "\\t": "\t"}.get(text, text)

    def _encoding_chosen(self) -> str | None:
        text = self._encoding.currentText().strip()
        return None if self._encoding in self._left_open or not text else text

    def _catalog_chosen(self) -> str | None:
        if self._catalogs is None or self._catalog in self._left_open:
            return None
        text = self._catalog.currentText()
        at = self._catalog.findText(text)
        return str(self._catalog.itemData(at)) if at >= 0 else text.strip()

    def _fill_boxes(self) -> None:
        delimiters = (
            (";", self.tr("Semicolon  ;")),
            (",", self.tr("Comma  ,")),
            ("\t", self.tr("Tab")),
            ("|", self.tr("Vertical bar  |")),
            ("^", self.tr("Caret  ^")),
            ("~", self.tr("Tilde  ~")),
            (":", self.tr("Colon  :")),
            (" ", self.tr("Space")),
        )
        for value, text in delimiters:
            self._delimiter.addItem(text, value)
        for name in COMMON_ENCODINGS:
            self._encoding.addItem(name, name)
        self._catalog.addItem(self.tr("None"), "")
        for name in self._catalogs or ():
            self._catalog.addItem(name, name)
        for box in (self._delimiter, self._encoding, self._catalog):
            box.setEditable(True)
            box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
            box.setCompleter(None)  # type: ignore[arg-type]  # or a letter typed becomes a whole word
        for name, box in (
            ("quote", self._quote),
            ("decimal", self._decimal),
            ("thousands", self._thousands),
            ("source", self._source),
            ("value_labels", self._labels),
        ):
            choice = _DECLARED[name]
            assert isinstance(choice, Choice), "its keys are declared"
            for key, caption in choice.options:
                if name != "source" or key in self._places:
                    box.addItem(caption, key)
        for name in self._sheets:
            self._sheet.addItem(name, name)
        self._words.setPlaceholderText(self.tr("such as ? NA"))
        self._comment.setPlaceholderText(self.tr("such as #"))
        self._memory.setPlaceholderText(self.tr("such as 2 GB"))

    def _name(self) -> None:
        named = (
            (self._delimiter, "delimiterBox", self.tr("Delimiter: choose one, or type a character")),
            (self._encoding, "encodingBox", self.tr("Encoding: choose one, or type its name")),
            (self._quote, "quoteBox", _DECLARED["quote"].help),
            (self._decimal, "decimalBox", _DECLARED["decimal"].help),
            (self._thousands, "thousandsBox", _DECLARED["thousands"].help),
            (self._sheet, "sheetBox", self.tr("Sheet")),
            (self._labels, "valueLabelsBox", _DECLARED["value_labels"].help),
            (
                self._catalog,
                "catalogBox",
                self.tr("Catalog with the value labels: choose one, or type its path"),
            ),
            (self._comment, "commentEdit", _DECLARED["comment"].help),
            (self._skip, "skipBox", _DECLARED["skip_lines"].help),
            (self._header, "headerBox", self._header.text()),
            (self._empty, "emptyBox", self.tr("Empty cells are missing values")),
            (
                self._words,
                "missingEdit",
                self.tr(
                    "Words that mean missing, separated by spaces; in quotation marks if one contains spaces"
                ),
            ),
            (self._trim, "trimBox", self._trim.text()),
            (self._ragged, "raggedBox", _DECLARED["ragged"].help),
            (self._source, "sourceBox", _DECLARED["source"].help),
            (self._memory, "memoryEdit", _DECLARED["memory"].help),
        )
        for widget, object_name, words in named:
            widget.setObjectName(object_name)
            widget.setAccessibleName(words)
            widget.setToolTip(words)
        for box in (self._delimiter, self._encoding, self._catalog):
            name_editable(box, box.accessibleName())

    def _lay_out(self) -> None:
        has_rows = self._is_text or bool(self._sheets)
        fields: list[tuple[str, QWidget]] = []
        if self._is_text:
            fields += [
                (self.tr("Delimiter"), self._delimiter),
                (self.tr("Encoding"), self._encoding),
                (self.tr("Quotes"), self._quote),
            ]
        elif has_rows:
            fields += [(self.tr("Sheet"), self._sheet)]
        if self._has_labels:
            fields += [(_DECLARED["value_labels"].label, self._labels)]
        if self._catalogs is not None:
            fields += [(_DECLARED["catalog"].label, self._catalog)]
        if has_rows:
            fields += [
                (self.tr("Decimal mark"), self._decimal),
                (self.tr("Thousands"), self._thousands),
                (self.tr("Skip lines") if self._is_text else self.tr("Skip rows"), self._skip),
            ]
        if self._is_text:
            fields += [(self.tr("Comments"), self._comment)]
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        for i, (words, field) in enumerate(fields):
            row, column = divmod(i, _ACROSS)
            field.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            field.setMinimumWidth(70)
            caption = make_label(words)
            grid.addWidget(caption, 2 * row, column)
            grid.addWidget(field, 2 * row + 1, column)
            if field is self._labels:
                self._of_labels = (caption, field)
        self.show_labels(False)
        for column in range(_ACROSS):
            grid.setColumnStretch(column, 1)
        missing = hbox(self._empty, (self._words, 1), spacing=8)
        checks = QHBoxLayout()
        checks.setSpacing(16)
        if has_rows:
            checks.addWidget(self._header)
        checks.addWidget(self._trim)
        if self._is_text:
            checks.addWidget(self._ragged)
        checks.addStretch(1)
        row, column = divmod(len(fields), _ACROSS)
        if column == _ACROSS - 1:  # a field of words needs more room than others
            row, column = row + 1, 0
        grid.addWidget(make_label(self.tr("Missing")), 2 * row, column)
        nest(grid, missing, 2 * row + 1, column, 1, _ACROSS - column)
        vbox(grid, checks, *self._place_row(), self._further, spacing=8, margins=0, of=self)
        if self._further.is_empty:
            self._further.hide()

    def _place_row(self) -> tuple[QHBoxLayout, ...]:
        """Return the row that says where the records of a large table are."""
        if not self._places:
            return ()
        self._memory.setFixedWidth(scaled(_MEMORY_WIDTH))
        where, most = make_label(_DECLARED["source"].label), make_label(_DECLARED["memory"].label)
        return (hbox(where, self._source, 8, most, self._memory, STRETCH, spacing=8),)

    def _connect(self) -> None:
        for box in (self._delimiter, self._encoding, self._catalog):
            box.currentIndexChanged.connect(lambda _i, box=box: self._on_structure_chosen(box))
        for box in (self._delimiter, self._encoding, self._catalog):
            edit = box.lineEdit()
            assert edit is not None, "the boxes can be written into"
            edit.textEdited.connect(lambda _text, box=box: self._on_own_typed(box))
        self._comment.textEdited.connect(lambda _text: self._on_typed(renames=True))
        for edit in (self._words, self._memory):
            edit.textEdited.connect(lambda _text: self._on_typed(renames=False))
        self._quote.currentIndexChanged.connect(self._on_quote_chosen)
        for box in (self._decimal, self._thousands):
            box.currentIndexChanged.connect(self._on_marks_chosen)
        self._sheet.currentIndexChanged.connect(self._on_sheet_chosen)
        for box in (self._source, self._labels):
            box.currentIndexChanged.connect(self._on_chosen)
        self._skip.valueChanged.connect(lambda _n: self._on_typed(renames=True))
        for check in (self._header, self._trim):
            check.toggled.connect(lambda _is_on, check=check: self._on_structure_chosen(check))
        for check in (self._empty, self._ragged):
            check.toggled.connect(self._on_chosen)
        self._further.changed.connect(lambda: self._on_typed(renames=True))
        self._pause.timeout.connect(self._on_paused)

    def _on_structure_chosen(self, widget: QWidget) -> None:
        if not self._is_filling:
            self._left_open.discard(widget)
            self._announce(renames=True)

    def _on_own_typed(self, box: QComboBox) -> None:
        self._left_open.discard(box)
        self._on_typed(renames=True)

    def _on_quote_chosen(self) -> None:
        if not self._is_filling:
            self._quote_is_given = True
            self._announce(renames=True)

    def _on_marks_chosen(self) -> None:
        if not self._is_filling:
            self._marks_are_given = True
            self._announce(renames=False)

    def _on_chosen(self, _choice: object = None) -> None:
        if not self._is_filling:
            self._announce(renames=False)

    def _on_sheet_chosen(self) -> None:
        if not self._is_filling:
            self._pause.stop()
            self.sheet_chosen.emit()

    def _on_typed(self, *, renames: bool) -> None:
        if not self._is_filling:
            self._typed_renames |= renames
            self.typing.emit()
            self._pause.start()

    def _on_paused(self) -> None:
        self._announce(renames=self._typed_renames)

    def _announce(self, *, renames: bool) -> None:
        self._pause.stop()
        renames |= self._typed_renames
        self._typed_renames = False
        self.changed.emit(renames)


def _choose(box: QComboBox, value: str) -> None:
    at = box.findData(value)
    if at < 0:
        box.addItem(value, value)
        at = box.count() - 1
    box.setCurrentIndex(at)
