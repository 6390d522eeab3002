"""The fonts that reports embed, and what is written for characters they lack."""

from __future__ import annotations

import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

REGULAR, BOLD = ("Inter"), "Inter-SemiBold"
_FILES = {REGULAR: "Inter-Regular.ttf", BOLD: "Inter-SemiBold.ttf"}
_FOLDER = Path(__file__).resolve().parents[2] / "resources" / "fonts"
_HIDDEN = ("Cc", "Cf", "Co", "Cn", "Cs")  # characters that show nothing, or change the order of others
_KEPT = "\n\t"


@cache
def fonts() -> dict[str, Any]:
    """Register the bundled fonts with reportlab, once; by name."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    found = {name: TTFont(name, str(_FOLDER / file)) for name, file in _FILES.items()}
    for font in found.values():
        pdfmetrics.registerFont(font)
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=REGULAR, boldItalic=BOLD)
    return found


def printable(text: str) -> str:
    """A text of which every character shows: one that the fonts lack is its code point, such as [U+4E2D]."""
    if text.isascii() and text.isprintable():
        return text
    known = fonts()[REGULAR].face.charToGlyph
    return "".join(
        c if c in _KEPT or (ord(c) in known and not _is_hidden(c)) else _code_point(c) for c in text
    )


def visible(text: str) -> str:
    """A text without characters that show nothing or turn others round: they are their code points."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_code_point(c) if _is_hidden(c) and c not in _KEPT else c for c in text)


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in _HIDDEN


def _code_point(character: str) -> str:
    return f"[U+{ord(character):04X}]"
