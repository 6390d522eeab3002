"""The records of a release in an open file, as the options say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

import numpy as np

from engine.errors import ExportError
from engine.kernels.arrays import Codes
from engine.monitor import SILENT, Monitor
from engine.project import Project
from engine.project.claims import has_header, written_columns
from engine.recoding import Release
from engine.recoding.drawing import start_for_rows, start_of
from engine.records import Kind
from engine.records.disk.parts import WritePart
from engine.records.frames.parquet import write_parquet_texts
from engine.records.options import CSV, EXCEL, JSON_LINES, PARQUET, SPSS, STATA, ExportOptions
from engine.records.places import has_column_folders
from engine.records.plan import Blocks, CodedTexts, WrittenColumn
from engine.records.programs.statistical_writing import variable_names, write_statistical
from engine.records.programs.workbooks_writing import write_excel
from engine.records.table_files import UNWRITABLE
from engine.records.text.json_lines import write_json_lines
from engine.records.text.writing import safe, write_records
from engine.words import _


def write_release(
    file: BinaryIO,
    project: Project,
    release: Release,
    monitor: Monitor = SILENT,
    options: ExportOptions | None = None,
) -> None:
    """Write a release into an open file, by options or those of the project, without verifying it."""
    options = options or project.export
    columns = columns_to_write(project, release, options, monitor)
    record_writer(project, release, options)(file, columns, monitor)


def refuse_ending(path: Path, kind: str, *, in_parts: bool = False) -> None:
    """Raise `ExportError` if the name of a file, or of a folder for parts, claims another format."""
    ending, wanted = path.suffix.lower(), f".{kind}"
    if in_parts and kind not in (CSV, JSON_LINES, PARQUET):
        raise ExportError(
            _("A release in parts cannot be in this format: {format}.").format(
                format=_(ExportOptions.kinds()[kind])
            ),
            hint=_("Choose a name without an ending for CSV, or one that ends in .parquet."),
            file=str(path),
        )
    if in_parts and (kind == CSV or has_column_folders(path)):
        return
    if ending == wanted or (kind == CSV and ending not in (*UNWRITABLE, ".gz")):
        return
    problem = _("'{name}': the file name must end in {ending}.").format(name=path.name, ending=wanted)
    if ending == ".gz":
        problem = _("'{name}': a release cannot be packed.").format(name=path.name)
    elif kind == CSV:
        problem = _("'{name}': the name belongs to another format ({format}).").format(
            name=path.name, format=_(UNWRITABLE[ending])
        )
    raise ExportError(
        problem, hint=_("Choose a name that ends in {ending}.").format(ending=wanted), file=str(path)
    )


def columns_to_write(
    project: Project, release: Release, options: ExportOptions, monitor: Monitor
) -> list[tuple[Sequence[str], Blocks]]:
    """Return the texts of the written records, in their order, according to the options."""
    start = None
    if project.transformation.shuffle:
        start = start_for_rows(start_of(project.records, project.transformation.seed, monitor))
    columns = release.written.written(start, monitor)
    if options.safe_cells:
        return [(tuple(map(safe, labels)), codes.each(safe)) for labels, codes in columns]
    return columns


def record_writer(project: Project, release: Release, options: ExportOptions) -> WritePart:
    """Return what writes records into an open file according to the options."""
    written = [column for column in release.written.columns if column.name != options.partition_by]
    names = [safe(column.name) if options.safe_cells else column.name for column in written]
    header = names if has_header(options, project.options) else []

    def typed() -> list[WrittenColumn]:
        known = zip(written_columns(project, release), names, strict=True)
        return [replace(column, name=name) for column, name in known]

    def write(file: BinaryIO, columns: Sequence[CodedTexts], monitor: Monitor) -> None:
        if options.kind == EXCEL:
            kinds = (project.table.column(column.name).data_type.kind for column in written)
            numeric = [kind in (Kind.INTEGER, Kind.DECIMAL) for kind in kinds]
            write_excel(file, header, _at_once(columns), numeric, monitor)
        elif options.kind == PARQUET:
            write_parquet_texts(file, names, columns, monitor)
        elif options.kind == JSON_LINES:
            write_json_lines(file, typed(), columns, monitor)
        elif options.kind in (SPSS, STATA):
            allowed = variable_names([column.name for column in written], options.kind)
            write_statistical(options.kind, file, typed(), allowed, _at_once(columns), monitor)
        else:
            delimiter = options.delimiter or project.options.delimiter or ","
            write_records(file, header, columns, delimiter, monitor, options=options)

    return write


def _at_once(columns: Sequence[CodedTexts]) -> list[tuple[Sequence[str], Codes]]:
    """Return columns with all their records, for a format that is not written piece by piece."""
    return [(labels, np.asarray(codes[:])) for labels, codes in columns]


def part_head(project: Project, release: Release, options: ExportOptions) -> bytes:
    """Return what every part of a release begins with."""
    if options.kind != CSV:
        return b""
    file = BytesIO()
    empty = ((), np.zeros(0, dtype=np.int32))
    record_writer(project, release, options)(file, [empty] * len(release.written.columns), SILENT)
    return file.getvalue() or "".encode(options.text_encoding)
