"""What is wished to know of a table, and the engine's answers to it in one call."""

from __future__ import annotations

import importlib
import shlex
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonymizer_gui.widgets.size_histogram import Histogram, histogram_of
from engine.errors import AnonymizerError
from engine.frequency.counted import RECORDS, Noun
from engine.monitor import SILENT, Monitor
from engine.table import Role, Table

if TYPE_CHECKING:
    from engine.assessment.check import CheckReport
    from engine.assessment.given import GivenTable
    from engine.assessment.risk.exposed_classes import ExposedClass
    from engine.assessment.risk.of_table import RiskReport
    from engine.assessment.risk.resistance import AttackReport
    from engine.assessment.utility.of_table import UtilityReport
    from engine.report import FileMaterial, ReportSettings

_STEPS = 4
_IMPORTING = threading.Lock()


@dataclass(frozen=True)
class Wish:
    """Which columns others could know, which are sensitive, and how records of stars count."""

    quasi_identifying: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    others_as_qi: bool = False
    leave_out_suppressed: bool = False
    threshold: float = 0.2
    population: int | None = None  # how many people the records were drawn from, if that is known
    person: str = ""  # the column whose values are people; empty where each record is one


@dataclass(frozen=True, eq=False)
class Judgement:
    """The answers; `utility` is None without an original, or where `misfit` says why it does not fit."""

    wish: Wish
    given: GivenTable
    n_records: int
    check: CheckReport
    attacks: tuple[AttackReport, ...]
    risk: RiskReport
    sizes: Histogram
    exposed: tuple[ExposedClass, ...]
    utility: UtilityReport | None = None
    misfit: AnonymizerError | None = None

    @property
    def counted(self) -> Noun:
        """What sizes and risks count."""
        return self.given.counted

    def as_dict(self) -> dict[str, Any]:
        """The answers as the commands `check`, `risk` and `utility` print them."""
        found: dict[str, Any] = {
            "quasi_identifying": list(self.wish.quasi_identifying),
            "sensitive": list(self.wish.sensitive),
            "leave_out_suppressed": self.wish.leave_out_suppressed,
            "person": self.wish.person,
            "check": self.check.as_dict(),
            "risk": self.risk.as_dict(),
        }
        if self.utility is not None:
            found["utility"] = self.utility.as_dict()
        return found


@dataclass(frozen=True)
class Suggestions:
    """Roles to begin with, and why, by column."""

    roles: Mapping[str, Role]
    reasons: Mapping[str, str]


def suggested(table: Table, monitor: Monitor = SILENT) -> Suggestions:
    """Suggest what others could know and what is sensitive; names and numbers of people are left out."""
    from engine.qi_detection.suggest import suggest_roles

    monitor.step(0, 1, "Suggesting roles")
    found = suggest_roles(table)
    return Suggestions({s.column: s.role for s in found}, {s.column: s.reason for s in found})


def n_suppressed(table: Table, names: tuple[str, ...]) -> int:
    """Records whose cells in some columns are all stars."""
    _import_measuring()
    from engine.assessment.given import GivenTable

    return int(GivenTable(table, names).is_suppressed.sum()) if names else 0


def judge(table: Table, wish: Wish, original: Table | None, monitor: Monitor = SILENT) -> Judgement:
    """Measure a table, and compare it with its original where there is one.

    Raises
    ------
    AnonymizerError
        The table cannot be judged so. An original that does not fit is told in the answer instead.
    """
    _import_measuring()
    from engine.assessment.check import check_given
    from engine.assessment.given import given_table
    from engine.assessment.risk.exposed_classes import exposed_classes
    from engine.assessment.risk.of_table import assess_given
    from engine.assessment.risk.resistance import attacks_resisted
    from engine.assessment.utility.of_table import measure_utility

    monitor.step(0, _STEPS, "Finding records that look alike")
    given = given_table(
        table,
        wish.quasi_identifying,
        wish.sensitive,
        leave_out_suppressed=wish.leave_out_suppressed,
        person=wish.person,
        others_as_qi=wish.others_as_qi,
        monitor=monitor,
    )
    # Of a million classes this is not for the window's own thread.
    classes = given.classes.measured
    words = "" if given.counted is RECORDS else given.counted.many
    histogram = histogram_of(classes.sizes, None, records=classes.records, counted=words)
    monitor.step(1, _STEPS, "Measuring privacy models")
    check = check_given(given, monitor=monitor)
    monitor.step(2, _STEPS, "Measuring risks")
    risk = assess_given(given, threshold=wish.threshold, people=wish.population, monitor=monitor)
    exposed = exposed_classes(given)
    monitor.step(3, _STEPS, "Comparing with the original")
    utility, misfit = None, None
    if original is not None:
        try:
            utility = measure_utility(
                original,
                table,
                wish.quasi_identifying,
                wish.sensitive,
                leave_out_suppressed=wish.leave_out_suppressed,
                person=wish.person,
                monitor=monitor,
            )
        except AnonymizerError as error:
            misfit = error
    attacks = attacks_resisted(check.models)
    return Judgement(wish, given, table.n_records, check, attacks, risk, histogram, exposed, utility, misfit)


def report_material(
    path: Path,
    table: Table,
    wish: Wish,
    original: tuple[Path, Table] | None,
    settings: ReportSettings,
    monitor: Monitor = SILENT,
) -> FileMaterial:
    """What a report says of a table that is judged: its file, its columns, and its original."""
    _import_measuring()
    from engine.assessment.given import given_table
    from engine.report import FileMaterial
    from engine.report.facts import FileMark

    raw = None if original is None else original[1]
    return FileMaterial(
        given_table(
            table,
            wish.quasi_identifying,
            wish.sensitive,
            person=wish.person,
            others_as_qi=wish.others_as_qi,
            monitor=monitor,
        ),
        FileMark.of(path),
        settings,
        _command(path, wish, original),
        raw,
        None if original is None else FileMark.of(original[0]),
        wish.leave_out_suppressed,
    )


def _command(path: Path, wish: Wish, original: tuple[Path, Table] | None) -> str:
    words = ["anonymizer", "report", path.name]
    words += [word for name in wish.quasi_identifying for word in ("--qi", name)]
    words += [word for name in wish.sensitive for word in ("--sa", name)]
    words += ["--person", wish.person] if wish.person else []
    if original is not None:
        words += ["--utility", original[0].name]
    words += ["--leave-out-suppressed"] if wish.leave_out_suppressed else []
    words += ["--update-qi"] if wish.others_as_qi else []
    return shlex.join(words)


def _import_measuring() -> None:
    """Import the package whole, one thread at a time: two that begin at different ends of it deadlock."""
    with _IMPORTING:
        importlib.import_module("engine.assessment")
