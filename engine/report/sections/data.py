"""Data of the report: records, columns, their types and missing values."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.rows import NOT_COUNTED
from engine.findings.blocks import Block, Fact, Facts, Figure, FigureColumn, FigureTable
from engine.monitor import SILENT, Monitor
from engine.recoding.transformation import RULED
from engine.report.base import ReportSection, report_sections
from engine.report.disclosure import WITHHELD, Disclosure
from engine.report.facts import FileMark
from engine.report.report_input import ReportedFile, ReportedRelease
from engine.table import Column, Table
from engine.table.stored import is_cut
from engine.words import _, lazy


@report_sections.register("data")
@dataclass(frozen=True, slots=True)
class Data(ReportSection):
    """Records and columns."""

    title: ClassVar[str] = lazy("The data")
    place: ClassVar[int] = 30

    def of_release(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        project, table = material.project, material.project.records
        facts = [
            Fact("records", _("Records of the input"), table.n_records, "records"),
            Fact("columns", _("Columns"), len(table.columns), "columns"),
        ]
        if project.subset is not None:
            whole = project.table.n_records
            facts.append(
                Fact(
                    "table_records",
                    _("Records of the whole table"),
                    material.disclosure.total(whole, table.n_records),
                    "records",
                    _("Only a subset of the table is released; its other records are not in this report."),
                )
            )
        if not material.settings.is_public:
            facts += _source(material)
        people = material.release.problem.people
        if people is not None:
            facts.append(
                Fact(
                    "population",
                    _("Population"),
                    material.disclosure.total(round(people.size), table.n_records),
                    "people",
                    _("As given; journalist risk and risk in the population are based on it."),
                )
            )
        roles = {name: project.role(name) for name in table.names} if material.hides_totals else {}
        hidden = [name for name, role in roles.items() if role in RULED]
        return (Facts("data", "", tuple(facts)), _columns(table, material.disclosure, hidden))

    def of_file(self, material: ReportedFile, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        given, disclosure = material.given, material.disclosure
        stars = given.n_suppressed
        facts = [
            *file_facts("file", _("Assessed file"), material.mark),
            Fact("records", _("Records"), given.n_records, "records"),
            Fact("columns", _("Columns"), len(given.table.columns), "columns"),
        ]
        if stars:
            what = (
                _("Only * in the quasi-identifying columns; excluded from all values.")
                if material.leaves_out_suppressed
                else _("Only * in the quasi-identifying columns; counted as one class.")
            )
            facts.append(
                Fact(
                    "stars",
                    _("Suppressed records"),
                    disclosure.count(stars, given.n_records),
                    "records",
                    what,
                )
            )
        if given.n_blank:
            n = disclosure.count(given.n_blank)
            facts.append(Fact("blank_rows", _("Blank rows"), n, "records", _(NOT_COUNTED)))
        if material.raw is not None:
            raw = material.raw.n_records
            total = disclosure.total(raw, given.n_records)
            facts.append(Fact("raw_records", _("Records of the original"), total, "records"))
            if material.raw_mark is not None and not material.settings.is_public:
                facts += file_facts("original", _("Original"), material.raw_mark)
        return (Facts("data", "", tuple(facts)), _columns(given.table, disclosure))


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


def _columns(table: Table, disclosure: Disclosure, hidden: Collection[str] = ()) -> FigureTable:
    """Return the columns; `hidden` are those whose missing values nobody may count."""
    columns = [
        FigureColumn("column", _("Column")),
        FigureColumn("type", _("Type")),
        FigureColumn("missing", _("Missing"), "records", _("Records without a value.")),
    ]
    rows: list[tuple[Figure, ...]] = []
    for column in table.columns:
        missing = int(column.counts[-1]) if column.has_missing else 0
        counted = WITHHELD if column.name in hidden else disclosure.count(missing, table.n_records)
        rows.append((column.name, _type(column), counted))
    if not disclosure.is_public:
        columns.append(
            FigureColumn("distinct", _("Distinct"), "values", _("Distinct values, without missing ones."))
        )
        rows = [
            (*row, None if is_cut(column) else len(column.labels) - column.has_missing)
            for row, column in zip(rows, table.columns, strict=True)
        ]
    return FigureTable("columns", _("Columns"), tuple(columns), rows)


def _type(column: Column) -> str:
    return column.data_type.kind.value
