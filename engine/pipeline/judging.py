"""Verification of a written file: as a given release, or by the promises of a recipe alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice, product
from pathlib import Path

from engine.advice.notes import release_notes
from engine.errors import InputError, TableError
from engine.frequency import Problem
from engine.frequency.problem import Attribute
from engine.lattice import Node
from engine.monitor import SILENT, Monitor, PartMonitor
from engine.pipeline.writing import part_head
from engine.processes import give_memory_back
from engine.project import Project
from engine.project.claims import has_header, population_claim, release_claim, subset_claim
from engine.project.compile import compile_problem
from engine.project.deciding import refuse_undecided
from engine.recoding import Release, make_release, rooted
from engine.recoding.transformation import BLANK, KEPT
from engine.records import Column
from engine.records.databases.address import login_given, table_at
from engine.records.disk.fetched import records_here
from engine.records.disk.parts import joined
from engine.records.formats import STATA, format_of
from engine.records.opening import open_table
from engine.records.options import CSV, JUDGED, ExportOptions, bytes_of
from engine.records.places import has_column_folders
from engine.records.programs.statistical_writing import variable_names
from engine.records.stored import let_go
from engine.records.table_files import need
from engine.records.text.writing import write_csv
from engine.scratch import scratch_folder
from engine.verification import Limits, Verdict, verify
from engine.verification.claims import Expected, ReleaseClaim
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
        if project.table.home is not None:
            limits = Limits(records=_MOST_JUDGED_OF_FILES, folder=folder)
            if project.options.memory:
                # the other half is for the distinct records
                limits = replace(limits, memory=bytes_of(project.options.memory) // 2)
        give_memory_back()  # verification holds both tables in addition to this one
        let_go(project.table.columns)
        return verify(claim, PartMonitor(monitor, 1, 2).step, limits)


def verify_promises(
    project: Project,
    written: Path | str,
    node: Node | None = None,
    monitor: Monitor = SILENT,
    options: ExportOptions | None = None,
) -> Verdict:
    """Verify that a file is a release of the project's table that keeps what its settings promise.

    Nothing is searched: the levels of the columns are those that the labels of the file are of.

    Parameters
    ----------
    written : Path or str
        A file, a folder of parts, or the URL of a table of a database.
    node : tuple of int, optional
        Levels of the release, if the file must have these.
    options : ExportOptions, optional
        How the file was written, if not as the project says.

    Returns
    -------
    Verdict
        Of the first possible node that the file's table keeps the promises with, else the one with fewest
        problems.
    """
    if (address := table_at(written)) is not None:
        from engine.records.databases.writing import table_read  # loads SQLite

        with table_read(address, login_given(address)) as lines:
            return verify_promises(project, lines, node, monitor, options)
    written = Path(written)
    options = options or project.export_to(written)
    need_library(written, options.kind)
    refuse_undecided(project)
    compiled = compile_problem(project)
    is_local = project.recoding is not None
    problem = rooted(compiled) if is_local else compiled
    lowest = make_release(project, problem, problem.lattice.minimum)
    with scratch_folder("judging", project.options.scratch) as folder:
        shown = written
        if written.is_dir() and not has_column_folders(written):
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


MOST_NODES = 64  # that a file is verified as
_STAR = "*"


def released_columns(
    release: Release,
    written: Path,
    options: ExportOptions,
    monitor: Monitor = SILENT,
    *,
    project: Project,
) -> Mapping[str, Column]:
    """Return the columns of a file under their names in a release; none if it cannot be read as a table."""
    reading = project.options
    given = replace(
        JUDGED,
        delimiter=(options.delimiter or reading.delimiter) if options.kind == CSV else None,
        encoding=options.text_encoding if options.kind == CSV else None,
        header=has_header(options, reading),
        missing=reading.missing,
    )
    try:
        table = open_table(written, given, monitor).table
    except TableError:
        return {}
    if has_header(options, reading):
        names = [column.name for column in release.columns]
        own = dict(zip(variable_names(names, options.kind), names, strict=True))
        return {own.get(column.name, column.name): column for column in table.columns}
    return dict(zip((column.name for column in release.columns), table.columns, strict=False))


def nodes_of(problem: Problem, columns: Mapping[str, Column]) -> list[Node]:
    """Return the nodes that a file can be a release of, the likeliest first and at most `MOST_NODES`.

    Per column, these are the levels with most of the file's records; of labels that several levels have,
    the lowest level comes first.
    """
    levels = [list(_levels(attribute, columns.get(attribute.name))) for attribute in problem.attributes]
    return list(islice(product(*levels), MOST_NODES))


def _levels(attribute: Attribute, column: Column | None) -> Iterator[int]:
    """Yield the possible levels of one column."""
    allowed = range(attribute.minimum, attribute.maximum + 1)
    if attribute.released_as:
        yield from allowed  # the file shows aggregates instead of labels
        return
    if column is None:
        yield attribute.minimum
        return
    counts = dict(zip(column.labels, column.counts.tolist(), strict=True))
    stars = counts.pop(_STAR, 0)  # suppressed records, or the label of a level
    hidden = [level for level in allowed if set(attribute.hierarchy.levels[level].labels) == {_STAR}]
    if not counts and stars and hidden:
        yield from hidden
        return
    found = {
        level: sum(counts.get(label, 0) for label in set(attribute.hierarchy.levels[level].labels))
        for level in allowed
    }
    most = max(found.values())
    yield from (level for level, n_records in found.items() if n_records == most)


def n_all_star(problem: Problem, columns: Mapping[str, Column]) -> int:
    """Return the number of a file's records whose quasi-identifying cells are all `*`."""
    own = [columns[name] for name in problem.names if name in columns]
    if not own or any(_STAR not in column.labels for column in own):
        return 0
    is_hidden = own[0].codes == own[0].labels.index(_STAR)
    for column in own[1:]:
        is_hidden = is_hidden & (column.codes == column.labels.index(_STAR))
    if own[0].records is not None:
        return int(own[0].records[is_hidden].sum())
    return int(is_hidden.sum())


def promised(claim: ReleaseClaim, n_suppressed: int, *, is_local: bool, way: str = "") -> ReleaseClaim:
    """Return a claim of a recipe's promises: every model is met, suppression is within its limit.

    Parameters
    ----------
    claim : ReleaseClaim
        What the program claims of a release of the same settings.
    n_suppressed : int
        Suppressed records that the file seems to have.
    is_local : bool
        Whether levels may differ by record.
    way : str
        Whether suppressed records are "blank" or "kept", if the claim does not state it.
    """
    return replace(
        claim,
        expected=Expected(claim.expected.records, 0, n_suppressed, 0, None, are_claimed=False),
        models=tuple(replace(model, met=True, holds=True) for model in claim.models),
        satisfies=True,
        node=None if is_local else claim.node,
        blank_suppressed=way == BLANK if way else claim.blank_suppressed,
        kept_records=None,
    )
