"""What the data are: records, columns, their types and how much of them is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from engine.assessment import FigureColumn, FigureTable
from engine.assessment.base import Figure
from engine.monitor import SILENT, Monitor
from engine.report.base import ReportSection, report_sections
from engine.report.content import Block, Fact, Facts
from engine.report.disclosure import Disclosure
from engine.report.facts import FileMark
from engine.report.material import FileMaterial, ReleaseMaterial
from engine.table import Column, Table


@report_sections.register("data")
@dataclass(frozen=True, slots=True)
class Data(ReportSection):
    """Records and columns."""

    title: ClassVar[str] = "The data"
    place: ClassVar[int] = 30

    def of_release(self, material: ReleaseMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        project, table = material.project, material.subject.input
        facts = [
            Fact("records", "Records of the input", table.n_records, "records"),
            Fact("columns", "Columns", len(table.columns), "columns"),
        ]
        if project.subset is not None:
            whole = project.table.n_records
            facts.append(
                Fact(
                    "table_records",
                    "Records they were chosen from",
                    material.disclosure.total(whole, table.n_records),
                    "records",
                    "Only a part of the table is released; its other records are not in this report.",
                )
            )
        if not material.settings.is_public:
            facts += _source(material)
        people = material.release.problem.people
        if people is not None:
            facts.append(
                Fact(
                    "population",
                    "Population they were drawn from",
                    material.disclosure.total(round(people.size), table.n_records),
                    "people",
                    "As it was given; risks of a journalist and of the population rest on it.",
                )
            )
        return (Facts("data", "", tuple(facts)), _columns(table, material.disclosure))

    def of_file(self, material: FileMaterial, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        given, disclosure = material.given, material.disclosure
        stars = int(given.is_suppressed.sum())
        facts = [
            *file_facts("file", "File that was judged", material.mark),
            Fact("records", "Records", given.n_records, "records"),
            Fact("columns", "Columns", len(given.table.columns), "columns"),
        ]
        if stars:
            what = "left out of all figures" if material.leaves_out_suppressed else "one class like others"
            facts.append(
                Fact(
                    "stars",
                    "Records of stars",
                    disclosure.count(stars, given.n_records),
                    "records",
                    f"Nothing but * in the quasi-identifying columns; {what}.",
                )
            )
        if material.raw is not None:
            raw = material.raw.n_records
            told = disclosure.total(raw, given.n_records)
            facts.append(Fact("raw_records", "Records of the original", told, "records"))
            if material.raw_mark is not None and not material.settings.is_public:
                facts += file_facts("original", "Original", material.raw_mark)
        return (Facts("data", "", tuple(facts)), _columns(given.table, disclosure))


def file_facts(key: str, title: str, mark: FileMark) -> list[Fact]:
    """By what a file is known again."""
    return [
        Fact(
            f"{key}_name",
            title,
            mark.name,
            explanation="Known again by its SHA-256: any other file has another one.",
        ),
        Fact(f"{key}_size", "Length", mark.size, "bytes"),
        Fact(f"{key}_sha256", "SHA-256", mark.sha256),
    ]


def _source(material: ReleaseMaterial) -> list[Fact]:
    project = material.project
    if project.database:
        return [Fact("source", "Read from", project.database)]
    if project.source is None:
        return [Fact("source", "Read from", "the project file")]
    if not project.source.exists():
        return [Fact("source", "Read from", project.source.name, explanation="It is not there any more.")]
    return file_facts("source", "Read from", FileMark.of(project.source))


def _columns(table: Table, disclosure: Disclosure) -> FigureTable:
    columns = [
        FigureColumn("column", "Column"),
        FigureColumn("type", "Type"),
        FigureColumn("missing", "Missing", "records", "Records without a value."),
    ]
    rows: list[tuple[Figure, ...]] = []
    for column in table.columns:
        missing = int(column.counts[-1]) if column.has_missing else 0
        rows.append((column.name, _type(column), disclosure.count(missing, table.n_records)))
    if not disclosure.is_public:
        columns.append(FigureColumn("distinct", "Distinct", "values", "Different values, missing left out."))
        rows = [
            (*row, len(column.labels) - column.has_missing)
            for row, column in zip(rows, table.columns, strict=True)
        ]
    return FigureTable("columns", "Columns", tuple(columns), rows)


def _type(column: Column) -> str:
    return column.data_type.kind.value
