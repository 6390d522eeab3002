"""What is wished to know of a table, and the engine's answers to it in one call."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from anonymizer_gui.widgets.size_histogram import Histogram, histogram_of
from engine.frequency.counted import RECORDS
from engine.monitor import SILENT, Monitor
from engine.table import Role, Table
from engine.words import _

if TYPE_CHECKING:
    from engine.assessment.given_table import GivenTable
    from engine.assessment.judgement import Judgement
    from engine.report import ReportedFile, ReportSettings

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
    person: str = ""  # the column whose values are people; empty if each record is one

    def given(self, table: Table, monitor: Monitor = SILENT) -> GivenTable:
        """Return the table with the columns that are ticked."""
        _import_measuring()
        from engine.assessment.given_table import given_table

        return given_table(
            table,
            self.quasi_identifying,
            self.sensitive,
            person=self.person,
            others_as_qi=self.others_as_qi,
            monitor=monitor,
        )


@dataclass(frozen=True)
class Suggestions:
    """Roles to begin with, and why, by column."""

    roles: Mapping[str, Role]
    reasons: Mapping[str, str]


def suggested(table: Table, monitor: Monitor = SILENT) -> Suggestions:
    """Suggest what others could know and what is sensitive; names and numbers of people are left out."""
    from engine.qi_detection.suggest import suggest_roles

    monitor.step(0, 1, _("Suggesting roles"))
    found = suggest_roles(table)
    return Suggestions({s.column: s.role for s in found}, {s.column: s.reason for s in found})


def n_suppressed(table: Table, names: tuple[str, ...]) -> int:
    """Records whose cells in some columns are all stars."""
    _import_measuring()
    from engine.assessment.given_table import GivenTable

    return int(GivenTable(table, names).is_suppressed.sum()) if names else 0


def judge(
    table: Table, wish: Wish, original: Table | None, monitor: Monitor = SILENT
) -> tuple[Judgement, Histogram]:
    """Measure a table, and compare it with its original if there is one.

    Raises
    ------
    AnonymizerError
        The table cannot be judged so. An original that does not fit is told in the answer instead.
    """
    whole = wish.given(table, monitor)
    from engine.assessment.judgement import judge as judge_given

    found = judge_given(
        whole,
        original,
        leave_out_suppressed=wish.leave_out_suppressed,
        threshold=wish.threshold,
        population=wish.population,
        monitor=monitor,
    )
    # Of a million classes this is not for the window's own thread.
    classes, counted = found.given.classes.measured, found.given.counted
    words = "" if counted is RECORDS else counted.many
    return found, histogram_of(classes.sizes, None, records=classes.records, counted=words)


def report_material(
    path: Path, found: Judgement, original: tuple[Path, Table] | None, settings: ReportSettings
) -> ReportedFile:
    """What a report says of a table that is judged: its file, its columns, and its original."""
    from engine.report import ReportedFile
    from engine.report.facts import FileMark

    raw = None if original is None else original[1]
    raw_mark = None if original is None else FileMark.of(original[0])
    return ReportedFile(found.whole, FileMark.of(path), settings, raw, raw_mark, found.leaves_out_suppressed)


def _import_measuring() -> None:
    """Import the package whole, one thread at a time: two that begin at different ends of it deadlock."""
    with _IMPORTING:
        importlib.import_module("engine.assessment")
