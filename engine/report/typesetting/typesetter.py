"""Texts of one PDF: which characters it shows, and texts as strings of its fonts."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from engine.report.fonts import BOLD, REGULAR, bundled, code_point, fonts, is_hidden
from engine.report.typesetting.bidi import level_runs, levels_of, mirrored
from engine.report.typesetting.face import Face, FontStyle, count_faces
from engine.report.typesetting.glyph_font import FIRST_CODE, GlyphFont
from engine.report.typesetting.scripts import graphemes, is_attached, language_of, script_of, segments

REGULAR_WEIGHT, BOLD_WEIGHT = 400, 600
_ENDINGS = (".ttf", ".otf", ".ttc", ".otc")
_UNUSABLE = ("lastresort", "keyboard")  # macOS: boxes with the name of a block, and signs of keys
_FAMILIES = (  # the usual sans serif families of the systems, as in names of files
    "notosanscjk",
    "notosans",
    "sourcehansans",
    "pingfang",
    "hiragino",
    "msyh",
    "yugoth",
    "malgun",
    "nirmala",
    "segoeui",
    "arial",
    "dejavusans",
)
_NEARLY_ALL = 0.9  # share of the letters from which the look of a font decides


@dataclass(frozen=True)
class FontFile:
    """Font of a file with its properties."""

    path: str
    index: int
    style: FontStyle


def font_folders() -> tuple[Path, ...]:
    """List the folders in which this system installs fonts."""
    home = Path.home()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA", str(home / "AppData" / "Local"))
        windows = os.environ.get("WINDIR", r"C:\Windows")
        return Path(windows) / "Fonts", Path(local) / "Microsoft" / "Windows" / "Fonts"
    if sys.platform == "darwin":
        return Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library" / "Fonts"
    own = os.environ.get("XDG_DATA_HOME") or str(home / ".local" / "share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    data = [Path(folder) for folder in (own, *shared.split(":")) if folder]
    return (*(folder / "fonts" for folder in data), home / ".fonts")


@cache
def installed_fonts(folders: tuple[Path, ...]) -> tuple[FontFile, ...]:
    """List the fonts in folders and their subfolders that a report may embed, in order of their files."""
    return tuple(font for folder in folders for path in _files(folder) for font in _fonts(path))


def coverage(letters: frozenset[str]) -> dict[FontFile, frozenset[str]]:
    """Return which of some letters each installed font maps to a glyph, without fonts that map none."""
    found = {}
    for font in installed_fonts(font_folders()) if letters else ():
        face = _opened(font.path, font.index)
        members = frozenset(letter for letter in letters if face is not None and face.has(letter))
        if members:
            found[font] = members
    return found


def choose_fonts(
    letters: frozenset[str], covered: Mapping[FontFile, frozenset[str]], weight: int
) -> dict[str, Face]:
    """Return a font for each letter that any installed font shows, as few fonts as possible.

    Parameters
    ----------
    letters : frozenset of str
        Letters that should look alike, such as those of one script.
    covered : mapping
        Letters of each font, from `coverage`.
    weight : int
        Wanted weight of the fonts, from 100 to 900.
    """
    left = set(letters)
    fonts = {font: had for font, members in covered.items() if (had := members & left)}
    found: dict[str, Face] = {}
    while fonts:
        font = min(fonts, key=lambda one: _rank(one, len(fonts[one]) / len(left), weight))
        members = fonts.pop(font)
        face = Face(font.path, font.index)
        face.use_weight(weight)
        shown = sorted(letter for letter in members if face.shows(letter))
        found |= dict.fromkeys(shown, face)
        left -= set(shown)
        fonts = {one: rest for one, had in fonts.items() if (rest := had & left)}
    return found


def _rank(font: FontFile, share: float, weight: int) -> tuple[object, ...]:
    """Order fonts: those with nearly all letters first, then upright ones of the weight without serifs."""
    style = font.style
    stem = Path(font.path).stem.lower()
    is_sans = "sans" in stem if style.is_sans is None else style.is_sans
    family = next((i for i, name in enumerate(_FAMILIES) if stem.startswith(name)), len(_FAMILIES))
    return (
        0.0 if share >= _NEARLY_ALL else 1 - share,
        style.is_slanted,
        style.is_monospaced,
        not is_sans,
        abs(style.weight - weight),
        style.is_condensed,
        family,
        font.path,
        font.index,
    )


def _files(folder: Path) -> list[Path]:
    found: list[Path] = []
    for place, _folders, names in os.walk(folder):  # unreadable folders are passed over
        found += [Path(place) / name for name in names if name.lower().endswith(_ENDINGS)]
    return sorted(path for path in found if not path.stem.lower().startswith(_UNUSABLE))


def _fonts(path: Path) -> Iterator[FontFile]:
    for index in range(count_faces(str(path))):
        face = _opened(str(path), index)
        if face is not None:
            yield FontFile(str(path), index, face.style())


def _opened(path: str, index: int) -> Face | None:
    try:
        return Face(path, index)
    except (OSError, ValueError):
        return None


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
