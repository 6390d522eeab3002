"""Texts of one PDF: which characters it shows, and texts as strings of its fonts."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import NamedTuple

from engine.report.fonts import BOLD, REGULAR, bundled, code_point, fonts, is_hidden
from engine.report.typesetting.bidi import level_runs, levels_of, mirrored
from engine.report.typesetting.face import Face
from engine.report.typesetting.glyph_font import FIRST_CODE, GlyphFont
from engine.report.typesetting.installed_fonts import (
    BOLD_WEIGHT,
    REGULAR_WEIGHT,
    choose_fonts,
    coverage,
)
from engine.report.typesetting.scripts import graphemes, is_attached, language_of, script_of, segments

_WEIGHTS = {REGULAR: REGULAR_WEIGHT, BOLD: BOLD_WEIGHT}


class _Item(NamedTuple):
    """Part of a text with one font, script and direction; no face stands for the bundled font."""

    text: str
    face: Face | None
    is_right_to_left: bool


class Typesetter:
    """Fonts and texts of one document.

    Texts that the bundled fonts can show need nothing else. For other letters installed fonts are searched,
    once for all texts of the document.

    Parameters
    ----------
    texts : iterable of str
        All texts of the document.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._fonts = {name: GlyphFont(f"{name}-Extended", font) for name, font in fonts().items()}
        self._faces: dict[str, dict[str, Face]] = {name: {} for name in self._fonts}
        self._searched: set[str] = set()
        self._shaped: dict[tuple[str, str, bool, str], str] = {}
        self._search({c for text in texts if not text.isascii() for c in _foreign(text)})

    @contextmanager
    def registered(self) -> Iterator[None]:
        """Make the fonts of this document known to reportlab; of one document at a time."""
        for font in self._fonts.values():
            font.register()
        try:
            yield
        finally:
            for font in self._fonts.values():
                font.unregister()

    def lacking(self) -> list[str]:
        """Return the letters that no font shows, in ascending order."""
        return sorted(self._searched - self._faces[REGULAR].keys())

    def readable(self, text: str) -> str:
        """Return a text of which every character shows: one without a font is its code point."""
        if text.isascii() and text.isprintable():
            return text
        self._search(_foreign(text))
        faces = self._faces[REGULAR]
        is_shown = [c in faces or c not in self._searched for c in text]
        return "".join(
            c if is_shown[i] and not is_hidden(text, i) else code_point(c) for i, c in enumerate(text)
        )

    def is_plain(self, text: str) -> bool:
        """Return whether the bundled font shows a readable text, from left to right."""
        return text.isascii() or self._searched.isdisjoint(text)

    def font_name(self, line: str, font: str) -> str:
        """Return the name of the font for a line from `line` or `lines`: the bundled one if it has all."""
        return self.extended_name(font) if any(c >= FIRST_CODE for c in line) else font

    def extended_name(self, font: str) -> str:
        """Return the name of the font of this document that has the letters of a bundled one, and others."""
        return self._fonts[font].fontName

    def width(self, text: str, font: str, size: float) -> float:
        """Return the width of a readable text on one line, in points."""
        from reportlab.pdfbase.pdfmetrics import stringWidth

        if self.is_plain(text):
            return float(stringWidth(text, font, size))
        return self._fonts[font].stringWidth(self.line(text, font), size)

    def width_of(self, text: str, font: str, size: float) -> float:
        """Return the width of any text on one line, in points."""
        return self.width(self.readable(text), font, size)

    def line(self, text: str, font: str, base: int = 0) -> str:
        """Return a readable text as one line in visual order.

        Parameters
        ----------
        text, font : str
        base : int
            Direction of the line: 0 for left to right, 1 for right to left.
        """
        return text if self.is_plain(text) else self._visual(text, levels_of(text, base), base, font)

    def lines(self, text: str, font: str, size: float, room: float, base: int = 0) -> Iterator[str]:
        """Yield a readable text as lines, as `line` does, no wider than `room` points."""
        for paragraph in text.split("\n"):
            levels = levels_of(paragraph, base)
            for start, end in self._breaks(paragraph, font, size, room):
                yield self._visual(paragraph[start:end].rstrip(), levels[start:end], base, font)

    def _search(self, letters: Iterable[str]) -> None:
        """Find fonts for letters that were not searched before."""
        groups: defaultdict[str, set[str]] = defaultdict(set)
        for letter in set(letters) - self._searched:
            groups[script_of(letter)].add(letter)
        new = frozenset().union(*groups.values())
        self._searched |= new
        covered = coverage(new)
        for group in sorted(groups):
            for name, weight in _WEIGHTS.items():
                self._faces[name] |= choose_fonts(frozenset(groups[group]), covered, weight)

    def _breaks(self, text: str, font: str, size: float, room: float) -> Iterator[tuple[int, int]]:
        """Yield the start and end of every line of a paragraph."""
        start = end = 0
        used = 0.0
        for part in self._fitting(text, font, size, room):
            width = self.width(part.rstrip(), font, size)
            if end > start and used + width > room:
                yield start, end
                start, used = end, 0.0
            end += len(part)
            used += self.width(part, font, size)
        yield start, end

    def _fitting(self, text: str, font: str, size: float, room: float) -> Iterator[str]:
        """Yield parts between which a line may break; one that is wider than a line in its letters."""
        for part in segments(text):
            if self.width(part.rstrip(), font, size) > room:
                yield from graphemes(part)
            else:
                yield part

    def _visual(self, text: str, levels: Sequence[int], base: int, font: str) -> str:
        language = language_of(text)
        parts = []
        for start, end, level in level_runs(text, levels[: len(text)], base):
            items = list(self._items(text[start:end], font, is_right_to_left=bool(level % 2)))
            parts += [
                self._glyphs(item, font, language) for item in (reversed(items) if level % 2 else items)
            ]
        return "".join(parts)

    def _items(self, text: str, font: str, *, is_right_to_left: bool) -> Iterator[_Item]:
        """Split a run at changes of the font and of the script."""
        keys: list[tuple[Face | None, str]] = []
        for character in text:
            if keys and is_attached(character) and _takes(keys[-1][0], character):
                keys.append(keys[-1])
            else:
                face = self._faces[font].get(character)
                keys.append((face, script_of(character) if face else ""))
        for (face, _script), part in groupby(range(len(text)), key=keys.__getitem__):
            yield _Item("".join(text[i] for i in part), face, is_right_to_left)

    def _glyphs(self, item: _Item, font: str, language: str) -> str:
        text, face, is_turned = item
        if face is None:
            return "".join(map(mirrored, reversed(list(graphemes(text))))) if is_turned else text
        key = (font, text, is_turned, language)
        if key not in self._shaped:
            clusters = face.shape(text, is_right_to_left=is_turned, language=language)
            self._shaped[key] = "".join(self._fonts[font].code_of(face, cluster) for cluster in clusters)
        return self._shaped[key]


def _foreign(text: str) -> set[str]:
    """Return the letters of a text that the bundled fonts lack."""
    known = bundled()
    letters = (c for i, c in enumerate(text) if c not in known and not is_hidden(text, i))
    return {c for c in letters if unicodedata.category(c) not in ("Cc", "Cf")}


def _takes(face: Face | None, character: str) -> bool:
    """Return whether a mark is drawn by the font of its letter."""
    if face is None:
        return character in bundled()
    return unicodedata.category(character) == "Cf" or face.has(character)
