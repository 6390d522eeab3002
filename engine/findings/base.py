"""Analyses and their results in tables of values, and the registries of analyses."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from engine.errors import InputError
from engine.findings.blocks import Findings
from engine.monitor import SILENT, Monitor
from engine.numbers import as_exact_count
from engine.params import Configurable
from engine.registry import Registry
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.findings.subject import AnySubject, Subject
    from engine.project import Project


@dataclass(frozen=True, slots=True)
class Analysis(Configurable):
    """Analysis of a release compared with its input; its options are parameters.

    Attributes
    ----------
    title : str
        Short name.
    summary : str
        Purpose in one sentence, for readers who do not know the field.
    reading : str
        How to read its numbers: usual values and the source of a limit.
    source : str
        First publication; empty for plain counts.
    is_costly : bool
        Whether it is slow, so that it is computed only when it is shown.
    needs_records : bool
        Whether it reads single records, so that it is not possible for a table that is only counted, nor for
        one in files with more records than are read into memory, nor for one in a server or cluster.
    samples_records : bool
        Whether it then reads a random sample, and says so, or all records if they are few enough.
    combines_columns : bool
        Whether it combines any columns, so that those of a table in files are left out, and named, that are
        not counted together with the others.
    needs_kept : bool
        Whether it needs kept records, so that it is not possible if all are suppressed.
    keeps_levels : bool
        Whether it says how well a node holds for other tables, so that its levels may be kept.
    report_place : int or None
        Position of its section in a report; None if it has no section.
    public_words : str
        What a public report says instead of the findings; empty if it has no section there.
    """

    title: ClassVar[str]
    summary: ClassVar[str]
    reading: ClassVar[str] = ""
    source: ClassVar[str] = ""
    is_costly: ClassVar[bool] = False
    needs_records: ClassVar[bool] = False
    samples_records: ClassVar[bool] = False
    combines_columns: ClassVar[bool] = False
    needs_kept: ClassVar[bool] = False
    keeps_levels: ClassVar[bool] = False
    report_place: ClassVar[int | None] = None
    public_words: ClassVar[str] = ""

    @classmethod
    def of_project(cls, project: Project) -> Self:
        """Return the analysis with the settings of a project, or with its defaults."""
        return cls()

    @classmethod
    def of_report(cls, subject: Subject) -> Mapping[str, Self]:
        """Return the analyses whose findings are the section of a report, by column if each is of one.

        There are none if the settings of the release do not ask for them.
        """
        return {"": cls()}

    def why_not(self, subject: Subject) -> str:
        """Return why the analysis is not possible for a release, with a remedy; empty if it is possible.

        This may read all records.
        """
        return self.why_not_counted(subject) or (subject.why_empty if self.needs_kept else "")

    def why_not_counted(self, subject: Subject) -> str:
        """Return that the analysis needs records, if those of the release are only counted or do not fit."""
        if not self.needs_records or subject.input.counts is None:
            return ""
        if subject.is_here:
            return _(
                "This needs single records, and those of this table are only counted. Release a subset of it."
            )
        if subject.tuples is None and not self.samples_records:
            assert subject.project.remote is not None, "records that are not here are in files or there"
            return _(
                "{title} needs single records, and those of this table stay in '{name}'. Open a file that "
                "has some of them."
            ).format(title=self.title, name=subject.project.remote.name)
        if self.samples_records or subject.project.table.holds(subject.n_records):
            return ""
        return _("{title} needs the records in memory; {n} do not fit. Release a [subset].").format(
            title=self.title, n=as_exact_count(subject.n_records)
        )

    def why_not_at_once(self, subject: Subject) -> str:
        """Return what of `why_not` is known without reading records that are not in memory."""
        is_read = self.needs_records and not subject.is_here
        return self.why_not_counted(subject) if is_read else self.why_not(subject)

    def refuse_impossible(self, subject: Subject) -> None:
        """Raise an `InputError` with the reason of `why_not`, if there is one."""
        if reason := self.why_not(subject):
            raise InputError(reason)

    @abstractmethod
    def run(self, subject: Subject, monitor: Monitor = SILENT) -> Findings:
        """Compute the result.

        Raises
        ------
        InputError
            If `why_not` has a reason, or a named column does not exist.
        CancelledError
            If the monitor cancels; within half a second.
        """


class TableAnalysis(Analysis):
    """Analysis of a release or of a given table, a subject without a table before."""

    __slots__ = ()

    @abstractmethod
    def why_not(self, subject: AnySubject) -> str:
        """Return why the analysis is not possible for a release or a given table; empty if it is possible."""

    @abstractmethod
    def run(self, subject: AnySubject, monitor: Monitor = SILENT) -> Findings:
        """Compute the result; see `Analysis.run`."""


utility_analyses: Registry[Analysis] = Registry("engine.findings.utility", N_("utility analysis"))
risk_analyses: Registry[Analysis] = Registry("engine.findings.risk", N_("risk analysis"))


def analysis_of(key: str, **parameters: Any) -> Analysis:
    """Return an analysis of utility or risk by its key."""
    registry = utility_analyses if key in utility_analyses else risk_analyses
    return registry.create(key, **parameters)


def all_analyses() -> Iterator[type[Analysis]]:
    """Return the analyses of utility, then those of risk."""
    yield from utility_analyses.values()
    yield from risk_analyses.values()
