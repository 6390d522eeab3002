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
# Flags of further parts of it.
_CHECKED, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
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
                end = 2 + int.from_bytes(data[:2], "little")
                yield Extra("header", f"member {number}: extra", excerpt(data[2:end]))
                data = data[end:]
            for what in ["name"] * bool(flags & _NAME) + ["comment"] * bool(flags & _COMMENT):
                text, _unused, data = data.partition(b"\0")
                if what == "comment" or text.decode("latin-1") not in (path.name, path.stem):
                    yield Extra("header", f"member {number}: {what}", excerpt(text))
            data = data[2:] if flags & _CHECKED else data
            unpacking, is_empty = zlib.decompressobj(-zlib.MAX_WBITS), True
            while not unpacking.eof and (data or (data := file.read(_BLOCK))):
                is_empty &= not unpacking.decompress(data, _BLOCK)
                data = unpacking.unconsumed_tail
            if is_empty and number > 1:
                yield Extra("member", f"{number} (empty)")
            data = (unpacking.unused_data + file.read(_BLOCK))[8:]  # behind sum and size
        if number and data.strip(b"\0"):
            yield Extra("bytes", "after the last member", excerpt(data))


def inspect_manifest(path: Path) -> Iterator[Extra]:
    """Yield what a manifest says besides the names, numbers and sums of its parts."""
    found: list[Extra] = []

    def listed(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        own, left = dict(pairs), set(_KNOWN["" if "parts" in dict(pairs) else "parts"])
        for key, value in reversed(pairs):  # readers take the last of a name
            if key not in left:
                found.append(Extra("metadata", f"{path.name}: {key}", excerpt(json.dumps(value))))
            left.discard(key)
        return own

    json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=listed)
    yield from found
