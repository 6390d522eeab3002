"""One font of a file, read by HarfBuzz: its letters, their shapes and their outlines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from engine.table.sources import need

_OUTLINES = {"glyf", "CFF ", "CFF2"}
_OBLIQUE = 1.0  # degrees from which a font is slanted
_NO_EMBEDDING, _NO_SUBSET, _BITMAPS_ONLY = 0x0002, 0x0100, 0x0200  # fsType of the table OS/2
_FAMILY = 16, 1  # ids of the names of a family, the preferred one first


class PlacedGlyph(NamedTuple):
    """Glyph of a font with its offset, in units of the font."""

    glyph: int
    x: int
    y: int


class Cluster(NamedTuple):
    """Letters that are drawn as one, such as a letter with its marks, a ligature or a conjunct.

    Attributes
    ----------
    text : str
        The letters in logical order.
    glyphs : tuple of PlacedGlyph
    advance : int
        Distance to the next cluster, in units of the font.
    """

    text: str
    glyphs: tuple[PlacedGlyph, ...]
    advance: int


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
        if not tables & _OUTLINES or not self._face.glyph_count or not self._may_be_embedded(tables):
            raise ValueError(path)
        self._font = uharfbuzz.Font(self._face)
        self._is_variable = "fvar" in tables
        self._outlines: dict[int, str] = {}

    @property
    def units_per_em(self) -> int:
        """Units in the size of the font."""
        return int(self._face.upem)

    @property
    def family(self) -> str:
        """Name of the family."""
        return next((name for name in map(self._face.get_name, _FAMILY) if name), "")

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

    def use_weight(self, weight: int) -> None:
        """Set the weight, if the font is variable."""
        if self._is_variable:
            self._font.set_variations({"wght": float(weight)})

    def has(self, character: str) -> bool:
        """Return whether the font maps a character to a glyph."""
        return bool(self._font.get_nominal_glyph(ord(character)))

    def shows(self, character: str) -> bool:
        """Return whether the font has a glyph with an outline for a character, or a space."""
        glyph = self._font.get_nominal_glyph(ord(character))
        return bool(glyph) and (character.isspace() or bool(self.outline(glyph)))

    def shape(self, text: str, *, is_right_to_left: bool, language: str) -> list[Cluster]:
        """Return a text of one script and direction as clusters, in visual order from the left."""
        uharfbuzz = _harfbuzz()
        buffer = uharfbuzz.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        buffer.direction = "rtl" if is_right_to_left else "ltr"
        if language:
            buffer.language = language
        uharfbuzz.shape(self._font, buffer)
        starts = sorted({info.cluster for info in buffer.glyph_infos})
        ends = dict(zip(starts, [*starts[1:], len(text)], strict=True))
        pairs = zip(buffer.glyph_infos, buffer.glyph_positions, strict=True)
        return [
            _cluster(text[start : ends[start]], list(part))
            for start, part in groupby(pairs, key=lambda pair: pair[0].cluster)
        ]

    def outline(self, glyph: int) -> str:
        """Return the outline of a glyph as operators of PDF, in units of the font; "" if it has none."""
        if glyph not in self._outlines:
            parts: list[tuple[str, tuple[float, ...]]] = []
            self._font.draw_glyph(glyph, _drawing(), parts)
            self._outlines[glyph] = "\n".join(_operators(parts))
        return self._outlines[glyph]

    def box(self, glyph: int) -> tuple[int, int, int, int]:
        """Return the left, lower, right and upper bound of a glyph, in units of the font."""
        extents = self._font.get_glyph_extents(glyph)
        left, top = extents.x_bearing, extents.y_bearing
        return left, top + extents.height, left + extents.width, top

    def _os2(self) -> bytes:
        return bytes(self._face.reference_table("OS/2").data or b"")

    def _may_be_embedded(self, tables: set[str]) -> bool:
        os2 = self._os2() if "OS/2" in tables else b""
        rights = int.from_bytes(os2[8:10], "big") if len(os2) >= 10 else 0
        is_restricted = rights & 0x000F == _NO_EMBEDDING
        return not is_restricted and not rights & (_NO_SUBSET | _BITMAPS_ONLY)


def _harfbuzz() -> Any:
    """Return the library that shapes and outlines letters, or raise `TableError` if it is not installed."""
    return need("uharfbuzz", "*.pdf", "uharfbuzz")


def count_faces(path: str) -> int:
    """Return how many fonts a file has, 0 if it cannot be read."""
    uharfbuzz = _harfbuzz()
    try:
        return int(uharfbuzz.Face(uharfbuzz.Blob.from_file_path(path)).count)
    except (uharfbuzz.HarfBuzzError, OSError):
        return 0


def _cluster(text: str, pairs: list[tuple[Any, Any]]) -> Cluster:
    """Join glyphs that belong to the same letters."""
    glyphs, pen = [], 0
    for info, position in pairs:
        glyphs.append(PlacedGlyph(info.codepoint, pen + position.x_offset, position.y_offset))
        pen += position.x_advance
    return Cluster(text, tuple(glyphs), pen)


@cache
def _drawing() -> Any:
    """Return functions that collect the parts of an outline in a list."""
    uharfbuzz = _harfbuzz()
    functions = uharfbuzz.DrawFuncs()
    functions.set_move_to_func(lambda *found: found[-1].append(("m", found[:-1])))
    functions.set_line_to_func(lambda *found: found[-1].append(("l", found[:-1])))
    functions.set_quadratic_to_func(lambda *found: found[-1].append(("q", found[:-1])))
    functions.set_cubic_to_func(lambda *found: found[-1].append(("c", found[:-1])))
    functions.set_close_path_func(lambda *found: found[-1].append(("h", ())))
    return functions


def _operators(parts: list[tuple[str, tuple[float, ...]]]) -> Iterator[str]:
    """Yield operators of PDF, which has cubic curves only."""
    x = y = 0.0
    for operator, numbers in parts:
        if operator == "q":
            over_x, over_y, end_x, end_y = numbers
            numbers = (
                x + (over_x - x) * 2 / 3,
                y + (over_y - y) * 2 / 3,
                end_x + (over_x - end_x) * 2 / 3,
                end_y + (over_y - end_y) * 2 / 3,
                end_x,
                end_y,
            )
            operator = "c"
        if numbers:
            x, y = numbers[-2:]
        yield " ".join([*(f"{number:.1f}".removesuffix(".0") for number in numbers), operator])
