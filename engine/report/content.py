"""What a report consists of: sections of paragraphs, facts, tables and charts, before any format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from engine.assessment import FigureTable
from engine.assessment.base import Figure
from engine.errors import ParameterError, nearest
from engine.numbers import as_moment
from engine.words import N_, _

INTERNAL, PUBLIC = "internal", "public"
AUDIENCES = {
    INTERNAL: N_("Internal: complete, only for readers who may see the input"),
    PUBLIC: N_("Public: nothing that helps an attacker"),
}
SMALL_COUNT = 5  # fewer people than these are not told to the public
ACCEPTED_RISK = 0.2  # classes of five


def now_or_fixed() -> datetime:
    """The date of whatever is written: SOURCE_DATE_EPOCH where it is set, else now; UTC."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit():
        try:
            return datetime.fromtimestamp(int(given), UTC)
        except (ValueError, OSError, OverflowError):
            pass
    return datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class ReportSettings:
    """What whoever writes a report decides.

    Attributes
    ----------
    purpose, recipient, author : str
        Why the table is released, who receives it, and who answers for the report.
    audience : str
        "internal" or "public".
    threshold : int
        Counts of fewer people than these are withheld from the public, at least 2.
    accepted_risk : float
        Records above this risk of being found are at risk.
    date : datetime, optional
        By default that of `now_or_fixed`.

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
        if not 0 < self.accepted_risk <= 1:
            raise ParameterError(
                _("The accepted risk cannot be {accepted_risk!r}.").format(accepted_risk=self.accepted_risk),
                hint=_("Use a fraction above 0, at most 1; 0.2 means classes of 5."),
            )

    @property
    def is_public(self) -> bool:
        """Return whether everybody may read the report."""
        return self.audience == PUBLIC


@dataclass(frozen=True)
class Paragraph:
    """Sentences; `tone` is "plain", "note" for remarks on how to read what stands around, or "strong"."""

    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Fact:
    """One figure or text with its name; fields as those of `FigureColumn`."""

    key: str
    title: str
    value: Figure
    unit: str = ""
    explanation: str = ""
    is_share: bool = False


@dataclass(frozen=True)
class Facts:
    """A list of facts that belong together."""

    key: str
    title: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True)
class Series:
    """The values of a chart that are drawn alike: of the "input", the "release", or "other" ones."""

    title: str
    values: tuple[float, ...]
    side: str = "release"


@dataclass(frozen=True)
class Chart:
    """A picture as data.

    Attributes
    ----------
    key, title : str
    kind : str
        "bars": one group of upright bars per label; "rows": one group of lying bars per label; "steps":
        a line that keeps its value until the next position.
    x_title, y_title : str
        What stands on the axes, with the unit; lying bars have their labels on the y axis.
    labels : tuple of str
        Of bars and rows; of steps empty.
    positions : tuple of float
        Of steps, growing; of bars and rows empty.
    series : tuple of Series
    is_share : bool
        Whether the values are fractions.
    reading : str
        How it is read, in one sentence.
    """

    key: str
    title: str
    kind: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    labels: tuple[str, ...] = ()
    positions: tuple[float, ...] = ()
    is_share: bool = False
    reading: str = ""


@dataclass(frozen=True)
class Source:
    """A text that is shown as it stands, such as a recipe."""

    key: str
    title: str
    text: str


@dataclass(frozen=True)
class Signatures:
    """Lines to sign on, one for each of these people."""

    people: tuple[str, ...]


Block: TypeAlias = Paragraph | Facts | FigureTable | Chart | Source | Signatures


@dataclass(frozen=True)
class Section:
    """A part of a report."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class ReportContent:
    """A whole report.

    Attributes
    ----------
    title, subtitle : str
    settings : ReportSettings
    date : datetime
    program : str
        Name and version of what made it.
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
        """The date as people read it."""
        return f"{as_moment(self.date.astimezone(UTC))} UTC"

    def blocks(self) -> Iterator[Block]:
        """All blocks in their order."""
        for section in self.sections:
            yield from section.blocks
