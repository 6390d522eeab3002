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
from typing import Any

from engine.verification.containers import Explained, Extra, excerpt

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
_PLACES = {
    117: (4, 4, 33),
    118: (2, 6, 129),
    119: (3, 5, 129),
}  # bytes of variable and record of a long text, of a name


def inspect_spss(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what an SPSS file holds besides its cells."""
    from pyreadstat import read_sav

    yield from _labels(read_sav, path, explained)
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        if b"ReadStat" not in data[4:64]:
            yield Extra(
                "program", "header", excerpt(data[4:64]), not data[4:].startswith(b"@(#) SPSS DATA FILE")
            )
        if not _OWN_DATE.fullmatch(data[92:109]):
            yield Extra("date", "header", excerpt(data[92:101]), is_refused=False)
        mark = "<" if data[64] in (2, 3) else ">"
        at, n_values = 176, 0

        def number(place: int) -> int:
            return int(struct.unpack_from(f"{mark}i", data, place)[0])

        latest = 0
        while (kind := number(at)) != 999:
            if at <= latest:
                raise ValueError("a record of negative length")
            latest = at
            if kind == 2:
                has_label, n_missing = number(at + 8), abs(number(at + 12))
                at += 32 + has_label * (4 + -(-number(at + 32) // 4) * 4 if has_label else 0) + 8 * n_missing
                n_values += 1
            elif kind == 3:
                n_labels, at = number(at + 4), at + 8
                for _unused in range(n_labels):
                    at += 8 + -(-(data[at + 8] + 1) // 8) * 8
            elif kind == 4:
                at += 8 + 4 * number(at + 4)
            elif kind == 6:
                yield Extra("note", "document", excerpt(data[at + 8 : at + 8 + 80 * number(at + 4)]))
                at += 8 + 80 * number(at + 4)
            elif kind == 7:
                own, start = number(at + 4), at + 16
                at = start + number(at + 8) * number(at + 12)
                if own not in _PLAIN_RECORDS and not (own == 18 and _ROLES.fullmatch(data[start:at])):
                    yield Extra(
                        _KINDS.get(own, "element"), f"record 7, {own}", excerpt(data[start:at]), own != 10
                    )
            else:
                raise ValueError(f"a record of type {kind}")
        at += 8
        n_due = n_values * number(80) if number(80) >= 0 else 0
        rest = _after_cells(data, at, number(72), n_due, mark)
        if rest.strip(b"\0"):
            yield Extra("bytes", "after the last record", excerpt(rest))


def _after_cells(data: _Data, at: int, packing: int, n_due: int, mark: str) -> bytes:
    """Return what follows the cells; `n_due` is 0 if the file does not say how many there are."""
    if packing == 0:
        return data[at + 8 * n_due :] if n_due else b""
    if packing == 1:
        return data[_end_of_cells(data, at, n_due) :]
    start, trailer, length = struct.unpack_from(f"{mark}3q", data, at)
    n_blocks = struct.unpack_from(f"{mark}i", data, trailer + 20)[0]
    parts, end = [], start + 24
    for number in range(n_blocks):
        _own, place, n_plain, n_packed = struct.unpack_from(f"{mark}2q2i", data, trailer + 24 * (number + 1))
        unpacking = zlib.decompressobj()
        parts.append(unpacking.decompress(data[place : place + n_packed], n_plain + 1))
        if (
            place != end
            or len(parts[-1]) != n_plain
            or unpacking.unused_data
            or number * n_plain > _MOST_UNPACKED
        ):
            return data[end : place + n_packed]
        end = place + n_packed
    cells = b"".join(parts)
    return data[end:trailer] + data[trailer + length :] + cells[_end_of_cells(cells, 0, n_due) :]


def _end_of_cells(data: _Data, at: int, n_due: int) -> int:
    """Return where packed cells end: eight bytes tell what each of the next values is."""
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
            yield from _in_sections(data)
        elif data[0] in (113, 114, 115):
            yield from _without_sections(data)
        else:
            yield Extra("uninspected", f"{path.name} (version {data[0]})")


def _in_sections(data: _Data) -> Iterator[Extra]:
    """Look at a file of Stata 13 or later, whose map says where its sections begin."""
    version = int(data[28:31])
    n_variable, n_record, n_name = _PLACES[version]
    order: Any = "little" if data[52:55] == b"LSF" else "big"
    mark = "<" if order == "little" else ">"
    start = data.find(b"<map>")
    if (stamp := data.rfind(b"<timestamp>", 0, start)) > 0 and not _OWN_DATE.fullmatch(
        data[stamp + 12 : start - 21]
    ):
        yield Extra("date", "timestamp", excerpt(data[stamp + 12 : start - 21]), is_refused=False)
    places = struct.unpack_from(f"{mark}14Q", data, start + 5)
    parts: dict[str, _Data] = {}
    for name, begin, end in zip(_SECTIONS.split(), places[1:], places[2:], strict=False):
        head, tail = f"<{name}>".encode(), f"</{name}>".encode()
        parts[name] = data[begin + len(head) : end - len(tail)]
        if data[begin : begin + len(head)] != head or data[end - len(tail) : end] != tail:
            yield Extra("bytes", f"at {name}", excerpt(data[begin:end]))
    own, at = parts["characteristics"], 0
    while at < len(own):
        length = int.from_bytes(own[at + 4 : at + 8], order)
        yield _characteristic(own[at + 8 : at + 8 + length], n_name)
        at += 8 + length + 5
    types = struct.unpack(f"{mark}{len(parts['variable_types']) // 2}H", parts["variable_types"])
    widths = [_WIDTHS.get(kind, kind) for kind in types]
    own, at, n_number = parts["strls"], 0, 4 if version == 117 else 8
    while at < len(own):
        variable = int.from_bytes(own[at + 3 : at + 7], order)
        record = int.from_bytes(own[at + 7 : at + 7 + n_number], order)
        length = int.from_bytes(own[at + 8 + n_number : at + 12 + n_number], order)
        due = variable.to_bytes(n_variable, order) + record.to_bytes(n_record, order)
        cell = (record - 1) * sum(widths) + sum(widths[: variable - 1])
        if parts["data"][cell : cell + 8] != due:
            yield Extra("unused_text", f"record {record}", excerpt(own[at + 12 + n_number :][:length]))
        at += 12 + n_number + length
    if rest := data[places[12] + 12 :]:
        yield Extra("bytes", "after the end", excerpt(rest))


def _without_sections(data: _Data) -> Iterator[Extra]:
    """Look at a file of Stata 8 to 12."""
    mark = ">" if data[1] == 1 else "<"
    order: Any = "big" if data[1] == 1 else "little"
    n_columns, n_records = struct.unpack_from(f"{mark}HI", data, 4)
    stamp = data[91:109].partition(b"\0")[0]
    if not _OWN_DATE.fullmatch(stamp):
        yield Extra("date", "timestamp", excerpt(stamp), is_refused=False)
    types = data[109 : 109 + n_columns]
    at = 109 + n_columns * (1 + 33 + 2 + (12 if data[0] == 113 else 49) + 33 + 81) + 2
    while any(data[at : at + 5]):
        length = int.from_bytes(data[at + 1 : at + 5], order)
        yield _characteristic(data[at + 5 : at + 5 + length], 33)
        at += 5 + length
    at += 5 + n_records * sum(_OLD_WIDTHS.get(kind, kind) for kind in types)
    while at + 48 <= len(data):
        length = int.from_bytes(data[at : at + 4], order)
        n_labels, n_bytes = struct.unpack_from(f"{mark}2I", data, at + 40)
        if length != 8 + 8 * n_labels + n_bytes:
            break
        at += 40 + length
    if data[at:]:
        yield Extra("bytes", "after the end", excerpt(data[at:]))


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
