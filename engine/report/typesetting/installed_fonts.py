"""Installed fonts of the system, and the choice among them for the letters of a script."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.report.typesetting.face import Face, FontStyle, count_faces

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
