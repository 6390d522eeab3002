"""The complete chain from a project to a verified file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from engine.advice.notes import release_notes
from engine.advice.reach import fails_at_top, too_strict
from engine.errors import ExportError, InputError, RequirementNotMetError, TableError, VerificationError
from engine.files import atomic_folder, atomic_write, refuse_filled
from engine.frequency import Problem
from engine.lattice import Node
from engine.memory import give_memory_back
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.numbers import as_exact_count
from engine.params import values_of
from engine.privacy.limit import most_suppressed
from engine.project import Project
from engine.project.claims import (
    changed_file,
    has_header,
    population_claim,
    release_claim,
    subset_claim,
    written_columns,
)
from engine.project.compile import (
    attribute_weights,
    check_metric,
    chosen_metric,
    compile_problem,
    objective_of,
    refuse_changed_values,
    searched_requirement,
)
from engine.project.deciding import by_recipe, refuse_undecided
from engine.project.project import AFTERWARDS
from engine.project.promised import n_all_star, nodes_of, promised, released_columns
from engine.project.recipe.plugins import plugins_of
from engine.project.release_there import release_there, writes_itself
from engine.project.sampled import refuse_uncovered
from engine.project.stored import refuse_unstreamed, refuse_without_records
from engine.project.trade_off import complete_problem, expected_records
from engine.recoding import (
    Recoding,
    RecodingMethod,
    RecodingTask,
    Release,
    make_local_release,
    make_release,
    rooted,
)
from engine.recoding.base import recoded_records, refuse_unjudgeable
from engine.recoding.by_model import as_json, by_model, in_words
from engine.recoding.drawing import drawn_order, start_for_rows, start_of
from engine.recoding.local import remade
from engine.recoding.microaggregation import refuse_grouped
from engine.recoding.persons import ReleasePersons
from engine.recoding.ruled import rule_of
from engine.scoring import Evaluation, LatticeProfile
from engine.scoring.evaluate import evaluate
from engine.scoring.single_node_problem import narrowed
from engine.scratch import scratch_folder
from engine.search import Efficiency, SearchResult, SearchTask, search_algorithms
from engine.search.effort import Effort, as_figures
from engine.sources.fetched import records_here
from engine.sources.files import changed_while_read
from engine.sources.opening import memory_of
from engine.table import Kind
from engine.table.blocks import Blocks
from engine.table.counting import counted_table
from engine.table.options import (
    CSV,
    DISK,
    EXCEL,
    JSON_LINES,
    MEMORY,
    PARQUET,
    SPSS,
    STATA,
    ExportOptions,
    bytes_of,
)
from engine.table.parts import WritePart, joined, write_parts
from engine.table.reading import read_csv
from engine.table.remote import changed_remotely
from engine.table.sources import UNWRITABLE
from engine.table.variable_names import variable_names
from engine.table.writing import safe, write_csv, write_records
from engine.table.writing_excel import write_excel
from engine.table.writing_json_lines import write_json_lines
from engine.table.writing_parquet import write_parquet_texts
from engine.table.writing_statistical import write_statistical
from engine.table.written_columns import WrittenColumn
from engine.utility.base import LATTICE_METRICS
from engine.utility.recoded import RecodedRecords
from engine.verification import Limits, ReleaseClaim, Verdict, verify
from engine.words import _, ngettext

# Records of a table in files that are judged in memory: fewer than usual, since it does not fit there.
_MOST_JUDGED_OF_FILES = 1_000_000


@dataclass(frozen=True, eq=False)
class Outcome:
    """Result of a run of the chain.

    Attributes
    ----------
    problem : Problem
    release : Release
    evaluation : Evaluation or RecodedRecords
        Evaluation of the released node or recoding, as node number 0.
    guarantee : str
        "optimal", "best_known" or "none".
    nodes_checked, nodes_total : int
    bound : float
        No satisfying node has a lower metric value; -inf if nothing is proved.
    seconds : float
        Wall time of the search.
    efficiency : Efficiency
        Effort of search and recoding.
    notes : tuple of str
        Sentences about what the search did differently from what its name promises.
    """

    problem: Problem
    release: Release
    evaluation: Evaluation | RecodedRecords
    guarantee: str
    nodes_checked: int
    nodes_total: int
    bound: float
    seconds: float
    efficiency: Efficiency
    notes: tuple[str, ...]


def anonymize(project: Project, node: Node | None = None, monitor: Monitor = SILENT) -> Outcome:
    """Find the node to release, or use the given one, and make the release; nothing is written.

    Raises
    ------
    InputError
        A column has no role, or the project cannot be compiled.
    RequirementNotMetError
        No node satisfies the requirement, or the given one does not.
    """
    started = time.perf_counter()
    refuse_undecided(project)
    refuse_without_records(project)
    problem = compile_problem(project)
    check_metric(problem, project.search.metric)
    method = project.recoding
    if method is not None:
        refuse_unjudgeable(project.requirement)
        refuse_grouped(project, method.title)
    refuse_impossible(project, problem, node)
    if method is not None and not method.needs_start:
        if node is not None:
            raise InputError(
                _("The recoding method '{method}' does not start from a node.").format(method=method.key),
                hint=_("Omit the node or the recoding method."),
                key=method.key,
            )
        found = _Found(None, "none", -np.inf, Efficiency())
    else:
        found = _found(project, problem, node, monitor)
    efficiency = found.efficiency
    if method is None:
        assert found.node is not None
        release = _checked(
            make_release(project, problem, found.node), _("Node {node}").format(node=list(found.node))
        )
        figures: Evaluation | RecodedRecords = evaluate_node(project, problem, found.node)
    else:
        with Effort() as effort:
            release = _checked(recode(project, problem, method, found.node, monitor), method.title)
        efficiency = efficiency.followed_by(effort)
        assert release.recoding is not None
        objective = objective_of(project, problem)
        figures = recoded_records(release.problem, release.recoding, project.requirement.k, objective)
    return Outcome(
        problem,
        release,
        figures,
        found.guarantee if method is None else "none",
        efficiency.nodes_checked,
        problem.lattice.n_nodes,
        found.bound if method is None else -np.inf,
        time.perf_counter() - started,
        efficiency,
        found.notes,
    )


class _Found(NamedTuple):
    """Node that a search found, or that was given."""

    node: Node | None
    guarantee: str
    bound: float
    efficiency: Efficiency
    notes: tuple[str, ...] = ()


def _found(project: Project, problem: Problem, node: Node | None, monitor: Monitor) -> _Found:
    """Return the node to release, or raise `RequirementNotMetError` if none satisfies."""
    if node is not None:
        return _Found(node, "none", -np.inf, Efficiency(nodes_checked=1))
    result = search(project, problem, monitor)
    if result.node is None and not result.is_proved:
        raise _not_found(project, result)
    if result.node is None:
        raise RequirementNotMetError(
            _sentences(
                _("No node of the lattice satisfies the requirement."), _closest(project, problem, result)
            ),
            hint=_("Lower k or l, raise t or the suppression limit, or allow higher levels."),
        )
    if project.search.enforce == AFTERWARDS:
        return _Found(result.node, "none", -np.inf, result.efficiency, result.notes)
    return _Found(result.node, result.guarantee, result.bound, result.efficiency, result.notes)


def _closest(project: Project, problem: Problem, result: SearchResult) -> str:
    """Return sentences on the checked node that suppresses least, and each model's share in that."""
    evaluation = result.evaluation
    scored = np.flatnonzero(evaluation.scored)
    if not len(scored):
        return ""
    node = evaluation.lattice.node(int(scored[np.argmin(evaluation.suppressed[scored])]))
    release = make_release(project, problem, node)
    words = _alone(release)
    if not words:
        return ""
    least = _("Node {node} suppresses the fewest records: {n}.")
    return _sentences(least.format(node=list(node), n=as_exact_count(release.n_suppressed)), words)


def _alone(release: Release) -> str:
    """Return a sentence on what each model alone suppresses; empty if none does."""
    return in_words(by_model(release), most_suppressed(release.problem, release.requirement))


def _sentences(*parts: str) -> str:
    """Return sentences as one text, without empty ones."""
    return " ".join(part for part in parts if part)


def _not_found(project: Project, result: SearchResult) -> RequirementNotMetError:
    """Return the error for a search that ended without a node, and without a proof that there is none."""
    n_others = result.nodes_total - result.nodes_checked
    has_limit = project.search.steps or project.search.seconds
    return RequirementNotMetError(
        _(
            "None of the {n} checked nodes satisfies the requirement. The search ended before "
            "checking the other {others}."
        ).format(n=as_exact_count(result.nodes_checked), others=as_exact_count(n_others)),
        hint=_("Raise the limit of steps or seconds of the search, or set it to 0 for no limit.")
        if has_limit
        else _("Use best_first, which checks every node; '{algorithm}' does not.").format(
            algorithm=project.search.algorithm
        ),
    )


def _checked(release: Release, subject: str) -> Release:
    """Return a release that satisfies, or raise `RequirementNotMetError` with what it fails."""
    if missed := release.missed:
        counted = release.problem.counted
        raise RequirementNotMetError(
            _("{subject}: the kept records do not meet {models}.").format(
                subject=subject, models=", ".join(counted.worded(model.title) for model in missed)
            ),
            hint=_("Choose another node or threshold, or add a model that suppresses, such as k-anonymity."),
        )
    if not release.satisfies:
        losses, n_suppressed = release.losses, release.n_suppressed
        if losses.are_people:
            template = ngettext(
                "{subject}: {n} suppressed record of {people} people; at most {limit} people may lose one.",
                "{subject}: {n} suppressed records of {people} people; at most {limit} people may lose one.",
                n_suppressed,
            )
        else:
            template = ngettext(
                "{subject}: {n} suppressed record; the limit allows {limit}.",
                "{subject}: {n} suppressed records; the limit allows {limit}.",
                n_suppressed,
            )
        text = template.format(subject=subject, n=n_suppressed, people=losses.count, limit=losses.allowed)
        raise RequirementNotMetError(
            _sentences(text, _alone(release)),
            hint=_("Choose another node, or raise the suppression limit."),
        )
    return release


def recode(
    project: Project,
    problem: Problem,
    method: RecodingMethod,
    node: Node | None = None,
    monitor: Monitor = SILENT,
) -> Release:
    """Make a release whose levels differ by record; `Release.satisfies` says whether it satisfies.

    Parameters
    ----------
    project : Project
    problem : Problem
        The compiled project.
    method : RecodingMethod
    node : tuple of int, optional
        Node whose release is improved, for a method that needs one.
    monitor : Monitor

    Raises
    ------
    CancelledError
        The monitor asks to stop.
    InputError
        The method does not support such a problem or requirement.
    """
    refuse_without_records(project)
    refuse_unjudgeable(project.requirement)
    refuse_grouped(project, method.title)
    whole = rooted(problem)
    start = None
    if node is not None:
        start = Recoding.of_node(node, make_release(project, problem, node).suppressed)
    task = RecodingTask(
        whole,
        project.requirement,
        project.search.metric,
        attribute_weights(project, problem),
        start,
        project.transformation.seed,
        chosen_metric(project),
    )
    recoding = method.improve(task, monitor)
    return make_local_release(project, whole, recoding, method.key, node)


def search(project: Project, problem: Problem, monitor: Monitor = SILENT) -> SearchResult:
    """Run the project's search algorithm with the part of the requirement that it enforces."""
    task = search_task(project, problem)
    algorithm = search_algorithms.create(project.search.algorithm, **project.search.options)
    return algorithm.run(task, monitor)


def search_task(project: Project, problem: Problem) -> SearchTask:
    """Return the task that a project sets for a search algorithm."""
    return SearchTask(
        problem,
        searched_requirement(project),
        project.search.metric,
        attribute_weights(project, problem),
        project.search.steps,
        project.search.seconds,
        project.transformation.seed,
        chosen=chosen_metric(project),
        memory=memory_of(project.options),
    )


def evaluate_node(project: Project, problem: Problem, node: Node) -> Evaluation:
    """Score a single node under the project's requirement; its node number is 0."""
    single = narrowed(problem, node)
    profile = LatticeProfile(single, project.requirement)
    for number, tuples in profile.pending():
        profile.record(number, tuples)
    return evaluate(profile, project.requirement, objective_of(project, problem))


def refuse_impossible(project: Project, problem: Problem, node: Node | None = None) -> None:
    """Raise `RequirementNotMetError` if it is known without a lattice that nothing can satisfy.

    With a given node the others do not matter, and it is evaluated separately.
    """
    found, words = too_strict(project, problem), ""
    if found is None and node is None:
        found = fails_at_top(project, problem)
        if found is not None and len(project.requirement.models) > 1:
            words = _alone(make_release(project, problem, problem.lattice.maximum))
    if found is not None:
        raise RequirementNotMetError(_sentences(found.problem, words), hint=found.hint)


def summary(project: Project, outcome: Outcome, *, verified: bool) -> dict[str, Any]:
    """Return the values of a release as plain JSON values, None for those that do not exist."""
    release, evaluation = outcome.release, outcome.evaluation
    metrics = {key: _existing(evaluation.metric(key)[0]) for key in LATTICE_METRICS}
    metric = project.search.metric
    figures: dict[str, Any] = {
        "node": release.levels,
        "metric": metric,
        "value": metrics[metric] if metric in metrics else _existing(evaluation.metric(metric)[0]),
        "metrics": metrics,
        "suppressed": release.n_suppressed,
        "records": release.n_records,
        "classes": release.n_classes,
        "k": release.k,
        "l": dict(release.l),
        "t": dict(release.t),
        "satisfies": release.satisfies,
        "models": as_json(by_model(release)),
        "unchanged": release.unchanged.as_dict(),
        "guarantee": outcome.guarantee,
        "nodes_checked": outcome.nodes_checked,
        "nodes_total": outcome.nodes_total,
        "seconds": outcome.seconds,
        "verified": verified,
        "efficiency": as_figures(outcome.efficiency),
    }
    if release.persons is not None:
        figures["persons"] = _persons_summary(release, release.persons)
    notes = [*outcome.notes, *release_notes(project, release.levels)]
    if release.persons is not None and release.tells_persons_apart and release.persons.why_not_chained:
        notes.append(release.persons.why_not_chained)
    if notes:
        figures["notes"] = notes
    if packages := plugins_of(project):
        figures["plugins"] = packages
    if release.recoding is not None:
        figures["recoding"] = release.method
    if release.aggregates:
        figures["microaggregation"] = {name: function.key for name, function in release.aggregates.items()}
    if names := by_recipe(project):
        figures["others"] = {"rule": project.others, "columns": list(names)}
    if project.search.enforce == AFTERWARDS:
        figures["enforce"] = AFTERWARDS
    if project.requirement.sampling is not None:
        figures["differential_privacy"] = _sampling_summary(project, release)
    return figures


def source_figures(project: Project) -> dict[str, Any]:
    """Return where the records were, their distinct combinations, and the bytes of temporary files."""
    stored, remote, records = project.stored, project.remote, project.records
    rows = project.rows if records.is_stored else counted_table(records, project.scored)
    kind = MEMORY if stored is None else DISK
    n_bytes = 0 if stored is None else stored.spill.n_bytes
    return {
        "source": kind if remote is None else remote.kind,
        "tuples": rows.n_rows,
        "spilled_bytes": n_bytes if remote is None else remote.spilled_bytes,
    }


def _sampling_summary(project: Project, release: Release) -> dict[str, Any]:
    """Return parameters and numbers of a random draw; the numbers are for the owner only."""
    model = project.requirement.sampling
    assert model is not None, "asked where records are drawn"
    assert release.node is not None, "levels that vary by record are refused"
    return {
        **values_of(model),
        "beta": model.beta,
        "k": project.requirement.k,
        "covers": model.covers,
        "table_records": project.table.n_records,
        "drawn": release.n_records,
        "expected_kept": expected_records(complete_problem(project), release.node, project.requirement),
    }


def _persons_summary(release: Release, persons: ReleasePersons) -> dict[str, Any]:
    """Return the values of persons, to whom `k`, `l` and `t` of the summary refer, with k of the records."""
    column = persons.persons.column
    figures: dict[str, Any] = {
        "column": column,
        "persons": persons.n_persons,
        "affected": persons.affected,
        "lost": persons.lost,
        "k_records": persons.k_of_records,
    }
    if release.tells_persons_apart:
        figures["chained"] = {"2": persons.chained(2), "all": persons.chained()}
    return figures


def export_release(
    project: Project,
    release: Release,
    path: Path | str,
    monitor: Monitor = SILENT,
    options: ExportOptions = ExportOptions(),
    *,
    overwrite: bool = True,
    in_parts: bool = False,
) -> Verdict:
    """Write a release, verify what was written independently, and only then put it in place.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    release : Release
    path : Path or str
        Of a table on a cluster: a folder that the cluster reaches, by its path or address there.
    monitor : Monitor
    options : ExportOptions
    overwrite : bool
        Whether an existing file may be replaced.
    in_parts : bool
        Whether `path` is a folder, which gets files of some millions of records each and a manifest.

    Raises
    ------
    InputError
        A column has no role.
    ExportError
        The file cannot be written, exists and may not be replaced, or is the original table; or the original
        changed since it was read. The target is unchanged.
    VerificationError
        The written file does not have the claimed properties; the target is unchanged, except on a cluster.
    """
    if writes_itself(project):
        return release_there(project, release, str(path), monitor, options)
    path = Path(path)
    refuse_undecided(project)
    refuse_uncovered(project)  # settings of the file may have changed since the release was made
    verdicts: list[Verdict] = []
    given = {name: rule_of(project, name) for name in project.table.names}
    rules = {name: rule for name, rule in given.items() if rule is not None}
    for name, rule in rules.items():
        rule.refuse_unready(name)
        for key in rule.paths.values():
            if os.path.realpath(path.parent) == os.path.realpath(os.path.dirname(key)):
                raise ExportError(
                    _("'{file}' would be in the same folder as the key '{key}'.").format(
                        file=path.name, key=Path(key).name
                    ),
                    hint=_(
                        "Choose another folder for the release, so that the key is not distributed with it."
                    ),
                    file=str(path),
                )
    if any(rule.paths for rule in rules.values()):
        # the files of these rules may have changed since the release was made
        refuse_changed_values(project, release.problem)
        release = remade(project, release)
    options.refuse_impossible()

    def refuse_existing() -> None:
        if in_parts:
            refuse_filled(path)
        elif not overwrite and path.exists():
            raise ExportError(
                _("'{path}' already exists.").format(path=path),
                hint=_("Choose another name, or allow replacing it."),
                file=str(path),
            )

    refuse_existing()
    if project.file is not None and os.path.realpath(path) == os.path.realpath(project.file):
        raise ExportError(
            _("'{path}' is the original table.").format(path=path),
            hint=_("Choose another name for the release."),
            file=str(path),
        )
    refuse_ending(path, options.kind, in_parts=in_parts)
    if project.table.is_stored:
        refuse_unstreamed(options)
        _refuse_changed_source(project, monitor)

    def verify_written(written: Path) -> None:
        give_memory_back()  # verification holds both tables in addition to this one
        verdicts.append(judge_file(project, release, written, PartMonitor(monitor, 1, 2), options))
        if not verdicts[0].ok:
            _refuse_changed_source(project, monitor)
            raise VerificationError(
                _("The written file does not have the claimed properties: {problems}").format(
                    problems=" ".join(verdicts[0].problems)
                ),
                hint=_("Nothing was released. This is a bug in the program: keep the project and report it."),
            )
        refuse_existing()  # another program may have written one in the meantime

    writing = PartMonitor(monitor, 0, 2)
    if in_parts:
        with atomic_folder(path, verify_written) as folder:
            columns = _columns(project, release, options, writing)
            write_parts(folder, f".{options.kind}", columns, _writer(project, release, options), writing)
    else:
        with atomic_write(path, verify_written) as file:
            write_release(file, project, release, writing, options)
    return verdicts[0]


def write_release(
    file: BinaryIO,
    project: Project,
    release: Release,
    monitor: Monitor = SILENT,
    options: ExportOptions = ExportOptions(),
) -> None:
    """Write a release into an open file, without verifying it."""
    columns = _columns(project, release, options, monitor)
    _writer(project, release, options)(file, columns, monitor)


def refuse_ending(path: Path, kind: str, *, in_parts: bool = False) -> None:
    """Raise `ExportError` if the name of a file, or of a folder for parts, claims another format."""
    ending, wanted = path.suffix.lower(), f".{kind}"
    if in_parts and kind not in (CSV, JSON_LINES, PARQUET):
        raise ExportError(
            _("A release in parts cannot be in this format: {format}.").format(
                format=_(ExportOptions.kinds()[kind])
            ),
            hint=_("Choose a name without an ending for CSV, or one that ends in .parquet."),
            file=str(path),
        )
    if in_parts and kind == CSV:
        return
    if ending == wanted or (kind == CSV and ending not in (*UNWRITABLE, ".gz")):
        return
    problem = _("'{name}': the file name must end in {ending}.").format(name=path.name, ending=wanted)
    if ending == ".gz":
        problem = _("'{name}': a release cannot be packed.").format(name=path.name)
    elif kind == CSV:
        problem = _("'{name}': the name belongs to another format ({format}).").format(
            name=path.name, format=_(UNWRITABLE[ending])
        )
    raise ExportError(
        problem, hint=_("Choose a name that ends in {ending}.").format(ending=wanted), file=str(path)
    )


def _columns(
    project: Project, release: Release, options: ExportOptions, monitor: Monitor
) -> list[tuple[tuple[str, ...], Any]]:
    """Return the texts and codes of the written records according to the options."""
    columns = _written(project, release, monitor)
    if options.safe_cells:
        columns = [
            (tuple(map(safe, labels)), codes.each(safe) if _are_texts(codes) else codes)
            for labels, codes in columns
        ]
    return columns


def _are_texts(codes: Any) -> bool:
    return isinstance(codes, Blocks) and codes.are_texts


def _writer(project: Project, release: Release, options: ExportOptions) -> WritePart:
    """Return what writes records into an open file according to the options."""
    written = release.columns if release.stored is None else release.stored.columns
    names = [safe(column.name) if options.safe_cells else column.name for column in written]
    header = names if has_header(options, project.options) else []

    def typed() -> list[WrittenColumn]:
        known = zip(written_columns(project, release), names, strict=True)
        return [replace(column, name=name) for column, name in known]

    def write(file: BinaryIO, columns: list[tuple[Any, Any]], monitor: Monitor) -> None:
        if options.kind == EXCEL:
            kinds = (project.table.column(column.name).data_type.kind for column in release.columns)
            numeric = [kind in (Kind.INTEGER, Kind.DECIMAL) for kind in kinds]
            write_excel(file, header, columns, numeric, monitor)
        elif options.kind == PARQUET:
            write_parquet_texts(file, names, columns, monitor)
        elif options.kind == JSON_LINES:
            write_json_lines(file, typed(), columns, monitor)
        elif options.kind in (SPSS, STATA):
            allowed = variable_names([column.name for column in written], options.kind)
            write_statistical(options.kind, file, typed(), allowed, columns, monitor)
        else:
            delimiter = options.delimiter or project.options.delimiter or ","
            write_records(file, header, columns, delimiter, monitor, options=options)

    return write


def _written(project: Project, release: Release, monitor: Monitor) -> list[tuple[tuple[str, ...], Any]]:
    """Return the columns of the written records, in their order."""

    start = None
    if project.transformation.shuffle:
        start = start_for_rows(start_of(project.records, project.transformation.seed, monitor))
    if release.stored is not None:
        records_here(project.records, monitor)
        return release.stored.written(start, monitor)
    rows = release.rows()
    rows = rows if start is None else rows[drawn_order(len(rows), start)]
    is_in_place = len(rows) == release.n_records and start is None
    return [
        (column.labels, column.codes if is_in_place else column.codes[rows]) for column in release.columns
    ]


def _refuse_changed_source(project: Project, monitor: Monitor) -> None:
    """Raise `ExportError` if the original table, or a file compared with it, has changed since."""
    if (other := changed_file(project)) is not None:
        raise ExportError(
            _("'{name}' has changed since it was read.").format(name=other.name),
            hint=_("The release is verified against that file: read it again, or restore it."),
            file=str(other),
        )
    if project.stored is not None:
        if project.stored.has_changed:
            raise changed_while_read(project.stored.paths[0].name)
        return
    if project.remote is not None:
        if project.remote.fingerprint(monitor) != project.remote.state:
            raise changed_remotely()
        return
    if project.source is None or not project.source.exists():
        return
    try:
        now = read_csv(project.source, project.options)
        is_same = now.names == project.table.names and all(
            a.labels == b.labels and np.array_equal(a.codes, b.codes)
            for a, b in zip(now.columns, project.table.columns, strict=True)
        )
    except TableError:
        is_same = False
    if not is_same:
        raise ExportError(
            _("'{name}' has changed since it was opened.").format(name=project.source.name),
            hint=_("The release is verified against the original table: open it again, or restore it."),
            file=str(project.source),
        )


def judge_file(
    project: Project,
    release: Release,
    written: Path,
    monitor: Monitor = SILENT,
    options: ExportOptions = ExportOptions(),
    *,
    amended: Callable[[ReleaseClaim], ReleaseClaim] | None = None,
) -> Verdict:
    """Verify independently that a file, or a folder of parts, is the release, written by the options.

    Parameters
    ----------
    project : Project
        Project that the release was made with.
    release : Release
    written : Path
    monitor : Monitor
    options : ExportOptions
    amended : callable, optional
        Returns the claim to verify instead of that about the release.
    """
    with scratch_folder("judging", project.options.scratch) as folder:
        original = project.source if project.stored is None else project.stored.paths[0]
        is_copy = original is None or not original.exists()
        if original is None or is_copy:
            # The table is only in the project file: a copy of it in memory takes the place of the original.
            original = folder / "original.csv"
            records = records_here(project.table, monitor)
            columns = [(column.labels, column.codes) for column in records.columns]
            write_csv(original, records.names, columns)
        claim = replace(
            release_claim(
                project,
                release,
                original,
                written,
                options,
                is_copy=is_copy,
                monitor=PartMonitor(monitor, 0, 2),
            ),
            population=population_claim(project, folder, copies=is_copy),
            subset=subset_claim(project, folder, copies=is_copy),
        )
        if amended is not None:
            claim = amended(claim)
        limits = Limits()
        if project.table.is_stored:
            limits = Limits(records=_MOST_JUDGED_OF_FILES, folder=folder)
            if project.options.memory:
                limits = replace(limits, memory=bytes_of(project.options.memory))
        return verify(claim, PartMonitor(monitor, 1, 2).step, limits)


def _head(project: Project, release: Release, options: ExportOptions) -> bytes:
    """Return what every part of a release begins with."""
    if options.kind != CSV:
        return b""
    file = BytesIO()
    written = release.columns if release.stored is None else release.stored.columns
    _writer(project, release, options)(file, [((), ()) for _unused in written], SILENT)
    return file.getvalue() or "".encode(options.text_encoding)


def verify_promises(
    project: Project,
    written: Path,
    node: Node | None = None,
    monitor: Monitor = SILENT,
    options: ExportOptions = ExportOptions(),
) -> Verdict:
    """Verify that a file is a release of the project's table that keeps what its settings promise.

    Nothing is searched: the levels of the columns are those that the labels of the file are of.

    Parameters
    ----------
    project : Project
    written : Path
        A file, or a folder of parts.
    node : tuple of int, optional
        Levels of the release, if the file must have these.
    monitor : Monitor
    options : ExportOptions
        How the file was written.

    Returns
    -------
    Verdict
        Of the first possible node that the file keeps the promises with, else the one with fewest problems.
    """
    refuse_undecided(project)
    compiled = compile_problem(project)
    is_local = project.recoding is not None
    problem = rooted(compiled) if is_local else compiled
    lowest = make_release(project, problem, problem.lattice.minimum)
    with scratch_folder("judging", project.options.scratch) as folder:
        shown = written
        if written.is_dir():
            shown = folder / f"released.{options.kind}"
            try:
                joined(written, shown, _head(project, lowest, options))
            except InputError as error:  # a part is missing or changed
                return Verdict(False, (error.problem,), {})
        columns = released_columns(lowest, shown, options, monitor, project=project)
    n_suppressed = n_all_star(problem, columns)
    nodes = [node] if node is not None else [lowest.node] if is_local else nodes_of(problem, columns)
    best: Verdict | None = None
    for one in nodes:
        assert one is not None, "releases of nodes have one"
        release = lowest if one == lowest.node else make_release(project, problem, one)
        verdict = judge_file(
            project,
            release,
            written,
            monitor,
            options,
            amended=partial(promised, n_suppressed=n_suppressed, is_local=is_local),
        )
        if best is None or len(verdict.problems) < len(best.problems):
            best = verdict
        if verdict.ok:
            break
    assert best is not None, "every column has a level"
    return best


def _existing(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
