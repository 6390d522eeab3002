"""`anonymizer report`: the document for a release, or about a file anonymized elsewhere."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.advice.notes import release_notes
from engine.cli.anonymize import node_of
from engine.cli.check import Compat
from engine.cli.columns import (
    CountAllStarOption,
    HouseholdOption,
    LeaveOutOption,
    MatchWeightOption,
    PersonOption,
    WeightOption,
    WildcardMissingOption,
    WildcardOption,
    check_columns,
    check_wildcards,
    place_of,
    refuse_with_compat,
    refuse_without_weight,
    table_of,
    tell_of_persons,
)
from engine.cli.console import QuietOption, file_named, progress
from engine.cli.questionnaire import tell_of_weaker
from engine.cli.sampling_key import SamplingKeyOption, with_sampling_key
from engine.cli.settings import Typed, typed_options, with_settings
from engine.cli.targets import ABOUT_REPORT, check_target, files_of, refuse_translated_json
from engine.compat import other_program
from engine.errors import InputError, VerificationError
from engine.files import atomic_write
from engine.findings.given_table import GivenTable, given_table
from engine.findings.selection_gate import anonymize as run_chain
from engine.findings.subject import Subject
from engine.findings.utility.of_table import check_pair
from engine.monitor import Monitor
from engine.pipeline import export_release, judge_file, refuse_ending
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.recipe.files import read_recipe
from engine.recoding import Release
from engine.records import Table
from engine.records.options import JUDGED, Placing, ReadOptions
from engine.report import (
    ReportContent,
    ReportedFile,
    ReportedRelease,
    ReportSettings,
    SearchFacts,
    Verification,
    refuse_report_ending,
    report_of,
    write_report,
)
from engine.report.sections.material import FileMark
from engine.scratch import scratch_folder

_RECIPE = ".toml"


@with_settings
def report(
    recipe_or_table: Annotated[
        str, typer.Argument(metavar="RECIPE|DATA", help="A recipe (.toml), or a table with --qi.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Where to write the report: .pdf, .html or .json.")],
    qi: Annotated[
        list[str] | None,
        typer.Option(
            "--qi", metavar="COLUMN", help="For a table: quasi-identifying column (may be repeated)."
        ),
    ] = None,
    sa: Annotated[
        list[str] | None,
        typer.Option("--sa", metavar="COLUMN", help="For a table: sensitive column (may be repeated)."),
    ] = None,
    about: Typed[ReportSettings] = ABOUT_REPORT,
    node: Annotated[
        str | None,
        typer.Option(
            "--node", metavar="1,0,2", help="For a recipe: report on this node instead of the optimum."
        ),
    ] = None,
    release: Annotated[
        Path | None,
        typer.Option(
            "--release",
            help="For a recipe: file of its release, to be verified for the record. Without it, a "
            "temporary file is written and verified.",
        ),
    ] = None,
    utility: Annotated[
        str | None,
        typer.Option(
            "--utility", metavar="RAW", help="For a table: its original table, to measure the utility loss."
        ),
    ] = None,
    person: PersonOption = None,
    weight: WeightOption = None,
    household: HouseholdOption = None,
    sampling_key: SamplingKeyOption = None,
    update_qi: Annotated[
        bool,
        typer.Option(
            "--update-qi",
            help="For a table: with several --sa columns, treat the others as known when one is measured.",
        ),
    ] = False,
    leave_out_suppressed: LeaveOutOption = False,
    wildcard: WildcardOption = None,
    wildcard_missing: WildcardMissingOption = False,
    match_weight: MatchWeightOption = None,
    count_all_star: CountAllStarOption = False,
    compat: Annotated[
        Compat | None,
        typer.Option(
            "--compat", help="For a table: reproduce another program's report, including its known bugs."
        ),
    ] = None,
    reading: ReadOptions = JUDGED,
    quiet: QuietOption = False,
) -> None:
    """Write a report of a recipe's release, or of a table anonymized elsewhere.

    For example: anonymizer report recipe.toml --out report.pdf; anonymizer report released.csv --qi age
    --sa illness --out report.html. The same input gives the same bytes if SOURCE_DATE_EPOCH is set, which is
    then the date of the report. Exit code 1 if the requirement cannot be met.

    A public report still contains the options given here, the names of the columns and of the recipe or
    table, and the length and SHA-256 of the written file, by which a guess of that file can be confirmed.
    """
    refuse_report_ending(out)
    settings = about.over(ReportSettings())
    refuse_translated_json(out, settings)
    of_table = {
        "--qi": qi,
        "--sa": sa,
        "--utility": utility,
        "--person": person,
        "--weight": weight,
        "--household": household,
        "--update-qi": update_qi,
        "--leave-out-suppressed": leave_out_suppressed,
        "--wildcard": wildcard,
        "--wildcard-missing": wildcard_missing,
        "--match-weight": match_weight,
        "--count-all-star": count_all_star,
        "--compat": compat,
    }
    options = typed_options(reading)
    placing = {name: options.pop(f"--{name}") for name in ("source", "memory", "scratch")}
    wildcards = check_wildcards(
        wildcard, match_weight, missing=wildcard_missing, count_all_star=count_all_star
    )
    with progress(quiet) as monitor:
        if recipe_or_table.lower().endswith(_RECIPE) and not qi:
            _refuse("a recipe", of_table | options)
            asked = Placing(**{name: value or "" for name, value in placing.items()})
            content = _of_recipe(
                file_named(recipe_or_table), out, node, release, sampling_key, settings, asked, monitor
            )
            write_report(content, out, monitor)
        else:
            form = settings.form if settings.is_statement else None
            of_recipe = {"--node": node, "--release": release, "--sampling-key": sampling_key}
            _refuse("a table", {**of_recipe, "--form": form})
            if not qi:
                raise InputError(
                    f"'{Path(recipe_or_table).name}' is not a recipe, and a table needs --qi.",
                    hint="Give the quasi-identifying columns with --qi, or a recipe (.toml).",
                )
            refuse_without_weight(weight, household)
            check_target(out, [recipe_or_table, *([utility] if utility else [])])
            named = (name for name in (person, weight, household) if name is not None)
            table = table_of(recipe_or_table, reading, monitor, (*qi, *(sa or []), *named))
            given = given_table(
                table,
                check_columns(table, "--qi", qi),
                check_columns(table, "--sa", sa or []),
                others_as_qi=update_qi,
                person=person or "",
                weight=weight or "",
                household=household or "",
            )
            raw = None if utility is None else _original(utility, given, reading, monitor)
            if compat is None:
                material = ReportedFile(
                    given,
                    FileMark.of(place_of(recipe_or_table)),
                    settings,
                    raw,
                    None if utility is None else FileMark.of(place_of(utility)),
                    leave_out_suppressed,
                    wildcards,
                )
                write_report(report_of(material, monitor), out, monitor)
            else:
                refuse_with_compat(
                    compat, {"--person": person, "--weight": weight, "--wildcard": wildcards is not None}
                )
                given = given.without_suppressed() if leave_out_suppressed else given
                _write_compat(compat, given, raw, out, settings)
            tell_of_persons(given)
    if not quiet:
        sys.stdout.write(f"Written: {out}\n")


def _refuse(what: str, options: dict[str, Any]) -> None:
    """Refuse options of the other form."""
    given = next((name for name, value in options.items() if value not in (None, False)), None)
    if given is not None:
        raise InputError(
            f"{given} cannot be used for the report of {what}.",
            hint="With a recipe, omit the column options. With a table, give --qi and omit --node.",
        )


def _of_recipe(
    recipe: Path,
    out: Path,
    node: str | None,
    release: Path | None,
    sampling_key: Path | None,
    settings: ReportSettings,
    placing: Placing,
    monitor: Monitor,
) -> ReportContent:
    read = read_recipe(recipe, monitor, may_connect=True, placing=placing)
    project = with_sampling_key(read, sampling_key, creates=release is None)
    refuse_undecided(project, recipe.name)
    check_target(out, [*files_of(project, recipe), *([release] if release else [])])
    chosen = None if node is None else node_of(node, compile_problem(project))
    outcome = run_chain(project, chosen, monitor)
    verification = _verified(project, outcome.release, release, monitor)
    tell_of_weaker(project)
    for note in release_notes(project, outcome.release):
        sys.stderr.write(f"Note: {note}\n")
    material = ReportedRelease(
        Subject(project, outcome.release),
        settings,
        SearchFacts.of_outcome(outcome, chosen),
        verification,
        recipe.parent,
    )
    return report_of(material, monitor)


def _verified(project: Project, release: Release, path: Path | None, monitor: Monitor) -> Verification:
    """Verify the written file, or a temporary one written for the report."""
    if path is None:
        with scratch_folder("reporting", project.options.scratch) as folder:
            own = folder / "release.csv"
            return Verification.of(own, export_release(project, release, own, monitor), is_kept=False)
    if not os.path.exists(path):
        raise InputError(f"The file '{path}' does not exist.", hint="Give the file of an existing release.")
    refuse_ending(path, project.export_to(path).kind, in_parts=path.is_dir())
    verdict = judge_file(project, release, path, monitor)
    if not verdict.ok:
        raise VerificationError(
            f"'{path.name}' is not the release of this recipe: {' '.join(verdict.problems)}",
            hint="Write it again with 'anonymizer anonymize', or give the recipe it was made with."
            if project.requirement.sampling is None
            else "Give the --sampling-key that it was made with, or write it again with one.",
        )
    return Verification.of(path, verdict)


def _original(path: str, given: GivenTable, reading: ReadOptions, monitor: Monitor) -> Table:
    """Read the original of a given table."""
    as_given = replace(JUDGED, value_labels=reading.value_labels)
    raw = table_of(path, as_given, monitor, (*given.quasi_identifying, *given.sensitive))
    check_pair(raw, given)
    return raw


def _write_compat(
    compat: Compat, given: GivenTable, raw: Table | None, out: Path, settings: ReportSettings
) -> None:
    """Write another program's report; as JSON with its keys, else in the layout of this program."""
    if settings.is_public:
        raise InputError("pyCANON's report has no public form.", hint="Omit --compat or --audience public.")
    values = other_program(compat, "report")(given.in_memory(f"--compat {compat}"), raw)
    if out.suffix.lower() == ".json":
        with atomic_write(out) as file:
            file.write(values.as_json())
    else:
        write_report(values.written(settings), out)
    for note in values.notes:
        sys.stderr.write(f"Note: {note}\n")
