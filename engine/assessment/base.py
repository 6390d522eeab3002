"""What an analysis is asked and answers, in tables of figures, and the registries of analyses."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias

from engine.assessment.subject import Subject
from engine.errors import InputError
from engine.monitor import SILENT, Monitor
from engine.params import Configurable
from engine.registry import Registry
from engine.words import N_, Translated

Tone: TypeAlias = Literal["text", "ok", "warn", "danger"]


@dataclass(frozen=True, slots=True)
class Statement:
    """What was found, in the words of the window, the report and the command.

    Attributes
    ----------
    sentence : str
        What is worth knowing first, in one sentence.
    tone : {"text", "ok", "warn", "danger"}
        Whether it is good news.
    caption : str
        A noun phrase that stands beside the title; empty where the title says all.
    """

    sentence: str
    tone: Tone = "text"
    caption: str = ""


class Findings(Protocol):
    """What an analysis found: a frozen dataclass of its own, which can be written as tables."""

    def statement(self) -> Statement:
        """What was found, in words."""

    def tables(self) -> tuple[FigureTable, ...]:
        """The figures, all of them and in full precision."""


@dataclass(frozen=True, slots=True)
class Analysis(Configurable):
    """A question about a release beside its input; what can be chosen about it are its parameters.

    Attributes
    ----------
    title : str
        A short name.
    summary : str
        What it tells, in one sentence for people who do not know the field.
    reading : str
        How its numbers are read: what is usual, and where a limit comes from.
    source : str
        Who described it first; empty for counting.
    is_costly : bool
        Whether it takes longer than a glance at classes, so that it is only done when it is looked at.
    needs_kept : bool
        Whether it looks at kept records, so that it cannot be asked where all are suppressed.
    report_place : int or None
        Where it stands among the sections of an internal report, as a section of its own; None where
        another section tells of it, or none does.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    reading: ClassVar[str] = ""
    source: ClassVar[str] = ""
    is_costly: ClassVar[bool] = False
    needs_kept: ClassVar[bool] = False
    report_place: ClassVar[int | None] = None

    def why_not(self, subject: Subject) -> str:
        """Why it cannot be asked of a release, in words with what to do; empty where it can.

        It may look at records, which takes a moment where these are many.
        """
        return subject.why_empty if self.needs_kept else ""

    def refuse_impossible(self, subject: Subject) -> None:
        """Raise an `InputError` with what `why_not` says, if it says something."""
        if reason := self.why_not(subject):
            raise InputError(reason)

    @abstractmethod
    def run(self, subject: Subject, monitor: Monitor = SILENT) -> Findings:
        """Answer it.

        Raises
        ------
        InputError
            Where `why_not` says something, or a column that it names is not there.
        CancelledError
            Where the monitor says so, within half a second.
        """


utility_analyses: Registry[Analysis] = Registry("engine.assessment.utility", N_("utility analysis"))
risk_analyses: Registry[Analysis] = Registry("engine.assessment.risk", N_("risk analysis"))


def analysis_of(key: str, **parameters: Any) -> Analysis:
    """An analysis of utility or risk by its key."""
    registry = utility_analyses if key in utility_analyses else risk_analyses
    return registry.create(key, **parameters)


def all_analyses() -> Iterator[type[Analysis]]:
    """The analyses of utility, then those of risk."""
    yield from utility_analyses.values()
    yield from risk_analyses.values()


Figure: TypeAlias = str | int | float | None


@dataclass(frozen=True)
class FigureColumn:
    """What stands in a column of figures.

    Attributes
    ----------
    key : str
        The name that files and programs know it by; it never changes.
    title : str
        The name that people read.
    unit : str
        Such as "records" or "percentage points"; empty for a text or a pure number.
    explanation : str
        What a number in it means, in one plain sentence.
    is_share : bool
        Whether its numbers are fractions, which people read as percentages.
    """

    key: str
    title: str = Translated(None)  # type: ignore[assignment]
    unit: str = Translated()  # type: ignore[assignment]
    explanation: str = Translated()  # type: ignore[assignment]
    is_share: bool = False


@dataclass(frozen=True)
class FigureTable:
    """Rows of figures.

    Attributes
    ----------
    key, title : str
    columns : tuple of FigureColumn
    rows : sequence of tuple
        One figure per column; None where a figure does not exist, infinity where it has no bound.
    is_by_record : bool
        Whether rows tell of single records or classes of them, so that only those who hold the input may
        read them.
    """

    key: str
    title: str
    columns: tuple[FigureColumn, ...]
    rows: Sequence[tuple[Figure, ...]]
    is_by_record: bool = False
