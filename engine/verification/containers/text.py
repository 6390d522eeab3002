"""Texts, which hold nothing but cells unless they are packed, and the manifest of a folder."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.verification.containers import Explained, Extra, excerpt

_GZIP = b"\x1f\x8b"
_FIXED = 10  # bytes of the header of a packed member
_CHECKED, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16  # flags of further parts of it
_BLOCK = 1 << 20
_KNOWN = {"": {"records", "parts"}, "parts": {"name", "records", "sha256"}}


def inspect_text(path: Path, explained: Explained) -> Iterator[Extra]:
    """Yield what the members of a packed text say besides it; a plain text is all cells."""
    with path.open("rb") as file:
        data, number = file.read(_BLOCK), 0
        while data.startswith(_GZIP):
            number += 1
            flags, data = data[3], data[_FIXED:]
            if flags & _EXTRA:
                length = int.from_bytes(data[:2], "little")
                yield Extra("header", f"member {number}: extra", excerpt(data[2 : 2 + length]))
                data = data[2 + length :]
            for flag, what in ((_NAME, "name"), (_COMMENT, "comment")):
                if flags & flag:
                    text, _unused, data = data.partition(b"\0")
                    if what == "comment" or text.decode("latin-1") not in (path.name, path.stem):
                        yield Extra("header", f"member {number}: {what}", excerpt(text))
            data = data[2:] if flags & _CHECKED else data
            unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
            is_empty = True
            while not unpacking.eof and (data or (data := file.read(_BLOCK))):
                is_empty &= not unpacking.decompress(data, _BLOCK)
                data = unpacking.unconsumed_tail
            if is_empty and number > 1:
                yield Extra("member", f"{number} (empty)")
            data = unpacking.unused_data + file.read(_BLOCK)
            data = data[8:]  # behind sum and size
        if number and data.strip(b"\0"):
            yield Extra("bytes", "after the last member", excerpt(data))


def inspect_manifest(path: Path) -> Iterator[Extra]:
    """Yield what a manifest says besides the names, numbers and sums of its parts."""

    def listed(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        own = dict(pairs)
        known = _KNOWN["" if "parts" in own else "parts"]
        keys = [key for key, _unused in pairs]
        for key, value in pairs:
            if key not in known or keys.count(key) > 1:
                found.append(Extra("metadata", f"{path.name}: {key}", excerpt(json.dumps(value))))
        return own

    found: list[Extra] = []
    json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=listed)
    yield from found
