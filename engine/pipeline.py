"""The whole chain, from a project to a verified file."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from engine.advice.persons import person_notes
from engine.advice.reach import fails_at_top, too_strict
from engine.errors import ExportError, InputError, RequirementNotMetError, TableError, VerificationError
from engine.files import atomic_write
from engine.frequency import Problem
from engine.lattice import Node
from engine.memory import give_memory_back
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.privacy.limit import most_suppressed
from engine.project import Project
from engine.project.claims import changed_file, has_header, population_claim, release_claim, subset_claim
from engine.project.compile import (
    attribute_weights,
    check_metric,
    chosen_metric,
    compile_problem,
    objective_of,
    searched_requirement,
)
from engine.project.deciding import by_recipe, refuse_undecided
from engine.project.project import AFTERWARDS
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
from engine.scoring import Evaluation, LatticeProfile
from engine.scoring.evaluate import evaluate
from engine.scoring.narrowed import narrowed
from engine.scratch import scratch_folder
from engine.search import Efficiency, SearchResult, SearchTask, search_algorithms
from engine.search.effort import Effort, as_figures
from engine.table import Kind
from engine.table.options import CSV, EXCEL, PARQUET, ExportOptions
from engine.table.reading import read_csv
from engine.table.sources import UNWRITABLE
from engine.table.writing import safe, write_csv, write_records
from engine.table.writing_excel import write_excel
from engine.table.writing_parquet import write_parquet_texts
from engine.utility.recoded import RecodedRecords
from engine.verification.claims import Verdict
from engine.verification.judging import verify
from engine.words import _

LATTICE_METRICS = (
    "loss",
    "gen_iloss",
    "precision",
    "discernibility",
    "aecs",
    "c_avg",
    "non_uniform_entropy",
)
_ENDINGS = {CSV: ".csv", EXCEL: ".xlsx", PARQUET: ".parquet"}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run of the chain found.

    Attributes
    ----------
    problem : Problem
    release : Release
    evaluation : Evaluation or RecodedRecords
        Of what is released alone, as node number 0.
    guarantee : str
        "optimal", "best_known" or "none".
    nodes_checked, nodes_total : int
    bound : float
        No satisfying node has a lower value of the metric; -inf where nothing is proved.
    seconds : float
        Wall time of the search.
    efficiency : Efficiency
        What search and recoding took.
    notes : tuple of str
        Sentences for people about what the search did otherwise than its name promises.
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
    """Find the node to release, or take the given one, and make the release; nothing is written.

    Raises
    ------
    InputError
        If a column has no role, or the project cannot be compiled.
    RequirementNotMetError
        If no node satisfies, or the given one does not.
    """
    started = time.perf_counter()
    refuse_undecided(project)
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
                _("The recoding method '{key}' starts from no node, so none can be given.").format(
                    key=method.key
                ),
                hint=_("Leave the node out, or the recoding."),
                key=method.key,
            )
        found = _Found(None, "none", -np.inf, Efficiency())
    else:
        found = _found(project, problem, node, monitor)
    efficiency = found.efficiency
    if method is None:
        assert found.node is not None
        release = _checked(make_release(project, problem, found.node), f"Node {list(found.node)}")
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
    """What a search found, or was given."""

    node: Node | None
    guarantee: str
    bound: float
    efficiency: Efficiency
    notes: tuple[str, ...] = ()


def _found(project: Project, problem: Problem, node: Node | None, monitor: Monitor) -> _Found:
    """The node to release; `RequirementNotMetError` where none satisfies."""
    if node is not None:
        return _Found(node, "none", -np.inf, Efficiency(nodes_checked=1))
    result = search(project, problem, monitor)
    if result.node is None and not result.is_proved:
        raise _not_found(project, result)
    if result.node is None:
        raise RequirementNotMetError(
            _("No node of the lattice satisfies the requirement.") + _closest(project, problem, result),
            hint=_("Lower k or l, raise t or the suppression limit, or allow higher levels."),
        )
    if project.search.enforce == AFTERWARDS:
        return _Found(result.node, "none", -np.inf, result.efficiency, result.notes)
    return _Found(result.node, result.guarantee, result.bound, result.efficiency, result.notes)


def _closest(project: Project, problem: Problem, result: SearchResult) -> str:
    """What each model alone suppresses of the checked node that suppresses least, as a sentence."""
    evaluation = result.evaluation
    scored = np.flatnonzero(evaluation.scored)
    if not len(scored):
        return ""
    node = evaluation.lattice.node(int(scored[np.argmin(evaluation.suppressed[scored])]))
    release = make_release(project, problem, node)
    words = _alone(release)
    return (
        _(" Node {node} suppresses least, {n_suppressed:,} records.{words}").format(
            node=list(node), n_suppressed=release.n_suppressed, words=words
        )
        if words
        else ""
    )


def _alone(release: Release) -> str:
    """What each model alone suppresses, as a sentence to follow another; empty where none does."""
    words = in_words(by_model(release), most_suppressed(release.problem, release.requirement))
    return f" {words}" if words else ""


def _not_found(project: Project, result: SearchResult) -> RequirementNotMetError:
    """A search ended without a node, and without a proof that there is none."""
    n_others = result.nodes_total - result.nodes_checked
    has_limit = project.search.steps or project.search.seconds
    return RequirementNotMetError(
        _(
            "None of the {nodes_checked:,} nodes checked satisfies the requirement; the search "
            "ended there, before the other {n_others:,}."
        ).format(nodes_checked=result.nodes_checked, n_others=n_others),
        hint=_("Raise the steps or seconds of the search, or set them to 0 for no limit.")
        if has_limit
        else _("The algorithm '{algorithm}' does not look at every node; best_first does.").format(
            algorithm=project.search.algorithm
        ),
    )


def _checked(release: Release, what: str) -> Release:
    """A release that satisfies, or `RequirementNotMetError` that says what it misses."""
    if missed := release.missed:
        counted = release.problem.counted
        raise RequirementNotMetError(
            _("What {what} keeps does not meet: {listed}.").format(
                what=what, listed=", ".join(counted.worded(model.title) for model in missed)
            ),
            hint=_("Choose another node or threshold, or add a model that suppresses, such as k-anonymity."),
        )
    if not release.satisfies:
        losses = release.losses
        lost, said = f"{release.n_suppressed} records", str(losses.allowed)
        if losses.are_people:
            lost, said = (
                f"{lost} of {losses.count} people",
                _("{allowed} people to lose one").format(allowed=losses.allowed),
            )
        raise RequirementNotMetError(
            _("{what} suppresses {lost}; the limit allows {said}.").format(what=what, lost=lost, said=said)
            + _alone(release),
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
    """Make a release whose levels differ by record; whether it satisfies is for `Release.satisfies` to say.

    Parameters
    ----------
    project : Project
    problem : Problem
        The project compiled.
    method : RecodingMethod
    node : tuple of int, optional
        The node whose release is improved, for a method that asks for one.
    monitor : Monitor

    Raises
    ------
    CancelledError
        When the monitor asks to stop.
    InputError
        If the method cannot deal with such a problem or requirement.
    """
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
    """Run the project's search algorithm, by the part of the requirement that it enforces."""
    task = search_task(project, problem)
    algorithm = search_algorithms.create(project.search.algorithm, **project.search.options)
    return algorithm.run(task, monitor)


def search_task(project: Project, problem: Problem) -> SearchTask:
    """What a project lets an algorithm look for."""
    return SearchTask(
        problem,
        searched_requirement(project),
        project.search.metric,
        attribute_weights(project, problem),
        project.search.steps,
        project.search.seconds,
        project.transformation.seed,
        chosen=chosen_metric(project),
    )


def evaluate_node(project: Project, problem: Problem, node: Node) -> Evaluation:
    """Score a single node under the project's requirement; its node number is 0."""
    single = narrowed(problem, node)
    profile = LatticeProfile(single, project.requirement)
    for number, tuples in profile.pending():
        profile.record(number, tuples)
    return evaluate(profile, project.requirement, objective_of(project, problem))


def refuse_impossible(project: Project, problem: Problem, node: Node | None = None) -> None:
    """Raise `RequirementNotMetError` where no lattice is needed to know that nothing can satisfy.

    With a node given the others do not matter, and it is judged itself.
    """
    found, words = too_strict(project, problem), ""
    if found is None and node is None:
        found = fails_at_top(project, problem)
        if found is not None and len(project.requirement.models) > 1:
            words = _alone(make_release(project, problem, problem.lattice.maximum))
    if found is not None:
        raise RequirementNotMetError(found.problem + words, hint=found.hint)


def summary(project: Project, outcome: Outcome, *, verified: bool) -> dict[str, Any]:
    """The figures of a release as plain JSON values; what does not exist is None."""
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
    notes = [*outcome.notes, *person_notes(project, release.levels)]
    if release.persons is not None and release.tells_persons_apart and release.persons.why_not_chained:
        notes.append(release.persons.why_not_chained)
    if notes:
        figures["notes"] = notes
    if release.recoding is not None:
        figures["recoding"] = release.method
    if release.aggregates:
        figures["microaggregation"] = {name: function.key for name, function in release.aggregates.items()}
    if names := by_recipe(project):
        figures["others"] = {"rule": project.others, "columns": list(names)}
    if project.search.enforce == AFTERWARDS:
        figures["enforce"] = AFTERWARDS
    return figures


def _persons_summary(release: Release, persons: ReleasePersons) -> dict[str, Any]:
    """The persons of a release, of whom `k`, `l` and `t` of the summary are; k of the records is beside."""
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
    path: Path,
    monitor: Monitor = SILENT,
    options: ExportOptions = ExportOptions(),
    *,
    overwrite: bool = True,
) -> Verdict:
    """Write a release, judge the written file independently, and only then put it in place.

    Parameters
    ----------
    project : Project
        What the release was made with.
    release : Release
    path : Path
    monitor : Monitor
    options : ExportOptions
    overwrite : bool
        Whether a file that is there already may be replaced.

    Raises
    ------
    InputError
        If a column has no role.
    ExportError
        If the file cannot be written, is there already and may not be replaced, is the original itself,
        or the original changed since it was read; the target is untouched.
    VerificationError
        If the written file does not have what is claimed for it; the target is untouched.
    """
    refuse_undecided(project)
    verdicts: list[Verdict] = []
    rules = {name: project.transformation.rule_of(name) for name in project.identifying}
    for name, rule in rules.items():
        rule.refuse_unready(name)
        for key in rule.paths.values():
            if os.path.realpath(path.parent) == os.path.realpath(os.path.dirname(key)):
                raise ExportError(
                    _("'{name}' would lie beside the key '{name_2}'.").format(
                        name=path.name, name_2=Path(key).name
                    ),
                    hint=_("Who gets the folder gets the key: choose another folder for the release."),
                    file=str(path),
                )
    if any(rule.paths for rule in rules.values()):
        release = remade(project, release)  # what these files hold may have changed since it was made
    options.refuse_impossible()

    def refuse_existing() -> None:
        if not overwrite and path.exists():
            raise ExportError(
                _("'{path}' exists already.").format(path=path),
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
    refuse_ending(path, options.kind)

    def judge(written: Path) -> None:
        give_memory_back()  # the judge holds both tables beside this one
        verdicts.append(judge_file(project, release, written, PartMonitor(monitor, 1, 2), options))
        if not verdicts[0].ok:
            _refuse_changed_source(project)
            raise VerificationError(
                _("The written file does not have the properties claimed: ") + " ".join(verdicts[0].problems),
                hint=_(
                    "Nothing was released. This is a fault of the program; keep the project and report it."
                ),
            )
        refuse_existing()  # somebody may have written one meanwhile

    with atomic_write(path, judge) as file:
        _write(file, project, release, options, PartMonitor(monitor, 0, 2))
    return verdicts[0]


def refuse_ending(path: Path, kind: str) -> None:
    """Raise `ExportError` where a name says that a release is something else than what is written."""
    ending, wanted = path.suffix.lower(), _ENDINGS[kind]
    if ending == wanted or (kind == CSV and ending not in (*UNWRITABLE, ".gz")):
        return
    problem = _("'{name}': the name of what is written has to end in {wanted}.").format(
        name=path.name, wanted=wanted
    )
    if ending == ".gz":
        problem = _("'{name}': a release is not packed.").format(name=path.name)
    elif kind == CSV:
        problem = _("'{name}': a release is not written as {UNWRITABLE} here.").format(
            name=path.name, UNWRITABLE=UNWRITABLE[ending]
        )
    raise ExportError(
        problem, hint=_("Choose a name that ends in {wanted}.").format(wanted=wanted), file=str(path)
    )


def _write(
    file: BinaryIO,
    project: Project,
    release: Release,
    options: ExportOptions,
    monitor: Monitor,
) -> None:
    """Write a release as the options say."""
    rows = release.rows()
    if project.transformation.shuffle:
        start = start_of(project.records, project.transformation.seed, monitor)
        rows = rows[drawn_order(len(rows), start_for_rows(start))]
    names = [column.name for column in release.columns]
    is_in_place = len(rows) == release.n_records and not project.transformation.shuffle
    columns = [
        (column.labels, column.codes if is_in_place else column.codes[rows]) for column in release.columns
    ]
    if options.safe_cells:
        names = [safe(name) for name in names]
        columns = [(tuple(map(safe, labels)), codes) for labels, codes in columns]
    header = names if has_header(options, project.options) else []
    if options.kind == EXCEL:
        kinds = (project.table.column(column.name).data_type.kind for column in release.columns)
        numeric = [kind in (Kind.INTEGER, Kind.DECIMAL) for kind in kinds]
        write_excel(file, header, columns, numeric, monitor)
    elif options.kind == PARQUET:
        write_parquet_texts(file, names, columns, monitor)
    else:
        delimiter = options.delimiter or project.options.delimiter or ","
        write_records(file, header, columns, delimiter, monitor, options=options)


def _refuse_changed_source(project: Project) -> None:
    """Raise `ExportError` if the original, or what it is compared with, no longer is what was opened."""
    if (other := changed_file(project)) is not None:
        raise ExportError(
            _("'{name}' changed since it was read.").format(name=other.name),
            hint=_("A release is verified against that file: read it again, or put it back as it was."),
            file=str(other),
        )
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
            _("'{name}' changed since it was opened.").format(name=project.source.name),
            hint=_("A release is verified against the original: open it again, or put it back as it was."),
            file=str(project.source),
        )


def judge_file(
    project: Project,
    release: Release,
    written: Path,
    monitor: Monitor = SILENT,
    options: ExportOptions = ExportOptions(),
) -> Verdict:
    """Judge independently whether a file is the release, written as the options say.

    Parameters
    ----------
    project : Project
        What the release was made with.
    release : Release
    written : Path
    monitor : Monitor
    options : ExportOptions
    """
    with scratch_folder("judging") as folder:
        original = project.source
        is_copy = original is None or not original.exists()
        if original is None or is_copy:
            # The table lives in the project file only: what the program read stands in for the original.
            original = folder / "original.csv"
            columns = [(column.labels, column.codes) for column in project.table.columns]
            write_csv(original, project.table.names, columns)
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
        return verify(claim, PartMonitor(monitor, 1, 2).step)


def _existing(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
