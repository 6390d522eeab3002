"""The fonts that reports embed, and the code points written for characters that do not show."""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from functools import cache
from pathlib import Path

from engine.shipped import resources_path

REGULAR, BOLD = "Inter-Regular", "Inter-SemiBold"
_OTHER = 0.66  # share of the size that a letter of another font takes, about
_HIDDEN = ("Cc", "Cf", "Co", "Cn", "Cs")  # characters that show nothing, or change the order of others
_KEPT = "\n\t"
_JOINERS = "\u200c\u200d"  # choose the forms of the letters beside them
_FIRST_JOINED = "\u0600"  # Latin, Greek, Cyrillic and Hebrew letters have one form


def font_path(font: str) -> Path:
    """Return the file of a bundled font."""
    return resources_path() / "fonts" / f"{font}.ttf"


@cache
def web_font(font: str) -> str:
    """Return the letters of Latin scripts of a bundled font for a web page, WOFF2 in base64."""
    return b64encode(font_path(font).with_suffix(".woff2").read_bytes()).decode("ascii")


@cache
def advances(font: str) -> dict[str, float]:
    """Return the characters of a bundled font with their widths, as shares of its size."""
    from fontTools.ttLib import TTFont

    with TTFont(font_path(font), lazy=True) as file:
        widths, size = file["hmtx"].metrics, file["head"].unitsPerEm
        return {chr(code): widths[glyph][0] / size for code, glyph in file.getBestCmap().items()}


def width_of(text: str, font: str, size: float) -> float:
    """Return the width of a text in a bundled font, in points."""
    known = advances(font)
    return size * sum(known.get(character, _OTHER) for character in text)


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
