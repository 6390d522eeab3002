"""Paragraphs of a PDF in any script, as reportlab lays them out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from html import escape
from typing import Any

from engine.report import palette
from engine.report.typesetting.bidi import first_direction
from engine.report.typesetting.typesetter import Typesetter

_NO_BREAK_SPACE = "\u00a0"


class Paragraphs:
    """Paragraphs of one document."""

    def __init__(self, typesetter: Typesetter, styles: dict[str, Any]) -> None:
        self._typesetter, self._styles = typesetter, styles

    def sentence(self, text: str, style: str, room: float, kind: type | None = None) -> Any:
        """Return a text of the program, which may quote values; its letters in Latin script lead it.

        Parameters
        ----------
        text, style : str
        room : float
            Width in points.
        kind : type, optional
            Subclass of reportlab's Paragraph.
        """
        look = self._styles[style]
        has_latin = any(unicodedata.bidirectional(character) == "L" for character in text)
        base = 0 if has_latin else first_direction(text)
        return self._flowing(self._lines(text, look, room, base), look, kind=kind)

    def cell(self, text: str, style: str, room: float, unit: str = "") -> Any:
        """Return a text for a cell, in the direction of its first letter, with a unit below."""
        from reportlab.lib.enums import TA_RIGHT
        from reportlab.pdfbase.pdfmetrics import stringWidth

        look, base = self._styles[style], first_direction(text)
        lines = self._lines(text, look, room, base)
        if base and look.alignment != TA_RIGHT:  # flush right, in a block that begins where others begin
            name = self._typesetter.extended_name(look.fontName)
            widest = max(stringWidth(line, name, look.fontSize) for line in lines)
            look = look.clone(look.name, alignment=TA_RIGHT, rightIndent=max(0.0, room - widest))
        return self._flowing(lines, look, self._lines(unit, look, room, 0) if unit else [])

    def source(self, lines: list[str], style: str) -> Any:
        """Return lines as they are, one below the other."""
        from reportlab.platypus import Preformatted

        look = self._styles[style]
        lines = [self._typesetter.line(line, look.fontName) for line in lines]
        return Preformatted("\n".join(lines), self._in_font(look, "".join(lines)))

    def wrapped(self, line: str, style: str, room: float) -> Iterator[str]:
        """Yield the parts of a line of a source that are no wider than the room, in points."""
        kind = self._styles[style]
        rest = self._typesetter.readable(line)
        while self._width(rest, kind) > room:
            end = max(1, min(len(rest) - 1, int(room / 3.2)))
            while end > 1 and self._width(rest[:end], kind) > room:
                end -= 1
            yield rest[:end]
            rest = "    " + rest[end:]
        yield rest

    def _width(self, text: str, style: Any) -> float:
        return self._typesetter.width(text, style.fontName, style.fontSize)

    def _lines(self, text: str, style: Any, room: float, base: int) -> list[str]:
        """Return lines that reportlab does not break again, or those of a text that it breaks itself."""
        words = self._typesetter.readable(text)
        if self._typesetter.is_plain(words):
            return words.split("\n")
        lines = self._typesetter.lines(words, style.fontName, style.fontSize, room, base)
        return [line.replace(" ", _NO_BREAK_SPACE) for line in lines]

    def _flowing(
        self, lines: list[str], style: Any, below: list[str] | None = None, kind: type | None = None
    ) -> Any:
        from reportlab.platypus import Paragraph

        markup = _markup(lines)
        if below:
            markup += f'<br/><font color="{palette.TEXT_3}">{_markup(below)}</font>'
        return (kind or Paragraph)(markup, self._in_font(style, "".join([*lines, *(below or ())])))

    def _in_font(self, style: Any, line: str) -> Any:
        """Return a style with the font that has all characters of a line."""
        name = self._typesetter.font_name(line, style.fontName)
        return style if style.fontName == name else style.clone(style.name, fontName=name, splitLongWords=0)


def _markup(lines: list[str]) -> str:
    """Return lines as reportlab's paragraphs take them: nothing in them is markup."""
    return "<br/>".join(escape(line, quote=True) for line in lines)
