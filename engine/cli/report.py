"""`anonymizer report`: the document that goes with a release, or on a file that somebody else made."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.advice.persons import person_notes
from engine.assessment import Subject
from engine.assessment.given import GivenTable, given_table
from engine.assessment.utility.of_table import check_pair
from engine.cli.anonymize import KINDS, node_of
from engine.cli.columns import LeaveOutOption, PersonOption, check_columns, check_person, tell_of_persons
from engine.cli.console import QuietOption, progress
from engine.cli.data import table_of
from engine.cli.report_options import (
    AcceptedRiskOption,
    AudienceOption,
    AuthorOption,
    PurposeOption,
    RecipientOption,
    SmallCountOption,
    settings_of,
)
from engine.cli.settings import typed_options, with_settings
from engine.cli.targets import check_target, files_of
from engine.compat.pycanon.report import pycanon_report, written
from engine.errors import InputError, VerificationError
from engine.files import atomic_write
from engine.monitor import Monitor
from engine.pipeline import anonymize as run_chain
from engine.pipeline import export_release, judge_file, refuse_ending
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.recipe.files import read_recipe
from engine.recoding import Release
from engine.report import (
    FileMaterial,
    ReleaseMaterial,
    ReportContent,
    ReportSettings,
    SearchFacts,
    Verification,
    refuse_report_ending,
    report_of_file,
    report_of_release,
    write_report,
)
from engine.report.facts import FileMark
from engine.scratch import scratch_folder
from engine.table import Table
from engine.table.options import CSV, JUDGED, ExportOptions, ReadOptions

_RECIPE = ".toml"


class Compat(StrEnum):
    """Programs whose report can be had instead."""

    PYCANON = "pycanon"


@with_settings
def report(
    source: Annotated[
        Path, typer.Argument(metavar="RECIPE|DATA", help="A recipe (.toml), or a table with --qi.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Where to write the report: .pdf, .html or .json.")],
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi", metavar="COLUMN", help="Of a table: a column an outsider could know. Repeat it."
        ),
    ] = None,
    sa: Annotated[
        list[str] | None,
        typer.Option("--sa", metavar="COLUMN", help="Of a table: a sensitive column. May be repeated."),
    ] = None,
    audience: AudienceOption = None,
    purpose: PurposeOption = None,
    recipient: RecipientOption = None,
    author: AuthorOption = None,
    small_count: SmallCountOption = None,
    accepted_risk: AcceptedRiskOption = None,
    node: Annotated[
        str | None,
        typer.Option(
            "--node", metavar="1,0,2", help="Of a recipe: report on this node instead of the optimum."
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            "--release",
            help="Of a recipe: its release as it was written before, which is judged for the record. "
            "Without, one is written for that alone.",
        ),
    ] = None,
    utility: Annotated[
        Path | None,
        typer.Option("--utility", metavar="RAW", help="Of a table: its original, to tell what was lost."),
    ] = None,
    person: PersonOption = None,
    update_qi: Annotated[
        bool,
        typer.Option(
            "--update-qi",
            help="Of a table: of several --sa the others may be known when one is looked at.",
        ),
    ] = False,
    leave_out_suppressed: LeaveOutOption = False,
    compat: Annotated[
        Compat | None,
        typer.Option("--compat", help="Of a table: write another program's report, its slips included."),
    ] = None,
    reading: ReadOptions = JUDGED,
    quiet: QuietOption = False,
) -> None:
    """Write a report of a recipe's release, or of a table that somebody else anonymized.

    For example: anonymizer report recipe.toml --out report.pdf; anonymizer report released.csv --qi age
    --sa illness --out report.html. The same input gives the same bytes where SOURCE_DATE_EPOCH is set,
    which then is the date of the report. Exit code 1 where the requirement cannot be met.

    A report for the public still holds what is typed here, the names of the columns and of the recipe or
    table, and the length and SHA-256 of the written file, by which a guess of that file can be confirmed.
    """
    refuse_report_ending(out)
    settings = settings_of(audience, purpose, recipient, author, small_count, accepted_risk)
    of_table = {
        "--qi": qi,
        "--sa": sa,
        "--utility": utility,
        "--person": person,
        "--update-qi": update_qi,
        "--leave-out-suppressed": leave_out_suppressed,
        "--compat": compat,
        **typed_options(reading),
    }
    with progress(quiet) as monitor:
        if source.suffix.lower() == _RECIPE and not qi:
            _refuse("a recipe", of_table)
            content = _of_recipe(source, out, node, release, settings, monitor)
            write_report(content, out, monitor)
        else:
            _refuse("a table", {"--node": node, "--release": release})
            form = _Form(source, tuple(qi or ()), tuple(sa or ()), person, update_qi, utility, reading)
            form.refuse(out)
            given, raw = form.tables(monitor)
            if compat is None:
                material = FileMaterial(
                    given, FileMark.of(source), settings, raw, form.original_mark, leave_out_suppressed
                )
                write_report(report_of_file(material, monitor), out, monitor)
            else:
                if person is not None:
                    raise InputError(
                        f"--person is not for --compat {compat}.", hint="Leave one of the two away."
                    )
                given = given.without_suppressed() if leave_out_suppressed else given
                _write_compat(given, raw, out, settings)
            tell_of_persons(given)
    if not quiet:
        sys.stdout.write(f"Written: {out}\n")


def _refuse(what: str, options: dict[str, Any]) -> None:
    """Refuse options of the other form."""
    given = next((name for name, value in options.items() if value not in (None, False)), None)
    if given is not None:
        raise InputError(
            f"{given} is not for the report of {what}.",
            hint="A recipe says itself what its columns mean; a table needs --qi and has no nodes.",
        )


def _of_recipe(
    recipe: Path,
    out: Path,
    node: str | None,
    release: Path | None,
    settings: ReportSettings,
    monitor: Monitor,
) -> ReportContent:
    project = read_recipe(recipe, monitor, may_connect=True)
    refuse_undecided(project, recipe.name)
    check_target(out, [*files_of(project, recipe), *([release] if release else [])])
    chosen = None if node is None else node_of(node, compile_problem(project))
    outcome = run_chain(project, chosen, monitor)
    verification = _verified(project, outcome.release, release, monitor)
    for note in person_notes(project, outcome.release.levels):
        sys.stderr.write(f"Note: {note}\n")
    material = ReleaseMaterial(
        Subject(project, outcome.release),
        settings,
        SearchFacts.of_outcome(outcome, chosen),
        verification,
        recipe.parent,
    )
    return report_of_release(material, monitor)


def _verified(project: Project, release: Release, path: Path | None, monitor: Monitor) -> Verification:
    """Judge the file that was written, or one that is written for it alone."""
    if path is None:
        with scratch_folder("reporting") as folder:
            own = folder / "release.csv"
            return Verification.of(own, export_release(project, release, own, monitor), is_kept=False)
    if not path.is_file():
        raise InputError(f"There is no file '{path}'.", hint="Name the release as it was written before.")
    options = ExportOptions(KINDS.get(path.suffix.lower(), CSV))
    refuse_ending(path, options.kind)
    verdict = judge_file(project, release, path, monitor, options)
    if not verdict.ok:
        raise VerificationError(
            f"'{path.name}' is not the release of this recipe: {' '.join(verdict.problems)}",
            hint="Write it again by 'anonymizer anonymize', or name the recipe that it was made with.",
        )
    return Verification.of(path, verdict)


@dataclass(frozen=True)
class _Form:
    """What the second form of the command is given."""

    data: Path
    qi: tuple[str, ...]
    sa: tuple[str, ...]
    person: str | None
    others_as_qi: bool
    original: Path | None
    reading: ReadOptions

    def refuse(self, out: Path) -> None:
        """Refuse a table without columns to judge by, and a report in the place of what is read."""
        if not self.qi:
            raise InputError(
                f"'{self.data.name}' is no recipe, and no column is named to judge it by.",
                hint="Name the columns an outsider could know by --qi, or give a recipe (.toml).",
            )
        check_target(out, [self.data, *([self.original] if self.original else [])])

    @property
    def original_mark(self) -> FileMark | None:
        """By what the original is known again."""
        return None if self.original is None else FileMark.of(self.original)

    def tables(self, monitor: Monitor) -> tuple[GivenTable, Table | None]:
        """The table that is judged, and its original."""
        named = (*self.qi, *self.sa, *([self.person] if self.person else []))
        table = table_of(self.data, self.reading, monitor, named)
        given = given_table(
            table,
            check_columns(table, "--qi", self.qi),
            check_columns(table, "--sa", self.sa),
            person=check_person(table, self.person),
            others_as_qi=self.others_as_qi,
        )
        if self.original is None:
            return given, None
        raw = table_of(self.original, JUDGED, monitor, (*self.qi, *self.sa))
        check_pair(raw, given)
        # What the report says of the columns is said of all, not only of those that are judged.
        return given, raw


def _write_compat(given: GivenTable, raw: Table | None, out: Path, settings: ReportSettings) -> None:
    """Write pyCANON's report; as JSON with the keys of the library, else in our layout."""
    if settings.is_public:
        raise InputError(
            "pyCANON's report has no form for the public.", hint="Leave --compat or --audience public away."
        )
    values = pycanon_report(given, raw)
    if out.suffix.lower() == ".json":
        with atomic_write(out) as file:
            file.write(values.as_json())
    else:
        write_report(written(values, settings), out)
    for note in values.notes:
        sys.stderr.write(f"Note: {note}\n")
