"""The ledger as a file: one line per release of a source, and its key in a file of its own.

Nothing in it is readable without the key: values are codes, classes are numbers, and no label or name occurs.
With the key it says who was in which release, so both files are for their owner alone.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.errors import ExportError, InputError
from engine.files import atomic_write, open_regular
from engine.recoding.rules.keyed_hash import make_key, read_key
from engine.words import _

FORMAT = 1
VARY = "levels vary"
_CODE_BYTES = 16


@dataclass(frozen=True, eq=False)
class Coder:
    """Codes of values under the key of a ledger."""

    key: bytes

    def code(self, column: str, value: str) -> str:
        """Return the code of a value of a column: half of an HMAC-SHA-256, in hexadecimal."""
        message = column.encode("utf-8") + b"\0" + value.encode("utf-8")
        return hmac.new(self.key, message, hashlib.sha256).digest()[:_CODE_BYTES].hex()

    def codes(self, column: str, values: Iterable[str]) -> list[str]:
        """Return the codes of values of a column."""
        return [self.code(column, value) for value in values]

    def name(self, column: str) -> str:
        """Return the code of the name of a column."""
        return self.code("", column)


@dataclass(frozen=True, eq=False)
class Entry:
    """A release as the ledger keeps it.

    Attributes
    ----------
    number : int
        From 1 on, never used again.
    time : str
        When it was recorded, in UTC.
    recipient : str
    audience : {"public", "named"}
    source, file : str
        SHA-256 of the table and of the released file.
    recipe : mapping
        SHA-256 of the recipe; its models with thresholds, limit and metric, columns as codes.
    node : list of int or str
        Levels in the order of the recipe, or "levels vary".
    way : {"kept", "blank", "removed"}
        What became of suppressed records.
    shuffled : bool
    codes : list of str
        Rules of identifying columns that left as codes.
    joined_by : str
        Code of the name of the column that records are joined by; empty for their order.
    people : list of str or None
        Code of the person or record key of each record of the table; None for their order alone.
    classes : list of int or None
        Class of these records: 0 for rows with `*` in all quasi-identifying columns, None if it is not in the
        file. None as a whole once the release is forgotten.
    columns : list of str
        Codes of the names of the columns that left unchanged.
    values : list of list of str
        Codes of the values of each of them.
    tails : list of list of int
        Values that occur together, by place in `values`.
    rows : list of list of int
        Class, tail and number of rows, for all rows that show their tail.
    sizes : list of int or None
        Sizes of the classes of a forgotten release.
    """

    number: int
    time: str
    recipient: str
    audience: str
    source: str
    file: str
    recipe: Mapping[str, Any]
    node: list[int] | str
    way: str
    shuffled: bool
    codes: list[str]
    joined_by: str
    people: list[str] | None
    classes: list[int | None] | None
    columns: list[str]
    values: list[list[str]]
    tails: list[list[int]]
    rows: list[list[int]]
    sizes: list[int] | None = None

    @property
    def is_forgotten(self) -> bool:
        """Return whether only the sizes of its classes are left."""
        return self.classes is None

    @property
    def n_records(self) -> int:
        """Records in the file."""
        if self.classes is None:
            return sum(self.sizes or [])
        return sum(own is not None for own in self.classes)

    def forgotten(self) -> Entry:
        """Return it with sizes of classes instead of everything about records."""
        own = [number for number in self.classes or [] if number is not None]
        sizes = sorted(np.unique(own, return_counts=True)[1].tolist()) if self.sizes is None else self.sizes
        return replace(self, people=None, classes=None, columns=[], values=[], tails=[], rows=[], sizes=sizes)


@dataclass(frozen=True, eq=False)
class Ledger:
    """All releases of a source, as read from a file.

    Attributes
    ----------
    path : Path
    coder : Coder
        With its key.
    entries : tuple of Entry
    content : bytes
        The file as it was read; empty if there is none yet.
    """

    path: Path
    coder: Coder
    entries: tuple[Entry, ...] = ()
    content: bytes = b""

    @property
    def next_number(self) -> int:
        """Number of the next release."""
        return max((entry.number for entry in self.entries), default=0) + 1

    def append(self, entry: Entry) -> Ledger:
        """Write the ledger with one more release, and return it."""
        return self._written((self.content or self._head) + _line(asdict(entry)))

    @property
    def _head(self) -> bytes:
        return _line({"ledger": FORMAT, "key": self.coder.code("", "")})

    def begun(self) -> Ledger:
        """Write a ledger without releases if there is none yet, and return it."""
        return self if self.content else self._written(self._head)

    def forget(self, number: int) -> Ledger:
        """Write the ledger with only the sizes of classes of one release, and return it.

        Raises
        ------
        InputError
            There is no release of this number.
        """
        if all(entry.number != number for entry in self.entries):
            raise InputError(
                _("The ledger '{name}' has no release {number}.").format(name=self.path.name, number=number),
                hint=_("List its releases, and name one of their numbers."),
            )
        lines = self.content.splitlines(keepends=True)
        for place, entry in enumerate(self.entries, start=1):
            if entry.number == number:
                lines[place] = _line(asdict(entry.forgotten()))
        return self._written(b"".join(lines))

    def _written(self, content: bytes) -> Ledger:
        with atomic_write(self.path, self._refuse_changed, is_private=True) as file:
            file.write(content)
        return replace(self, content=content, entries=_entries(self.path, content))

    def _refuse_changed(self, _beside: Path) -> None:
        """Raise `ExportError` if the file is not the one that was read."""
        if _content(self.path) != self.content:
            raise ExportError(
                _("The ledger '{name}' has changed since it was read.").format(name=self.path.name),
                hint=_("Add the release to it once more, so that it is checked against all others."),
                file=str(self.path),
            )


def key_of(path: Path) -> Path:
    """Return where the key of a ledger is."""
    return path.with_name(f"{path.name}.key")


def open_ledger(path: Path, *, creates: bool = False) -> Ledger:
    """Read a ledger with its key.

    Parameters
    ----------
    creates : bool
        Whether an empty ledger and its key are made where both are missing.

    Raises
    ------
    InputError
        It is missing, alone or beside its key; it is no ledger, or has another key.
    ExportError
        The key cannot be read or written.
    """
    content = _content(path)
    if not content and not creates:
        raise InputError(
            _("The ledger '{name}' does not exist.").format(name=path.name),
            hint=_("Name an existing ledger; the first release with --ledger creates one."),
        )
    if not content and not key_of(path).exists():
        make_key(key_of(path))
        return Ledger(path, Coder(read_key(str(key_of(path)), path.name))).begun()
    refuse_vanished(path)
    coder = Coder(read_key(str(key_of(path)), path.name))
    if content and _head(path, content).get("key") != coder.code("", ""):
        raise InputError(
            _("The key '{key}' is not that of the ledger '{name}'.").format(
                key=key_of(path).name, name=path.name
            ),
            hint=_("Move the right key back; without it, earlier releases cannot be joined."),
        )
    return Ledger(path, coder, _entries(path, content) if content else (), content)


def refuse_vanished(path: Path) -> None:
    """Raise `InputError` if a ledger is missing beside its key, so that its releases would not be counted."""
    if key_of(path).exists() and not _content(path):
        raise InputError(
            _("The ledger '{name}' is missing, but its key is there.").format(name=path.name),
            hint=_(
                "Move the ledger back, or try again if another program is just beginning it. Delete '{key}' "
                "only if there was never a release."
            ).format(key=key_of(path).name),
        )


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or of all files of a folder, in hexadecimal; empty if there is none."""
    digest = hashlib.sha256()
    if not path.exists():
        return ""
    for one in sorted(path.iterdir()) if path.is_dir() else [path]:
        with open_regular(one) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _content(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            return file.read()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise InputError(
            _("The ledger '{name}' cannot be read: {strerror}.").format(
                name=path.name, strerror=error.strerror or error
            ),
            hint=_("Check its place and its permissions."),
        ) from None


def _line(values: Mapping[str, Any]) -> bytes:
    return json.dumps(values, separators=(",", ":")).encode("utf-8") + b"\n"


def _head(path: Path, content: bytes) -> Mapping[str, Any]:
    try:
        head = json.loads(content.split(b"\n", 1)[0])
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("ledger") != FORMAT:
        raise InputError(
            _("'{name}' is not a release ledger of this version.").format(name=path.name),
            hint=_("Name a file that was made by --ledger."),
        )
    return head


def _entries(path: Path, content: bytes) -> tuple[Entry, ...]:
    _head(path, content)
    names = {field.name for field in fields(Entry)}
    found = []
    for number, line in enumerate(content.splitlines()[1:], start=2):
        try:
            values = json.loads(line)
        except ValueError:
            values = None
        if not isinstance(values, dict) or values.keys() != names:
            raise InputError(
                _("The ledger '{name}' is damaged in line {line}.").format(name=path.name, line=number),
                hint=_("Restore it from a copy; without all its releases a check means little."),
            )
        found.append(Entry(**values))
    return tuple(found)
