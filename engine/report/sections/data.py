"""Data of the report: records, columns, their types and missing values."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from engine.assessment.given_facts import NOT_COUNTED
from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable
from engine.findings.disclosure import WITHHELD
from engine.monitor import SILENT, Monitor
from engine.recoding.transformation import RULED
from engine.report.material.facts import FileMark
from engine.report.material.reported import ReportedFile, ReportedRelease, ReportInput
from engine.table import Table
from engine.table.stored import is_cut
from engine.words import _


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield records and columns."""
    if isinstance(material, ReportedRelease):
        table, further = material.project.records, _of_release(material)
        hidden = [name for name in table.names if material.project.role(name) in RULED]
        hidden = hidden if material.hides_totals else []
        n_records, title = table.n_records, _("Records of the input")
    else:
        table, further, hidden = material.given.table, _of_file(material), []
        n_records, title = material.given.n_records, _("Records")
    facts = (
        Fact("records", title, n_records, "records"),
        Fact("columns", _("Columns"), len(table.columns), "columns"),
        *further,
    )
    yield Facts("data", "", facts)
    yield _columns(table, hidden)


def _of_release(material: ReportedRelease) -> Iterator[Fact]:
    project, disclosure, n_records = material.project, material.disclosure, material.project.records.n_records
    if project.subset is not None:
        yield Fact(
            "table_records",
            _("Records of the whole table"),
            disclosure.total(project.table.n_records, n_records),
            "records",
            _("Only a subset of the table is released; its other records are not in this report."),
        )
    if not material.settings.is_public:
        yield from _source(material)
    if (people := material.release.problem.people) is not None:
        yield Fact(
            "population",
            _("Population"),
            disclosure.total(round(people.size), n_records),
            "people",
            _("As given; journalist risk and risk in the population are based on it."),
        )


def _of_file(material: ReportedFile) -> Iterator[Fact]:
    given, disclosure = material.given, material.disclosure
    yield from file_facts("file", _("Assessed file"), material.mark)
    if given.n_suppressed:
        what = (
            _("Only * in the quasi-identifying columns; excluded from all values.")
            if material.leaves_out_suppressed
            else _("Only * in the quasi-identifying columns; counted as one class.")
        )
        yield Fact(
            "stars", _("Suppressed records"), given.n_suppressed, "records", what, total=given.n_records
        )
    if given.n_blank:
        yield Fact("blank_rows", _("Blank rows"), given.n_blank, "records", _(NOT_COUNTED))
    if material.raw is not None:
        total = disclosure.total(material.raw.n_records, given.n_records)
        yield Fact("raw_records", _("Records of the original"), total, "records")
        if material.raw_mark is not None and not material.settings.is_public:
            yield from file_facts("original", _("Original"), material.raw_mark)


def file_facts(key: str, title: str, mark: FileMark) -> list[Fact]:
    """By what a file is known again; a folder on a cluster by its place alone."""
    if not mark.sha256:
        return [Fact(f"{key}_name", title, mark.name, explanation=_("A folder that the cluster wrote."))]
    return [
        Fact(
            f"{key}_name",
            title,
            mark.name,
            explanation=_("Identified by its SHA-256 checksum: any other file has a different one."),
        ),
        Fact(f"{key}_size", _("Size"), mark.size, "bytes"),
        Fact(f"{key}_sha256", "SHA-256", mark.sha256),
    ]


def _source(material: ReportedRelease) -> list[Fact]:
    project = material.project
    if project.database:
        return [Fact("source", _("Read from"), project.database)]
    if project.stored is not None and len(project.stored.paths) > 1:
        name = project.name if project.source is None else project.source.name
        return [
            Fact("source", _("Read from"), name),
            Fact("source_files", _("Files"), len(project.stored.paths)),
            Fact("source_size", _("Size"), sum(size for size, _time in project.stored.state), "bytes"),
        ]
    if project.source is None:
        return [Fact("source", _("Read from"), _("the project file"))]
    if not project.source.exists():
        return [Fact("source", _("Read from"), project.source.name, explanation=_("It no longer exists."))]
    return file_facts("source", _("Read from"), FileMark.of(project.source))


def _columns(table: Table, hidden: Collection[str]) -> FigureTable:
    """Return the columns; `hidden` are those whose missing values nobody may count."""
    columns = (
        FigureColumn("column", _("Column")),
        FigureColumn("type", _("Type")),
        FigureColumn(
            "missing", _("Missing"), "records", _("Records without a value."), total=table.n_records
        ),
        FigureColumn(
            "distinct",
            _("Distinct"),
            "values",
            _("Distinct values, without missing ones."),
            is_internal=True,
        ),
    )
    rows: list[tuple[Figure, ...]] = []
    for column in table.columns:
        missing = int(column.counts[-1]) if column.has_missing else 0
        counted = WITHHELD if column.name in hidden else missing
        distinct = None if is_cut(column) else len(column.labels) - column.has_missing
        rows.append((column.name, column.data_type.kind.value, counted, distinct))
    return FigureTable("columns", _("Columns"), columns, rows)
