"""Tables of a cluster as it reads them: unchanged texts, columns by number."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from engine.errors import ExportError, TableError
from engine.monitor import Monitor
from engine.records.clusters.session import ClusterSession
from engine.records.databases.address import DatabaseAddress
from engine.records.databases.encryption import is_on_this_machine
from engine.records.frames.parquet import column_of_values
from engine.records.options import FILL, PARQUET, ReadOptions
from engine.records.raw import RawColumn
from engine.records.remote import Target
from engine.records.table_files import Source
from engine.records.text.reader import Layout, layout_of
from engine.words import _

_NEVER = "\ue000\ue001"  # a cell that no file has, so that every cell is read as it is
_CHARSETS = {"utf-8": "UTF-8", "ascii": "US-ASCII", "iso8859-1": "ISO-8859-1"}  # by the codec here
_UNCHANGED = {  # how Spark reads the cells of text files as they are
    "multiLine": True,
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
    "emptyValue": "",
    "mode": "FAILFAST",
}
_LINES = 1_000  # of a text file, from which its layout is detected
_NUMBERS = ("byte", "short", "integer", "long", "float", "double")
_PLAIN = frozenset((*_NUMBERS, "boolean", "date", "timestamp", "timestamp_ntz", "string"))
TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")


def layout_on(spark: Any, address: DatabaseAddress, options: ReadOptions) -> Layout | None:
    """Return how text files are divided, from their beginning; None for a table and for Parquet files."""
    from pyspark.sql.connect.functions import col

    path = address.files
    if not path.lower().endswith(TEXT_ENDINGS):
        return None
    if options.skip_lines or options.comment or options.ragged == FILL:
        raise TableError(
            _("A cluster reads text files without skipped lines, comments and short records only."),
            hint=_("Save the table as Parquet, or without them."),
        )
    encoding = options.encoding or "utf-8"
    charset(encoding)
    lines = spark.read.text(path).limit(_LINES).select(col("value").cast("binary")).toArrow()
    found = b"\n".join(lines.column(0).to_pylist()).removeprefix(codecs.BOM_UTF8)
    try:
        text = found.decode(encoding) + "\n"
    except UnicodeDecodeError:
        raise not_in_utf8(address.name) from None
    source = Source(address.name, text.encode(), encoding)
    return layout_of(source, options, path)


def charset(encoding: str) -> str:
    """Return what Spark calls an encoding.

    Raises
    ------
    TableError
        It does not read and write text in it.
    """
    found = _CHARSETS.get(codecs.lookup(encoding).name)
    if found is None:
        raise TableError(
            _("A cluster does not use text files in {encoding}.").format(encoding=encoding),
            hint=_("Save the table in UTF-8, or as Parquet."),
        )
    return found


def not_in_utf8(name: str) -> TableError:
    """Return the error for text files in another encoding that was not given."""
    return TableError(
        _("'{file}' is not in UTF-8.").format(file=name),
        hint=_("Give its encoding, such as iso-8859-1."),
        file=name,
    )


def frame_of(spark: Any, address: DatabaseAddress, layout: Layout | None) -> Any:
    """Return the table of an address as the cluster reads it; files of text have texts only."""
    if address.table:
        return spark.read.table(address.table)
    if layout is None:
        return spark.read.parquet(address.files)
    from pyspark.sql.types import StringType, StructField, StructType

    text, names = layout.text, layout.names
    is_checked = text.header and len(set(names)) == len(names)
    if not is_checked:
        names = [f"x{place}" for place in range(len(names))]
    settings = {
        "sep": text.delimiter,
        "encoding": charset(text.source.encoding),
        "header": text.header,
        "enforceSchema": not is_checked,  # else the headers of all files are compared
        "quote": text.form.quote,
        "escape": text.form.quote or '"',
        "nullValue": _NEVER,
    }
    schema = StructType([StructField(name, StringType()) for name in names])
    return spark.read.options(**_UNCHANGED, **settings).schema(schema).csv(address.files)


def exact(frame: Any, places: Sequence[int], kinds: Mapping[str, Any], *, is_text_file: bool) -> Any:
    """Return the chosen columns by number, with texts that are equal only if all their characters are."""
    from pyspark.sql.connect import functions

    cells = []
    for place, (own, kind) in zip(places, kinds.items(), strict=True):
        cell = functions.col(f"x{place}")
        if is_text_file:  # where a cell without a value is an empty text
            cell = functions.coalesce(cell, functions.lit(""))
        elif kind.typeName() == "string" and getattr(kind, "collation", "UTF8_BINARY") != "UTF8_BINARY":
            cell = functions.collate(cell, "UTF8_BINARY")
        cells.append(cell.alias(own))
    return frame.select(*cells)


def texts_of_column(name: str, values: Any, texts: Collection[str], layout: Layout | None) -> RawColumn:
    """Return the texts of values that the cluster sent; `texts` names the columns of texts."""
    raw = column_of_values(name, values, name in texts)
    # of text files, the texts decide on the type
    return raw if layout is None else RawColumn(raw.name, raw.texts, raw.codes)


def refuse_unlisted(name: str, kind: Any) -> None:
    """Refuse a column whose cells are not single values, or bytes.

    Raises
    ------
    TableError
    """
    word = kind.typeName()
    if word in _PLAIN or word.startswith(("char", "varchar", "decimal")):
        return
    raise TableError(
        _("Column '{name}' has the type {kind}, whose cells are not single values.").format(
            name=name, kind=word
        ),
        hint=_("Select the other columns in [[data.columns]], or read a view without it."),
        column=name,
    )


def fingerprint_of(session: ClusterSession, frame: Any, monitor: Monitor) -> str:
    """Return a digest of the files of a table; of its number of records if it has none."""
    files = sorted(map(unquote, session.run(frame.inputFiles, monitor)))
    if not files:
        return f"{session.run(frame.count, monitor)}"
    listed = session.spark.read.format("binaryFile").load(files).select("path", "length", "modificationTime")
    found = session.run(listed.toArrow, monitor)
    rows = sorted(map(str, zip(*(found.column(i).to_pylist() for i in range(3)), strict=True)))
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()


def written_frame(spark: Any, target: Target) -> Any:
    """Return a written release as the cluster reads it, all cells as texts."""
    from pyspark.sql.connect.functions import col, when

    path = str(target.path)
    if target.options.kind == PARQUET:
        return spark.read.parquet(path)
    settings = {
        "sep": target.options.delimiter or target.delimiter,
        "encoding": charset(target.options.encoding),
        "header": target.has_header,
        "escape": '"',
        "nullValue": "",
    }
    frame = spark.read.options(**_UNCHANGED, **settings).csv(path)
    numbered = frame.toDF(*(f"x{place}" for place in range(len(frame.columns))))
    cells = [when(col(own) != "", col(own)) for own in numbered.columns]
    named = zip(cells, frame.columns, strict=True)
    return numbered.select(*(cell.alias(name) for cell, name in named))


def fetch(session: ClusterSession, frame: Any, names: Sequence[str], path: Path, monitor: Monitor) -> int:
    """Write the records of a frame into a Parquet file on this machine; return how many they are."""
    import pyarrow as pa
    from pyarrow import parquet

    def work() -> int:
        n_records, writer = 0, None
        client = session.spark.client
        try:
            for part in client.to_table_as_iterator(frame._plan.to_proto(client), {}):
                if not isinstance(part, pa.Table):  # the schema
                    continue
                renamed = part.rename_columns(list(names))
                writer = writer or parquet.ParquetWriter(path, renamed.schema)
                writer.write_table(renamed)
                n_records += part.num_rows
        finally:
            if writer is not None:
                writer.close()
        return n_records

    return session.run(work, monitor, _("Fetching records"))


def refuse_filled_there(session: ClusterSession, path: str, monitor: Monitor) -> None:
    """Refuse a folder on the cluster that has files.

    Raises
    ------
    ExportError
    """

    def count() -> int:
        files = session.spark.read.format("binaryFile").option("recursiveFileLookup", True).load(path)
        return int(files.select("path").limit(1).count())

    try:
        n_files = session.run(count, monitor)
    except TableError as error:
        if error.context.get("kind") == "PATH_NOT_FOUND":
            return
        raise
    if n_files:
        raise ExportError(
            _("The folder of the release already exists on the cluster, with files in it."),
            hint=_("Choose another name."),
        )


def remove_empty_here(address: DatabaseAddress, path: str) -> None:
    """Remove the empty folder that a stopped attempt leaves, where the cluster is this machine."""
    if is_on_this_machine(address):
        with suppress(OSError):
            Path(path.removeprefix("file://")).rmdir()
