"""Names of column types, for all pages."""

from __future__ import annotations

from engine.records.types import DataType, Kind
from engine.records.values import DATE_FORMATS, thousands_mark
from engine.words import N_, _

KIND_NAMES = {
    Kind.TEXT: N_("Text"),
    Kind.INTEGER: N_("Whole number"),
    Kind.DECIMAL: N_("Decimal number"),
    Kind.BOOLEAN: N_("True or false"),
    Kind.DATE: N_("Date"),
    Kind.ORDERED: N_("Ordered category"),
}
_SHORT = {
    Kind.TEXT: N_("text"),
    Kind.INTEGER: N_("whole"),
    Kind.DECIMAL: N_("decimal"),
    Kind.BOOLEAN: N_("true/false"),
    Kind.DATE: N_("date"),
    Kind.ORDERED: N_("ordered"),
}


def short_kind(kind: Kind) -> str:
    """Return a type in one word, for a narrow header."""
    return _(_SHORT[kind])


def type_words(data_type: DataType) -> str:
    """Return a type in two or three words, with the format of its values if there are several."""
    if data_type.kind is Kind.DATE:
        return _("Date {format}").format(format=data_type.format or DATE_FORMATS[0])
    words, mark = _(KIND_NAMES[data_type.kind]), thousands_mark(data_type)
    return _("{words} as 1{mark}000").format(words=words, mark=mark) if mark else words
