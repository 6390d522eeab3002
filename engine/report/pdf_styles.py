"""Styles of the paragraphs of a PDF."""

from __future__ import annotations

from typing import Any

from engine.report import palette
from engine.report.fonts import BOLD, REGULAR


def paragraph_styles() -> dict[str, Any]:
    """Return the styles by name; tones of paragraphs are among them."""
    from reportlab.lib.colors import HexColor
    from reportlab.lib.enums import TA_RIGHT
    from reportlab.lib.styles import ParagraphStyle

    def style(name: str, size: float, line: float, font: str = REGULAR, **more: Any) -> Any:
        settings = {"textColor": HexColor(palette.TEXT), "splitLongWords": 1} | more
        return ParagraphStyle(name, fontName=font, fontSize=size, leading=line, **settings)

    quiet = {"textColor": HexColor(palette.TEXT_3)}
    head = {"textColor": HexColor(palette.TEXT_2)}
    return {
        "title": style("title", 18, 23, BOLD, spaceAfter=4),
        "section": style("section", 13, 17, BOLD, spaceBefore=18, spaceAfter=6),
        "heading": style("heading", 9.5, 13, BOLD, spaceBefore=8, spaceAfter=4),
        "plain": style("plain", 9, 13, spaceAfter=5),
        "strong": style("strong", 10.5, 15, BOLD, spaceAfter=6),
        "ok": style("ok", 10.5, 15, BOLD, spaceAfter=6, textColor=HexColor(palette.OK)),
        "warn": style("warn", 10.5, 15, BOLD, spaceAfter=6, textColor=HexColor(palette.WARN)),
        "danger": style("danger", 10.5, 15, BOLD, spaceAfter=6, textColor=HexColor(palette.DANGER)),
        "note": style("note", 8, 11, spaceAfter=6, **quiet),
        "cell": style("cell", 8, 10),
        "value": style("value", 8, 10, BOLD),
        "about": style("about", 8, 10, **quiet),
        "head": style("head", 8, 10, BOLD, **head),
        "head right": style("head right", 8, 10, BOLD, alignment=TA_RIGHT, **head),
        "source": style("source", 7.5, 10, backColor=HexColor(palette.SURFACE_2)),
    }
