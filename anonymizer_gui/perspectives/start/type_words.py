"""Names of column types in the open dialog."""

from __future__ import annotations

from engine.table.types import DataType, Kind
from engine.table.values import DATE_FORMATS, thousands_mark
from engine.words import _


def type_words(data_type: DataType) -> str:
    """Return a type in two or three words."""
    kind = data_type.kind
    if kind is Kind.DATE:
        return _("Date {format}").format(format=data_type.format or DATE_FORMATS[0])
    words = {
        Kind.TEXT: _("Text"),
        Kind.INTEGER: _("Whole number"),
        Kind.DECIMAL: _("Decimal number"),
        Kind.BOOLEAN: _("True or false"),
        Kind.ORDERED: _("Ordered category"),
    }[kind]
    mark = thousands_mark(data_type)
    return _("{words} as 1{mark}000").format(words=words, mark=mark) if mark else words
