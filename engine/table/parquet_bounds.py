"""How many cells a Parquet file may hold for its size: run lengths let some kilobytes fill any memory.

A record of a real table takes more than a quarter of a bit, whatever packs it: even the sex of a person
takes one. Tables whose cells hardly take memory are read all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import TableError

if TYPE_CHECKING:
    from pyarrow import parquet

FEW_CELLS = 10_000_000  # 4 bytes each once they are coded; so many are read from a file of any size
RECORDS_PER_BYTE = 32
_SMALL, _MOST_RATIO = 1 << 28, 300  # bytes that pages may unpack to, in all, and how much smaller the file is


def refuse_bomb(metadata: parquet.FileMetaData, n_bytes: int, subject: str, file: str = "") -> None:
    """Check that a file is as large as its table needs, before a cell of it is decoded.

    Parameters
    ----------
    metadata : pyarrow.parquet.FileMetaData
    n_bytes : int
        Size of the file.
    subject : str
        What a message begins with.
    file : str
        Its name.

    Raises
    ------
    TableError
        It is not.
    """
    n_columns = max(metadata.num_columns, 1)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    chunks = [group.column(i) for group in groups for i in range(group.num_columns)]
    n_records = max(metadata.num_rows, sum(group.num_rows for group in groups))
    n_cells = max(n_records * n_columns, sum(chunk.num_values for chunk in chunks))  # lists have more
    if missing_bytes(n_cells, n_columns, n_bytes):
        raise TableError(
            f"{subject} has {n_cells:,} cells in {n_bytes:,} bytes: more than a table packs into so little.",
            hint="If that is meant, save the table as CSV and open that.",
            file=file,
        )
    n_unpacked = sum(chunk.total_uncompressed_size for chunk in chunks)
    if n_unpacked > max(_SMALL, _MOST_RATIO * n_bytes):
        raise TableError(
            f"{subject} would unpack to {n_unpacked / 1e6:,.0f} MB: more than a table packs into so little.",
            hint="If that is meant, save the table as CSV and open that.",
            file=file,
        )


def missing_bytes(n_cells: int, n_columns: int, n_bytes: int) -> int:
    """Return how many bytes a file lacks for its cells; 0 if it has enough.

    Writers add so many, so that a table of equal records opens again.
    """
    needed = -(-n_cells // max(n_columns, 1)) // RECORDS_PER_BYTE
    return max(0, needed - n_bytes) if n_cells > FEW_CELLS else 0
