"""Report as JSON with values in full precision, by the schema in resources/help/report.schema.json."""

from __future__ import annotations

import json
import math
from typing import Any

from engine.findings.blocks import Block, Chart, Facts, FigureTable, Paragraph, Signatures, Source
from engine.monitor import SILENT, Monitor
from engine.report.content import ReportContent, Section
from engine.words import _

FORMAT = 1


def as_json(content: ReportContent, monitor: Monitor = SILENT) -> bytes:
    """Write a report as JSON.

    An unbounded value is the word "inf", a missing value null, and a count withheld from the public a
    sentence.
    """
    monitor.step(0, 1, _("Writing the report"))
    settings = content.settings
    values = {
        "format": FORMAT,
        "title": content.title,
        "audience": settings.audience,
        "threshold": settings.threshold if settings.is_public else None,
        "purpose": settings.purpose,
        "recipient": settings.recipient,
        "author": settings.author,
        "date": content.date.isoformat(),
        "program": content.program,
        "sections": [_section(section) for section in content.sections],
    }
    text = json.dumps(_plain(values), indent=1, ensure_ascii=False, allow_nan=False)
    # Half of a surrogate pair is not a character, but JSON has an escape for it.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def _section(section: Section) -> dict[str, Any]:
    return {"key": section.key, "title": section.title, "blocks": [_block(block) for block in section.blocks]}


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Paragraph():
            return {"type": "paragraph", "text": block.text, "tone": block.tone}
        case Facts():
            facts = [
                {
                    "key": fact.key,
                    "title": fact.title,
                    "value": fact.value,
                    "unit": fact.unit,
                    "share": fact.is_share,
                    "explanation": fact.explanation,
                }
                for fact in block.facts
            ]
            return {"type": "facts", "key": block.key, "title": block.title, "facts": facts}
        case FigureTable():
            columns = [
                {
                    "key": column.key,
                    "title": column.title,
                    "unit": column.unit,
                    "share": column.is_share,
                    "explanation": column.explanation,
                }
                for column in block.columns
            ]
            rows = [list(row) for row in block.rows]
            return {
                "type": "table",
                "key": block.key,
                "title": block.title,
                "columns": columns,
                "rows": rows,
            }
        case Chart():
            return _chart(block)
        case Source():
            return {"type": "source", "key": block.key, "title": block.title, "text": block.text}
        case Signatures():
            return {"type": "signatures", "people": list(block.people)}


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "type": "chart",
        "key": chart.key,
        "title": chart.title,
        "kind": chart.kind,
        "x_title": chart.x_title,
        "y_title": chart.y_title,
        "labels": list(chart.labels),
        "positions": list(chart.positions),
        "share": chart.is_share,
        "reading": chart.reading,
        "series": [{"title": s.title, "side": s.side, "values": list(s.values)} for s in chart.series],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
