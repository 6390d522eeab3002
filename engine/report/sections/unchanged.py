"""Records that unchanged columns single out, and levels that these columns undo."""

from __future__ import annotations

from collections.abc import Iterator

from engine.findings.blocks import SHARE, Block, Fact, Facts, Figure, FigureColumn, FigureTable, Paragraph
from engine.findings.disclosure import WITHHELD, Disclosure
from engine.monitor import SILENT, Monitor
from engine.recoding.unchanged import UnchangedColumns
from engine.report.sections.material import ReportedFile, ReportInput
from engine.words import N_, _

_READING = N_(
    "Columns single out a record if no other record of the file has the same values in "
    "them. An attacker who knows these values of a person identifies the record, "
    "regardless of the classes. The cells of suppressed records are also written to the "
    "file, unless they or the records are removed."
)
_DETERMINES = N_(
    "If a value of an unchanged column corresponds to a single original value of a "
    "generalized one, it undoes the generalization; an example is a day of death next "
    "to its year."
)
_COLUMNS = (
    FigureColumn("columns", N_("Columns")),
    FigureColumn(
        "singled_out",
        N_("Singled out"),
        "records",
        N_("Records that equal no other record in these columns."),
    ),
)
_OF_ONE_PERSON = FigureColumn(
    "of_one_person",
    N_("Of one person only"),
    "records",
    N_("Records that equal no record of another person in these columns."),
)


def blocks(material: ReportInput, monitor: Monitor = SILENT) -> Iterator[Block]:
    """Yield the columns released unchanged."""
    yield from _counted(material.unchanged(monitor), material.disclosure)
    if isinstance(material, ReportedFile):
        words = _("Every column that was not marked as quasi-identifying counts as unchanged.")
        yield Paragraph(words, "note")


def published_counts(disclosure: Disclosure, found: UnchangedColumns) -> tuple[Figure, Figure]:
    """Count the records that all unchanged columns together single out, and those of one person only.

    Both counts are withheld from the public if they are small.
    """
    return _figures(disclosure, found, found.together, found.exposed.together)


def _counted(found: UnchangedColumns, disclosure: Disclosure) -> Iterator[Block]:
    if not found.columns:
        yield Paragraph(_("No column is released unchanged."))
        return
    columns = _COLUMNS if found.of_one_person is None else (*_COLUMNS, _OF_ONE_PERSON)
    rows: list[tuple[Figure, ...]] = [
        (name, *_figures(disclosure, found, count, of_one)[: len(columns) - 1])
        for (name, count), (_unused, of_one) in zip(found.named, found.exposed.named, strict=True)
    ]
    yield Paragraph(_(_READING))
    yield FigureTable("unchanged", "", columns, rows)
    if found.determines:
        facts = tuple(
            Fact(
                f"determines.{one.column}.{one.determined}",
                _("'{column}' determines '{determined}'").format(
                    column=one.column, determined=one.determined
                ),
                disclosure.rounded(one.share, found.n_records),
                SHARE,
                _("Share of the records whose label covers several original values."),
            )
            for one in found.determines
        )
        yield Paragraph(_(_DETERMINES))
        yield Facts("determines", "", facts)


def _figures(
    disclosure: Disclosure, found: UnchangedColumns, count: int, of_one: int
) -> tuple[Figure, Figure]:
    """A count, and its like by person, of which it is a part."""
    together = _within(disclosure, of_one, found.exposed.together, found.n_records)
    if disclosure.is_small(abs(of_one - count)) or disclosure.is_small(abs(of_one - found.together)):
        together = WITHHELD
    return _within(disclosure, count, found.together, found.n_records), together


def _within(disclosure: Disclosure, count: int, others: int, n_written: int) -> Figure:
    """A count of records, withheld if its difference to `others`, which is published too, is small."""
    if count != others and disclosure.is_small(abs(others - count)):
        return WITHHELD
    if disclosure.is_small(count, disclosure.n_records):  # where suppressed records were removed
        return disclosure.count(count, disclosure.n_records)
    return disclosure.count(count, n_written)
