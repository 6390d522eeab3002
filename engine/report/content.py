"""Content of a report before any format: sections of paragraphs, facts, tables and charts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import UTC, datetime

from engine.findings.blocks import Block
from engine.findings.settings import ReportSettings
from engine.numbers import as_moment

MARK = ((3, 4), (1, 1), (1, 2))  # of the program
MARKS = {"ok": "\u2713", "warn": "\u25b2", "danger": "\u2717"}  # check, triangle, cross


@dataclass(frozen=True)
class Section:
    """Section of a report; a page of its own may have a text at its foot, all others are the appendix."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    is_page: bool = False
    foot: str = ""


@dataclass(frozen=True)
class ReportContent:
    """Complete report.

    Attributes
    ----------
    program : str
        Name and version of the program.
    levels : tuple of (int, int)
        Level and highest level of each column of the released node, drawn as the level glyph; by default the
        mark of the program.
    """

    title: str
    subtitle: str
    settings: ReportSettings
    date: datetime
    program: str
    sections: tuple[Section, ...]
    levels: tuple[tuple[int, int], ...] = MARK

    @property
    def date_text(self) -> str:
        """Date as displayed."""
        return f"{as_moment(self.date.astimezone(UTC))} UTC"

    def blocks(self) -> Iterator[Block]:
        """All blocks in order."""
        for section in self.sections:
            yield from section.blocks

    def texts(self) -> Iterator[str]:
        """All texts in order."""
        return _texts_in(self)


def _texts_in(value: object) -> Iterator[str]:
    """Yield the texts of a value and of its parts."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Sequence):
        for part in value:
            yield from _texts_in(part)
    elif is_dataclass(value):
        for one in fields(value):
            yield from _texts_in(getattr(value, one.name))
