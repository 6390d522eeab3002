"""Report as JSON with values in full precision, by the schema in resources/help/report.schema.json."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from engine.findings.blocks import (
    Chart,
    Fact,
    Facts,
    FigureColumn,
    FigureTable,
    Paragraph,
    Series,
    Signatures,
    Source,
)
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
        "sections": content.sections,
    }
    text = json.dumps(_plain(values), indent=1, ensure_ascii=False, allow_nan=False)
    # Half of a surrogate pair is not a character, but JSON has an escape for it.
    return f"{text}\n".encode("utf-8", "backslashreplace")


_OF_COLUMN = ("key", "title", "unit", "is_share", "explanation")
_OF_CHART = ("kind", "x_title", "y_title", "labels", "positions", "is_share", "reading", "series", "marks")
# Type of each block, none of its parts, and what files have of it; other fields are about its display.
_WRITTEN: Mapping[type, tuple[str, ...]] = {
    Section: ("", "key", "title", "blocks"),
    Paragraph: ("paragraph", "text", "tone", "basis"),
    Facts: ("facts", "key", "title", "facts"),
    Fact: ("", *_OF_COLUMN, "value"),
    FigureTable: ("table", "key", "title", "columns", "rows"),
    FigureColumn: ("", *_OF_COLUMN),
    Chart: ("chart", "key", "title", *_OF_CHART),
    Series: ("", "title", "side", "values", "positions"),
    Source: ("source", "key", "title", "text"),
    Signatures: ("signatures", "people"),
}


def _plain(value: Any) -> Any:
    if (written := _WRITTEN.get(type(value))) is not None:
        kind, *names = written
        parts = {"share" if name == "is_share" else name: getattr(value, name) for name in names}
        if "unit" in parts and parts["share"]:
            parts["unit"] = ""  # files say it by the key "share"
        return _plain({"type": kind, **parts} if kind else parts)
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "inf" if value > 0 else "-inf"
    return value
