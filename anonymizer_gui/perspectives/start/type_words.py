"""What the types of columns are called in the open dialog."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from engine.table.types import DataType, Kind
from engine.table.values import DATE_FORMATS, thousands_mark


def type_words(data_type: DataType) -> str:
    """A type in two or three words."""
    kind = data_type.kind
    if kind is Kind.DATE:
        return _tr("Date {0}").format(data_type.format or DATE_FORMATS[0])
    words = {
        Kind.TEXT: _tr("Text"),
        Kind.INTEGER: _tr("Whole number"),
        Kind.DECIMAL: _tr("Decimal number"),
        Kind.BOOLEAN: _tr("True or false"),
        Kind.ORDERED: _tr("Ordered category"),
    }[kind]
    mark = thousands_mark(data_type)
    return _tr("{0} as 1{1}000").format(words, mark) if mark else words


def _tr(text: str) -> str:
    return QCoreApplication.translate("TypeWords", text)
