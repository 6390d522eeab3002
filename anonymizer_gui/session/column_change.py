"""How one version of a column comes from another, kept as codes per label instead of codes per record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from engine.kernels.arrays import Codes, IntArray, Reals
    from engine.table.table import Column
    from engine.table.types import DataType


class _Face(NamedTuple):
    """A column without its records."""

    name: str
    data_type: DataType
    labels: tuple[str, ...]
    has_missing: bool
    numbers: Reals


class _Way(NamedTuple):
    """From codes to codes: by label, then the records it is not true of."""

    codes: Codes
    records: IntArray
    there: Codes

    def go(self, codes: Codes) -> Codes:
        found: Codes = self.codes[codes]
        found[self.records] = self.there
        return found


@dataclass(frozen=True)
class ColumnChange:
    """Two versions of a column with the same records, each to be had from the other.

    What it takes grows with the labels, and with the records whose label is another than that of most
    who share theirs on the other side; not with the records.
    """

    _before: _Face
    _after: _Face
    _forth: _Way
    _back: _Way

    @classmethod
    def of(cls, before: Column, after: Column) -> ColumnChange:
        """Compare two versions."""
        return cls(_face(before), _face(after), _way(before, after), _way(after, before))

    @property
    def n_exceptions(self) -> int:
        """Records that are kept one by one, of both ways."""
        return int(self._forth.records.size + self._back.records.size)

    def after(self, before: Column) -> Column:
        """The later version from the earlier one."""
        return _column(self._after, self._forth.go(before.codes))

    def before(self, after: Column) -> Column:
        """The earlier version from the later one."""
        return _column(self._before, self._back.go(after.codes))


def _face(column: Column) -> _Face:
    return _Face(column.name, column.data_type, column.labels, column.has_missing, column.numbers)


def _column(face: _Face, codes: Codes) -> Column:
    from engine.table.table import Column

    return Column(face.name, face.data_type, face.labels, codes, face.has_missing, face.numbers)


def _way(source: Column, target: Column) -> _Way:
    codes = np.zeros(len(source.labels), dtype=np.int32)
    codes[source.codes] = target.codes  # of some record each, for labels that got another text
    number_of = {label: number for number, label in enumerate(target.labels)}
    for number, label in enumerate(source.labels):
        if (same := number_of.get(label)) is not None:
            codes[number] = same
    records = np.flatnonzero(codes[source.codes] != target.codes)
    return _Way(codes, records, target.codes[records])
