"""Data types of ARX's columns as types of this program."""

from __future__ import annotations

from engine.arx.settings import ArxColumn
from engine.table import Column, DataType, Kind

_DEFAULT_DATE = "dd.MM.yyyy"
_OLD_KINDS = ("String", "Decimal")  # vocabulary 1.0: anything else is the format of a date
# Letters of Java's date formats with their number; repeated letters pad with zeros.
_DIRECTIVES = {
    "yyyy": "%Y",
    "y": "%Y",
    "yy": "%y",
    "MM": "%m",
    "M": "%m",
    "MMM": "%b",
    "MMMM": "%B",
    "dd": "%d",
    "d": "%d",
    "HH": "%H",
    "H": "%H",
    "hh": "%I",
    "h": "%I",
    "mm": "%M",
    "m": "%M",
    "ss": "%S",
    "s": "%S",
    "SSS": "%f",
    "a": "%p",
    "EEE": "%a",
    "EEEE": "%A",
    "DDD": "%j",
}


def type_of(column: ArxColumn, values: Column, vocabulary: str) -> DataType | None:
    """Return the type of a column; None if this program has no such type.

    Categories without a stated order are in the order of their texts, as in ARX.
    """
    kind, form = column.kind, column.form
    if vocabulary == "1.0" and kind not in _OLD_KINDS:
        kind, form = "Date/Time", kind
    if kind == "String":
        return DataType(Kind.TEXT)
    if kind == "Integer":
        return DataType(Kind.INTEGER)
    if kind == "Decimal":
        return DataType(Kind.DECIMAL)
    if kind == "Date/Time":
        directives = date_format(form if form not in ("", "Default") else _DEFAULT_DATE)
        return None if directives is None else DataType(Kind.DATE, directives)
    if kind == "Ordinal":
        return DataType(Kind.ORDERED, "", ordered(form, values))
    return None


def ordered(form: str, values: Column) -> tuple[str, ...]:
    """Return the order that a format states line by line; that of the texts if it states none."""
    lines = tuple(line for line in form.splitlines() if line)
    return texts_in_order(values) if lines in ((), ("Default",)) else lines


def texts_in_order(values: Column) -> tuple[str, ...]:
    """Return the texts of a column as Java orders them, by their units of UTF-16; without the missing one."""
    labels = values.known_labels
    return tuple(sorted(labels, key=lambda label: label.encode("utf-16-be", "surrogatepass")))


def date_format(form: str) -> str | None:
    """Return the directives of a date format of Java; None if one has no counterpart."""
    found, at = [], 0
    while at < len(form):
        letter = form[at]
        if letter == "'":
            end = form.find("'", at + 1)
            if end < 0:
                return None
            found.append(form[at + 1 : end].replace("%", "%%") or "'")
            at = end + 1
            continue
        if not (letter.isascii() and letter.isalpha()):
            found.append("%%" if letter == "%" else letter)
            at += 1
            continue
        end = at
        while end < len(form) and form[end] == letter:
            end += 1
        directive = _DIRECTIVES.get(form[at:end])
        if directive is None:
            return None
        found.append(directive)
        at = end
    return "".join(found)
