"""Unused parts of a file: bytes between known ones, and after records with a stated length."""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator
from typing import IO, Any

from engine.verification.containers import Extra, excerpt


def uncovered(
    file: IO[bytes],
    spans: Iterable[tuple[int, int]],
    behind: str = "after the end",
    plain: Collection[bytes] = (),
) -> Iterator[Extra]:
    """Yield bytes of a file that no span takes, unless they are zeros, and where spans overlap.

    Parameters
    ----------
    spans : iterable of (int, int)
        Start and end of each.
    behind : str
        What the place behind all of them is called.
    plain : collection of bytes
        What may lie between them.
    """
    at, size = 0, file.seek(0, 2)
    for start, end in sorted([*spans, (size, size)]):
        file.seek(min(at, start))
        between = file.read(abs(start - at))
        if start < at or (between.strip(b"\0") and between not in plain):
            yield Extra("bytes", behind if start == size else f"{at} to {start}", excerpt(between))
        at = end


def records(data: Any, head: str, tail: int = 0) -> tuple[list[tuple[Any, ...]], bytes]:
    """Return the numbers and the content of each record, and the rest, which is not a whole one.

    Parameters
    ----------
    head : str
        Format of the numbers, as in `struct`; the last one is the length of the content.
    tail : int
        Bytes behind each content.
    """
    found, at, n_head = [], 0, struct.calcsize(head)
    while at + n_head <= len(data):
        *numbers, length = struct.unpack_from(head, data, at)
        end = at + n_head + length
        if end > len(data):
            break
        found.append((*numbers, data[at + n_head : end]))
        at = end + tail
    return found, data[at:]
