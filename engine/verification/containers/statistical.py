"""Files of SPSS and Stata: their labels, notes and attributes, and bytes that no reader takes.

Labels are those that the library of the formats finds; what it passes over is found in the records of a file.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Iterator
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import IO, Any

from engine.verification.containers import Explained, Extra, excerpt
from engine.verification.containers.layout import records, uncovered

_Data = bytes | mmap
_STAR = "*"  # the label of suppressed cells
_OWN_DATE = re.compile(rb"01 Jan (?:19)?80 ?00:00(?::00)?|[\s\0]*")  # which the program writes, or none
# Records of SPSS that readers take, or that say how cells are stored and shown.
_PLAIN_RECORDS = {3, 4, 11, 13, 14, 16, 20, 21, 22}
_ROLES = re.compile(rb"(?:\w+:\$@Role\('\d'\n\)/?)*")  # of variables, which SPSS itself writes
_KINDS = {5: "attribute", 7: "attribute", 10: "program", 17: "attribute", 18: "attribute", 19: "attribute"}
_MOST_UNPACKED = 1 << 31
_SECTIONS = """map variable_types varnames sortlist formats value_label_names variable_labels characteristics
    data strls value_labels"""
_WIDTHS = {32768: 8, 65526: 8, 65527: 4, 65528: 4, 65529: 2, 65530: 1}  # of the types of Stata
_OLD_WIDTHS = {251: 1, 252: 2, 253: 4, 254: 4, 255: 8}
_BYTE_ORDERS = {1: ">", 2: "<"}  # of Stata
# Bytes of variable and record of a long text in cells, and of a name; format of what is before the text.
_PLACES = {117: (4, 4, 33, "3xIIBI"), 118: (2, 6, 129, "3xIQBI"), 119: (3, 5, 129, "3xIQBI")}


def inspect_spss(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what an SPSS file holds besides its cells."""
    from pyreadstat import read_sav

    yield from _labels(read_sav, path, explained)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        if b"ReadStat" not in data[4:64]:
            is_refused = not data[4:].startswith(b"@(#) SPSS DATA FILE")
            yield Extra("program", "header", excerpt(data[4:64]), is_refused)
        yield from _date("header", data[92:109])
        mark = "<" if data[64] in (2, 3) else ">"
        at, n_values = 176, 0

        def number(place: int) -> int:
            return int(struct.unpack_from(f"{mark}i", data, place)[0])

        while (kind := number(at)) != 999:
            latest = at
            if kind == 2:
                at += 4 + -(-number(at + 32) // 4) * 4 if number(at + 8) else 0
                at += 32 + 8 * abs(number(latest + 12))
                n_values += 1
            elif kind == 3:
                at += 8
                for _unused in range(number(latest + 4)):
                    at += 8 + -(-(data[at + 8] + 1) // 8) * 8
            elif kind == 4:
                at += 8 + 4 * number(at + 4)
            elif kind == 6:
                at += 8 + 80 * number(at + 4)
                yield Extra("note", "document", excerpt(data[latest + 8 : at]))
            elif kind == 7:
                own, at = number(at + 4), at + 16 + number(at + 8) * number(at + 12)
                said = data[latest + 16 : at]
                if own not in _PLAIN_RECORDS and not (own == 18 and _ROLES.fullmatch(said)):
                    yield Extra(_KINDS.get(own, "element"), f"record 7, {own}", excerpt(said), own != 10)
            if at <= latest:
                raise ValueError(f"a record of type {kind} and of no length")
        n_due = n_values * max(0, number(80))
        yield from uncovered(file, _spans(data, at + 8, number(72), n_due, mark), "after the last record")


def _spans(data: _Data, at: int, packing: int, n_due: int, mark: str) -> list[tuple[int, int]]:
    """Return the spans of the cells and of all before; `n_due` is 0 if the file does not say how many."""
    if packing == 0:
        return [(0, at + 8 * n_due if n_due else len(data))]
    if packing == 1:
        return [(0, _end_of_cells(data, at, n_due))]
    (trailer,) = struct.unpack_from(f"{mark}8xq", data, at)
    (n_blocks,) = struct.unpack_from(f"{mark}20xi", data, trailer)
    spans, cells = [(0, at + 24), (trailer, trailer + 24 * (n_blocks + 1))], bytearray()
    for number in range(n_blocks):
        place, n_plain, n_packed = struct.unpack_from(f"{mark}8xq2i", data, trailer + 24 * (number + 1))
        spans.append((place, place + n_packed))
        unpacking = zlib.decompressobj()
        cells += unpacking.decompress(data[place : place + n_packed], n_plain + 1)
        if len(cells) > min(_MOST_UNPACKED, (number + 1) * n_plain) or unpacking.unused_data:
            raise ValueError("a packed block holds more than its cells")
    if any(cells[_end_of_cells(cells, 0, n_due) :]):
        raise ValueError("there is something behind the packed cells")
    return spans


def _end_of_cells(data: _Data | bytearray, at: int, n_due: int) -> int:
    """Return where packed cells end: eight bytes state the kind of each of the next values."""
    done = 0
    while at < len(data) and (done < n_due or not n_due or set(data[at : at + 8]) <= {0, 252}):
        codes = data[at : at + 8]
        done += 8 - codes.count(0)
        at += 8 + 8 * codes.count(253)
        if 252 in codes:
            break
    return at


def inspect_stata(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what a Stata file holds besides its cells."""
    from pyreadstat import read_dta

    yield from _labels(read_dta, path, explained)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        if data[:11] == b"<stata_dta>":
            yield from _in_sections(file, data)
        elif data[0] in (113, 114, 115):
            yield from _without_sections(file, data)
        else:
            yield Extra("uninspected", f"{path.name} (version {data[0]})")


def _in_sections(file: IO[bytes], data: _Data) -> Iterator[Extra]:
    """Look at a file of Stata 13 or later, whose map says where its sections begin."""
    n_variable, n_record, n_name, before_text = _PLACES[int(data[28:31])]
    order: Any = "little" if data[52:55] == b"LSF" else "big"
    mark = "<" if order == "little" else ">"
    start = data.find(b"<map>")
    if (stamp := data.rfind(b"<timestamp>", 0, start)) > 0:
        yield from _date("timestamp", data[stamp + 12 : start - 21])
    places = struct.unpack_from(f"{mark}14Q", data, start + 5)
    parts: dict[str, _Data] = {}
    for name, begin, end in zip(_SECTIONS.split(), places[1:], places[2:], strict=False):
        head, tail = f"<{name}>".encode(), f"</{name}>".encode()
        parts[name] = data[begin + len(head) : end - len(tail)]
        if data[begin : begin + len(head)] != head or data[end - len(tail) : end] != tail:
            yield Extra("bytes", f"at {name}", excerpt(data[begin:end]))
    found, rest = records(parts["characteristics"], f"{mark}4xI", tail=5)
    yield from (_characteristic(own, n_name) for (own,) in found)
    texts, further = records(parts["strls"], f"{mark}{before_text}")
    types = struct.unpack(f"{mark}{len(parts['variable_types']) // 2}H", parts["variable_types"])
    widths = [_WIDTHS.get(kind, kind) for kind in types]
    for variable, record, _unused, text in texts:
        due = variable.to_bytes(n_variable, order) + record.to_bytes(n_record, order)
        cell = (record - 1) * sum(widths) + sum(widths[: variable - 1])
        if parts["data"][cell : cell + 8] != due:
            yield Extra("unused_text", f"record {record}", excerpt(text))
    if rest or further:
        yield Extra("bytes", "at characteristics or strls", excerpt(rest or further))
    yield from uncovered(file, [(0, places[12] + 12)])


def _without_sections(file: IO[bytes], data: _Data) -> Iterator[Extra]:
    """Look at a file of Stata 8 to 12."""
    mark = _BYTE_ORDERS.get(data[1], "<")
    n_columns, n_records = struct.unpack_from(f"{mark}HI", data, 4)
    yield from _date("timestamp", data[91:109].partition(b"\0")[0])
    types = data[109 : 109 + n_columns]
    at = 109 + n_columns * (1 + 33 + 2 + (12 if data[0] == 113 else 49) + 33 + 81) + 2
    while any(data[at : at + 5]):
        (length,) = struct.unpack_from(f"{mark}xI", data, at)
        yield _characteristic(data[at + 5 : at + 5 + length], 33)
        at += 5 + length
    at += 5 + n_records * sum(_OLD_WIDTHS.get(kind, kind) for kind in types)
    found, rest = records(data[at:], f"{mark}I36x")
    for (own,) in found:
        n_labels, n_bytes = struct.unpack_from(f"{mark}2I", own)
        if len(own) != 8 + 8 * n_labels + n_bytes:
            yield Extra("bytes", "at labels of values", excerpt(own))
    yield from uncovered(file, [(0, len(data) - len(rest))])


def _date(at: str, stamp: bytes) -> Iterator[Extra]:
    """Yield the date of a file as a note, unless it is the one that the program writes."""
    if not _OWN_DATE.fullmatch(stamp):
        yield Extra("date", at, excerpt(stamp), is_refused=False)


def _characteristic(data: bytes, n_name: int) -> Extra:
    column, name = (
        data[n_name * place :][:n_name].partition(b"\0")[0].decode("utf-8", "replace") for place in (0, 1)
    )
    kind = "note" if re.fullmatch(r"note\d+", name) else "attribute"
    return Extra(kind, excerpt(f"{column}[{name}]"), excerpt(data[2 * n_name :].strip(b"\0")))


def _labels(read: Callable[..., Any], path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield labels that neither the recipe nor a cell explains."""
    _unused, about = read(path, metadataonly=True)
    if about.file_label:
        yield Extra("file_label", path.name, excerpt(about.file_label))
    for name, label in about.column_names_to_labels.items():
        if label and label not in explained.labels.get(name, ()):
            yield Extra("label", name, excerpt(label))
    labelled = about.variable_value_labels
    options = {"usecols": list(labelled), "user_missing": True, "disable_datetime_conversion": True}
    frame = read(path, **options)[0] if labelled else {}
    for name, labels in labelled.items():
        used = set(frame[name].dropna().tolist())
        own = None if explained.codes is None else explained.codes.get(name, {})
        odd = {
            code: label
            for code, label in labels.items()
            if label != _STAR and (code not in used or (own is not None and own.get(code) != label))
        }
        if odd:
            shown = ", ".join(f"{code}={label}" for code, label in odd.items())
            yield Extra("value_label", f"{name} ({len(odd)})", excerpt(shown))
    for name in about.value_labels.keys() - about.variable_to_label.values():
        yield Extra("value_label", name, excerpt(", ".join(map(str, about.value_labels[name].values()))))
    for name, ranges in about.missing_ranges.items():
        texts = [str(own["lo"]) for own in ranges if isinstance(own["lo"], str) and own["lo"] != _STAR]
        if texts:
            yield Extra("attribute", f"{name}: missing values", excerpt(", ".join(texts)))
