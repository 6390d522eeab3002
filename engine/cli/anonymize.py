"""`anonymizer anonymize`: from a recipe to a verified release."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from engine.cli.check import unchanged_rows
from engine.cli.console import Format, FormatOption, QuietOption, as_json, file_named, number, progress, show
from engine.cli.ledger import IN_ORDER, joint_rows, with_ledger
from engine.cli.questionnaire import tell_of_weaker
from engine.cli.required import RequireOption
from engine.cli.sampling_key import SamplingKeyOption, with_sampling_key
from engine.cli.settings import EXPORT_AS_IN_RECIPE, Typed, with_settings
from engine.cli.targets import (
    ABOUT_REPORT,
    check_apart,
    check_target,
    files_of,
    refuse_translated_json,
    refuse_without_report,
)
from engine.errors import InputError
from engine.files import atomic_write
from engine.findings.selection_gate import anonymize as run_chain
from engine.findings.selection_gate import required_of
from engine.findings.subject import Subject
from engine.frequency import Problem
from engine.lattice import Node
from engine.numbers import as_people
from engine.pipeline import export_release, refuse_ending, source_figures, summary
from engine.pipeline.recording import Recording
from engine.plugins import titled
from engine.privacy import privacy_models
from engine.project import Project
from engine.project.compile import compile_problem
from engine.project.deciding import WITHHOLD, refuse_undecided
from engine.project.edits import set_export
from engine.project.project import AFTERWARDS, BY_SIZE, CHECK
from engine.project.recipe.files import read_recipe
from engine.project.release_there import writes_itself
from engine.recoding import Release, recoding_methods
from engine.recoding.aggregation import aggregate_functions
from engine.recoding.release_status import ReleaseStatus
from engine.records.databases.address import table_at
from engine.records.options import AS_IN_RECIPE, ExportOptions, Placing, kind_of
from engine.report import (
    ReportedRelease,
    ReportSettings,
    SearchFacts,
    Verification,
    refuse_report_ending,
    report_of,
    write_report,
)

JUDGES = {
    ("memory", "records"): "",
    ("database", "records"): ", record by record in a database",
    ("database", "multiset"): ", as records in any order in a database",
    ("cluster", "counts"): ", counted by the cluster",
}

_GAIN = "selection_gain"
_ENFORCED = {
    AFTERWARDS: "afterwards: models of sensitive columns by suppressing",
    BY_SIZE: "by_size: only classes that are too small are suppressed",
    CHECK: "check: models of sensitive columns are only checked",
}


@with_settings
def anonymize(
    recipe: Annotated[Path, typer.Argument(metavar="RECIPE", help="A recipe (.toml).")],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            metavar="PATH",
            help="Where to write the release: .csv, .xlsx, .sav, .dta, .jsonl or .parquet; or a folder "
            "(folder/) for parts of 10 million records each, of Parquet or JSON lines if its name ends in "
            ".parquet or .jsonl; or the URL of a new table of SQLite or PostgreSQL. Of a table on a "
            "cluster: a new folder that the cluster writes.",
        ),
    ],
    node: Annotated[
        str | None,
        typer.Option(
            "--node",
            metavar="1,0,2",
            help="Release this node: one level per quasi-identifying column, in recipe order.",
        ),
    ] = None,
    summary_path: Annotated[
        Path | None, typer.Option("--summary", help="Also write the values of the release as JSON.")
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", help="Also write a report of the release: .pdf, .html or .json."),
    ] = None,
    about: Typed[ReportSettings] = ABOUT_REPORT,
    ledger: Annotated[
        Path | None,
        typer.Option(
            "--ledger",
            metavar="FILE",
            help="Release ledger of the table, created if it is missing: the release is measured beside the "
            "earlier ones, searched such that it meets k and l of the recipe beside them, and recorded.",
        ),
    ] = None,
    sampling_key: SamplingKeyOption = None,
    require: RequireOption = None,
    export: Typed[ExportOptions] = EXPORT_AS_IN_RECIPE,
    placing: Placing = AS_IN_RECIPE,
    output: FormatOption = Format.TABLE,
    quiet: QuietOption = False,
) -> None:
    """Release the optimum of a recipe, or the given node, and verify the written file.

    Nothing is written if no node, or not the given one, satisfies the requirement, or a required condition
    is not met (exit code 1), such as 'selection_gain <= 0.1', which is measured only if it is named. The same
    recipe and table give the same bytes; with differential privacy also the same --sampling-key. In the JSON
    only seconds and "peak_memory" differ from run to run; both are 0 if SOURCE_DATE_EPOCH is set.
    """
    target = file_named(out) if table_at(out) is None else out
    in_parts = out.endswith(("/", os.sep)) or os.path.isdir(out)
    if isinstance(target, Path):
        refuse_ending(target, kind_of(target), in_parts=in_parts)
    settings = about.over(ReportSettings())
    if report is not None:
        refuse_report_ending(report)
        refuse_translated_json(report, settings)
    else:
        refuse_without_report(about)
    with progress(quiet) as monitor:
        read = read_recipe(recipe, monitor, may_connect=True, placing=placing)
        project = set_export(with_sampling_key(read, sampling_key), export.over(read.export))
        refuse_undecided(project, recipe.name)
        project = project if ledger is None else with_ledger(project, ledger, recipe)
        earlier = project.requirement.earlier
        book = None if earlier is None else Path(earlier.path)
        inputs = [path for path in files_of(project, recipe) if path != book]
        is_there = writes_itself(project)
        if not is_there:
            check_target(target, inputs, in_parts=in_parts)
        tell_of_weaker(project)
        check_apart({"--out": target, "--summary": summary_path, "--report": report, "--ledger": book})
        if book is not None and isinstance(target, str):
            raise InputError(
                "A ledger keeps the SHA-256 of a file, which a table lacks.", hint="Write a file."
            )
        for path in (summary_path, report, book):
            if path is not None:
                check_target(path, inputs)
        chosen = None if node is None else node_of(node, compile_problem(project))
        outcome = run_chain(project, chosen, monitor)
        recording = None if book is None else Recording(project, outcome.release)
        if recording is not None:
            recording.prepare()
        outcome, conditions = required_of(require, project, outcome, monitor)
        verdict = export_release(
            project, outcome.release, out if is_there else target, monitor, in_parts=in_parts
        )
        figures = summary(project, outcome, verified=verdict.ok)
        figures |= conditions.added_to({})
        figures |= {"compared": verdict.compared, "judge": verdict.judge, **source_figures(project)}
        if verdict.renamed:
            figures["renamed"] = dict(verdict.renamed)
        if verdict.unchecked:
            figures["unchecked"] = list(verdict.unchecked)
        if recording is not None:
            figures["joint"] = recording.record(Path(target))
            if not project.transformation.shuffle:
                figures["notes"] = [*figures.get("notes", ()), IN_ORDER]
        if report is not None:
            material = ReportedRelease(
                Subject(project, outcome.release),
                settings,
                SearchFacts.of_outcome(outcome, chosen),
                Verification.of(out if is_there else target, verdict),
                recipe.parent,
            )
            write_report(report_of(material, monitor), report, monitor)
    if os.environ.get("SOURCE_DATE_EPOCH"):
        figures["seconds"] = figures["efficiency"]["seconds"] = 0.0
        figures["efficiency"]["peak_memory"] = 0
    if summary_path is not None:
        with atomic_write(summary_path) as file:
            file.write(as_json(figures).encode("utf-8"))
    rows = _rows(figures, outcome.release, outcome.bound, target, project)
    show(
        figures,
        rows if recording is None else [*rows, *joint_rows(recording.joint, figures["joint"])],
        output,
        quiet,
        ("release", ""),
    )


def node_of(text: str, problem: Problem) -> Node:
    """Return the node from its text; an error names the columns that need a level."""
    order = f"The order is {', '.join(problem.names)}."
    try:
        levels = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"--node {text} is not a list of levels.", hint=f"Write whole numbers with commas. {order}"
        ) from None
    if len(levels) != len(problem.names):
        raise InputError(
            f"--node {text} has {len(levels)} levels for {len(problem.names)} quasi-identifying columns.",
            hint=order,
        )
    for level, attribute in zip(levels, problem.attributes, strict=True):
        if not attribute.minimum <= level <= attribute.maximum:
            raise InputError(
                f"--node {text}: '{attribute.name}' has no level {level}; "
                f"the allowed levels are {attribute.minimum} to {attribute.maximum}.",
                hint=order,
                column=attribute.name,
            )
    return levels


def _rows(
    figures: dict[str, Any], release: Release, bound: float, out: Path | str, project: Project
) -> list[tuple[str, str]]:
    node = figures["node"] or {}
    rows = [("node", ", ".join(f"{column}: {level}" for column, level in node.items()) or "none")]
    if "node_declared" in figures:
        rows.append(("node declared", "yes, the recipe allows no other levels"))
    if "recoding" in figures:
        rows.append(("recoding", f"{recoding_methods[figures['recoding']].title} (levels differ by record)"))
    for column, key in figures.get("microaggregation", {}).items():
        rows.append((f"released of {column}", f"{aggregate_functions[key].title.lower()} of each class"))
    if others := figures.get("others"):
        became = "not written" if others["rule"] == WITHHOLD else "released unchanged"
        rows.append(("not in the recipe", f"{', '.join(others['columns'])}: {became}, as the recipe says"))
    if names := figures.get("not_selected"):
        rows.append(("not selected", f"{', '.join(names)}: not read, because [[data.columns]] omits them"))
    values = {figures["metric"]: figures["value"], **figures["metrics"]}
    rows += [(key, number(value)) for key, value in values.items()]
    rows.append(("suppressed", f"{number(figures['suppressed'])} of {number(figures['records'])} records"))
    rows.append(("classes", number(figures["classes"])))
    status = ReleaseStatus.of(project, release)
    rows.append(("status", f"{status.title}: {', '.join(status.codes)}" if status.codes else status.title))
    rows += [("verdict", release.verdict), ("k is of", ", ".join(project.quasi_identifying))]
    rows += unchanged_rows(release.unchanged)
    if chained := figures.get("persons", {}).get("chained"):
        known = (("any two", chained["2"]), ("all", chained["all"]))
        rows += [(f"by {words} records", f"as few as {as_people(n)} match") for words, n in known if n]
    for measure in ("l", "t"):
        rows += [(f"{measure} of {column}", number(value)) for column, value in figures[measure].items()]
    if len(figures["models"]) > 1:
        rows += [("model alone", _model_words(report)) for report in figures["models"]]
    checked = f"{number(figures['nodes_checked'])} of {number(figures['nodes_total'])} nodes"
    rows += [("guarantee", f"{figures['guarantee'].replace('_', ' ')} ({checked} checked)")]
    if figures["guarantee"] == "best_known" and bound > 0:
        rows += [("proved", f"no satisfying node has {figures['metric']} below {number(bound)}")]
    if "differential_privacy" in figures:
        rows += _sampling_rows(figures["differential_privacy"])
    if "enforce" in figures:
        rows += [("enforced", _ENFORCED[figures["enforce"]])]
    if leak := figures.get("selection_leak"):
        rows += [("selection leak", _leak_words(leak))]
    rows += [("required", f"{own['condition']}: met") for own in figures.get("required", ())]
    rows += _work(figures["efficiency"])
    rows += [("plug-in", titled(*package)) for package in figures.get("plugins", {}).items()]
    rows += [("note", note) for note in figures.get("notes", ())]
    rows += [
        ("renamed", f"'{name}' is {own} in the file") for name, own in figures.get("renamed", {}).items()
    ]
    rows += [("not checked", words) for words in figures.get("unchecked", ())]
    against = "" if project.has_original else ", compared with the table as read from its database"
    compared = JUDGES[figures["judge"], figures["compared"]]
    rows += [("verified", f"yes, from the written file{against}{compared}" if figures["verified"] else "no")]
    return [*rows, ("written", str(out))]


def _sampling_rows(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the parameters of differential privacy, and what they cover."""
    names = ("epsilon", "delta", "beta", "k")
    return [
        ("differential privacy", ", ".join(f"{name} {number(found[name])}" for name in names)),
        ("covers", found["covers"]),
        ("drawn", f"{number(found['drawn'])} of {number(found['table_records'])} records; do not publish"),
        ("expected kept", f"{number(found['expected_kept'])} records; do not publish"),
    ]


def _model_words(report: Mapping[str, Any]) -> str:
    """Describe the effect of one model alone."""
    name = privacy_models[report["model"]].title
    column = f" of {report['column']}" if report["column"] else ""
    return f"{name}{column}: {number(report['suppressed'])} suppressed"


def _leak_words(leak: Mapping[str, Any]) -> str:
    """Describe what the choice of the node gives away."""
    if leak[_GAIN] is None:
        return f"not measured: {leak['why_no_choice']}"
    how = "exact" if leak["exact"] else "sampled, 95 % confidence"
    return f"{number(leak['bits'])} bits; no record gains more than {number(leak[_GAIN])} ({how})"


def _work(done: dict[str, float]) -> list[tuple[str, str]]:
    """Return three rows on the work of the run."""

    def counted(key: str, one: str, many: str) -> str:
        return f"{number(done[key])} {one if done[key] == 1 else many}"

    sets = f"{counted('scans', 'scan', 'scans')}, {counted('roll_ups', 'roll-up', 'roll-ups')}"
    return [
        ("took", f"{done['seconds']:.2f} s, {done['peak_memory'] / 1e6:.1f} MB of memory"),
        ("nodes", f"{number(done['nodes_checked'])} checked, {number(done['nodes_inferred'])} inferred"),
        ("frequency sets", f"{sets}; {counted('generalization_steps', 'level', 'levels')} raised"),
    ]
