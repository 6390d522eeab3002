"""A report as a file: PDF, HTML or JSON by the ending of its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from engine.errors import ExportError
from engine.files import atomic_write
from engine.monitor import SILENT, Monitor
from engine.report.content import ReportContent
from engine.report.html import as_html
from engine.report.json import as_json
from engine.report.pdf import as_pdf

Renderer: TypeAlias = Callable[[ReportContent, Monitor], bytes]

ENDINGS: dict[str, Renderer] = {".pdf": as_pdf, ".html": as_html, ".json": as_json}


def refuse_report_ending(path: Path) -> None:
    """Raise `ExportError` where a name does not say which of the formats a report has."""
    if path.suffix.lower() not in ENDINGS:
        raise ExportError(
            f"'{path.name}': a report is written as {', '.join(ENDINGS)}.",
            hint="Choose a name with one of these endings.",
            file=str(path),
        )


def rendered(content: ReportContent, ending: str, monitor: Monitor = SILENT) -> bytes:
    """Return a report in a format, by its ending such as ".pdf"; the same content gives the same bytes."""
    return ENDINGS[ending.lower()](content, monitor)


def write_report(content: ReportContent, path: Path, monitor: Monitor = SILENT) -> None:
    """Write a report; the file is there whole, or as it was.

    Raises
    ------
    ExportError
        The ending is none of a report, or the file cannot be written.
    CancelledError
        When the monitor asks to stop; nothing is written.
    """
    refuse_report_ending(path)
    data = rendered(content, path.suffix, monitor)
    with atomic_write(path) as file:
        file.write(data)
