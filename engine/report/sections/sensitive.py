"""Attribute disclosure of the sensitive columns, with the classes that reveal most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from engine.assessment.base import analysis_of
from engine.assessment.risk.attribute_disclosure import AttributeDisclosureFound
from engine.findings.blocks import Block, Chart, Figure, FigureColumn, FigureTable, Paragraph, Series
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_general
from engine.report.base import ReportSection, report_sections
from engine.report.report_input import ReportedRelease
from engine.words import _, lazy, pgettext

_WORST = 5  # classes that are listed of each column
_ORDER = "t"  # the measure by which they are the worst


@report_sections.register("sensitive")
@dataclass(frozen=True, slots=True)
class Sensitive(ReportSection):
    """Attribute disclosure, for those who may see the input."""

    title: ClassVar[str] = lazy("What a class reveals")
    place: ClassVar[int] = 130
    is_of_releases: ClassVar[bool] = True

    def blocks(self, material: ReportedRelease, monitor: Monitor = SILENT) -> tuple[Block, ...]:
        if material.settings.is_public:
            return ()  # it tells of single classes
        blocks: list[Block] = []
        names = material.subject.sensitive
        for number, name in enumerate(names):
            analysis = analysis_of("attribute_disclosure", column=name)
            if not blocks:
                blocks += [Paragraph(analysis.summary), Paragraph(analysis.reading, "note")]
            found = material.found(analysis, PartMonitor(monitor, number, len(names)))
            if isinstance(found, AttributeDisclosureFound):
                blocks += _blocks(found)
            else:
                blocks.append(Paragraph(f"{name}: {material.why_not(analysis)}"))
        return tuple(blocks)


def _blocks(found: AttributeDisclosureFound) -> Iterator[Block]:
    name = found.column
    columns = (
        FigureColumn("measure", pgettext("noun", "Measure")),
        FigureColumn("symbol", _("Symbol")),
        FigureColumn("before", _("Worst class of the input")),
        FigureColumn("after", _("Worst class of the release")),
        FigureColumn("limit", _("Threshold"), explanation=_("Threshold of the requirement for this column.")),
        FigureColumn("meaning", _("Meaning for a class")),
    )
    rows: list[tuple[Figure, ...]] = [
        (
            measure.title,
            measure.symbol,
            found.worst_before.get(measure.key),
            found.worst_value(measure.key),
            found.limits.get(measure.key),
            measure.meaning,
        )
        for measure in found.measures
    ]
    yield FigureTable(f"disclosure.{name}", name, columns, rows)
    yield _worst_classes(found)
    yield _worst_chart(found)


def _worst_classes(found: AttributeDisclosureFound) -> FigureTable:
    columns = (
        FigureColumn("cells", _("Released cells of the class")),
        FigureColumn("records", _("Records"), "records"),
        *(FigureColumn(measure.key, measure.symbol) for measure in found.measures),
    )
    rows: list[tuple[Figure, ...]] = []
    for place in found.worst(_ORDER, _WORST).tolist():
        cells = ", ".join(f"{name}: {text}" for name, text in found.cells(int(found.numbers[place])))
        values = (found.measured[measure.key][place].item() for measure in found.measures)
        rows.append((cells, int(found.sizes[place]), *values))
    title = _("'{column}': classes with the largest distance from the whole table").format(
        column=found.column
    )
    return FigureTable(f"worst_classes.{found.column}", title, columns, rows, is_by_record=True)


def _worst_chart(found: AttributeDisclosureFound) -> Chart:
    compared = found.compare(int(found.numbers[found.worst(_ORDER)[0]]))
    return Chart(
        f"worst_class.{found.column}",
        _("'{column}': the class with the largest distance from the whole table").format(column=found.column),
        "rows",
        _("share of the records"),
        found.column,
        (
            Series(_("Whole input"), compared.table_shares, "input"),
            Series(_("The class"), compared.class_shares, "release"),
        ),
        labels=tuple(value.label or _("(missing)") for value in compared.bins),
        is_share=True,
        reading=_("t = {value}: 0 if both distributions are equal, at most 1.").format(
            value=as_general(compared.values[_ORDER], 3)
        ),
    )
