"""What files of every format offer to be read into a coded copy, and the refusal of unlike ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from engine.errors import TableError
from engine.monitor import Monitor
from engine.table.raw import RawColumn, RawTable
from engine.words import _


class RecordFiles:
    """Files of one format, and how they are read."""

    names: list[str]
    empty: RawTable
    filled: Sequence[int] = ()  # records that were too short, once all are read

    def batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        """Yield the columns of all files, batch by batch."""
        raise NotImplementedError

    def plain_batches(self, monitor: Monitor) -> Iterator[list[Any]]:
        """Yield the same by the slower reader."""
        raise NotImplementedError

    def raw_column(self, name: str, own: Any) -> RawColumn:
        """Return the distinct values of a column as texts."""
        raise NotImplementedError

    def of_columns(self, places: Sequence[int]) -> Self:
        """Return the files with some of the columns only."""
        raise NotImplementedError

    def prepare(self, monitor: Monitor) -> None:
        """Look at all cells of the columns whose texts depend on each other."""

    def raw_block(self, name: str, block: Any) -> RawColumn:
        """Return the cells of a column in a batch as coded texts."""
        raise NotImplementedError


def refuse_other_columns(first: Path, names: Sequence[str], other: Path, found: Sequence[str]) -> None:
    """Raise `TableError` if a further file has other columns than the first one."""
    if list(found) != list(names):
        raise unlike(first, other)


def unlike(first: Path, other: Path) -> TableError:
    """Return the error for files with different columns."""
    return TableError(
        _("'{first}' and '{other}' have different columns.").format(first=first.name, other=other.name),
        hint=_("All files of a table need the same columns in the same order."),
        file=other.name,
    )
