"""Content of a report before any format: sections of paragraphs, facts, tables and charts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime

from engine.errors import ParameterError, nearest
from engine.findings.blocks import Block
from engine.numbers import as_moment
from engine.words import N_, _, language_in_use, languages

INTERNAL, PUBLIC = "internal", "public"
AUDIENCES = {
    INTERNAL: N_("Internal: complete, only for readers who may see the input"),
    PUBLIC: N_("Public: nothing that helps an attacker"),
}
SMALL_COUNT = 5  # smaller counts of people are withheld from the public
ACCEPTED_RISK = 0.2  # classes of five


def now_or_fixed() -> datetime:
    """Return the date for written files: SOURCE_DATE_EPOCH if it is set, else now; UTC."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit():
        try:
            return datetime.fromtimestamp(int(given), UTC)
        except (ValueError, OSError, OverflowError):
            pass
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class ReportSettings:
    """Settings of a report.

    Attributes
    ----------
    purpose, recipient, author : str
        Purpose and recipient of the release, and person responsible for the report.
    audience : str
        "internal" or "public".
    threshold : int
        Counts of fewer people than these are withheld from the public, at least 2.
    accepted_risk : float
        Records with a re-identification risk above this one are at risk.
    date : datetime, optional
        By default that of `now_or_fixed`.
    language : str
        Code of a language with a catalogue, by default that of the program. Use English for JSON.

    Raises
    ------
    ParameterError
    """

    purpose: str = ""
    recipient: str = ""
    author: str = ""
    audience: str = INTERNAL
    threshold: int = SMALL_COUNT
    accepted_risk: float = ACCEPTED_RISK
    date: datetime | None = None
    language: str = field(default_factory=language_in_use)

    def __post_init__(self) -> None:
        if self.audience not in AUDIENCES:
            raise ParameterError(
                _("Unknown audience '{audience}'.").format(audience=self.audience),
                hint=nearest(self.audience, AUDIENCES),
            )
        if self.threshold < 2:
            raise ParameterError(
                _("The small-count threshold cannot be {threshold}.").format(threshold=self.threshold),
                hint=_("Use at least 2: smaller counts are withheld; 5 to 11 is usual."),
            )
        if self.language not in languages():
            raise ParameterError(
                _("Unknown language '{language}'.").format(language=self.language),
                hint=nearest(self.language, languages()),
            )
        if not 0 < self.accepted_risk <= 1:
            raise ParameterError(
                _("The accepted risk cannot be {accepted_risk!r}.").format(accepted_risk=self.accepted_risk),
                hint=_("Use a fraction above 0, at most 1; 0.2 means classes of 5."),
            )

    @property
    def is_public(self) -> bool:
        """Return whether the report is for the public."""
        return self.audience == PUBLIC


MARKS = {"ok": "\u2713", "warn": "\u25b2", "danger": "\u2717"}  # check, triangle, cross


@dataclass(frozen=True)
class Section:
    """Section of a report."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class ReportContent:
    """Complete report.

    Attributes
    ----------
    title, subtitle : str
    settings : ReportSettings
    date : datetime
    program : str
        Name and version of the program.
    sections : tuple of Section
    """

    title: str
    subtitle: str
    settings: ReportSettings
    date: datetime
    program: str
    sections: tuple[Section, ...]

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
