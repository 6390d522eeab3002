"""Values in a stream of Java's object serialization, read as plain data; no class is ever loaded.

The grammar is public (Java Object Serialization Specification, protocol version 2). Objects become
`JavaObject`: a class name and values by field name, followed by what the class wrote by its own method.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

MOST_VALUES = 4_000_000  # objects, texts and blocks of one stream
DEEPEST = 150  # levels of objects in objects

_MAGIC = b"\xac\xed\x00\x05"
_NULL, _REFERENCE, _CLASS, _OBJECT, _TEXT, _ARRAY, _KIND = 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76
_BLOCK, _END, _RESET, _LONG_BLOCK, _LONG_TEXT, _PROXY, _ENUM = 0x77, 0x78, 0x79, 0x7A, 0x7C, 0x7D, 0x7E
_FIRST_HANDLE = 0x7E0000
_WRITES, _SERIALIZABLE, _EXTERNALIZABLE, _IN_BLOCKS = 1, 2, 4, 8  # flags of a class
_NUMBERS = {"B": ">i1", "C": ">u2", "D": ">f8", "F": ">f4", "I": ">i4", "J": ">i8", "S": ">i2", "Z": ">u1"}


class UnreadableStreamError(Exception):
    """The bytes are not such a stream, are damaged, or contain more than is read."""


@dataclass(slots=True)
class JavaObject:
    """An object: its class, its fields, and what its class wrote by a method of its own.

    Attributes
    ----------
    kind : str
        Full name of the class.
    fields : dict of str to value
        Numbers, texts, arrays (lists, or ndarrays of numbers), objects, and None.
    extra : list
        Values, and bytes for blocks.
    """

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)
    extra: list[Any] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Name of the class without its package."""
        return self.kind.rpartition(".")[2]


@dataclass(slots=True)
class JavaEnum:
    """A constant of an enumeration."""

    kind: str
    constant: str = ""


@dataclass(slots=True)
class _Description:
    """A class as a stream describes it."""

    name: str
    flags: int = 0
    fields: tuple[tuple[str, str], ...] = ()  # type code and name
    parent: _Description | None = None


def read_stream(data: bytes) -> Any:
    """Return the first value of a stream.

    Raises
    ------
    UnreadableStreamError
        It is damaged, too deep or too large, or a class wrote itself in a form of its own.
    """
    if not data.startswith(_MAGIC):
        raise UnreadableStreamError("no stream of objects")
    try:
        return _Reader(data).value()
    except (struct.error, IndexError, ValueError, OverflowError, RecursionError) as error:
        raise UnreadableStreamError("a damaged stream") from error


def entries(value: Any) -> dict[Any, Any]:
    """Return the entries of a map; none for anything else."""
    if not isinstance(value, JavaObject):
        return {}
    flat = [item for item in value.extra if not isinstance(item, bytes)]
    return {key: item for key, item in zip(flat[::2], flat[1::2], strict=False) if isinstance(key, str)}


def items(value: Any) -> list[Any]:
    """Return the items of a set, list or array; none for anything else."""
    if isinstance(value, list):
        return value
    if not isinstance(value, JavaObject):
        return []
    return [item for item in value.extra if not isinstance(item, bytes)]


def plain(value: Any) -> Any:
    """Return the number, text or truth value in an object that Java wraps around it."""
    if isinstance(value, JavaObject) and value.kind.startswith("java.lang."):
        return value.fields.get("value")
    return value


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, len(_MAGIC)
        self._handles: list[Any] = []
        self._read = self._depth = 0
        self._readers: dict[int, Callable[[], Any]] = {
            _REFERENCE: self._reference,
            _CLASS: self._class,
            _OBJECT: self._object,
            _TEXT: lambda: self._text(self._number(">H", 2)),
            _LONG_TEXT: lambda: self._text(self._number(">Q", 8)),
            _ARRAY: self._array,
            _KIND: self._kind,
            _BLOCK: lambda: self._bytes(self._number(">B", 1)),
            _LONG_BLOCK: lambda: self._bytes(self._number(">I", 4)),
            _PROXY: self._proxy,
            _ENUM: self._enum,
        }

    def value(self) -> Any:
        """Read the next value."""
        self._read += 1
        if self._read > MOST_VALUES or self._depth > DEEPEST:
            raise UnreadableStreamError("more in it than is read")
        mark = self._number(">B", 1)
        if mark == _NULL:
            return None
        if mark not in self._readers:
            raise UnreadableStreamError("an unknown mark")
        self._depth += 1
        found = self._readers[mark]()
        self._depth -= 1
        return found

    def _number(self, form: str, size: int) -> int:
        (found,) = struct.unpack_from(form, self._data, self._at)
        self._at += size
        return int(found)

    def _bytes(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise UnreadableStreamError("it ends too early")
        found = self._data[self._at : self._at + size]
        self._at += size
        return found

    def _name(self) -> str:
        return _decoded(self._bytes(self._number(">H", 2)))

    def _known(self, found: Any) -> Any:
        self._handles.append(found)
        return found

    def _reference(self) -> Any:
        number = self._number(">I", 4) - _FIRST_HANDLE
        if not 0 <= number < len(self._handles):
            raise UnreadableStreamError("a reference to nothing")
        return self._handles[number]

    def _text(self, size: int) -> str:
        found: str = self._known(_decoded(self._bytes(size)))
        return found

    def _description(self) -> _Description | None:
        found = self.value()
        if found is not None and not isinstance(found, _Description):
            raise UnreadableStreamError("a class was expected")
        return found

    def _class(self) -> _Description:
        found: _Description = self._known(_Description(self._name()))
        self._at += 8  # version
        found.flags = self._number(">B", 1)
        fields = []
        for _unused in range(self._number(">H", 2)):
            code, name = chr(self._number(">B", 1)), self._name()
            if code in "[L":
                self.value()  # the name of its class
            elif code not in _NUMBERS:
                raise UnreadableStreamError("an unknown type")
            fields.append((code, name))
        found.fields = tuple(fields)
        self._annotation()
        found.parent = self._description()
        return found

    def _proxy(self) -> _Description:
        found: _Description = self._known(_Description("proxy"))
        for _unused in range(self._number(">I", 4)):
            self._name()
        self._annotation()
        found.parent = self._description()
        return found

    def _kind(self) -> Any:
        return self._known(self._description())

    def _enum(self) -> JavaEnum:
        description = self._description()
        found: JavaEnum = self._known(JavaEnum("" if description is None else description.name))
        constant = self.value()
        found.constant = constant if isinstance(constant, str) else ""
        return found

    def _object(self) -> JavaObject:
        description = self._description()
        if description is None:
            raise UnreadableStreamError("an object without a class")
        found: JavaObject = self._known(JavaObject(description.name))
        family = []
        while description is not None:
            family.append(description)
            if len(family) > DEEPEST:
                raise UnreadableStreamError("more in it than is read")
            description = description.parent
        for part in reversed(family):
            if part.flags & _SERIALIZABLE:
                for code, name in part.fields:
                    found.fields[name] = self._of_type(code)
                if part.flags & _WRITES:
                    found.extra += self._annotation()
            elif part.flags & _EXTERNALIZABLE:
                if not part.flags & _IN_BLOCKS:
                    raise UnreadableStreamError("an object in a form of its own")
                found.extra += self._annotation()
        return found

    def _of_type(self, code: str) -> Any:
        if code not in _NUMBERS:
            return self.value()
        kind = np.dtype(_NUMBERS[code])
        found = np.frombuffer(self._bytes(kind.itemsize), kind)[0].item()
        return bool(found) if code == "Z" else found

    def _array(self) -> Any:
        description = self._description()
        if description is None or not description.name.startswith("["):
            raise UnreadableStreamError("an array without a type")
        place = len(self._handles)
        self._handles.append(None)
        length, code = self._number(">I", 4), description.name[1:2]
        if code in _NUMBERS:
            kind = np.dtype(_NUMBERS[code])
            found: Any = np.frombuffer(self._bytes(length * kind.itemsize), kind)
            self._handles[place] = found
            return found
        if length > len(self._data) - self._at:  # every item takes at least a byte
            raise UnreadableStreamError("it ends too early")
        found = self._handles[place] = []
        for _unused in range(length):
            found.append(self.value())
        return found

    def _annotation(self) -> list[Any]:
        found = []
        while self._data[self._at] != _END:
            found.append(self.value())
        self._at += 1
        return found


def _decoded(text: bytes) -> str:
    """Decode Java's form of UTF-8: a zero takes two bytes, and rare characters are two halves."""
    halves = text.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return halves.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
