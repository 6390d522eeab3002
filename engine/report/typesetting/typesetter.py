"""Texts of one PDF: which characters it shows, and texts as lines in its fonts."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from engine.report.fonts import BOLD, REGULAR, advances, code_point, font_path, is_hidden, width_of
from engine.report.typesetting.face import Face, FontStyle, count_faces
from engine.report.typesetting.scripts import graphemes, is_attached, language_of, script_of, segments

if TYPE_CHECKING:
    from fpdf import FPDF
    from fpdf.bidi import BidiCharacter
    from fpdf.line_break import Fragment

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


_ABOVE = 0.8  # share of the size by which fpdf2 puts a baseline below the top of a cell
_WEIGHTS = {REGULAR: REGULAR_WEIGHT, BOLD: BOLD_WEIGHT}


Direction: TypeAlias = Literal["ltr", "rtl"]


class Run(NamedTuple):
    """Part of a line in one font; letters are shaped if a direction is given."""

    text: str
    font: str
    direction: Direction | None = None
    language: str = ""


Line: TypeAlias = tuple[Run, ...]


@contextmanager
def typesetting(texts: Iterable[str], paper: str = "a4") -> Iterator[Typesetter]:
    """Make a document of some texts; its fonts are open until the end, whether it is written or not."""
    from fpdf import FPDF

    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # HarfBuzz may still hold a file
        document = FPDF(unit="pt", format=paper)
        document.render_color_fonts = False
        try:
            yield Typesetter(document, Path(folder), texts)
        finally:
            for font in document.fonts.values():
                font.close()  # type: ignore[union-attr]  # none is a core font


class Typesetter:
    """Fonts and texts of one document.

    Texts that the bundled fonts can show need nothing else. For other letters installed fonts are searched,
    once for all texts of the document.

    Parameters
    ----------
    document : FPDF
        Empty document, to which fonts are added.
    folder : Path
        Folder for files of fonts until the document is written.
    texts : iterable of str
        All texts of the document.
    """

    def __init__(self, document: FPDF, folder: Path, texts: Iterable[str]) -> None:
        self.document, self._folder = document, folder
        self._fonts: dict[str, dict[str, str]] = {name: {} for name in _WEIGHTS}  # of each foreign letter
        self._searched: set[str] = set()
        self._shares: dict[Run, float] = {}  # widths as shares of the size
        for name in _WEIGHTS:
            document.add_font(name, fname=font_path(name))
        self._search({c for text in texts if not text.isascii() for c in _foreign(text)})

    def lacking(self) -> list[str]:
        """Return the letters that no font shows, in ascending order."""
        return sorted(self._searched - self._fonts[REGULAR].keys())

    def readable(self, text: str) -> str:
        """Return a text of which every character shows: one without a font is its code point."""
        if text.isascii() and text.isprintable():
            return text
        self._search(_foreign(text))
        fonts = self._fonts[REGULAR]
        is_shown = [c in fonts or c not in self._searched for c in text]
        return "".join(
            c if is_shown[i] and not is_hidden(text, i) else code_point(c) for i, c in enumerate(text)
        )

    def width(self, text: str, font: str, size: float) -> float:
        """Return the width of a readable text on one line, in points."""
        return self.width_of_line(self.line(text, font), size)

    def width_of_line(self, line: Line, size: float) -> float:
        """Return the width of a line in points."""
        return sum(self._run_width(run, size) for run in line)

    def line(self, text: str, font: str) -> Line:
        """Return a readable text as one line from left to right."""
        if self._is_plain(text):
            return (Run(text, font),)
        return self._ordered(_characters(text, "ltr"), font, language_of(text))

    def lines(
        self, text: str, font: str, size: float, room: float, base: Direction = "ltr"
    ) -> Iterator[Line]:
        """Yield a readable text as lines no wider than `room` points.

        Parameters
        ----------
        base : {"ltr", "rtl"}
            Direction of the text.
        """
        for paragraph in text.split("\n"):
            is_plain = base == "ltr" and self._is_plain(paragraph)
            characters = [] if is_plain else _characters(paragraph, base)
            for start, end in self._breaks(paragraph, font, size, room):
                words = paragraph[start:end].rstrip()
                part = characters[start : start + len(words)]
                yield (Run(words, font),) if is_plain else self._ordered(part, font, language_of(paragraph))

    def draw(self, line: Line, x: float, y: float, size: float) -> None:
        """Draw a line from the left end of its baseline."""
        from fpdf.enums import Align
        from fpdf.line_break import TextLine

        for run in line:
            if run.direction is None:
                self.document.set_font(run.font, size=size)
                self.document.text(x, y, run.text)
            else:
                text = TextLine((self._shaped(run, size),), 0, 0, Align.L, size, None)
                self.document.set_xy(x, y - _ABOVE * size)
                self.document._render_styled_text_line(text, size)
            x += self._run_width(run, size)

    def _shaped(self, run: Run, size: float) -> Fragment:
        """Return a run whose letters fpdf2 shapes together; by itself it shapes them from mark to mark."""
        from fpdf.enums import TextDirection
        from fpdf.line_break import Fragment

        direction, document = TextDirection.coerce(run.direction or "ltr"), self.document
        document.set_font(run.font, size=size)
        document.set_text_shaping(language=run.language or None)
        state = document._get_current_graphics_state()
        turn = {"fragment_direction": direction, "paragraph_direction": direction}
        state.text_shaping = {**(state.text_shaping or {}), **turn}
        document.set_text_shaping(use_shaping_engine=False)
        return Fragment(run.text, state, document.k)

    def _is_plain(self, text: str) -> bool:
        """Return whether the bundled font shows a readable text, from left to right."""
        return text.isascii() or self._searched.isdisjoint(text)

    def _ordered(self, characters: Sequence[BidiCharacter], font: str, language: str) -> Line:
        """Return a line in visual order: runs of higher levels turn within those of lower ones."""
        runs: list[tuple[int, list[Run]]] = []
        for level, part in groupby(characters, key=lambda character: character.embedding_level):
            direction: Direction = "rtl" if level % 2 else "ltr"
            letters = "".join(character.character for character in part)
            own = list(self._runs(letters, font, direction, language))
            runs.append((level, own[::-1] if level % 2 else own))
        for level in range(max((level for level, _own in runs), default=0), 0, -1):
            runs = list(_turned(runs, level))
        return tuple(run for _level, own in runs for run in own)

    def _runs(self, text: str, font: str, direction: Direction, language: str) -> Iterator[Run]:
        """Split a text of one direction at changes of the font and of the script."""
        keys: list[tuple[str, str]] = []
        for character in text:
            if keys and is_attached(character) and self._has(keys[-1][0], character):
                keys.append(keys[-1])
            else:
                own = self._fonts[font].get(character, font)
                keys.append((own, script_of(character) if own != font else ""))
        for (own, _script), part in groupby(range(len(text)), key=keys.__getitem__):
            letters = "".join(text[i] for i in part)
            is_plain = own == font and direction == "ltr"
            yield Run(letters, own) if is_plain else Run(letters, own, direction, language)

    def _has(self, font: str, character: str) -> bool:
        """Return whether a font has a mark, so that it is drawn with its letter; a joiner draws nothing."""
        known = self.document.fonts[font.lower()].cmap  # type: ignore[union-attr]  # as above
        return unicodedata.category(character) == "Cf" or ord(character) in known

    def _run_width(self, run: Run, size: float) -> float:
        if run.direction is None:
            return width_of(run.text, run.font, size)
        if run not in self._shares:
            self._shares[run] = self._shaped(run, 1000).width / 1000
        return size * self._shares[run]

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
                faces = choose_fonts(frozenset(groups[group]), covered, weight)
                for face in dict.fromkeys(faces.values()):
                    self._add(name, [letter for letter in faces if faces[letter] is face], face)

    def _add(self, name: str, letters: Sequence[str], face: Face) -> None:
        """Add a font of letters that complement those of a bundled font."""
        font = f"letters{len(self.document.fonts)}"
        path = self._folder / f"{font}.otf"
        path.write_bytes(face.part(letters, _WEIGHTS[name]))
        self.document.add_font(font, fname=path)
        self._fonts[name] |= dict.fromkeys(letters, font)

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


def _foreign(text: str) -> set[str]:
    """Return the letters of a text that the bundled fonts lack."""
    known = advances(REGULAR)
    letters = (c for i, c in enumerate(text) if c not in known and not is_hidden(text, i))
    return {c for c in letters if unicodedata.category(c) not in ("Cc", "Cf")}


def _characters(text: str, base: Direction) -> list[BidiCharacter]:
    """Return characters with their levels by the Unicode Bidirectional Algorithm; odd ones turn."""
    from fpdf.bidi import BidiParagraph
    from fpdf.enums import TextDirection

    characters = BidiParagraph(text, TextDirection.coerce(base), preserve_bn_chars=True).characters
    for before, character in pairwise(characters):
        if character.bidi_class == "BN":  # fpdf2 gives joiners the level of the paragraph
            character.embedding_level = before.embedding_level
    return characters


def _turned(runs: list[tuple[int, list[Run]]], least: int) -> Iterator[tuple[int, list[Run]]]:
    """Reverse the order of adjacent runs of at least a level."""
    for is_turned, part in groupby(runs, key=lambda run: run[0] >= least):
        group = list(part)
        yield from reversed(group) if is_turned else group
