"""The fonts that reports embed, and the code points written for characters that do not show."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from engine.shipped import resources_path

REGULAR, BOLD = ("Inter"), "Inter-SemiBold"
_FILES = {REGULAR: "Inter-Regular.ttf", BOLD: "Inter-SemiBold.ttf"}
_HIDDEN = ("Cc", "Cf", "Co", "Cn", "Cs")  # characters that show nothing, or change the order of others
_KEPT = "\n\t"
_JOINERS = "\u200c\u200d"  # choose the forms of the letters beside them
_FIRST_JOINED = "\u0600"  # Latin, Greek, Cyrillic and Hebrew letters have one form


@cache
def fonts() -> dict[str, Any]:
    """Register the bundled fonts with reportlab, once; by name."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    found = {name: TTFont(name, str(resources_path() / "fonts" / file)) for name, file in _FILES.items()}
    for font in found.values():
        pdfmetrics.registerFont(font)
    pdfmetrics.registerFontFamily(REGULAR, normal=REGULAR, bold=BOLD, italic=REGULAR, boldItalic=BOLD)
    return found


@cache
def bundled() -> frozenset[str]:
    """Return the characters of the bundled fonts."""
    return frozenset(map(chr, fonts()[REGULAR].face.charToGlyph))


def visible(text: str) -> str:
    """Return a text with code points for characters that show nothing or change the order of others."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(code_point(c) if is_hidden(text, i) else c for i, c in enumerate(text))


def is_hidden(text: str, place: int) -> bool:
    """Return whether the character at a place shows nothing, or changes the order of others."""
    character = text[place]
    if character in _KEPT or unicodedata.category(character) not in _HIDDEN:
        return False
    beside = text[max(place - 1, 0) : place + 2 : 2]
    is_joining = character in _JOINERS and len(beside) == 2 and all(c >= _FIRST_JOINED for c in beside)
    return not (is_joining and all(unicodedata.category(c)[0] in "LM" for c in beside))


def code_point(character: str) -> str:
    """Return the code point of a character for readers, such as [U+4E2D]."""
    return f"[U+{ord(character):04X}]"
