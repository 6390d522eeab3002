"""Verification of a written file: as a given release, or by the promises of a recipe alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

from engine.advice.notes import release_notes
from engine.errors import InputError
from engine.lattice import Node
from engine.memory import give_memory_back
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.pipeline.writing import part_head
from engine.project import Project
from engine.project.claims import population_claim, release_claim, subset_claim
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.project.promised import n_all_star, nodes_of, promised, released_columns
from engine.recoding import Release, make_release, rooted
from engine.recoding.transformation import BLANK, KEPT
from engine.scratch import scratch_folder
from engine.sources.fetched import records_here
from engine.table.formats import STATA, format_of
from engine.table.options import ExportOptions, bytes_of
from engine.table.parts import joined
from engine.table.sources import need
from engine.table.stored import let_go
from engine.table.writing import write_csv
from engine.verification import Limits, ReleaseClaim, Verdict, verify
from engine.verification.containers import refusal

# Records of a table in files that are judged in memory: fewer than usual, since it does not fit there.
_MOST_JUDGED_OF_FILES = 1_000_000


def need_library(path: Path, kind: str) -> None:
    """Raise `TableError` if the library is missing by which a released file of a format is verified."""
    own = format_of(Path(f"x.{kind}"))
    if own is not None and own.library and own is not STATA:  # pandas reads Stata's files by itself
        need(own.library, path.name)


def judge_file(
    project: Project,
    release: Release,
    written: Path,
    monitor: Monitor = SILENT,
    options: ExportOptions | None = None,
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
    options : ExportOptions, optional
        By default those of the project, with the kind of the file's ending.
    amended : callable, optional
        Returns the claim to verify instead of that about the release.
    """
    options = options or project.export_to(written)
    need_library(written, options.kind)
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
                # the other half is for the distinct records
                limits = replace(limits, memory=bytes_of(project.options.memory) // 2)
        give_memory_back()  # verification holds both tables in addition to this one
        let_go(project.table.columns)
        return verify(claim, PartMonitor(monitor, 1, 2).step, limits)


def verify_promises(
    project: Project,
    written: Path,
    node: Node | None = None,
    monitor: Monitor = SILENT,
    options: ExportOptions | None = None,
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
    options : ExportOptions, optional
        How the file was written, if not as the project says.

    Returns
    -------
    Verdict
        Of the first possible node that the file's table keeps the promises with, else the one with fewest
        problems.
    """
    options = options or project.export_to(written)
    need_library(written, options.kind)
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
                joined(written, shown, part_head(project, lowest, options))
            except InputError as error:  # a part is missing or changed
                return Verdict(False, (error.problem,), {})
        columns = released_columns(lowest, shown, options, monitor, project=project)
    n_suppressed = n_all_star(problem, columns)
    nodes = [node] if node is not None else [lowest.node] if is_local else nodes_of(problem, columns)
    # of a recoding the file alone tells what became of the suppressed records
    ways = [BLANK, KEPT] if is_local and project.transformation.way == KEPT else [""]
    best: Verdict | None = None
    nearest = lowest
    for one, way in product(nodes, ways):
        assert one is not None, "releases of nodes have one"
        release = lowest if one == lowest.node else make_release(project, problem, one)
        verdict = judge_file(
            project,
            release,
            written,
            monitor,
            options,
            amended=partial(promised, n_suppressed=n_suppressed, is_local=is_local, way=way),
        )
        if best is None or len(verdict.problems) < len(best.problems):
            best, nearest = verdict, release
        if set(verdict.problems) <= {refusal(written.name, verdict.besides)}:
            break  # no other node would change what the file holds besides its table
    assert best is not None, "every column has a level"
    return replace(best, revealed=release_notes(project, nearest))
