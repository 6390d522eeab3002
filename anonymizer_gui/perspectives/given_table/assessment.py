"""Request for an assessment, and the engine calls that answer it."""

from __future__ import annotations

import importlib
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.findings.risk.declared import all_star_counted
from engine.findings.settings import ACCEPTED_RISK
from engine.monitor import SILENT, Monitor
from engine.params import Choice, ColumnRef, Configurable, Flag, Integer, Real, param
from engine.project.population import MANKIND
from engine.records import Table
from engine.words import N_, _

if TYPE_CHECKING:
    from engine.findings.given_table import GivenTable
    from engine.findings.risk.wildcards import Wildcards
    from engine.findings.table_assessment import TableAssessment
    from engine.qi_detection.suggest import RoleSuggestion
    from engine.report import ReportedFile, ReportSettings

_IMPORTING = threading.Lock()


OTHERS, NUMBERS = "others", "numbers"  # columns without a role, and those of them with numbers
STARS, MISSING, BOTH = "stars", "missing", "both"


@dataclass(frozen=True)
class AssessmentOptions(Configurable):
    """Settings of the counts; the columns that they name have no role."""

    person: str = param(
        "",
        ColumnRef(
            label=N_("One person per"),
            role=OTHERS,
            may_be_empty=True,
            empty_title=N_("record"),
            help=N_(
                "Records with the same value belong to one person; people are counted instead of records"
            ),
        ),
    )
    population: int | None = param(
        None,
        Integer(
            minimum=1,
            maximum=MANKIND,
            label=N_("Population"),
            help=N_("Number of people from whom the records were sampled, to estimate how many are unique"),
        ),
    )
    weight: str = param(
        "",
        ColumnRef(
            label=N_("Survey weight"),
            role=NUMBERS,
            may_be_empty=True,
            help=N_("Number of people of the population whom each record stands for; adds individual risk"),
        ),
    )
    household: str = param(
        "",
        ColumnRef(
            label=N_("Household"),
            role=OTHERS,
            may_be_empty=True,
            help=N_("Adds the risk that any record of a household is matched, by the survey weights"),
        ),
    )
    wildcards: str = param(
        "",
        Choice(
            label=N_("Could be anything"),
            options=(
                ("", N_("no cell")),
                (STARS, N_("stars")),
                (MISSING, N_("missing cells")),
                (BOTH, N_("both")),
            ),
            help=N_("Also read these cells as wildcards; the values are shown next to those as values"),
        ),
    )
    match_weight: float = param(
        1.0,
        Real(
            minimum=0.0,
            maximum=1.0,
            decimals=2,
            label=N_("Weight of such a match"),
            help=N_("What a record counts that matches only because of a wildcard; 1 counts it in full."),
        ),
    )
    leave_out_suppressed: bool = param(False, Flag(label=N_("Exclude suppressed records")))
    others_as_qi: bool = param(
        False,
        Flag(
            label=N_("Other sensitive columns may be known"),
            help=N_("Assume that an attacker who targets one sensitive column knows the others"),
        ),
    )
    count_all_star: bool = all_star_counted()


@dataclass(frozen=True)
class AssessmentRequest:
    """Roles of the columns, the accepted risk, and the options."""

    quasi_identifying: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    threshold: float = ACCEPTED_RISK
    options: AssessmentOptions = AssessmentOptions()

    @property
    def wildcards(self) -> Wildcards | None:
        """Settings of the second reading; None without wildcards."""
        options = self.options
        if not options.wildcards:
            return None
        from engine.findings.risk.wildcards import Wildcards

        values = ("*",) if options.wildcards in (STARS, BOTH) else ()
        is_missing = options.wildcards in (MISSING, BOTH)
        return Wildcards(values, is_missing, options.match_weight, options.count_all_star)

    def given(self, table: Table, monitor: Monitor = SILENT) -> GivenTable:
        """Return the table with the ticked columns."""
        _import_measuring()
        from engine.findings.given_table import given_table

        options = self.options
        return given_table(
            table,
            self.quasi_identifying,
            self.sensitive,
            person=options.person,
            others_as_qi=options.others_as_qi and len(self.sensitive) > 1,
            weight=options.weight,
            household=options.household if options.weight else "",
            monitor=monitor,
        )


def told_besides(path: Path, sheet: str) -> str:
    """Return what the file holds besides its table, as a sentence; empty if nothing is."""
    from engine.verification.containers import besides, refusal

    return refusal(path.name, besides(path, sheet))


def suggest_columns(table: Table, monitor: Monitor = SILENT) -> tuple[RoleSuggestion, ...]:
    """Suggest quasi-identifying and sensitive columns, excluding names and record numbers."""
    from engine.qi_detection.suggest import suggest_roles

    monitor.step(0, 1, _("Suggesting roles"))
    return suggest_roles(table)


def n_suppressed(table: Table, names: tuple[str, ...]) -> int:
    """Return the number of records with only * in some columns."""
    _import_measuring()
    from engine.findings.given_table import given_table

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
    from engine.findings.table_assessment import assess_table as assess_given

    return assess_given(
        whole,
        original,
        leave_out_suppressed=request.options.leave_out_suppressed,
        threshold=request.threshold,
        population=request.options.population,
        wildcards=request.wildcards,
        monitor=monitor,
    )


def report_material(
    path: Path, found: TableAssessment, original: tuple[Path, Table] | None, settings: ReportSettings
) -> ReportedFile:
    """Return the input of a report on an assessed table: its file, its columns, and its original."""
    from engine.report import ReportedFile
    from engine.report.sections.material import FileMark

    raw = None if original is None else original[1]
    raw_mark = None if original is None else FileMark.of(original[0])
    wildcards = None if found.wildcards is None else found.wildcards.wildcards
    leaves_out = found.leaves_out_suppressed
    return ReportedFile(found.whole, FileMark.of(path), settings, raw, raw_mark, leaves_out, wildcards)


def _import_measuring() -> None:
    """Import the package under a lock: two threads starting with different modules would deadlock."""
    with _IMPORTING:
        importlib.import_module("engine.findings.given_table")
