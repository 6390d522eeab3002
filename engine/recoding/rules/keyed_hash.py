"""Values become digests under a key that is in a file of its own."""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from engine.errors import ExportError
from engine.files import open_regular
from engine.hierarchies.hierarchy import SUPPRESSED
from engine.numbers import as_exact_count
from engine.params import FilePath, Integer, param
from engine.recoding.rules.base import ColumnRule, RuleContext, Texts, column_rules, each_value
from engine.records import Column
from engine.words import N_, _, lazy, ngettext

LEAST_KEY, LONGEST_KEY = 32, 4096  # bytes
_LIKELY = 0.01  # twice the chance that two of many values have the same code


@column_rules.register("keyed_hash")
@dataclass(frozen=True, slots=True)
class KeyedHash(ColumnRule):
    """Every value becomes the beginning of its HMAC-SHA256 [1]_ in hexadecimal; missing stays missing.

    The key is all bytes of a file but line ends at its end. While it cannot be read, every cell is `*` and
    nothing can be exported.

    Parameters
    ----------
    key_file : str or None
        Path of the key; never kept in a project file.
    length : int
        Characters of the digest that are written.

    References
    ----------
    .. [1] Krawczyk, Bellare, Canetti (1997). HMAC: Keyed-Hashing for Message Authentication. RFC 2104.
    """

    title: ClassVar[str] = lazy("Keyed hash")
    summary: ClassVar[str] = lazy(
        "Replaces every value with a code that only the owner of a key can compute again."
    )
    unprotected: ClassVar[str] = lazy(
        "Equal values have equal codes, in every release with the same key. Anyone with the key can test "
        "guessed values."
    )
    is_reversible: ClassVar[bool] = True
    is_by_value: ClassVar[bool] = True

    key_file: str | None = param(
        None,
        FilePath(
            label=N_("Key file"),
            help=N_("At least 32 secret bytes; the same key gives the same codes in every release."),
            filters=N_("Keys (*.key);;All files (*)"),
        ),
    )
    length: int = param(
        16,
        Integer(label=N_("Characters"), help=N_("Length of the code."), minimum=8, maximum=64),
    )

    def refuse_unready(self, column: str) -> None:
        """Raise `ExportError` where the key is not there, too short, or unreadable."""
        read_key(self.key_file, column)

    def refuse_many_values(self, column: str, n_records: int) -> None:
        """Refuse codes so short that two of many values are likely to get the same one."""
        if n_records**2 > 16**self.length * _LIKELY:
            raise self._same_code(column)

    def apply(self, column: Column, context: RuleContext) -> Texts | None:
        """A digest for each value; `*` without the key."""
        try:
            key = read_key(self.key_file, column.name)
        except ExportError:
            return (SUPPRESSED,), np.zeros(len(column.codes), dtype=np.int32)
        values = column.known_labels
        digests = [hmac.new(key, value.encode("utf-8"), hashlib.sha256).hexdigest() for value in values]
        texts = [digest[: self.length] for digest in digests]
        if len(set(texts)) < len(texts):
            raise self._same_code(column.name)
        return each_value(column, texts)

    def _same_code(self, column: str) -> ExportError:
        return ExportError(
            _("Two values of '{name}' have the same code of {length} characters.").format(
                name=column, length=self.length
            ),
            hint=_("Use longer codes."),
            column=column,
        )


def read_key(path: str | None, column: str) -> bytes:
    """The key of the codes in a column.

    Raises
    ------
    ExportError
        The file is missing, or is not a key.
    """
    if path is None:
        raise ExportError(
            _("The key for the codes of '{column}' is unknown.").format(column=column),
            hint=_("Choose the key file; project files do not contain its location."),
            column=column,
        )
    name = Path(path).name
    try:
        with open_regular(path) as file:
            key = file.read(LONGEST_KEY + 1).rstrip(b"\r\n")
    except OSError as error:
        raise ExportError(
            _("The key '{name}' for the codes of '{column}' cannot be read: {strerror}.").format(
                name=name, column=column, strerror=error.strerror or error
            ),
            hint=_("Move the key file back, or choose it again."),
            column=column,
        ) from None
    if not LEAST_KEY <= len(key) <= LONGEST_KEY:
        raise ExportError(
            ngettext(
                "The key '{name}' has only {n} byte.", "The key '{name}' has only {n} bytes.", len(key)
            ).format(name=name, n=len(key))
            if len(key) < LEAST_KEY
            else _("The key '{name}' has more than {most} bytes.").format(
                name=name, most=as_exact_count(LONGEST_KEY)
            ),
            hint=_("A key has {LEAST_KEY} to {LONGEST_KEY} bytes; the program can create one.").format(
                LEAST_KEY=LEAST_KEY, LONGEST_KEY=as_exact_count(LONGEST_KEY)
            ),
            column=column,
        )
    return key


def make_key(path: Path) -> None:
    """Write a new key, readable by its owner alone; a file that is there is never touched.

    Raises
    ------
    ExportError
        The file exists, or cannot be written.
    """
    try:
        place = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise ExportError(
            _("'{name}' already exists.").format(name=path.name),
            hint=_("A key is never replaced: choose another name."),
        ) from None
    except OSError as error:
        raise ExportError(
            _("The key '{name}' could not be written: {strerror}.").format(
                name=path.name, strerror=error.strerror or error
            ),
            hint=_("Choose another place."),
        ) from None
    try:
        with os.fdopen(place, "wb") as file:
            file.write(secrets.token_hex(LEAST_KEY).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        path.unlink(missing_ok=True)  # half a key is worse than none
        raise ExportError(
            _("The key '{name}' could not be written: {strerror}.").format(
                name=path.name, strerror=error.strerror or error
            ),
            hint=_("Choose another place."),
        ) from None
