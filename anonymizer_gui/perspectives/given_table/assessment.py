"""Request for an assessment, and the engine calls that answer it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.monitor import SILENT, Monitor
from engine.table import Role, Table
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.given_table import GivenTable
    from engine.assessment.risk.wildcards import Wildcards
    from engine.assessment.table_assessment import TableAssessment
    from engine.report import ReportedFile, ReportSettings

_IMPORTING = threading.Lock()


@dataclass(frozen=True)
class WildcardChoice:
    """Cells that could be anything, as chosen; the engine's settings are imported only to measure."""

    stars: bool
    missing: bool
    match_weight: float
    count_all_star: bool

    def settings(self) -> Wildcards:
        """Return the settings of the engine."""
        from engine.assessment.risk.wildcards import Wildcards

        values = ("*",) if self.stars else ()
        return Wildcards(values, self.missing, self.match_weight, self.count_all_star)


@dataclass(frozen=True)
class AssessmentRequest:
    """Roles of the columns, and how suppressed records and wildcards are counted."""

    quasi_identifying: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    others_as_qi: bool = False
    leave_out_suppressed: bool = False
    threshold: float = 0.2
    population: int | None = None  # number of people the records were sampled from, if known
    person: str = ""  # column whose values are people; empty if each record is one person
    wildcards: WildcardChoice | None = None
    weight: str = ""  # column of survey weights; empty without
    household: str = ""  # column whose values are households; needs weights

    def given(self, table: Table, monitor: Monitor = SILENT) -> GivenTable:
        """Return the table with the ticked columns."""
        _import_measuring()
        from engine.assessment.given_table import given_table

        return given_table(
            table,
            self.quasi_identifying,
            self.sensitive,
            person=self.person,
            others_as_qi=self.others_as_qi,
            weight=self.weight,
            household=self.household,
            monitor=monitor,
        )


@dataclass(frozen=True)
class Suggestions:
    """Suggested roles with reasons, by column."""

    roles: Mapping[str, Role]
    reasons: Mapping[str, str]


def told_besides(path: Path, sheet: str) -> str:
    """Return what the file holds besides its table, as a sentence; empty if nothing is."""
    from engine.verification.containers import besides, refusal

    return refusal(path.name, besides(path, sheet))


def suggest_columns(table: Table, monitor: Monitor = SILENT) -> Suggestions:
    """Suggest quasi-identifying and sensitive columns, excluding names and record numbers."""
    from engine.qi_detection.suggest import suggest_roles

    monitor.step(0, 1, _("Suggesting roles"))
    found = suggest_roles(table)
    return Suggestions({s.column: s.role for s in found}, {s.column: s.reason for s in found})


def n_suppressed(table: Table, names: tuple[str, ...]) -> int:
    """Return the number of records with only * in some columns."""
    _import_measuring()
    from engine.assessment.given_table import given_table

    return given_table(table, names).n_suppressed if names else 0


def assess_table(
    table: Table, request: AssessmentRequest, original: Table | None, monitor: Monitor = SILENT
) -> TableAssessment:
    """Assess a table, and compare it with its original if there is one.

    Raises
    ------
    AnonymizerError
        The table cannot be assessed. A mismatching original is reported in the result instead.
    """
    whole = request.given(table, monitor)
    from engine.assessment.table_assessment import assess_table as assess_given

    return assess_given(
        whole,
        original,
        leave_out_suppressed=request.leave_out_suppressed,
        threshold=request.threshold,
        population=request.population,
        wildcards=None if request.wildcards is None else request.wildcards.settings(),
        monitor=monitor,
    )


def report_material(
    path: Path, found: TableAssessment, original: tuple[Path, Table] | None, settings: ReportSettings
) -> ReportedFile:
    """Return the input of a report on an assessed table: its file, its columns, and its original."""
    from engine.report import ReportedFile
    from engine.report.material.facts import FileMark

    raw = None if original is None else original[1]
    raw_mark = None if original is None else FileMark.of(original[0])
    wildcards = None if found.wildcards is None else found.wildcards.wildcards
    leaves_out = found.leaves_out_suppressed
    return ReportedFile(found.whole, FileMark.of(path), settings, raw, raw_mark, leaves_out, wildcards)


def _import_measuring() -> None:
    """Import the package under a lock: two threads starting with different modules would deadlock."""
    with _IMPORTING:
        importlib.import_module("engine.assessment")
