"""Archives (ZIP) and the XML inside: what lies between, after and beside what a reader takes."""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import IO
from xml.parsers import expat

from engine.verification.containers import Extra, excerpt

_BLOCK = 1 << 16
_HEAD, _END = 30, 22  # bytes of a local header and of the end record, without their texts
_TIMES_AND_SIZES = {0x0001, 0x000A, 0x5455, 0x5855, 0x7855, 0x7875}  # extra fields without texts
_GROWTH = 0xA220  # room for a later change: zeros behind four bytes
_TEXT = re.compile(r">([^<>]*[^<>\s][^<>]*)<")
Attributes = Mapping[str, str]


def loose_bytes(file: IO[bytes], archive: zipfile.ZipFile) -> Iterator[Extra]:
    """Yield what an archive holds besides its members: comments, fields, bytes around them."""
    at, names = 0, set[str]()
    for info in sorted(archive.infolist(), key=lambda own: own.header_offset):
        if info.header_offset != at or info.filename in names:
            yield Extra("bytes", f"before or under another {info.filename}")
        names.add(info.filename)
        file.seek(info.header_offset)
        n_name, n_extra = struct.unpack("<HH", file.read(_HEAD)[26:])
        file.seek(n_name, 1)
        for field in (file.read(n_extra), info.extra):
            if text := _odd_field(field):
                yield Extra("bytes", f"extra field of {info.filename}", excerpt(text))
        if info.comment:
            yield Extra("comment", info.filename, excerpt(info.comment))
        at = info.header_offset + _HEAD + n_name + n_extra + info.compress_size
        if info.flag_bits & 8:
            file.seek(at)
            at += _descriptor(file.read(24), info)
    if archive.start_dir != at:
        yield Extra("bytes", "before the directory of the archive")
    if archive.comment:
        yield Extra("comment", "archive", excerpt(archive.comment))
    file.seek(max(0, file.seek(0, 2) - (1 << 17)))
    tail = file.read()
    if rest := tail[tail.rfind(b"PK\x05\x06") + _END + len(archive.comment) :]:
        yield Extra("bytes", "after the end of the archive", excerpt(rest))


def _odd_field(field: bytes) -> bytes:
    """Return the first extra field that is neither times nor sizes."""
    while len(field) >= 4:
        kind, length = struct.unpack("<HH", field[:4])
        own, field = field[4 : 4 + length], field[4 + length :]
        if kind not in _TIMES_AND_SIZES and not (kind == _GROWTH and not own[4:].strip(b"\0")):
            return own or b"?"
    return field


def _descriptor(data: bytes, info: zipfile.ZipInfo) -> int:
    """Return the number of bytes after a member that repeat its sum and sizes."""
    for head in (b"PK\x07\x08", b""):
        for shape in ("<LLL", "<LQQ"):
            own = head + struct.pack(shape, info.CRC, info.compress_size, info.file_size)
            if data.startswith(own):
                return len(own)
    return 0


def read_xml(
    stream: IO[bytes],
    on_start: Callable[[str, Attributes], None],
    on_end: Callable[[str, str], None],
    on_remark: Callable[[str], None],
) -> None:
    """Read XML in blocks, without namespaces and without any document type, which could define anything.

    Parameters
    ----------
    stream : binary file
    on_start : callable
        Takes the name and the attributes of an element.
    on_end : callable
        Takes the name of an element, and the text before its end.
    on_remark : callable
        Takes what no reader takes: a comment, a processing instruction, text beside elements.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    texts: list[str] = []

    def start(name: str, attributes: dict[str, str]) -> None:
        if texts:
            if text := "".join(texts).strip():
                on_remark(text)
            texts.clear()
        on_start(_local(name), {_local(key): own for key, own in attributes.items()})

    def end(name: str) -> None:
        on_end(_local(name), "".join(texts))
        texts.clear()

    def refuse(*_unused: object) -> None:
        raise ValueError("the XML has a document type")

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = texts.append
    parser.CommentHandler = on_remark
    parser.ProcessingInstructionHandler = lambda target, data: on_remark(f"{target} {data}")
    parser.StartDoctypeDeclHandler = refuse
    parser.ParseFile(stream)


@lru_cache(maxsize=1_000)
def _local(name: str) -> str:
    """Return a name without its namespace."""
    return name.rpartition(" ")[2]


def first_text(archive: zipfile.ZipFile, name: str) -> str:
    """Return the first texts of a member, for showing."""
    with archive.open(name) as member:
        text = member.read(_BLOCK).decode("utf-8", "replace")
    return excerpt(" ".join(_TEXT.findall(text)) if text.lstrip("\ufeff \n").startswith("<") else text)
