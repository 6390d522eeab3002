"""One font of a file, read by HarfBuzz: its properties, its letters, and a font of some of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from io import BytesIO
from typing import Any

from engine.records.table_files import need

_OUTLINES = {"glyf", "CFF ", "CFF2"}
_OBLIQUE = 1.0  # degrees from which a font is slanted
_NO_EMBEDDING, _NO_SUBSET, _BITMAPS_ONLY = 0x0002, 0x0100, 0x0200  # fsType of the table OS/2
_FULL_NAME = 4
_NEEDED = {"OS/2", "post", "hhea", "name"}  # tables without which a font is not embedded
_WITH_LETTERS = {0x20, 0x200C, 0x200D, *range(0x300, 0x370)}  # a space, joiners and marks of any script


@dataclass(frozen=True)
class FontStyle:
    """Properties by which a font is chosen; `is_sans` is None if the font does not say it."""

    weight: int
    is_slanted: bool
    is_condensed: bool
    is_sans: bool | None
    is_monospaced: bool


class Face:
    """Font of a file; a collection has several, numbered from 0.

    Raises
    ------
    OSError
        The file cannot be read.
    ValueError
        The file is not a font with outlines that may be embedded in part.
    """

    def __init__(self, path: str, index: int = 0) -> None:
        uharfbuzz = _harfbuzz()
        self.path, self.index = path, index
        try:
            blob = uharfbuzz.Blob.from_file_path(path)
        except uharfbuzz.HarfBuzzError as error:
            raise OSError(str(error)) from error
        self._face = uharfbuzz.Face(blob, index)
        tables = set(self._face.table_tags)
        is_whole = tables & _OUTLINES and tables >= _NEEDED and self._face.get_name(_FULL_NAME)
        if not is_whole or not self._may_be_embedded():
            raise ValueError(path)
        self._font = uharfbuzz.Font(self._face)

    def style(self) -> FontStyle:
        """Return the properties of the font."""
        from uharfbuzz import StyleTag

        value = self._font.get_style_value
        os2 = self._os2()
        kind, serifs, proportion = (os2[32], os2[33], os2[35]) if len(os2) > 35 else (0, 0, 0)
        is_known = kind == 2 and serifs > 1  # PANOSE: 2 is text, 11 to 15 are without serifs
        return FontStyle(
            weight=round(value(StyleTag.WEIGHT)),
            is_slanted=bool(value(StyleTag.ITALIC)) or abs(value(StyleTag.SLANT_ANGLE)) >= _OBLIQUE,
            is_condensed=value(StyleTag.WIDTH) < 100,
            is_sans=serifs >= 11 if is_known else None,
            is_monospaced=kind == 2 and proportion == 9,
        )

    def has(self, character: str) -> bool:
        """Return whether the font maps a character to a glyph."""
        return bool(self._font.get_nominal_glyph(ord(character)))

    def shows(self, character: str) -> bool:
        """Return whether the font has a glyph with an outline for a character, or a space."""
        from fontTools.pens.recordingPen import RecordingPen

        glyph, pen = self._font.get_nominal_glyph(ord(character)), RecordingPen()
        if glyph:
            self._font.draw_glyph_with_pen(glyph, pen)
        return bool(glyph) and (character.isspace() or bool(pen.value))

    def part(self, letters: Iterable[str], weight: int) -> bytes:
        """Return a font with some letters, their marks and the forms they take next to each other.

        A variable font is fixed at a weight. Of PostScript outlines PDF takes those by number (CID) only.
        """
        from fontTools.cffLib.CFFToCFF2 import convertCFFToCFF2
        from fontTools.fontBuilder import FontBuilder
        from fontTools.ttLib import TTFont

        data = _subset(self._face, {*map(ord, letters), *_WITH_LETTERS}, weight)
        with TTFont(BytesIO(data)) as font:
            if "CFF " not in font or hasattr(font["CFF "].cff.topDictIndex[0], "ROS"):
                return data
            codes = set(font.getBestCmap())
            convertCFFToCFF2(font)
            # HarfBuzz numbers the outlines of a variable font where it fixes it.
            FontBuilder(font=font).setupFvar([("wght", weight, weight, weight, "Weight")], [])
            font.save(file := BytesIO())
        return _subset(_harfbuzz().Face(file.getvalue()), codes, weight)

    def _os2(self) -> bytes:
        return bytes(self._face.reference_table("OS/2").data or b"")

    def _may_be_embedded(self) -> bool:
        os2 = self._os2()
        rights = int.from_bytes(os2[8:10], "big") if len(os2) >= 10 else 0
        is_restricted = rights & 0x000F == _NO_EMBEDDING
        return not is_restricted and not rights & (_NO_SUBSET | _BITMAPS_ONLY)


def _subset(face: Any, codes: set[int], weight: int) -> bytes:
    uharfbuzz = _harfbuzz()
    wanted = uharfbuzz.SubsetInput()
    wanted.unicode_set.update(codes)
    wanted.flags = uharfbuzz.SubsetFlags.DOWNGRADE_CFF2
    if "fvar" in face.table_tags:
        wanted.pin_all_axes_to_default(face)
        wanted.pin_axis_location(face, "wght", float(weight))
    return bytes(wanted.subset(face).blob.data)


def _harfbuzz() -> Any:
    """Return the library that reads fonts, or raise `TableError` if it is not installed."""
    return need("uharfbuzz", "*.pdf", "report")


def count_faces(path: str) -> int:
    """Return how many fonts a file has, 0 if it cannot be read."""
    uharfbuzz = _harfbuzz()
    try:
        return int(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(path)).count)
    except (uharfbuzz.HarfBuzzError, OSError):
        return 0
