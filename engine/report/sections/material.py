"""Subjects of reports, a release or a file anonymized elsewhere, with search, file and verification."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from engine.cached import cached_property
from engine.errors import InputError
from engine.files import open_regular, unreadable
from engine.findings.base import Analysis, TableAnalysis
from engine.findings.blocks import Findings
from engine.findings.disclosure import Disclosure
from engine.findings.given_table import GivenTable
from engine.findings.model_check import CheckReport, check_given, given_unchanged
from engine.findings.risk.attack_test import AttackTest, AttackTestFound
from engine.findings.risk.selection_leak import SelectionLeak, SelectionLeakFound
from engine.findings.risk.wildcard_reading import WildcardReading, WildcardReadingFound
from engine.findings.risk.wildcards import WildcardRisk, Wildcards, wildcards_of_given
from engine.findings.settings import ReportSettings, now_or_fixed
from engine.findings.subject import AnySubject, Subject
from engine.findings.utility.of_table import UtilityReport, measure_utility
from engine.kernels.arrays import Counts
from engine.lattice import Node
from engine.monitor import SILENT, Monitor
from engine.numbers import as_moment
from engine.pipeline import Outcome
from engine.privacy import Group
from engine.privacy.t_closeness import TCloseness
from engine.privacy.values import MeasuredModel
from engine.project import Project
from engine.project.pins_and_runs import Pin
from engine.recoding import Release
from engine.recoding.transformation import KEPT
from engine.recoding.unchanged import UnchangedColumns
from engine.records import Table
from engine.records.disk.parts import MANIFEST
from engine.scoring.nodes.kept import values_of_kept
from engine.verification import Verdict
from engine.words import N_, _


@dataclass(frozen=True)
class SearchFacts:
    """Search that found the node of a release.

    Attributes
    ----------
    guarantee : str
        "optimal", "best_known" or "none".
    bound : float
        Lower bound of the metric over satisfying nodes; -inf if nothing is proven.
    given : tuple of int or None
        Node selected by the user instead of the search.
    notes : tuple of str
        Deviations of the search from its algorithm.
    """

    guarantee: str
    nodes_checked: int
    nodes_total: int
    bound: float = -np.inf
    given: Node | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_outcome(cls, outcome: Outcome, given: Node | None = None) -> Self:
        """Return the facts of a pipeline run; `given` is a node selected by the user."""
        return cls(
            outcome.guarantee,
            outcome.nodes_checked,
            outcome.nodes_total,
            outcome.bound,
            given,
            outcome.notes,
        )


@dataclass(frozen=True)
class FileMark:
    """Identification of a file: its name, its length in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, path: Path | str) -> Self:
        """Return the mark of a file; a text names a table or a folder of a cluster, without a checksum.

        Raises
        ------
        InputError
            The file cannot be read.
        """
        if isinstance(path, str):
            return cls(path, 0, "")
        try:
            with open_regular(path) as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
                return cls(path.name, file.tell(), digest)
        except OSError as error:
            hint = _(
                "A report identifies the file by its SHA-256 checksum; restore the file, or export "
                "the release again."
            )
            raise unreadable(InputError, path, error, hint) from error


@dataclass(frozen=True)
class Verification:
    """Verification of a written release.

    Attributes
    ----------
    file : FileMark
        Verified file.
    is_kept : bool
        Whether the file was exported; otherwise it was written only for verification.
    """

    file: FileMark
    verdict: Verdict
    is_kept: bool = True

    @classmethod
    def of(cls, place: Path | str, verdict: Verdict, *, is_kept: bool = True) -> Self:
        """Return the verification of a written file, or of a folder by its manifest.

        A text names a table of a database, or a folder that a cluster wrote.
        """
        is_folder = isinstance(place, Path) and place.is_dir()
        return cls(FileMark.of(Path(place) / MANIFEST if is_folder else place), verdict, is_kept)


_NO_FIGURE = N_("Some of these values do not exist for such a release.")


class Reported:
    """Subject of a report, with the results of the analyses that were run for it.

    Attributes
    ----------
    subject : Subject or GivenTable
        Tables that analyses read.
    """

    subject: AnySubject
    settings: ReportSettings

    @cached_property
    def _found(self) -> dict[Analysis, Findings]:
        return {}

    @cached_property
    def _reasons(self) -> dict[Analysis, str]:
        return {}

    def found(self, analysis: Analysis, monitor: Monitor = SILENT) -> Findings | None:
        """Return the result of an analysis, run once; None if it cannot be run; see `why_not`."""
        if analysis not in self._found and analysis not in self._reasons:
            subject: Any = self.subject
            assert isinstance(analysis, TableAnalysis) or not isinstance(subject, GivenTable)
            if why := analysis.why_not(subject):
                self._reasons[analysis] = why
            else:
                try:
                    self._found[analysis] = analysis.run(subject, monitor)
                except InputError as error:  # the report gives the reason instead of the values
                    is_public = self.settings.is_public  # an error may quote a value
                    self._reasons[analysis] = _(_NO_FIGURE) if is_public else str(error)
        return self._found.get(analysis)

    def why_not(self, analysis: Analysis) -> str:
        """Return why an analysis has no result; empty if it has one."""
        return self._reasons.get(analysis, "")


@dataclass(frozen=True, eq=False)
class ReportedRelease(Reported):
    """A release with its project, its search and its verification.

    Attributes
    ----------
    search : SearchFacts or None
        None if it was not recorded, as for a release opened from a file.
    verification : Verification or None
        None if the release has not been exported.
    folder : Path
        Folder that the paths in the recipe are relative to.
    pins : tuple of Pin
        Nodes that the user pinned, as alternatives considered.
    """

    subject: Subject
    settings: ReportSettings
    search: SearchFacts | None = None
    verification: Verification | None = None
    folder: Path = Path()
    pins: tuple[Pin, ...] = ()
    sides: ClassVar = ("before", "after")

    @property
    def title(self) -> str:
        """Title of the report."""
        return _("{name}: release report").format(name=self.project.name)

    @property
    def project(self) -> Project:
        """Project that the release was made with."""
        return self.subject.project

    @property
    def release(self) -> Release:
        """Release that the report describes."""
        return self.subject.release

    @property
    def levels(self) -> tuple[tuple[int, int], ...]:
        """Level and highest level of each column of the node; none if levels vary by record."""
        release = self.release
        if release.node is None or release.method or self.disclosure.hides_choice:
            return ()
        heights = (attribute.hierarchy.height for attribute in release.problem.attributes)
        return tuple(zip(release.node, heights, strict=True))

    @property
    def hides_data(self) -> bool:
        """Return whether the readers are the public, and records were drawn at random."""
        return self.settings.is_public and self.release.requirement.sampling is not None

    @cached_property
    def disclosure(self) -> Disclosure:
        """Rules for what the readers may see."""
        release, people, subject = self.release, self.release.problem.people, self.subject
        keeps_classes = len(subject.input_sizes) == len(release.classes.sizes)

        def by(kept: Counts, of_input: Counts) -> Disclosure:
            return Disclosure.of(
                self.settings,
                release.n_records,
                release.n_suppressed,
                kept,
                None if people is None else round(people.size),
                of_input,
                keeps_classes=keeps_classes,
                n_persons=subject.n_people,
            )

        found = replace(by(release.kept_sizes, subject.input_sizes), hides_choice=self._hides_choice)
        if not subject.counts_people:
            return found
        # Classes are also reported in records: both countings must be safe against subtraction.
        return found.stricter(by(release.kept_records, subject.input_records))

    @cached_property
    def selection_leak(self) -> SelectionLeakFound:
        """What the choice of the node gives away; without an accepted gain only measured if it is quick."""
        analysis = next(iter(SelectionLeak.of_report(self.subject).values()), SelectionLeak(sweeps=0))
        found = self.found(analysis)
        if found is None:
            return SelectionLeakFound("", None, None, self.why_not(analysis))
        assert isinstance(found, SelectionLeakFound), "as the analysis returns"
        return found

    @property
    def _hides_choice(self) -> bool:
        has_leak = self.settings.is_public and bool(self.release.requirement.sensitive_part.models)
        return has_leak and not self.selection_leak.is_within(self.selection_leak.accepted)

    def read_with_wildcards(self, monitor: Monitor = SILENT) -> WildcardRisk | None:
        """Return the values of the release with wildcards; None if no column has `*` in only some cells."""
        found = self.found(WildcardReading(threshold=self.settings.accepted_risk), monitor)
        assert found is None or isinstance(found, WildcardReadingFound), "as the analysis returns"
        return None if found is None else found.risk

    def unchanged(self, monitor: Monitor = SILENT) -> UnchangedColumns:
        """Count the records that unchanged columns single out."""
        return self.release.count_unchanged(monitor)

    def attack_test(self, monitor: Monitor = SILENT) -> AttackTestFound | None:
        """Return the attack test for readers who may see the input, run once; None if there is none."""
        if self.project.attack_test is None or self.settings.is_public:
            return None
        found = self.found(AttackTest.of_project(self.project), monitor)
        assert found is None or isinstance(found, AttackTestFound), "as the analysis returns"
        return found

    @property
    def moment(self) -> str:
        """Date of the report in words, on which its analyses are run."""
        return as_moment(self.settings.date or now_or_fixed())

    def models_of(self, side: str) -> tuple[MeasuredModel, ...]:
        """Return model values of one of the `sides`."""
        return self._models_before if side == "before" else self._models_after

    @cached_property
    def _models_before(self) -> tuple[MeasuredModel, ...]:
        classes = self.subject.input_classes
        everything = np.ones(len(classes.sizes), dtype=np.bool_)
        return values_of_kept(classes, everything, self.subject.sensitive, dict(self.release.distances))

    @cached_property
    def _models_after(self) -> tuple[MeasuredModel, ...]:
        """Model values of the kept classes; models of sensitive columns have one per column."""
        release, of_kept = self.release, self.of_kept
        found = values_of_kept(release.classes, release.kept, self.subject.sensitive, dict(release.distances))
        if of_kept is None:
            return found
        known = {(own.key, own.column): own for own in chain(*of_kept.by_attribute.values())}
        return tuple(known.get((own.key, own.column), own) if own.column else own for own in found)

    @property
    def t(self) -> Mapping[str, float | None]:
        """Distance of the furthest class per sensitive column, as the readers may know it."""
        if self.of_kept is None:
            return self.release.t
        t = TCloseness.key
        found = {
            column: next(own.value for own in models if own.key == t)
            for column, models in self.of_kept.by_attribute.items()
        }
        return {column: None if value is None else float(value) for column, value in found.items()}

    @cached_property
    def of_kept(self) -> CheckReport | None:
        """Model values of the kept records, compared with each other; None if readers may know all values.

        Without suppressed records in the file, the distribution of the input less that of the file would be
        theirs, so the public report compares no class with the input.
        """
        release, subject = self.release, self.subject
        if not self.hides_totals or not release.n_classes:
            return None
        others_as_qi = release.problem.others_as_qi
        given = subject.given_release(np.flatnonzero(subject.kept), others_as_qi=others_as_qi)
        return check_given(given, distances=dict(release.distances))

    @property
    def hides_totals(self) -> bool:
        """Return whether readers must not learn all values of the input, as suppressed ones are withheld."""
        return self.settings.is_public and self.release.n_suppressed > 0 and self.release.cells != KEPT


@dataclass(frozen=True, eq=False)
class ReportedFile(Reported):
    """A file anonymized elsewhere, assessed without its project.

    Attributes
    ----------
    mark : FileMark
        Mark of the assessed file.
    raw : Table or None
        The original table, if given.
    leaves_out_suppressed : bool
        Whether suppressed records are excluded from the assessment.
    wildcards : Wildcards or None
        Cells that could be anything, for a second reading of the file.
    """

    given: GivenTable
    mark: FileMark
    settings: ReportSettings
    raw: Table | None = None
    raw_mark: FileMark | None = None
    leaves_out_suppressed: bool = False
    wildcards: Wildcards | None = None
    sides: ClassVar = ("value",)
    hides_data: ClassVar[bool] = False

    @property
    def title(self) -> str:
        """Title of the report."""
        return _("Report on {name}").format(name=self.mark.name)

    @property
    def command(self) -> str:
        """Command that repeats this report, with names of files instead of paths."""
        given, words = self.given, ["anonymizer", "report", self.mark.name]
        words += [word for name in given.quasi_identifying for word in ("--qi", name)]
        words += [word for name in given.sensitive for word in ("--sa", name)]
        words += ["--person", given.person] if given.person else []
        words += ["--weight", given.weight] if given.weight else []
        words += ["--household", given.household] if given.household else []
        words += ["--utility", self.raw_mark.name] if self.raw_mark is not None else []
        words += ["--update-qi"] if given.others_as_qi else []
        words += ["--leave-out-suppressed"] if self.leaves_out_suppressed else []
        words += [] if self.wildcards is None else self.wildcards.options
        return shlex.join(words)

    @cached_property
    def subject(self) -> GivenTable:  # type: ignore[override]  # computed, where a release has a field
        """Assessed records."""
        given = self.given.count()
        return given.without_suppressed() if self.leaves_out_suppressed else given

    @cached_property
    def disclosure(self) -> Disclosure:
        """Rules for what the readers may see."""
        n_stars, sizes = self.given.n_suppressed, self.subject.classes.measured.sizes
        return Disclosure.of(self.settings, self.given.n_records, n_stars, sizes)

    @cached_property
    def models(self) -> CheckReport:
        """Values that the privacy models measure."""
        return check_given(self.subject)

    def unchanged(self, monitor: Monitor = SILENT) -> UnchangedColumns:
        """Count the records that columns single out which are not quasi-identifying."""
        given = self.subject
        known = {*given.quasi_identifying, given.person}
        return given_unchanged(given, [name for name in given.table.names if name not in known], monitor)

    def models_of(self, side: str) -> tuple[MeasuredModel, ...]:
        """Return model values of the file; models of sensitive columns have one per column."""
        by_size = [model for model in self.models.models if model.kind.group is Group.CLASS_SIZES]
        of_columns = chain(*self.models.by_attribute.values())
        return (*by_size, *(model for model in of_columns if model.column))

    def read_with_wildcards(self, monitor: Monitor = SILENT) -> WildcardRisk | None:
        """Return the values of the file with wildcards; None if no cell is one."""
        if self.wildcards is None:
            return None
        return wildcards_of_given(
            self.subject, self.wildcards, threshold=self.settings.accepted_risk, monitor=monitor
        )

    @cached_property
    def utility(self) -> UtilityReport | None:
        """Utility loss against the original table, or None without one."""
        if self.raw is None:
            return None
        return measure_utility(
            self.raw,
            self.given.table,
            self.given.quasi_identifying,
            self.given.sensitive,
            leave_out_suppressed=self.leaves_out_suppressed,
            person=self.given.person,
        )


ReportInput: TypeAlias = ReportedRelease | ReportedFile
