"""Write a table as a Parquet file of texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.table.blocks import Blocks, pieces_to_write
from engine.table.parquet import missing_bytes

if TYPE_CHECKING:
    from pyarrow import parquet

_RECORDS = 100_000


def write_parquet_texts(
    file: BinaryIO,
    header: Sequence[str],
    columns: Sequence[tuple[Sequence[str], Codes | Blocks]],
    monitor: Monitor = SILENT,
) -> None:
    """Write texts into an open binary file; an empty text becomes a null.

    Parameters
    ----------
    file : binary file
    header : sequence of str
        Column names, all different.
    columns : sequence
        Per column its distinct texts and the codes of the records, in memory or in blocks.
    monitor : Monitor
    """
    import pyarrow as pa
    from pyarrow import parquet

    n_records = len(columns[0][1]) if columns else 0
    texts = [pa.array([text or None for text in labels], pa.string()) for labels, _unused in columns]
    schema = pa.schema([pa.field(name, pa.string()) for name in header])
    with parquet.ParquetWriter(file, schema) as writer:
        for piece in pieces_to_write(n_records, _RECORDS, monitor):
            parts = [_texts(own, codes, piece) for own, (_unused, codes) in zip(texts, columns, strict=True)]
            writer.write_table(pa.Table.from_arrays(parts, schema=schema))
        pad(writer, n_records, len(columns), file.tell())


def _texts(listed: Any, codes: Codes | Blocks, piece: slice) -> Any:
    import pyarrow as pa

    if isinstance(codes, Blocks) and codes.are_texts:
        return pa.array([text or None for text in codes[piece]], pa.string())
    return listed.take(pa.array(codes[piece]))


def pad(writer: parquet.ParquetWriter, n_records: int, n_columns: int, n_bytes: int) -> None:
    """Pad a file of equal records to the size that `engine.table.parquet` requires.

    Parameters
    ----------
    writer : pyarrow.parquet.ParquetWriter
        All records are written, and the file is not closed.
    n_records, n_columns : int
    n_bytes : int
        Bytes written so far.
    """
    if n_lacking := missing_bytes(n_records * n_columns, n_columns, n_bytes):
        writer.add_key_value_metadata({"padding": "0" * n_lacking})
