"""Dialog for the file format of a release: text dialect, names, and cells that spreadsheets execute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QWidget

from anonymizer_gui.forms import ParamForm
from anonymizer_gui.theming import Text
from anonymizer_gui.widgets.accessible import name_editable
from anonymizer_gui.widgets.elided_check_box import ElidedCheckBox
from anonymizer_gui.widgets.error_banner import ErrorBanner
from anonymizer_gui.widgets.fitted_dialog import AskingDialog
from anonymizer_gui.widgets.labels import make_label
from anonymizer_gui.widgets.layouts import named
from engine.errors import ExportError
from engine.params import Choice, describe, values_of
from engine.table.options import CSV, EXCEL, ExportOptions
from engine.words import N_, _

_WIDTH = 440
_MARKED = "utf-8 with mark"
# The kind is chosen in the page itself; options that are not named here get a field below the others.
_PLACED = ("kind", "delimiter", "encoding", "bom", "quote", "line_end", "header", "safe_cells")
_DELIMITERS = (
    (N_("As in the input"), ""),
    (N_("Comma"), ","),
    (N_("Semicolon"), ";"),
    (N_("Tab"), "\t"),
    (N_("Vertical bar"), "|"),
)
_ENCODINGS = (
    ("UTF-8", "utf-8"),
    (N_("UTF-8 with byte order mark"), _MARKED),
    ("UTF-16", "utf-16"),
    (N_("Windows-1252 (Western Europe)"), "cp1252"),
    ("ISO 8859-1 (Latin-1)", "latin-1"),
)
_HEADERS = ((N_("As in the input"), None), (N_("Names in the first line"), True), (N_("No names"), False))


class FormatDialog(AskingDialog):
    """Shows the options of the format.

    Parameters
    ----------
    options : ExportOptions
    """

    options_chosen = Signal(object)  # ExportOptions

    def __init__(self, options: ExportOptions, parent: QWidget | None = None) -> None:
        super().__init__("formatDialog", self.tr("Format of the file"), self.tr("Apply"), _WIDTH, parent)
        self.setModal(True)
        self._options = options
        encoding = _MARKED if options.bom else options.encoding
        self._delimiter = _box(_DELIMITERS, options.delimiter or "", "releasedDelimiterBox")
        self._delimiter.setEditable(True)
        self._encoding = _box(_ENCODINGS, encoding, "releasedEncodingBox")
        self._quote = _box(_declared("quote"), options.quote, "releasedQuoteBox")
        self._ends = _box(_declared("line_end"), options.line_end, "releasedEndBox")
        self._header = _box(_HEADERS, options.header, "releasedHeaderBox")
        self._safe = ElidedCheckBox(self.tr("Prevent spreadsheets from running cells as formulas"))
        self._safe.setObjectName("safeCellsBox")
        self._safe.setToolTip(
            self.tr("Cells that begin with = + - @ get a leading apostrophe; numbers do not change")
        )
        self._safe.setChecked(options.safe_cells)
        self.further = ParamForm(ExportOptions, values_of(options), omitted=_PLACED)
        self.banner = ErrorBanner()
        form = QFormLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(8)
        rows: list[tuple[str, QComboBox]] = []
        if options.kind == CSV:
            rows += [
                (self.tr("Delimiter"), self._delimiter),
                (self.tr("Encoding"), self._encoding),
                (self.tr("Quotation marks"), self._quote),
                (self.tr("Line endings"), self._ends),
            ]
        if options.kind in (CSV, EXCEL):
            rows.append((self.tr("Column names"), self._header))
        for name, box in rows:
            name_editable(box, name)
            form.addRow(make_label(name), box)
        for box in (self._delimiter, self._encoding, self._quote, self._ends, self._header):
            if box not in [shown for _, shown in rows]:
                box.setParent(self)
                box.hide()
        if self.further.is_empty:
            self.further.hide()
        checked = self.tr("The written file is read with the same settings and compared cell by cell.")
        self.lay_out(
            form,
            self._safe,
            self.further,
            make_label(checked, Text.CELL, "text_2", wraps=True),
            self.banner,
        )

    def submit(self) -> bool:
        encoding = self._encoding.currentData()
        options = replace(
            self._options,
            delimiter=self._typed_delimiter(),
            encoding="utf-8" if encoding == _MARKED else encoding,
            bom=encoding == _MARKED,
            quote=self._quote.currentData(),
            line_end=self._ends.currentData(),
            header=self._header.currentData(),
            safe_cells=self._safe.isChecked(),
        )
        further = self.further.applied_to(options)
        if further is None:
            return False
        try:
            further.refuse_impossible()
        except ExportError as error:
            self.banner.show_error(error.problem, error.hint)
            return False
        self.options_chosen.emit(further)
        return True

    def _typed_delimiter(self) -> str | None:
        text = self._delimiter.currentText()
        known = self._delimiter.findText(text)
        return (self._delimiter.itemData(known) or None) if known >= 0 else text


def _declared(name: str) -> list[tuple[str, str]]:
    """Return the captions and keys of a choice."""
    (choice,) = (d for d in describe(ExportOptions) if d.name == name and isinstance(d, Choice))
    return [(caption, key) for key, caption in choice.options]


def _box(entries: Sequence[tuple[str, object]], value: object, name: str) -> QComboBox:
    box = named(QComboBox(), name)
    for text, key in entries:
        box.addItem(_(text), key)
    place = next((i for i, (_, key) in enumerate(entries) if key == value), -1)
    if place < 0:
        box.addItem(str(value), value)
        place = box.count() - 1
    box.setCurrentIndex(place)
    return box
