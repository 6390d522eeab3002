"""Content of a report, built section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from engine.errors import ExportError
from engine.files import atomic_write
from engine.findings.base import Analysis
from engine.findings.blocks import Block, Chart, FigureTable, Findings, Paragraph
from engine.findings.settings import now_or_fixed
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.records.table_files import need
from engine.report.content import MARK, ReportContent, Section
from engine.report.html import as_html
from engine.report.json import as_json
from engine.report.pdf import as_pdf
from engine.report.sections.material import ReportedRelease, ReportInput
from engine.shipped import program_name
from engine.words import _, speaking

if TYPE_CHECKING:
    from engine.report.order import SectionKind


def report_of(material: ReportInput, monitor: Monitor = SILENT) -> ReportContent:
    """Return the report of a release, or of a file anonymized elsewhere."""
    with speaking(material.settings.language):
        return _report(material, monitor)


def _report(material: ReportInput, monitor: Monitor) -> ReportContent:
    settings, title = material.settings, material.title
    if settings.is_statement:
        sections, title = _statement(material, monitor)
    else:
        sections = _sections(material, monitor)
    monitor.step(1, 1, _("The report has been written"))
    subtitle = (
        _("For the public") if settings.is_public else _("Internal: only for readers who may see the input")
    )
    date = settings.date or now_or_fixed()
    kept = tuple(section for section in sections if section.blocks)
    levels = material.levels if isinstance(material, ReportedRelease) else ()
    return ReportContent(title, subtitle, settings, date, program_name(), kept, levels or MARK)


def _statement(material: ReportInput, monitor: Monitor) -> tuple[tuple[Section, ...], str]:
    from engine.project.outlines import outline_of
    from engine.report.statements.document import statement_sections  # imports all sections, as below

    if not isinstance(material, ReportedRelease):
        raise ExportError(
            _("A de-identification statement needs a recipe."),
            hint=_("Write it about a release of this program, or choose the release report."),
        )
    title = _("{name}: {form}").format(
        name=material.project.name, form=_(outline_of(material.settings.form).title)
    )
    return tuple(Section(*parts) for parts in statement_sections(material, monitor)), title


def _sections(material: ReportInput, monitor: Monitor) -> tuple[Section, ...]:
    from engine.report.order import in_order  # imports all sections, which commands without a report spare

    sections, kinds = [], in_order()
    for number, section in enumerate(kinds):
        part = PartMonitor(monitor, number, len(kinds))
        part.step(0, 1, _("Writing: {title}").format(title=section.title))
        sections.append(_section(section, material, part))
    return tuple(sections)


def _section(section: SectionKind | Analysis, material: ReportInput, monitor: Monitor) -> Section:
    is_release = isinstance(material, ReportedRelease)
    blocks: Iterable[Block] = ()
    if isinstance(section, Analysis):
        blocks = _findings(section, material, monitor)
    elif (is_release or not section.is_of_releases) and (section.is_of_settings or not material.hides_data):
        blocks = section.blocks(material, monitor)
    shown = material.disclosure.shown(blocks)
    if isinstance(section, Analysis):
        return Section(section.key, section.title, shown)
    return Section(section.key, section.title, shown, section.is_page, section.foot(material))


def _findings(analysis: Analysis, material: ReportInput, monitor: Monitor) -> tuple[Block, ...]:
    """Return the findings of an analysis, only for readers who may see the input: they may quote values."""
    if not isinstance(material, ReportedRelease) or material.hides_data:
        return ()
    analyses = analysis.of_report(material.subject)
    if not analyses:
        return ()
    if material.settings.is_public:
        return (Paragraph(analysis.public_words, "note"),) if analysis.public_words else ()
    blocks: list[Block] = [Paragraph(analysis.summary)]
    for number, (column, own) in enumerate(analyses.items()):
        found = material.found(own, PartMonitor(monitor, number, len(analyses)))
        if found is None:
            why = Paragraph(material.why_not(own))  # once, where it holds of all columns
            blocks += [] if why in blocks else [why]
        else:
            blocks += [Paragraph(found.statement().sentence), *_listed(found, column)]
    return (*blocks, Paragraph(analysis.reading, "note"))


def _listed(found: Findings, column: str) -> Iterator[Block]:
    """Yield the blocks that are displayed; keys of blocks about a column have its name."""
    for block in found.blocks():
        if isinstance(block, FigureTable) and not (block.is_listed and block.rows):
            continue
        if column and isinstance(block, FigureTable | Chart):
            block = replace(block, key=f"{block.key}.{column}")
        yield block


Renderer: TypeAlias = Callable[[ReportContent, Monitor], bytes]

ENDINGS: dict[str, Renderer] = {".pdf": as_pdf, ".html": as_html, ".json": as_json}


def refuse_report_ending(path: Path) -> None:
    """Raise `ExportError` if the ending of a file name is not a report format.

    Raises
    ------
    TableError
        A library is missing by which reports of the format are made.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ExportError(
            _("'{name}': a report must end in {ENDINGS}.").format(name=path.name, ENDINGS=", ".join(ENDINGS)),
            hint=_("Choose a name with one of these endings."),
            file=str(path),
        )
    if path.suffix.lower() != ".json":
        need("fpdf", path.name, "report")


def rendered(content: ReportContent, ending: str, monitor: Monitor = SILENT) -> bytes:
    """Return a report in a format, by its ending such as ".pdf"; the same content gives the same bytes."""
    with speaking(content.settings.language):
        return ENDINGS[ending.lower()](content, monitor)


def write_report(content: ReportContent, path: Path, monitor: Monitor = SILENT) -> None:
    """Write a report; on failure an existing file is unchanged.

    Raises
    ------
    ExportError
        The ending is not a report format, or the file cannot be written.
    CancelledError
        When the monitor asks to stop; nothing is written.
    """
    refuse_report_ending(path)
    data = rendered(content, path.suffix, monitor)
    with atomic_write(path) as file:
        file.write(data)
